"""Traced functions on the CPU: vector machine code over blocks of worlds, reading and writing the caller's memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import llvmlite.ir as ir
import numba
import numpy as np
from numba import njit, prange, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from physx_runtime.targets.cpu import ELEMENT
from physx_runtime.targets.native import load_function, register_bits
from physx_runtime.tracing.emit_function import FunctionCode, emit_function
from physx_runtime.tracing.emit_ir import Vectors
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

    def __init__(self, function: Function, layout: Mapping[str, int], dtype: str, lanes: int) -> None:
        tile = min(lanes, register_bits() // (8 * np.dtype(dtype).itemsize))
        self.function, self.lanes = function, lanes
        self._code: FunctionCode = emit_function(function, layout, Vectors(ELEMENT[dtype], lanes), tile)
        self._address = load_function(self._code.symbol, self._code.text)
        self._scratch = np.zeros((numba.config.NUMBA_NUM_THREADS, self._code.scratch_rows * lanes), dtype)
        # lanes that nobody asked for read and write here
        self._idle = np.zeros(max(size for _, size in (*function.given, *function.results)), dtype)

    def __call__(self, buffer: Array, worlds: NDArray[np.int64], arrays: Sequence[Lines | None]) -> None:
        """Run for the worlds with these indices.

        arrays: the given ones, then the results, one line for each entry of `worlds`, in that order; None for a result
        that is not wanted.
        """
        blocks, place = np.unique(worlds // self.lanes, return_inverse=True)
        pointers = np.full((len(blocks), len(arrays), self.lanes), self._idle.ctypes.data, dtype=np.int64)
        for i, lines in enumerate(arrays):
            if lines is not None:
                pointers[place, i, worlds % self.lanes] = lines.addresses
        _run(self._address, buffer, blocks, self._scratch, pointers)


@intrinsic  # type: ignore[untyped-decorator]
def _call(typingctx: Any, address: Any, block: Any, scratch: Any, pointers: Any) -> Any:
    """Call the function at an address on one block."""

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        data = [context.make_array(kind)(context, builder, value).data
                for kind, value in zip(signature.args[1:], args[1:], strict=True)]
        kind = ir.FunctionType(ir.VoidType(), [pointer.type for pointer in data])
        builder.call(builder.inttoptr(args[0], kind.as_pointer()), data)
        return context.get_dummy_value()

    return types.void(types.int64, block, scratch, pointers), codegen


@njit(parallel=True, cache=True)
def _run(address, buffer, blocks, scratch, pointers):  # type: ignore[no-untyped-def]
    for i in prange(len(blocks)):
        _call(address, buffer[blocks[i]], scratch[numba.get_thread_id()], pointers[i])
