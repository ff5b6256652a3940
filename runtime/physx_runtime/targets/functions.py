"""Traced functions on the CPU: vector machine code over blocks of worlds, reading and writing the caller's memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import llvmlite.ir as ir
import numba
import numpy as np
from numba import njit, prange, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from physx_runtime.targets.native import load_function, register_bits
from physx_runtime.tracing.emit_function import FunctionCode, emit_function
from physx_runtime.tracing.emit_ir import ELEMENT, Vectors
from physx_runtime.tracing.functions import Function

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
        tile = min(lanes, register_bits() // (8 * np.dtype(dtype).itemsize))
        self.function, self.lanes, self.layout = function, lanes, layout
        known = {*states, *(name for name, _ in function.given)}
        self.parameters = frozenset(row.rpartition("_")[0] for row in function.body.inputs) - known
        self._code: FunctionCode = emit_function(function, layout, states, Vectors(ELEMENT[dtype], lanes), tile)
        self._address = load_function(self._code.symbol, self._code.text)
        self._scratch = np.zeros((numba.config.NUMBA_NUM_THREADS, self._code.scratch_rows * lanes), dtype)
        # lanes that nobody asked for read and write here
        self._idle = np.zeros(max(size for _, size in (*function.given, *function.results)), dtype)

    def __call__(self, buffer: Array, worlds: NDArray[np.int64], arrays: Sequence[Lines | None],
                 alike: bool = False) -> None:
        """Run for the worlds with these indices.

        arrays: the given ones, then the results, one line for each entry of `worlds`, in that order; None for a result
        that is not wanted. alike: every world has the same parameters, so those of the first block serve all and stay
        in the cache.
        """
        pointers = np.full((len(arrays), buffer.shape[0] * self.lanes), self._idle.ctypes.data, dtype=np.int64)
        for i, lines in enumerate(arrays):
            if lines is not None:
                pointers[i, worlds] = lines.addresses
        wanted = np.zeros(buffer.shape[0], dtype=np.bool_)
        wanted[worlds // self.lanes] = True
        _run(self._address, buffer, np.flatnonzero(wanted), self._scratch, pointers, alike)


@intrinsic  # type: ignore[untyped-decorator]
def _call(typingctx: Any, address: Any, states: Any, parameters: Any, scratch: Any, pointers: Any,
          stride: Any) -> Any:
    """Call the function at an address on one block."""

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        data = [context.make_array(kind)(context, builder, value).data
                for kind, value in zip(signature.args[1:5], args[1:5], strict=True)]
        kind = ir.FunctionType(ir.VoidType(), [*(pointer.type for pointer in data), ir.IntType(64)])
        builder.call(builder.inttoptr(args[0], kind.as_pointer()), [*data, args[5]])
        return context.get_dummy_value()

    return types.void(types.int64, states, parameters, scratch, pointers, types.int64), codegen


@njit(parallel=True, cache=True)
def _run(address, buffer, blocks, scratch, pointers, alike):  # type: ignore[no-untyped-def]
    lanes = buffer.shape[2]
    for i in prange(len(blocks)):
        block = blocks[i]
        _call(address, buffer[block], buffer[0 if alike else block], scratch[numba.get_thread_id()],
              pointers[0, block * lanes:], pointers.shape[1])
