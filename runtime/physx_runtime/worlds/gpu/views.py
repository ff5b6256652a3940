"""Worlds of one actor on a GPU: a window of a buffer, and the selection of worlds of a call.

`GpuRows` reads and writes row groups of the window on the device. `gpu_rows` and `required_gpu_rows` return the window
of a store on a GPU.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from physx_runtime.arrays import Array, DeviceValues, Indices
from physx_runtime.targets.cuda.kernels import LineSelection, StridedView, by_world
from physx_runtime.worlds.buffer import BufferView
from physx_runtime.worlds.gpu.arrays import DeviceArray, is_on_device, require_fit
from physx_runtime.worlds.gpu.worlds import CudaWorlds
from physx_runtime.worlds.store import WorldRows

# Bytes of an index of a world -> its dtypes.
WHOLE_NUMBERS = {4: ("int32", "uint32"), 8: ("int64", "uint64")}


class GpuRows:
    """`count` worlds of a buffer from `first` on."""

    def __init__(self, worlds: CudaWorlds, first: int, count: int) -> None:
        self.worlds, self.first, self.count = worlds, first, count

    def all_worlds(self) -> LineSelection:
        """All of these worlds."""
        return LineSelection(self.count, self.count, shift=self.first)

    def select(self, worlds: Indices | None) -> LineSelection:
        """The worlds with these indices, all where None."""
        if worlds is None or (len(worlds) == self.count and np.array_equal(worlds, np.arange(self.count))):
            return self.all_worlds()
        return replace(self.worlds.select(worlds), worlds=self.count, shift=self.first)

    def select_on_device(self, worlds: DeviceValues) -> LineSelection:
        """The worlds that a mask (n_world,) or indices on the device select.

        Raises ValueError for anything else. Indices are not checked: those out of range are skipped.
        """
        array = self.worlds.array("worlds", worlds)
        size, kind = array.dtype.itemsize, str(array.dtype)
        if array.dtype.kind == "b" or kind == "uint8":
            require_fit("the mask of worlds", array, ((self.count,),), kind)
            size = 1
        elif kind not in WHOLE_NUMBERS.get(size, ()) or len(array.shape) != 1:
            raise ValueError(f"worlds on the device is {kind} of shape {array.shape}; give a mask ({self.count},) or "
                             "indices of 4 or 8 bytes")
        if not array.contiguous:
            raise ValueError("worlds on the device is not contiguous; give a contiguous array")
        return LineSelection(array.shape[0], self.count, array.address, size, shift=self.first, owner=array)

    def lines(self, name: str, values: DeviceValues, selection: LineSelection, size: int) -> StridedView:
        """A view of the values for the selected worlds: (size,) on the host for all worlds, or (n_line, size).

        Raises ValueError for a device array that does not fit; host arrays are not checked.
        """
        if not is_on_device(values):
            return self.worlds.lines(np.broadcast_to(values, (selection.lines, size)))
        array = require_fit(name, self.worlds.array(name, values), ((selection.lines, size),), self.worlds.dtype)
        return StridedView(array.address, of_line=array.strides[0], of_row=array.strides[1], owner=array)

    def write_part(self, name: str, first: int, size: int, origin: StridedView, selection: LineSelection) -> None:
        """Set `size` values of a row group from its `first` one on."""
        self.worlds.invalidate(name)
        to = self.worlds.strided_view(name)
        self.worlds.movement.move(selection, self.shifted(to, first), origin, size, self.worlds.stream)

    def shifted(self, view: StridedView, first: int) -> StridedView:
        """The values from the `first` one on."""
        return replace(view, address=view.address + first * view.of_row * np.dtype(self.worlds.dtype).itemsize)

    def elements(self, name: str, values: DeviceValues, selection: LineSelection, shape: tuple[int, ...],
                 writable: bool = False) -> StridedView:
        """A view of a device array (n_line, *shape) whose last axes are contiguous.

        Raises ValueError where it does not fit.
        """
        array = require_fit(name, self.worlds.array(name, values), ((selection.lines, *shape),), self.worlds.dtype,
                            writable)
        if not array.contiguous:
            raise ValueError(f"{name} on the device is not contiguous; give a contiguous array")
        return StridedView(array.address, of_line=math.prod(shape), owner=array)

    def read_into(self, name: str, values: DeviceValues, size: int) -> None:
        """Copy a row group into an array on the device, (n_world, n). Raises ValueError where that does not fit."""
        array = require_fit(name, self.worlds.array(name, values), ((self.count, size),), self.worlds.dtype,
                            writable=True)
        to = StridedView(array.address, of_line=array.strides[0], of_row=array.strides[1], owner=array)
        self.worlds.movement.move(self.all_worlds(), to, self.worlds.strided_view(name), size, self.worlds.stream)
        self.done(to)

    def fill(self, name: str, value: float, selection: LineSelection) -> None:
        """Set every value of a row group in the selected worlds."""
        self.worlds.invalidate(name)
        self.worlds.movement.fill(selection, self.worlds.strided_view(name), value, self.worlds.group(name)[1],
                                  self.worlds.stream)

    def raise_to_minimum(self, name: str, value: float, selection: LineSelection) -> None:
        """Raise a row group of the selected worlds to a value where it is below."""
        self.worlds.invalidate(name)
        self.worlds.movement.raise_to_minimum(selection, self.worlds.strided_view(name), value,
                                              self.worlds.group(name)[1],
                                              self.worlds.stream)

    def done(self, *views: StridedView) -> None:
        """Let other streams use their arrays again."""
        for view in views:
            if isinstance(view.owner, DeviceArray):
                self.worlds.done_with(view.owner)

    def upload(self, values: Array) -> StridedView:
        """Host values sent to the GPU for every world, (n_world, n), or (1, n) where all worlds have the same."""
        converted = values.astype(self.worlds.dtype)
        memory, size = self.worlds.upload(converted), values.shape[1]
        if len(values) == 1:
            return StridedView(memory.address, owner=memory)
        return by_world(memory.address - self.first * size * converted.itemsize, size, owner=memory)


def gpu_rows(store: WorldRows) -> GpuRows | None:
    """The GPU rows of a store, None where its worlds are not on a GPU."""
    if isinstance(store, CudaWorlds):
        return GpuRows(store, 0, store.count)
    if isinstance(store, BufferView) and isinstance(store.base, CudaWorlds) and not store.prefix:
        return GpuRows(store.base, store.window.start, store.count)
    return None


def required_gpu_rows(what: str, store: WorldRows) -> GpuRows:
    """As `gpu_rows`; raises ValueError where the worlds are elsewhere."""
    rows = gpu_rows(store)
    if rows is None:
        raise ValueError(f"{what} is on a GPU, but the worlds are on the host; copy it to the host, or create the "
                         "Simulation with device='cuda'")
    return rows
