"""The CPU target calls vector machine code for blocks of worlds from parallel numba loops. `compile_program` compiles a
program, which changes rows of its blocks in place. `FunctionKernel` calls a function, which reads rows and writes the
caller's memory.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import llvmlite.ir as ir
import numba
import numpy as np
from numba import prange, types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from physx_runtime.arrays import Array
from physx_runtime.compiling.code import row_of
from physx_runtime.compiling.llvm.functions import Block, emit_function
from physx_runtime.compiling.llvm.machine_code import load_cached_function, load_function, register_bits
from physx_runtime.compiling.llvm.programs import emit_program
from physx_runtime.compiling.llvm.vectors import ELEMENT_TYPES, Vectors
from physx_runtime.compiling.numba_functions import parallel_loop
from physx_runtime.compiling.program import Program
from physx_runtime.compiling.schedule import Function

Addresses = NDArray[np.int64]



@dataclass(frozen=True, slots=True)
class CompiledProgram:
    """A program's machine code for one block, called as run(x, rounds, ...) with the program's counts.

    x: (blocks, rows, lanes), changed in place on all cores.
    """

    address: int

    def __call__(self, x: NDArray[Any], *numbers: int) -> None:
        _run_program(self.address, x, numbers)


def register_lanes(dtype: str) -> int:
    """Number of worlds in a vector register of this machine."""
    return register_bits() // (8 * np.dtype(dtype).itemsize)


def compile_program(key: str, trace: Callable[[], Program], dtype: str, lanes: int) -> CompiledProgram:
    """Compile a program over blocks of `lanes` worlds.

    key: names what `trace` depends on; a cached program is not traced.
    """
    part = min(lanes, register_lanes(dtype))
    vectors, parts = Vectors(ELEMENT_TYPES[dtype], part), lanes // part
    return CompiledProgram(load_cached_function(f"{key} {vectors} {parts}",
                                                lambda: emit_program(trace(), vectors, parts)))


@intrinsic  # type: ignore[untyped-decorator]
def run_block(typingctx: Any, address: Any, block: Any, numbers: Any) -> Any:
    """In compiled code: call the program at an address on one block, with its rounds and counts."""

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[1])(context, builder, args[1]).data
        counts = cgutils.unpack_tuple(builder, args[2])
        kind = ir.FunctionType(ir.VoidType(), [data.type, *(number.type for number in counts)])
        builder.call(builder.inttoptr(args[0], kind.as_pointer()), [data, *counts])
        return context.get_dummy_value()

    return types.void(types.int64, block, numbers), codegen


@parallel_loop
def _run_program(address, x, numbers):  # type: ignore[no-untyped-def]
    for block in prange(x.shape[0]):
        run_block(address, x[block], numbers)


@dataclass(frozen=True, slots=True)
class LineAddresses:
    """Memory with one line for each of several worlds: address of each line, and the owner of the memory."""

    addresses: Addresses                # (n,)
    owner: Array


class FunctionKernel:
    """A compiled function that is called for chosen worlds of a buffer of blocks."""

    def __init__(self, function: Function, layout: Mapping[str, int], states: Collection[str], dtype: str,
                 lanes: int) -> None:
        self.function, self.lanes, self.layout = function, lanes, layout
        self._vectors = Vectors(ELEMENT_TYPES[dtype], min(lanes, register_lanes(dtype)))
        row_names = {*states, *(name for name, _ in function.arrays)}
        parameter_scalars = [row for row in function.code.inputs if row_of(row) not in row_names]
        self.parameters = frozenset(row_of(row) for row in parameter_scalars)
        self._parameter_scalars = frozenset(parameter_scalars)
        self._compiled: dict[bool, _FunctionCode] = {}        # by whether all worlds have the same parameters
        # unused lanes read and write here
        self._idle = np.zeros(max(size for _, size in (*function.arrays, *function.results)), dtype)

    def __call__(self, buffer: Array, worlds: NDArray[np.int64], arrays: Sequence[LineAddresses | None],
                 uniform: bool = False) -> None:
        """Run for the worlds with these indices.

        arrays: the given ones, then the results, one line for each entry of `worlds`, in that order; None for a result
        that is not needed. uniform: all worlds have equal parameters, so those of the first are used.
        """
        width = self._vectors.lanes
        pointers = np.full((len(arrays), buffer.shape[0] * self.lanes), self._idle.ctypes.data, dtype=np.int64)
        for i, lines in enumerate(arrays):
            if lines is not None:
                pointers[i, worlds] = lines.addresses
        active = np.zeros(buffer.shape[0] * self.lanes // width, dtype=np.bool_)
        active[worlds // width] = True
        code = self._compile(uniform)
        _run_function(code.address, buffer, np.flatnonzero(active), width, buffer[0, code.parameters, 0], code.scratch,
                      pointers)

    def _compile(self, uniform: bool) -> _FunctionCode:
        if uniform not in self._compiled:
            function_ir = emit_function(self.function,
                                        Block(self.layout, self.lanes, self._parameter_scalars if uniform else ()),
                                        self._vectors)
            scratch = np.zeros((numba.config.NUMBA_NUM_THREADS, function_ir.scratch_rows * self._vectors.lanes),
                               self._idle.dtype)
            self._compiled[uniform] = _FunctionCode(load_function(function_ir.symbol, function_ir.text),
                                                    list(function_ir.parameters), scratch)
        return self._compiled[uniform]


@dataclass(frozen=True, slots=True)
class _FunctionCode:
    """Machine code of a function, its rows that are equal in all worlds, and its memory for each thread."""

    address: int
    parameters: list[int]
    scratch: Array


@intrinsic  # type: ignore[untyped-decorator]
def _call_function(typingctx: Any, address: Any, rows: Any, parameters: Any, scratch: Any, pointers: Any,
                   stride: Any) -> Any:
    """Call the function at an address on the worlds of one register."""

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        data = [context.make_array(kind)(context, builder, value).data
                for kind, value in zip(signature.args[1:5], args[1:5], strict=True)]
        kind = ir.FunctionType(ir.VoidType(), [*(pointer.type for pointer in data), ir.IntType(64)])
        builder.call(builder.inttoptr(args[0], kind.as_pointer()), [*data, args[5]])
        return context.get_dummy_value()

    return types.void(types.int64, rows, parameters, scratch, pointers, types.int64), codegen


@parallel_loop
def _run_function(address, buffer, parts, width, parameters, scratch, pointers):  # type: ignore[no-untyped-def]
    registers_per_block = buffer.shape[2] // width
    for i in prange(len(parts)):
        block, part = divmod(parts[i], registers_per_block)
        _call_function(address, buffer[block, 0, part * width:], parameters, scratch[numba.get_thread_id()],
                       pointers[0, parts[i] * width:], pointers.shape[1])
