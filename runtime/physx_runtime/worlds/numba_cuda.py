"""Worlds on a GPU stepped by numba-cuda: a check for small robots, as compilation takes minutes."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from physx_runtime.arrays import Array
from physx_runtime.model.topology import ActorTopology
from physx_runtime.solver.program import step_layout, step_program
from physx_runtime.targets.numba_cuda import LANES, CudaKernel, require_gpu, to_device
from physx_runtime.worlds.buffer import Buffer
from physx_runtime.worlds.store import COMPILED, EVERY_WORLD


class NumbaCudaWorlds(Buffer):
    """Worlds stepped on a GPU; the buffer travels only when rows are read or written between steps."""

    is_host_memory, path = False, COMPILED

    def __init__(self, t: ActorTopology, count: int, dtype: str) -> None:
        super().__init__(count, dtype, LANES, step_layout(t))
        require_gpu()
        self._device: Any = None        # the buffer on the device, where set at least as new as the host's
        self._fetched = True            # whether the host's buffer is up to date
        self._kernel = step_kernel(t, dtype)

    def rows(self, name: str, window: slice = EVERY_WORLD) -> Array:
        self._fetch()
        return super().rows(name, window)

    def _writable(self, name: str) -> Array:
        self._fetch()
        self._device = None
        return super()._writable(name)

    def blocks(self) -> tuple[Array, Mapping[str, int]]:
        self._fetch()
        return super().blocks()

    def step(self, steps: int, n: int, v: int) -> None:
        if self._device is None:
            self._device = to_device(self.host)
        self._kernel.launch(self._device, self.count, steps, n, v)
        self._fetched = False

    def _fetch(self) -> None:
        if not self._fetched:
            self._device.copy_to_host(self.host)
            self._fetched = True


@functools.lru_cache(maxsize=64)
def step_kernel(t: ActorTopology, dtype: str) -> CudaKernel:
    """The step of a topology as a kernel."""
    return CudaKernel(step_program(t), dtype)
