"""`GpuAccess` is the Direct API for worlds on a GPU, with buffers and indices on the host or of other packages on the
device. Device numbers are not checked; invalid device indices are skipped. Host indices and data are checked and
copied, and only the articulations' own numbers are copied back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from physx_runtime.arrays import Array, DeviceValues, Indices
from physx_runtime.direct import writes
from physx_runtime.direct.gpu_articulations import GpuArticulations
from physx_runtime.direct.kinds import ComputeType, MaxCounts, ReadType, WriteType, block_size, centroidal_blocks
from physx_runtime.quantities.gpu import line_memory, read_lines
from physx_runtime.quantities.state import centroidal_momentum_of
from physx_runtime.targets.cuda.kernels import MASK, LineSelection, StridedView
from physx_runtime.worlds.gpu.arrays import DeviceArray, is_on_device
from physx_runtime.worlds.gpu.views import WHOLE_NUMBERS

Kind = ComputeType | ReadType | WriteType


class HostArguments(Protocol):
    """Checks of host arguments."""

    dtype: np.dtype[Any]
    count: int

    def max_counts(self) -> MaxCounts: ...

    def selected_indices(self, indices: DeviceValues) -> Indices: ...

    def buffer(self, kind: Kind, data: DeviceValues, selected: Indices, writes: bool) -> Array: ...

    def require_outputs(self, kind: ReadType, selected: Indices) -> None: ...


@dataclass(frozen=True, slots=True)
class Part:
    """The part of a call for one simulation: lines of the device's buffer, or their order in the host's blocks."""

    member: GpuArticulations
    selection: LineSelection
    order: Indices
    worlds: Indices             # on the host, where they are named there


class GpuAccess:
    """Operations on articulations of simulations that are on a GPU."""

    def __init__(self, members: Sequence[GpuArticulations], arguments: HostArguments) -> None:
        self._members, self._arguments = members, arguments

    def compute(self, kind: ComputeType, data: DeviceValues, indices: DeviceValues) -> None:
        """As `Direct.compute`."""
        if kind is ComputeType.eUPDATE_KINEMATIC:
            all_indices = np.arange(self._arguments.count) if indices is None else indices
            for part in self._parts(all_indices, on_device=is_on_device(indices)):
                part.member.refresh(part.selection, clear=True)
            return
        if kind is ComputeType.eCENTROIDAL_MOMENTUM_MATRICES:
            self._compute_centroidal(data, indices)
            return

        def make(part: Part, target: StridedView) -> None:
            part.member.refresh(part.selection, clear=False)
            part.member.compute(kind, part.selection, target)

        self._read_into(kind, data, indices, make)

    def get(self, kind: ReadType, data: DeviceValues, indices: DeviceValues) -> None:
        """As `Direct.get`."""
        counts = self._arguments.max_counts()
        self._arguments.require_outputs(kind, np.arange(self._arguments.count) if is_on_device(indices) else
                                        self._arguments.selected_indices(indices))
        self._read_into(kind, data, indices, lambda part,
                        target: part.member.read(kind, part.selection, target, counts))

    def set(self, kind: WriteType, data: DeviceValues, indices: DeviceValues) -> None:
        """As `Direct.set`."""
        counts = self._arguments.max_counts()
        stride = block_size(kind, counts)
        if is_on_device(data):
            for part, array in self._on_device(kind, data, indices, writable=False):
                part.member.write(kind, part.selection, StridedView(array.address, of_line=stride, owner=array), counts)
                part.member.rows.worlds.done_with(array)
            return
        self._require_host(kind, indices)
        selected = self._arguments.selected_indices(indices)
        blocks = self._arguments.buffer(kind, data, selected, False).reshape(len(selected), stride)
        parts = [(part, blocks[part.order]) for part in self._parts(indices, on_device=False)]
        if "TENDON" in kind.name:
            writes.write_tendons(kind, [(part.member, part.worlds, part_blocks) for part, part_blocks in parts], counts)
            return
        for part, part_blocks in parts:
            writes.check(kind, part.member, part.worlds, part_blocks)
        for part, part_blocks in parts:
            size = writes.data_size(kind, part.member.topology)
            part.member.write(kind, part.selection, part.member.rows.worlds.lines(part_blocks[:, :size]), counts)

    # --- buffers -----------------------------------------------------------------------------------------------------

    def _read_into(self, kind: ComputeType | ReadType, data: DeviceValues, indices: DeviceValues,
                   make: Callable[[Part, StridedView], None]) -> None:
        """Write what `make` writes to views into the caller's buffer."""
        counts = self._arguments.max_counts()
        stride = block_size(kind, counts)
        if is_on_device(data):
            for part, array in self._on_device(kind, data, indices, writable=True):
                make(part, StridedView(array.address, of_line=stride, owner=array))
                part.member.rows.worlds.done_with(array)
            return
        self._require_host(kind, indices)
        selected = self._arguments.selected_indices(indices)
        flat = self._arguments.buffer(kind, data, selected, True)
        for part in self._parts(indices, on_device=False):
            self._fetch(part, part.member.size_of(kind, counts), flat, part.order * stride, make)

    @staticmethod
    def _fetch(part: Part, size: int, flat: Array, starts: Indices, make: Callable[[Part, StridedView], None]) -> None:
        """Copy what is made to lines of the host's buffer."""
        rows, lines = part.member.rows, len(part.order)
        if size:
            memory = line_memory(rows, lines, size)
            make(part, StridedView(memory.address, of_line=size, owner=memory))
            flat[starts[:, None] + np.arange(size)] = read_lines(rows, memory, lines, size)

    def _on_device(self, kind: Kind, data: DeviceValues, indices: DeviceValues,
                   writable: bool) -> Iterator[tuple[Part, DeviceArray]]:
        """Parts whose lines lie in a buffer on the device, each with that. Raises ValueError where it does not fit."""
        stride = block_size(kind, self._arguments.max_counts())
        parts = self._parts(indices, on_device=True)
        for part in parts:
            array, lines = part.member.rows.worlds.array(kind.name, data), part.selection.lines
            size = int(np.prod(array.shape))
            expected = f"give {lines} blocks of {stride}, {lines * stride} numbers of {self._arguments.dtype}"
            if array.dtype != self._arguments.dtype or size != lines * stride:
                raise ValueError(f"{kind.name}: data on the device holds {size} numbers of {array.dtype}; {expected}")
            if not array.contiguous or (writable and array.read_only):
                problem = "read-only" if array.contiguous else "not contiguous"
                raise ValueError(f"{kind.name}: data on the device is {problem}; {expected} in one contiguous, "
                                 "writeable array")
            yield part, array

    @staticmethod
    def _require_host(kind: Kind, indices: DeviceValues) -> None:
        if is_on_device(indices):
            raise ValueError(f"{kind.name}: indices are on the device and data is on the host; give both on the same "
                             "side")

    # --- indices -----------------------------------------------------------------------------------------------------

    def _parts(self, indices: DeviceValues, on_device: bool) -> list[Part]:
        """Per simulation with any: which worlds.

        on_device: lines are those of the call, whichever simulation they are of; else those of each simulation alone.
        """
        if is_on_device(indices):
            empty = np.zeros(0, np.int64)
            return [Part(member, self._select_on_device(member, indices), empty, empty) for member in self._members]
        selected, parts = self._arguments.selected_indices(indices), []
        for member in self._members:
            order = np.flatnonzero((selected >= member.first) & (selected < member.first + member.count))
            if not len(order):
                continue
            worlds, rows = selected[order] - member.first, member.rows
            selection = rows.select(worlds)
            if on_device and len(order) < len(selected):
                selection = replace(rows.worlds.select(selected), first=member.first, worlds=member.count,
                                    shift=rows.first)
            parts.append(Part(member, selection, order, worlds))
        return parts

    def _select_on_device(self, member: GpuArticulations, indices: DeviceValues) -> LineSelection:
        rows = member.rows
        array = rows.worlds.array("indices", indices)
        kind, size = str(array.dtype), array.dtype.itemsize
        if array.dtype.kind == "b" and array.shape == (self._arguments.count,):
            size = MASK
        elif kind not in WHOLE_NUMBERS.get(size, ()) or len(array.shape) != 1:
            raise ValueError(f"indices are {kind} of shape {array.shape} on the device; give whole numbers of 4 or 8 "
                             f"bytes, or a mask ({self._arguments.count},)")
        if not array.contiguous:
            raise ValueError("indices on the device are not contiguous; give a contiguous array")
        return LineSelection(array.shape[0], member.count, array.address, size, member.first, rows.first, owner=array)

    # --- centroidal momentum -----------------------------------------------------------------------------------------

    def _compute_centroidal(self, data: DeviceValues, indices: DeviceValues) -> None:
        kind, sizes = ComputeType.eCENTROIDAL_MOMENTUM_MATRICES, centroidal_blocks(self._arguments.max_counts())
        if is_on_device(data):
            width = self._arguments.dtype.itemsize
            for part, array in self._on_device(kind, data, indices, writable=True):
                starts = np.cumsum([0, *(size * part.selection.lines for size in sizes)])
                views = [StridedView(array.address + int(start) * width, of_line=size, owner=array)
                         for start, size in zip(starts, sizes, strict=False)]
                self._momentum(part, views)
                part.member.rows.worlds.done_with(array)
            return
        self._require_host(kind, indices)
        selected = self._arguments.selected_indices(indices)
        flat = self._arguments.buffer(kind, data, selected, True)
        starts = np.cumsum([0, *(size * len(selected) for size in sizes)])
        jobs = []
        for part in self._parts(indices, on_device=False):
            nv = part.member.topology.nv
            if not part.member.topology.fixed_base:
                inputs = [flat[(starts[i] + part.order * sizes[i])[:, None] + np.arange(n)]
                          for i, n in ((0, nv * nv), (1, nv))]
                writes.check_momentum(*inputs)
                jobs.append((part, inputs))
        for part, inputs in jobs:
            worlds, lines, nv = part.member.rows.worlds, len(part.order), part.member.topology.nv
            outputs = [(i, n, line_memory(part.member.rows, lines, n)) for i, n in ((2, 6 * nv), (3, 6))]
            self._momentum(part, [*map(worlds.lines, inputs), *(StridedView(memory.address, of_line=n, owner=memory)
                                                                for _, n, memory in outputs)])
            for i, n, memory in outputs:
                block_indices = (starts[i] + part.order * sizes[i])[:, None] + np.arange(n)
                flat[block_indices] = read_lines(part.member.rows, memory, lines, n)

    @staticmethod
    def _momentum(part: Part, views: Sequence[StridedView]) -> None:
        nv = part.member.topology.nv
        if not part.member.topology.fixed_base:
            part.member.refresh(part.selection, clear=False)
            part.member.run(centroidal_momentum_of, part.selection,
                            {"input_mass": (views[0], nv * nv), "input_coriolis": (views[1], nv)},
                            {"matrix": views[2], "bias": views[3]})
