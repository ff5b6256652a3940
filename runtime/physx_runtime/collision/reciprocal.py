"""The processor's estimate of 1 / x, with which PhysX clips the edges of boxes."""

from __future__ import annotations

import platform
from typing import Any

import llvmlite.ir as ir
import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from physx_runtime.compiling.scalar_code import scalar_code

X86 = platform.machine() in ("x86_64", "AMD64")
ONE = np.float32(1.0)


@intrinsic  # type: ignore[untyped-decorator]
def _rcpss(typingctx: Any, x: Any) -> Any:
    """RCPSS: right to 12 bits, the others are the processor's own. It may differ between makers of processors."""

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        four, first = ir.VectorType(ir.FloatType(), 4), ir.IntType(32)(0)
        kind = ir.FunctionType(four, [four])
        estimate = cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.sse.rcp.ss")
        given = builder.insert_element(four(ir.Undefined), args[0], first)
        return builder.extract_element(builder.call(estimate, [given]), first)

    return types.float32(types.float32), codegen


if X86:
    @scalar_code
    def reciprocal(x: Any) -> Any:
        """About 1 / x, as RCPSS has it; infinity for 0."""
        return _rcpss(x)
else:
    # Elsewhere PhysX refines an estimate of NEON's, which ends near the exact quotient.
    @scalar_code
    def reciprocal(x: Any) -> Any:
        """1 / x; infinity for 0."""
        return ONE / x
