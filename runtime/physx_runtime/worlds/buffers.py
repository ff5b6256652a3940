"""Worlds in memory: one buffer of blocks, rows and lanes, on the CPU or on a GPU."""

from __future__ import annotations

import math
import threading
from collections.abc import Collection, Mapping
from concurrent.futures import Future
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from physx_runtime.compiling.program import step_layout
from physx_runtime.compiling.vector_ir import CACHE_LINE
from physx_runtime.model.rows import input_rows, lasting_rows
from physx_runtime.model.topology import Topology
from physx_runtime.targets import cuda
from physx_runtime.targets import interpreter as generic
from physx_runtime.worlds.paths import AUTO, GENERIC, HANDOVER, SPECIALISED, choose_path
from physx_schema.errors import UnsupportedError

Array = NDArray[Any]

DTYPES = ("float32", "float64")


class Worlds(Protocol):
    """States and parameters of all worlds, and the step that advances them.

    near: reading a row costs nothing worth saving.
    """

    near: bool

    @property
    def count(self) -> int:
        """How many there are."""

    @property
    def path(self) -> str:
        """The path that the next step takes."""

    def rows(self, name: str) -> Array:
        """A row group, (n_world, n), a copy."""

    def write(self, name: str, values: Array) -> None:
        """Set a row group from (n_world, n)."""

    def memory(self, name: str) -> Array:
        """A row group in the buffer, (blocks, n, lanes), to be changed in place before the next step or reading."""

    def blocks(self) -> tuple[Array, Mapping[str, int]]:
        """The buffer itself for reading, (blocks, rows, lanes), and which row each scalar is."""

    def alike(self, names: Collection[str]) -> bool:
        """Whether these row groups are the same in every world."""

    def step(self, steps: int, n: int, v: int) -> None:
        """Advance by steps of `n` position and `v` velocity iterations."""


def make_worlds(t: Topology, count: int, device: str, dtype: str, path: str = AUTO) -> Worlds:
    """Worlds on "cpu" or "cuda", stepped along a path (paths.py).

    Raises ValueError for another device, dtype or path, UnsupportedError where CUDA is not installed or finds no GPU,
    and where the device does not have the path.
    """
    if dtype not in DTYPES:
        raise ValueError(f"dtype is {dtype!r}; allowed are {', '.join(DTYPES)}")
    if device not in ("cpu", "cuda"):
        raise ValueError(f"device is {device!r}; allowed are 'cpu', 'cuda'")
    chosen = choose_path(t, device, path).path
    if device == "cuda":
        return CudaWorlds(t, count, dtype)
    kinds: dict[str, type[CpuWorlds | GenericWorlds | HandoverWorlds]] = {
        SPECIALISED: CpuWorlds, GENERIC: GenericWorlds, HANDOVER: HandoverWorlds}
    return kinds[chosen](t, count, dtype)


def copy_rows(before: Worlds, t: Topology, after: Worlds) -> None:
    """Copy every row that worlds of a topology have to others that have them too."""
    for name in lasting_rows(t) | input_rows(t):
        after.write(name, before.rows(name))


class _Buffer:
    """The buffer of blocks in host memory: (blocks, rows, lanes), worlds innermost."""

    def __init__(self, t: Topology, count: int, dtype: str, lanes: int, layout: Mapping[str, int], size: int) -> None:
        self.topology, self.count, self.dtype, self.lanes, self.layout = t, count, dtype, lanes, layout
        shape = (-(-count // lanes), size, lanes)
        # vectors that straddle two cache lines would cost twice
        memory = np.zeros(math.prod(shape) * np.dtype(dtype).itemsize + CACHE_LINE, np.uint8)
        start = -memory.ctypes.data % CACHE_LINE
        self._alike: dict[str, bool] = {}       # row groups known to be the same in every world, or not
        self._groups: dict[str, Array] = {}     # row groups as parts of the buffer
        self.host = memory[start:len(memory) - CACHE_LINE + start].view(dtype).reshape(shape)

    def rows(self, name: str) -> Array:
        group = self._group(name)
        return group.transpose(0, 2, 1).copy().reshape(len(self.host) * self.lanes, group.shape[1])[:self.count]

    def write(self, name: str, values: Array) -> None:
        worlds = self.memory(name).transpose(0, 2, 1)
        full, rest = divmod(self.count, self.lanes)
        worlds[:full] = values[:full * self.lanes].reshape(full, *worlds.shape[1:])
        if rest:
            # the last block is padded with copies of the last world, so that its lanes stay finite
            worlds[full, :rest], worlds[full, rest:] = values[full * self.lanes:], values[-1]

    def memory(self, name: str) -> Array:
        self._alike.pop(name, None)
        return self._group(name)

    def blocks(self) -> tuple[Array, Mapping[str, int]]:
        return self.host, self.layout

    def alike(self, names: Collection[str]) -> bool:
        for name in names:
            if name not in self._alike:
                rows = self._group(name)
                self._alike[name] = bool((rows == rows[:1, :, :1]).all())
        return all(self._alike[name] for name in names)

    def _group(self, name: str) -> Array:
        if name not in self._groups:
            size = 0
            while f"{name}_{size}" in self.layout:
                size += 1
            start = self.layout[f"{name}_0"] if size else 0
            self._groups[name] = self.host[:, start:start + size, :]
        return self._groups[name]


class CpuWorlds(_Buffer):
    """Worlds stepped by vector machine code on every core."""

    near, path = True, SPECIALISED

    def __init__(self, t: Topology, count: int, dtype: str) -> None:
        # brings numba, which the generic path does without
        from physx_runtime.targets import cpu

        layout = step_layout(t)
        super().__init__(t, count, dtype, cpu.lanes(t, dtype), layout, len(layout))
        self._run = cpu.compile_step(t, dtype, self.lanes)

    def step(self, steps: int, n: int, v: int) -> None:
        self._run(self.host, steps, n, v)


class GenericWorlds(_Buffer):
    """Worlds stepped on every core by code that knows no topology."""

    near, path = True, GENERIC

    def __init__(self, t: Topology, count: int, dtype: str) -> None:
        plan, width = generic.plan_step(t), generic.lanes(t, dtype)
        super().__init__(t, count, dtype, width, plan.scalars, len(plan.scalars))
        self._run = generic.compile_step(t, dtype, width)

    def step(self, steps: int, n: int, v: int) -> None:
        self._run(self.host, steps, n, v)


class HandoverWorlds:
    """Worlds that step along the generic path at once, and along the specialised one as soon as it is compiled.

    A thread compiles meanwhile; the worlds change over between two steps, whenever that is.
    """

    near = True

    def __init__(self, t: Topology, count: int, dtype: str) -> None:
        self._worlds: GenericWorlds | CpuWorlds = GenericWorlds(t, count, dtype)
        self._coming: Future[CpuWorlds] | None = Future()
        threading.Thread(target=self._compile, args=(self._coming, t, count, dtype), daemon=True).start()

    @staticmethod
    def _compile(coming: Future[CpuWorlds], t: Topology, count: int, dtype: str) -> None:
        try:
            coming.set_result(CpuWorlds(t, count, dtype))
        except BaseException as error:      # the next step raises it
            coming.set_exception(error)

    @property
    def path(self) -> str:
        return self._worlds.path

    @property
    def count(self) -> int:
        return self._worlds.count

    def rows(self, name: str) -> Array:
        return self._worlds.rows(name)

    def write(self, name: str, values: Array) -> None:
        self._worlds.write(name, values)

    def memory(self, name: str) -> Array:
        return self._worlds.memory(name)

    def blocks(self) -> tuple[Array, Mapping[str, int]]:
        return self._worlds.blocks()

    def alike(self, names: Collection[str]) -> bool:
        return self._worlds.alike(names)

    def step(self, steps: int, n: int, v: int) -> None:
        if self._coming is not None and self._coming.done():
            self.hand_over()
        self._worlds.step(steps, n, v)

    def hand_over(self) -> None:
        """Take the specialised path from now on, once it is compiled."""
        if self._coming is None:
            return
        after = self._coming.result()
        copy_rows(self._worlds, self._worlds.topology, after)
        self._worlds, self._coming = after, None


class CudaWorlds(_Buffer):
    """Worlds stepped on a GPU; the buffer travels only when rows are read or written between steps."""

    near, path = False, SPECIALISED

    def __init__(self, t: Topology, count: int, dtype: str) -> None:
        layout = step_layout(t)
        super().__init__(t, count, dtype, cuda.LANES, layout, len(layout))
        if not cuda.available():
            raise UnsupportedError("device 'cuda': no GPU found; use device='cpu', or simulate one with "
                                   "NUMBA_ENABLE_CUDASIM=1")
        self._device: Any = None        # at least as new as the host's buffer where set
        self._fetched = True            # whether the host's buffer is as new
        cuda.load_kernel(t, dtype)

    def rows(self, name: str) -> Array:
        self._fetch()
        return super().rows(name)

    def memory(self, name: str) -> Array:
        self._fetch()
        self._device = None
        return super().memory(name)

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
