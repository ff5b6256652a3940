"""The CUDA target: the step as a scalar numba-cuda kernel, a thread a world, 32 worlds a block of the buffer."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import sys
import types
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from physx_runtime.compiling.program import trace_step
from physx_runtime.compiling.scalar_source import emit_source
from physx_runtime.model.topology import Topology
from physx_runtime.targets.kernel_cache import keep_text

# Worlds in a block of the buffer: neighbouring threads read neighbouring words.
LANES = 32
# At a few thousand worlds there is about one warp a multiprocessor; blocks of one warp spread over all of them.
THREADS_PER_BLOCK = 32


def emit_kernel(t: Topology, dtype: str) -> str:
    """The kernel's Python source for ``step(x, worlds, steps, N, V)``; x of shape (blocks, rows, LANES)."""
    environment = Environment(loader=PackageLoader("physx_runtime.targets"), undefined=StrictUndefined,
                              trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, autoescape=False)
    source = emit_source(trace_step(t))
    return environment.get_template("cuda_step.py.jinja").render(source=source, dtype=dtype, lanes=LANES,
                                                                 simulated=_simulated())


@functools.lru_cache(maxsize=64)
def load_kernel(t: Topology, dtype: str) -> Any:
    """The emitted kernel as a numba-cuda dispatcher; its source is kept in the cache folder."""
    _require_numba_cuda()
    text = emit_kernel(t, dtype)
    name = "cuda_step_" + hashlib.sha256(text.encode()).hexdigest()[:20]
    module = types.ModuleType(name)
    sys.modules[name] = module
    exec(compile(text, keep_text(f"{name}.py", text), "exec"), module.__dict__)
    return module.step


def launch(t: Topology, dtype: str, x: Any, worlds: int, steps: int, n: int, v: int) -> None:
    """Step every world of a device array `x` (blocks, rows, LANES) in place."""
    blocks = -(-worlds // THREADS_PER_BLOCK)
    load_kernel(t, dtype)[blocks, THREADS_PER_BLOCK](x, worlds, steps, n, v)


def available() -> bool:
    """Whether kernels can run: a GPU is there, or simulated."""
    _require_numba_cuda()
    from numba import cuda

    return _simulated() or bool(cuda.is_available())


def to_device(x: Any) -> Any:
    """A copy of a host array on the GPU."""
    from numba import cuda

    return cuda.to_device(x)


def compile_ptx(t: Topology, dtype: str, capability: tuple[int, int] = (9, 0)) -> str:
    """PTX of the kernel for a compute capability; needs no GPU."""
    from numba import cuda, float32, float64, int64

    kernel = load_kernel(t, dtype)
    # the dispatcher asks the current device for its capability, and there may be none
    cuda.dispatcher.get_current_device = lambda: types.SimpleNamespace(compute_capability=capability)
    real = float32 if dtype == "float32" else float64
    ptx, _ = cuda.compile_ptx(kernel.py_func, (real[:, :, ::1], int64, int64, int64, int64), cc=capability)
    return str(ptx)


def _simulated() -> bool:
    from numba import config

    return bool(config.ENABLE_CUDASIM)


def _require_numba_cuda() -> None:
    if importlib.util.find_spec("numba_cuda") is None:
        from physx_schema.errors import UnsupportedError  # not above: GPU machines need no USD

        raise UnsupportedError("device 'cuda' needs numba-cuda; install it with: pip install 'physx-schema[cuda]'")
