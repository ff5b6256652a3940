"""The processor's estimates of 1 / x and 1 / sqrt(x), with which PhysX clips edges of boxes and scales hulls."""

from __future__ import annotations

import math
import platform
from typing import Any

import llvmlite.ir as ir
import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from physx_runtime.compiling.numba_functions import scalar_code

X86 = platform.machine() in ("x86_64", "AMD64")
_ONE = np.float32(1.0)


def _estimate(name: str) -> Any:
    """What an instruction of the processor gives for one number."""

    @intrinsic  # type: ignore[untyped-decorator]
    def estimate(typingctx: Any, x: Any) -> Any:
        def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
            four, first = ir.VectorType(ir.FloatType(), 4), ir.IntType(32)(0)
            called = cgutils.get_or_insert_function(builder.module, ir.FunctionType(four, [four]), name)
            given = builder.insert_element(four(ir.Undefined), args[0], first)
            return builder.extract_element(builder.call(called, [given]), first)

        return types.float32(types.float32), codegen

    return estimate


if X86:
    # RCPSS and RSQRTSS: right to 12 bits, the others are the processor's own. They may differ between makers of them.
    _rcpss, _rsqrtss = _estimate("llvm.x86.sse.rcp.ss"), _estimate("llvm.x86.sse.rsqrt.ss")

    @scalar_code
    def reciprocal(x: Any) -> Any:
        """About 1 / x, as RCPSS has it; infinity for 0."""
        return _rcpss(x)

    @scalar_code
    def reciprocal_root(x: Any) -> Any:
        """About 1 / sqrt(x), as RSQRTSS has it; infinity for 0."""
        return _rsqrtss(x)
else:
    # Elsewhere PhysX refines an estimate of NEON's, which ends near the exact quotient.
    @scalar_code
    def reciprocal(x: Any) -> Any:
        """1 / x; infinity for 0."""
        return _ONE / x

    @scalar_code
    def reciprocal_root(x: Any) -> Any:
        """1 / sqrt(x); infinity for 0."""
        return _ONE / math.sqrt(x)
