"""Worlds on a GPU: their rows stay there, and only what is asked for travels."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.compiling.cuda_c import (
    GIVE_ROWS,
    LANES,
    RAISE_ROWS,
    TAKE_ROWS,
    KernelSource,
    emit_kernels,
    kept_source,
)
from physx_runtime.compiling.kernel_design import choose_design, forced_design
from physx_runtime.model.topology import ActorTopology
from physx_runtime.solver.program import POSITION_COUNT, VELOCITY_COUNT, step_layout, step_program
from physx_runtime.targets.cuda import LoadedKernels
from physx_runtime.targets.cuda_driver import Argument, Gpu, Lines
from physx_runtime.worlds.buffer import by_block, by_world, row_group
from physx_runtime.worlds.device_array import DeviceArray, RowView, device_array, is_on_device
from physx_runtime.worlds.path import SPECIALISED
from physx_runtime.worlds.store import EVERY_WORLD

Array = NDArray[Any]
REALS: dict[str, type[ctypes.c_float | ctypes.c_double]] = {"float32": ctypes.c_float, "float64": ctypes.c_double}


class CudaWorlds:
    """Worlds in a GPU's memory, (blocks, rows, lanes); the methods as `Worlds` has them.

    Raises DeviceError where they do not fit, or where their step cannot be compiled.
    """

    near, path = False, SPECIALISED

    def __init__(self, gpu: Gpu, t: ActorTopology, count: int, dtype: str) -> None:
        self.count, self.dtype, self.layout = count, dtype, step_layout(t)
        self._gpu, self._blocks, self._size = gpu, -(-count // LANES), np.dtype(dtype).itemsize
        self._kernels = LoadedKernels(gpu, step_kernels(t, dtype, forced_design()))
        source = self._kernels.source
        self._x = gpu.allocate(self._blocks * source.rows * LANES * self._size, f"the state of {count} worlds")
        self._scratch = gpu.allocate(self._blocks * source.scratch * LANES * self._size, f"a step of {count} worlds")
        self._alike: dict[str, bool] = {}       # row groups known to be the same in every world, or not
        self._viewed: set[str] = set()          # row groups that somebody else may write at any time
        self._fetched: Array | None = None      # everything, since the last step and writing

    def rows(self, name: str, window: slice = EVERY_WORLD) -> Array:
        first, end, _ = window.indices(self.count)
        before, after = first // LANES, -(-end // LANES)
        return by_world(self._read(name, before, after))[first - before * LANES:end - before * LANES]

    def write(self, name: str, values: Array, window: slice = EVERY_WORLD) -> None:
        if is_on_device(values):
            self.take(name, values)
            return
        first, end, _ = window.indices(self.count)
        before, after = first // LANES, -(-end // LANES)
        if end == self.count and first % LANES == 0:        # whole blocks, the last one padded
            blocks = by_block(np.broadcast_to(values, (end - first, self._group(name)[1])).astype(self.dtype), LANES)
        else:
            held = by_world(self._read(name, before, after))
            held[first - before * LANES:end - before * LANES] = values
            if end == self.count:
                held[end - before * LANES:] = held[end - before * LANES - 1]
            blocks = by_block(held, LANES)
        self._write(name, before, blocks)

    def at_least(self, name: str, value: float) -> None:
        self._run_on_rows(RAISE_ROWS, name, REALS[self.dtype](value))

    def take(self, name: str, array: Any) -> None:
        """Set a row group from an array on the device, (n_world, n), on the default stream.

        Raises ValueError where the array does not fit; its numbers are not looked at.
        """
        given = device_array(name, array, (self.count, self._size_of(name)), self.dtype)
        self._run_on_rows(TAKE_ROWS, name, *_arguments(given))

    def give(self, name: str, array: Any) -> None:
        """Copy a row group to an array on the device, (n_world, n), on the default stream; ValueError as `take`."""
        given = device_array(name, array, (self.count, self._size_of(name)), self.dtype, written=True)
        self._kernels.run_on_rows(GIVE_ROWS, self._x, self.count, self._group(name), *_arguments(given))

    def view(self, name: str) -> RowView:
        """A row group where it lies, without a copy; it may be written between steps, on the default stream.

        Raises ValueError for a name of which there are no numbers.
        """
        shape, lines = (self._blocks, LANES, self._size_of(name)), self._lines(name, 0)
        self._viewed.add(name)
        return RowView(self._x, lines.address, shape, (lines.pitch, self._size, LANES * self._size), self.dtype)

    def blocks(self) -> tuple[Array, Mapping[str, int]]:
        if self._fetched is None or self._viewed:
            rows = len(self.layout)
            pitch = rows * LANES * self._size
            self._fetched = self._gpu.read(Lines(self._x.address, pitch), (self._blocks, rows, LANES), self.dtype)
        return self._fetched, self.layout

    def alike(self, names: Collection[str]) -> bool:
        for name in names:
            if name not in self._alike or name in self._viewed:
                rows = self.rows(name)
                self._alike[name] = bool((rows == rows[:1]).all())
        return all(self._alike[name] for name in names)

    def step(self, steps: int, n: int, v: int) -> None:
        self._fetched = None
        self._kernels.run(self._x, self._scratch, self.count, steps, {POSITION_COUNT: n, VELOCITY_COUNT: v})

    def _run_on_rows(self, kernel: str, name: str, *arguments: Argument) -> None:
        """Launch a kernel that changes a row group."""
        self._alike.pop(name, None)
        self._fetched = None
        self._kernels.run_on_rows(kernel, self._x, self.count, self._group(name), *arguments)

    def _size_of(self, name: str) -> int:
        """How many numbers a row group has in a world, one at least."""
        size = self._group(name)[1]
        if not size:
            groups = sorted({row.rpartition("_")[0] for row in self.layout})
            raise ValueError(f"{name!r} is no row of these worlds; allowed are {', '.join(groups)}")
        return size

    def _group(self, name: str) -> tuple[int, int]:
        return row_group(self.layout, name)

    def _lines(self, name: str, block: int) -> Lines:
        """Where a row group lies, from a block on."""
        pitch = len(self.layout) * LANES * self._size
        return Lines(self._x.address + block * pitch + self._group(name)[0] * LANES * self._size, pitch)

    def _read(self, name: str, first: int, end: int) -> Array:
        return self._gpu.read(self._lines(name, first), (end - first, self._group(name)[1], LANES), self.dtype)

    def _write(self, name: str, first: int, blocks: Array) -> None:
        self._alike.pop(name, None)
        self._fetched = None
        self._gpu.write(self._lines(name, first), blocks.astype(self.dtype, copy=False))


def _arguments(array: DeviceArray) -> tuple[Argument, ...]:
    return ctypes.c_uint64(array.address), ctypes.c_int64(array.of_world), ctypes.c_int64(array.of_row)


@functools.lru_cache(maxsize=64)
def step_kernels(t: ActorTopology, dtype: str, design: str = "") -> KernelSource:
    """The step of a topology as kernels of a design, chosen by its size where none is named."""
    def emit() -> KernelSource:
        program = step_program(t)
        return emit_kernels(program, dtype, design or choose_design(program))

    return kept_source(f"step {t} {dtype} {design}", emit)
