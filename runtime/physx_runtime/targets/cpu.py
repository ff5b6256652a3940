"""The CPU target: vector machine code for one block of worlds, called from a parallel numba loop over blocks."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import llvmlite.ir as ir
import numpy as np
from numba import prange, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from physx_runtime.compiling.program import trace_step
from physx_runtime.compiling.step_ir import emit_step
from physx_runtime.compiling.vector_ir import ELEMENT, Vectors
from physx_runtime.model.topology import Topology
from physx_runtime.targets.loops import parallel_loop
from physx_runtime.targets.native import load_kept, register_bits

# Two registers a block: an iteration is one dependency chain, and two interleaved chains hide its latency. The rows of
# more velocities than these leave the nearest cache that way: 7 to 16 % slower at 22 and 33.
REGISTERS_PER_BLOCK, FEW_VELOCITIES = 2, 16

# step(x, steps, N, V): x of shape (blocks, rows, lanes), changed in place
Step = Callable[[NDArray[Any], int, int, int], None]


def lanes(t: Topology, dtype: str) -> int:
    """Worlds in a block on this machine."""
    return (REGISTERS_PER_BLOCK if t.nv <= FEW_VELOCITIES else 1) * register_lanes(dtype)


def register_lanes(dtype: str) -> int:
    """Worlds in a register of this machine."""
    return register_bits() // (8 * np.dtype(dtype).itemsize)


@functools.lru_cache(maxsize=64)
def compile_step(t: Topology, dtype: str, width: int) -> Step:
    """The step of a topology over blocks of `width` worlds."""
    part = min(width, register_lanes(dtype))
    vectors, parts = Vectors(ELEMENT[dtype], part), width // part
    address = load_kept(f"step {t} {vectors} {parts}", lambda: emit_step(trace_step(t), vectors, parts))
    return functools.partial(_run, address)


@intrinsic  # type: ignore[untyped-decorator]
def _step_block(typingctx: Any, address: Any, block: Any, steps: Any, n: Any, v: Any) -> Any:
    """Call the step at an address on one block."""

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[1])(context, builder, args[1]).data
        count = ir.IntType(64)
        kind = ir.FunctionType(ir.VoidType(), [data.type, count, count, count])
        builder.call(builder.inttoptr(args[0], kind.as_pointer()), [data, *args[2:]])
        return context.get_dummy_value()

    return types.void(types.int64, block, types.int64, types.int64, types.int64), codegen


@parallel_loop
def _run(address, x, steps, n, v):  # type: ignore[no-untyped-def]
    for block in prange(x.shape[0]):
        _step_block(address, x[block], steps, n, v)
