"""Parallel numba loops over blocks of worlds, compiled once and kept with the other kernels."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numba
from numba import njit

from physx_runtime.compiling.kept_code import KeptCode
from physx_runtime.compiling.kernel_cache import package_code

_threads_lost = False       # in a process forked from one whose threads run: it has none of them, nor can it start any


def parallel_loop(function: Callable[..., None]) -> Callable[..., None]:
    """The function compiled by numba, its `prange` on all cores; on one in a process forked from one that steps."""
    everywhere, alone = _kept(function, True), _kept(function, False)

    def loop(*arguments: Any) -> None:
        (alone if _threads_lost else everywhere)(*arguments)

    return loop


def _kept(function: Callable[..., None], parallel: bool) -> Any:
    made = njit(parallel=parallel)(function)
    suffix = "" if parallel else ".alone"
    made._cache = KeptCode(f"{function.__module__}.{function.__qualname__}{suffix}", package_code)
    return made


def _forked() -> None:
    global _threads_lost
    try:
        numba.threading_layer()     # raises where no thread has run yet
    except ValueError:
        return
    _threads_lost = True


os.register_at_fork(after_in_child=_forked)
