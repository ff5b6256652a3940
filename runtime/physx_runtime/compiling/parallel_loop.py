"""Parallel numba loops over blocks of worlds, compiled once and kept with the other kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit

from physx_runtime.compiling.kept_code import KeptCode
from physx_runtime.compiling.kernel_cache import package_code


def parallel_loop(function: Callable[..., None]) -> Any:
    """The function compiled by numba, its `prange` on all cores."""
    loop = njit(parallel=True)(function)
    loop._cache = KeptCode(f"{function.__module__}.{function.__qualname__}", package_code)
    return loop
