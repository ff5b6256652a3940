"""Traced functions on the CPU: vector machine code over blocks of worlds, reading and writing the caller's memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import llvmlite.ir as ir
import numba
import numpy as np
from numba import prange, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from physx_runtime.compiling.function_ir import Block, emit_function
from physx_runtime.compiling.functions import Function
from physx_runtime.compiling.vector_ir import ELEMENT, Vectors
from physx_runtime.targets.loops import parallel_loop
from physx_runtime.targets.native import load_function, register_bits

Array = NDArray[Any]
Addresses = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Lines:
    """Memory with one line for each of several worlds: the address of each line, and what keeps the memory alive."""

    addresses: Addresses                # (n,)
    owner: Array


class Kernel:
    """A compiled function, called for chosen worlds of a buffer of blocks."""

    def __init__(self, function: Function, layout: Mapping[str, int], states: Collection[str], dtype: str,
                 lanes: int) -> None:
        self.function, self.lanes, self.layout = function, lanes, layout
        self._vectors = Vectors(ELEMENT[dtype], min(lanes, register_bits() // (8 * np.dtype(dtype).itemsize)))
        known = {*states, *(name for name, _ in function.given)}
        own = [row for row in function.body.inputs if row.rpartition("_")[0] not in known]
        self.parameters = frozenset(row.rpartition("_")[0] for row in own)
        self._own = frozenset(own)
        self._codes: dict[bool, _Code] = {}         # by whether all worlds have the same parameters
        # lanes that nobody asked for read and write here
        self._idle = np.zeros(max(size for _, size in (*function.given, *function.results)), dtype)

    def __call__(self, buffer: Array, worlds: NDArray[np.int64], arrays: Sequence[Lines | None],
                 alike: bool = False) -> None:
        """Run for the worlds with these indices.

        arrays: the given ones, then the results, one line for each entry of `worlds`, in that order; None for a result
        that is not wanted. alike: every world has the same parameters, so those of the first serve all.
        """
        width = self._vectors.lanes
        pointers = np.full((len(arrays), buffer.shape[0] * self.lanes), self._idle.ctypes.data, dtype=np.int64)
        for i, lines in enumerate(arrays):
            if lines is not None:
                pointers[i, worlds] = lines.addresses
        wanted = np.zeros(buffer.shape[0] * self.lanes // width, dtype=np.bool_)
        wanted[worlds // width] = True
        code = self._code(alike)
        _run(code.address, buffer, np.flatnonzero(wanted), width, buffer[0, code.parameters, 0], code.scratch, pointers)

    def _code(self, alike: bool) -> _Code:
        if alike not in self._codes:
            made = emit_function(self.function, Block(self.layout, self.lanes, self._own if alike else ()),
                                 self._vectors)
            scratch = np.zeros((numba.config.NUMBA_NUM_THREADS, made.scratch_rows * self._vectors.lanes),
                               self._idle.dtype)
            self._codes[alike] = _Code(load_function(made.symbol, made.text), list(made.parameters), scratch)
        return self._codes[alike]


@dataclass(frozen=True, slots=True)
class _Code:
    """Machine code of a function, the rows it takes one number of, and its memory for each thread."""

    address: int
    parameters: list[int]
    scratch: Array


@intrinsic  # type: ignore[untyped-decorator]
def _call(typingctx: Any, address: Any, rows: Any, parameters: Any, scratch: Any, pointers: Any, stride: Any) -> Any:
    """Call the function at an address on the worlds of one register."""

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        data = [context.make_array(kind)(context, builder, value).data
                for kind, value in zip(signature.args[1:5], args[1:5], strict=True)]
        kind = ir.FunctionType(ir.VoidType(), [*(pointer.type for pointer in data), ir.IntType(64)])
        builder.call(builder.inttoptr(args[0], kind.as_pointer()), [*data, args[5]])
        return context.get_dummy_value()

    return types.void(types.int64, rows, parameters, scratch, pointers, types.int64), codegen


@parallel_loop
def _run(address, buffer, parts, width, parameters, scratch, pointers):  # type: ignore[no-untyped-def]
    each = buffer.shape[2] // width
    for i in prange(len(parts)):
        block, part = divmod(parts[i], each)
        _call(address, buffer[block, 0, part * width:], parameters, scratch[numba.get_thread_id()],
              pointers[0, parts[i] * width:], pointers.shape[1])
