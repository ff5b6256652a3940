"""`CudaKernel` runs a program as a scalar numba-cuda kernel, one thread for each world, as a check of the CUDA target.
It takes minutes to compile, and the compiler decides which products are fused. `targets.cuda.kernels` is what steps
worlds.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
import types
from typing import Any

from physx_runtime.compiling.cuda_source import emit_kernel
from physx_runtime.compiling.kernel_cache import write_cached_text
from physx_runtime.compiling.program import Program, counts_of

# Worlds in a block of the buffer: neighbouring threads read neighbouring words.
LANES = 32
# At a few thousand worlds there is about one warp a multiprocessor; blocks of one warp spread over all of them.
THREADS_PER_BLOCK = 32


class CudaKernel:
    """A program's kernel; its source is kept in the cache folder."""

    def __init__(self, program: Program, dtype: str) -> None:
        _require_numba_cuda()
        text = emit_kernel(program, dtype, LANES, _simulated())
        name = "cuda_program_" + hashlib.sha256(text.encode()).hexdigest()[:20]
        module = types.ModuleType(name)
        sys.modules[name] = module
        exec(compile(text, write_cached_text(f"{name}.py", text), "exec"), module.__dict__)
        self._kernel, self._dtype, self._counts = module.program, dtype, len(counts_of(program.passes))

    def launch(self, x: Any, worlds: int, *numbers: int) -> None:
        """Run in place on every world of a device array `x` (blocks, rows, LANES). numbers: rounds, then counts."""
        blocks = -(-worlds // THREADS_PER_BLOCK)
        self._kernel[blocks, THREADS_PER_BLOCK](x, worlds, *numbers)

    def ptx(self, capability: tuple[int, int] = (9, 0)) -> str:
        """PTX of the kernel for a compute capability; needs no GPU."""
        from numba import cuda, float32, float64, int64

        # the dispatcher asks the current device for its capability, and there may be none
        cuda.dispatcher.get_current_device = lambda: types.SimpleNamespace(compute_capability=capability)
        real = float32 if self._dtype == "float32" else float64
        signature = (real[:, :, ::1], int64, int64, *[int64] * self._counts)
        ptx, _ = cuda.compile_ptx(self._kernel.py_func, signature, cc=capability)
        return str(ptx)


def require_gpu() -> None:
    """Raise UnsupportedError where neither a GPU nor numba's simulator is available."""
    _require_numba_cuda()
    from numba import cuda

    if not (_simulated() or cuda.is_available()):
        raise _unsupported("device 'cuda' through numba-cuda: no GPU found; use device='cpu', or simulate a GPU with "
                           "NUMBA_ENABLE_CUDASIM=1")


def to_device(x: Any) -> Any:
    """A copy of a host array on the GPU."""
    from numba import cuda

    return cuda.to_device(x)


def _simulated() -> bool:
    from numba import config

    return bool(config.ENABLE_CUDASIM)


def _require_numba_cuda() -> None:
    if importlib.util.find_spec("numba_cuda") is None:
        raise _unsupported("device 'cuda' through numba-cuda: numba-cuda is not installed; run: pip install "
                           "'physx-schema[numba-cuda]'")


def _unsupported(message: str) -> Exception:
    from physx_schema.errors import UnsupportedError  # not above: GPU machines need no USD

    return UnsupportedError(message)
