"""Worlds in memory: one buffer of blocks, rows and lanes, on the CPU or on a GPU."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from physx_runtime.model import Topology
from physx_runtime.targets import cpu, cuda
from physx_runtime.tracing.program import trace_step
from physx_schema.errors import UnsupportedError

Array = NDArray[Any]

DTYPES = ("float32", "float64")


class Worlds(Protocol):
    """States and parameters of all worlds, and the step that advances them.

    near: reading a row costs nothing worth saving.
    """

    near: bool

    def rows(self, name: str) -> Array:
        """A row group, (n_world, n), a copy."""

    def write(self, name: str, values: Array) -> None:
        """Set a row group from (n_world, n)."""

    def blocks(self) -> tuple[Array, Mapping[str, int]]:
        """The buffer itself for reading, (blocks, rows, lanes), and which row each scalar is."""

    def step(self, steps: int, n: int, v: int) -> None:
        """Advance by steps of `n` position and `v` velocity iterations."""


def make_worlds(t: Topology, count: int, device: str, dtype: str) -> Worlds:
    """Worlds on "cpu" or "cuda".

    Raises ValueError for another device or dtype, UnsupportedError where CUDA is not installed or finds no GPU.
    """
    if dtype not in DTYPES:
        raise ValueError(f"dtype is {dtype!r}; allowed are {', '.join(DTYPES)}")
    if device == "cpu":
        return CpuWorlds(t, count, dtype)
    if device == "cuda":
        return CudaWorlds(t, count, dtype)
    raise ValueError(f"device is {device!r}; allowed are 'cpu', 'cuda'")


class _Buffer:
    """The buffer of blocks in host memory: (blocks, rows, lanes), worlds innermost."""

    def __init__(self, t: Topology, count: int, dtype: str, lanes: int) -> None:
        self.topology, self.count, self.dtype, self.lanes = t, count, dtype, lanes
        self.layout = trace_step(t).layout
        self.host = np.zeros((-(-count // lanes), len(self.layout), lanes), dtype)

    def rows(self, name: str) -> Array:
        size = self._size(name)
        start = self.layout[f"{name}_0"] if size else 0
        rows = self.host[:, start:start + size, :].transpose(0, 2, 1)
        return rows.reshape(-1, size)[:self.count].copy()

    def write(self, name: str, values: Array) -> None:
        size = self._size(name)
        start = self.layout[f"{name}_0"] if size else 0
        # the last block is padded with copies of the last world, so that its lanes stay finite
        padding = self.host.shape[0] * self.lanes - self.count
        padded = np.concatenate([values, np.repeat(values[-1:], padding, axis=0)])
        self.host[:, start:start + size, :] = padded.reshape(-1, self.lanes, size).transpose(0, 2, 1)

    def blocks(self) -> tuple[Array, Mapping[str, int]]:
        return self.host, self.layout

    def _size(self, name: str) -> int:
        size = 0
        while f"{name}_{size}" in self.layout:
            size += 1
        return size


class CpuWorlds(_Buffer):
    """Worlds stepped by vector machine code on every core."""

    near = True

    def __init__(self, t: Topology, count: int, dtype: str) -> None:
        super().__init__(t, count, dtype, cpu.lanes(dtype))
        self._run = cpu.compile_step(t, dtype, self.lanes)

    def step(self, steps: int, n: int, v: int) -> None:
        self._run(self.host, steps, n, v)


class CudaWorlds(_Buffer):
    """Worlds stepped on a GPU; the buffer travels only when rows are read or written between steps."""

    near = False

    def __init__(self, t: Topology, count: int, dtype: str) -> None:
        super().__init__(t, count, dtype, cuda.LANES)
        if not cuda.available():
            raise UnsupportedError("device 'cuda': no GPU found; use device='cpu', or simulate one with "
                                   "NUMBA_ENABLE_CUDASIM=1")
        self._device: Any = None        # at least as new as the host's buffer where set
        self._fetched = True            # whether the host's buffer is as new
        cuda.load_kernel(t, dtype)

    def rows(self, name: str) -> Array:
        self._fetch()
        return super().rows(name)

    def write(self, name: str, values: Array) -> None:
        self._fetch()
        super().write(name, values)
        self._device = None

    def blocks(self) -> tuple[Array, Mapping[str, int]]:
        self._fetch()
        return super().blocks()

    def step(self, steps: int, n: int, v: int) -> None:
        if self._device is None:
            self._device = cuda.to_device(self.host)
        cuda.launch(self.topology, self.dtype, self._device, self.count, steps, n, v)
        self._fetched = False

    def _fetch(self) -> None:
        if not self._fetched:
            self._device.copy_to_host(self.host)
            self._fetched = True
