"""Worlds on a GPU: row groups in device memory, and the CUDA kernels that step them.

`CudaWorlds` reads, writes and steps the worlds. Only the rows that a call reads or writes are copied to or from the
host. `load_step` compiles the kernels of a topology or of schedules. `RowCopy` saves and restores rows on the GPU.
`step_by_counts` steps worlds with different iteration counts.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from physx_runtime.arrays import Array, DeviceValues, Indices
from physx_runtime.compiling.code import row_of
from physx_runtime.compiling.cuda.source import (
    LANES,
    KernelSource,
    ScheduleSource,
    cached_source,
    choose_design,
    emit_kernels,
    emit_schedules,
    forced_design,
)
from physx_runtime.compiling.schedule import ScheduledProgram
from physx_runtime.model.island import IslandTopology
from physx_runtime.model.topology import ActorTopology, Topology
from physx_runtime.solver.island.program import island_schedules
from physx_runtime.solver.program import POSITION_COUNT, VELOCITY_COUNT, step_layout, step_program
from physx_runtime.solver.scheduled.program import step_schedules
from physx_runtime.targets.cuda.driver import Gpu, Memory, PitchedLines, Stream
from physx_runtime.targets.cuda.kernels import (
    LineSelection,
    LoadedKernels,
    LoadedSchedules,
    Movement,
    StridedView,
    by_world,
    in_blocks,
)
from physx_runtime.worlds.buffer import by_block, row_group
from physx_runtime.worlds.buffer import by_world as worlds_of
from physx_runtime.worlds.gpu.arrays import DeviceArray, RowView, device_array, require_fit, stream_number, stream_of
from physx_runtime.worlds.store import COMPILED, EVERY_WORLD, SCHEDULED


class CudaWorlds:
    """Worlds in a GPU's memory, (blocks, rows, lanes); implements `Worlds`.

    path: kernels compiled for the topology, or one kernel that runs schedules joint by joint. stream: for all work;
    None is the default stream. Raises DeviceError where the worlds do not fit in memory, or their step cannot be
    compiled.
    """

    is_host_memory = False

    def __init__(self, gpu: Gpu, t: ActorTopology | IslandTopology, count: int, dtype: str, path: str = COMPILED,
                 stream: Stream = None) -> None:
        self.count, self.dtype, self.gpu, self.stream, self.path = count, dtype, gpu, stream, path
        self.layout = schedules_of(t).layout if isinstance(t, IslandTopology) else step_layout(t)
        self._blocks, self._size = -(-count // LANES), np.dtype(dtype).itemsize
        self._kernels = load_step(gpu, t, dtype, path)
        self.movement = Movement(gpu, dtype)
        source = self._kernels.source
        self._x = gpu.allocate(self._blocks * source.rows * LANES * self._size, f"the state of {count} worlds")
        self._scratch = gpu.allocate(self._blocks * source.scratch * LANES * self._size, f"a step of {count} worlds")
        self._uniform: dict[str, bool] = {}       # row groups known to be the same in every world, or not
        self._viewed: set[str] = set()          # row groups that other packages may write at any time
        self._fetched: Array | None = None      # all rows on the host, since the last step or write
        self._sent: tuple[Indices, Memory] | None = None        # the last indices, which are often used again

    # --- rows on the host --------------------------------------------------------------------------------------------

    def rows(self, name: str, window: slice = EVERY_WORLD) -> Array:
        first, end, _ = window.indices(self.count)
        first_block, end_block = first // LANES, -(-end // LANES)
        worlds = worlds_of(self._read(name, first_block, end_block))
        return worlds[first - first_block * LANES:end - first_block * LANES]

    def write(self, name: str, values: Array, window: slice = EVERY_WORLD) -> None:
        first, end, _ = window.indices(self.count)
        lines = np.broadcast_to(values, (end - first, self.group(name)[1]))
        if end == self.count and first % LANES == 0 and not _is_uniform(lines):   # whole blocks, the last one padded
            self._write(name, first // LANES, by_block(lines.astype(self.dtype), LANES))
        else:
            self._write_lines(name, lines, LineSelection(end - first, end - first, shift=first))

    def write_at(self, name: str, values: Array, worlds: Indices, columns: Sequence[int] | None = None) -> None:
        columns = range(self.group(name)[1]) if columns is None else columns
        lines = np.broadcast_to(values, (len(worlds), len(columns)))
        self._write_lines(name, lines, self.select(worlds), columns)

    def raise_to_minimum(self, name: str, value: float) -> None:
        self.invalidate(name)
        self.movement.raise_to_minimum(self.all_worlds, self.strided_view(name), value, self.group(name)[1],
                                       self.stream)

    # --- rows on the device ------------------------------------------------------------------------------------------

    @property
    def all_worlds(self) -> LineSelection:
        """All worlds."""
        return LineSelection(self.count, self.count)

    @property
    def address(self) -> int:
        """The address of the buffer."""
        return self._x.address

    def select(self, worlds: Indices) -> LineSelection:
        """The worlds with these indices, which are uploaded unless they are those of the last call."""
        if not len(worlds):
            return LineSelection(0, self.count)
        if self._sent is None or not np.array_equal(self._sent[0], worlds):
            self._sent = worlds.copy(), self.upload(worlds.astype(np.int32))
        return LineSelection(len(worlds), self.count, self._sent[1].address, 4, owner=self._sent[1])

    def upload(self, values: Array) -> Memory:
        """Memory on the GPU with a copy of an array."""
        memory = self.gpu.allocate(max(1, values.nbytes), "an upload")
        flat = np.ascontiguousarray(values).reshape(1, -1)
        self.gpu.write(PitchedLines(memory.address, flat.nbytes), flat, self.stream)
        return memory

    def lines(self, values: Array) -> StridedView:
        """Lines (n, size) uploaded to the GPU; a single line where all are equal."""
        is_uniform = _is_uniform(values)
        memory = self.upload((values[:1] if is_uniform else values).astype(self.dtype))
        return StridedView(memory.address, of_line=0 if is_uniform else values.shape[1], owner=memory)

    def strided_view(self, name: str) -> StridedView:
        """A view of a row group."""
        return in_blocks(self._lines(name, 0).address, len(self.layout), self._x)

    def group(self, name: str) -> tuple[int, int]:
        """The first row of a row group, and its number of rows."""
        return row_group(self.layout, name)

    def size_of(self, name: str) -> int:
        """The number of values of a row group in a world; raises ValueError for an unknown or empty group."""
        size = self.group(name)[1]
        if not size:
            groups = sorted(set(map(row_of, self.layout)))
            raise ValueError(f"{name!r} is not a row of these worlds; choose from {', '.join(groups)}")
        return size

    def invalidate(self, name: str) -> None:
        """Drop what is cached of a row group that is about to be overwritten."""
        self._uniform.pop(name, None)
        self._fetched = None

    def array(self, name: str, values: DeviceValues) -> DeviceArray:
        """An array of another package, after waiting for its stream. Raises ValueError where it cannot be used here."""
        device = device_array(name, values, self.gpu, self.stream)
        if self._is_on_other_stream(device):
            self.gpu.wait_for_stream(self.stream, stream_of(device.stream))
        return device

    def done_with(self, array: DeviceArray) -> None:
        """Make the array's own stream wait for the work that used it."""
        if self._is_on_other_stream(array):
            self.gpu.wait_for_stream(stream_of(array.stream), self.stream)

    def _is_on_other_stream(self, array: DeviceArray) -> bool:
        """Whether an array belongs to another stream."""
        return array.stream is not None and stream_number(stream_of(array.stream)) != stream_number(self.stream)

    def write_from(self, name: str, array: DeviceValues) -> None:
        """Set a row group from an array on the device, (n_world, n).

        Raises ValueError where the array does not fit; its values are not checked.
        """
        source = require_fit(name, self.array(name, array), ((self.count, self.size_of(name)),), self.dtype)
        self.invalidate(name)
        self._move(self.strided_view(name), by_world(source.address, *source.strides), name, source)

    def read_into(self, name: str, array: DeviceValues) -> None:
        """Copy a row group to a device array, (n_world, n); raises ValueError as `write_from`."""
        target = require_fit(name, self.array(name, array), ((self.count, self.size_of(name)),), self.dtype,
                             writable=True)
        self._move(by_world(target.address, *target.strides), self.strided_view(name), name, target)

    def copy_from(self, other: CudaWorlds, names: Collection[str]) -> None:
        """Copy row groups of equally many other worlds, on the GPU."""
        for name in names:
            self.invalidate(name)
            self.movement.move(self.all_worlds, self.strided_view(name), other.strided_view(name), self.group(name)[1],
                               self.stream)
            self._viewed |= other._viewed & {name}

    def _move(self, to: StridedView, origin: StridedView, name: str, array: DeviceArray) -> None:
        self.movement.move(self.all_worlds, to, origin, self.group(name)[1], self.stream)
        self.done_with(array)

    def view(self, name: str) -> RowView:
        """A row group in place, without a copy; it may be written between steps, on its stream.

        Raises ValueError for an unknown or empty row group.
        """
        shape, lines = (self._blocks, LANES, self.size_of(name)), self._lines(name, 0)
        self._viewed.add(name)
        return RowView(self._x, lines.address, shape, (lines.pitch, self._size, LANES * self._size), self.dtype,
                       self.stream)

    def blocks(self) -> tuple[Array, Mapping[str, int]]:
        if self._fetched is None or self._viewed:
            rows = len(self.layout)
            pitch = rows * LANES * self._size
            self._fetched = self.gpu.read(PitchedLines(self._x.address, pitch), (self._blocks, rows, LANES), self.dtype,
                                          self.stream)
        return self._fetched, self.layout

    def is_uniform(self, names: Collection[str]) -> bool:
        for name in names:
            if name not in self._uniform or name in self._viewed:
                rows = self.rows(name)
                self._uniform[name] = bool((rows == rows[:1]).all())
        return all(self._uniform[name] for name in names)

    def step(self, steps: int, n: int, v: int) -> None:
        self._fetched = None
        self._kernels.run(self._x, self._scratch, self.count, steps, {POSITION_COUNT: n, VELOCITY_COUNT: v},
                          self.stream)

    def _write_lines(self, name: str, lines: Array, selection: LineSelection,
                     columns: Sequence[int] | None = None) -> None:
        """Upload lines of values into columns of a row group, all where None."""
        if not lines.size:
            return
        self.invalidate(name)
        origin, to = self.lines(lines), self.strided_view(name)
        columns = range(lines.shape[1]) if columns is None else columns
        for first, size in _runs(columns):
            start = self._size * LANES * columns[first]
            self.movement.move(selection, replace(to, address=to.address + start),
                               replace(origin, address=origin.address + self._size * first), size, self.stream)

    def _lines(self, name: str, block: int) -> PitchedLines:
        """The pitched lines of a row group, from a block on."""
        pitch = len(self.layout) * LANES * self._size
        return PitchedLines(self._x.address + block * pitch + self.group(name)[0] * LANES * self._size, pitch)

    def _read(self, name: str, first: int, end: int) -> Array:
        return self.gpu.read(self._lines(name, first), (end - first, self.group(name)[1], LANES), self.dtype,
                              self.stream)

    def _write(self, name: str, first: int, blocks: Array) -> None:
        self.invalidate(name)
        self.gpu.write(self._lines(name, first), blocks.astype(self.dtype, copy=False), self.stream)


def _is_uniform(values: Array) -> bool:
    """Whether all lines are equal in every bit."""
    return bool((values == values[:1]).all() and (np.signbit(values) == np.signbit(values[:1])).all())


def _runs(columns: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The start and length of each run of consecutive columns."""
    first = 0
    for i in range(1, len(columns) + 1):
        if i == len(columns) or columns[i] != columns[i - 1] + 1:
            yield first, i - first
            first = i


def load_step(gpu: Gpu, t: ActorTopology | IslandTopology, dtype: str, path: str) -> LoadedKernels | LoadedSchedules:
    """The step of a topology on a GPU along a path."""
    if isinstance(t, IslandTopology) or (path == SCHEDULED and isinstance(t, Topology)):
        return LoadedSchedules(gpu, scheduled_kernel(t, dtype))
    return LoadedKernels(gpu, step_kernels(t, dtype, forced_design()))


def schedules_of(t: Topology | IslandTopology) -> ScheduledProgram:
    """The step of a tree or an island as schedules."""
    return island_schedules(t) if isinstance(t, IslandTopology) else step_schedules(t)


@functools.lru_cache(maxsize=64)
def scheduled_kernel(t: Topology | IslandTopology, dtype: str) -> ScheduleSource:
    """The step of a tree or an island as schedules, and the kernel that runs them."""
    return emit_schedules(schedules_of(t), dtype)


@functools.lru_cache(maxsize=64)
def step_kernels(t: ActorTopology, dtype: str, design: str = "") -> KernelSource:
    """The step of a topology as kernels of a design, chosen by its size where none is named."""
    def emit() -> KernelSource:
        program = step_program(t)
        return emit_kernels(program, dtype, design or choose_design(program))

    return cached_source(f"step {t} {dtype} {design}", emit)


class RowCopy:
    """A saved copy of row groups of all worlds, in GPU memory."""

    def __init__(self, worlds: CudaWorlds, names: Sequence[str]) -> None:
        self._sizes = {name: worlds.group(name)[1] for name in names}
        self._first = dict(zip(names, np.cumsum([0, *self._sizes.values()]).tolist(), strict=False))
        self._rows, self._size = max(1, sum(self._sizes.values())), np.dtype(worlds.dtype).itemsize
        blocks = math.ceil(worlds.count / LANES)
        self._memory = worlds.gpu.allocate(blocks * self._rows * LANES * self._size, "a copy of rows")

    @property
    def sizes(self) -> Mapping[str, int]:
        """The number of values of each row group in a world."""
        return self._sizes

    def strided_view(self, name: str) -> StridedView:
        """A view of the saved row group."""
        return in_blocks(self._memory.address + self._first[name] * LANES * self._size, self._rows, self._memory)

    def save(self, worlds: CudaWorlds, selection: LineSelection) -> None:
        """Save the rows of the selected worlds."""
        for name, size in self._sizes.items():
            worlds.movement.move(selection, self.strided_view(name), worlds.strided_view(name), size, worlds.stream)

    def restore(self, worlds: CudaWorlds, selection: LineSelection) -> None:
        """Restore the rows of the selected worlds."""
        for name, size in self._sizes.items():
            worlds.invalidate(name)
            worlds.movement.move(selection, worlds.strided_view(name), self.strided_view(name), size, worlds.stream)


def step_by_counts(worlds: CudaWorlds, names: Sequence[str], solved: Sequence[tuple[int, int, Indices]]) -> None:
    """Step worlds with different iteration counts: all worlds step under each count, and keep the result of their own.

    names: the rows that a step changes; solved: position and velocity iterations, and the worlds that have them.
    """
    before, after = RowCopy(worlds, names), RowCopy(worlds, names)
    before.save(worlds, worlds.all_worlds)
    for n, v, indices in solved:
        before.restore(worlds, worlds.all_worlds)
        worlds.step(1, n, v)
        after.save(worlds, worlds.select(indices))
    after.restore(worlds, worlds.all_worlds)
