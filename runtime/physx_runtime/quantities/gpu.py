"""Quantities of worlds on a GPU: a kernel each, on the rows where they lie."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.compiling.cuda.source import emit_function_kernel
from physx_runtime.compiling.schedule import Function
from physx_runtime.model.topology import ActorTopology
from physx_runtime.quantities.traced import StateQuantity, specialised, structure, traced
from physx_runtime.targets.cuda.driver import DeviceError, Lines, Memory
from physx_runtime.targets.cuda.kernels import Chosen, LoadedFunction, StridedView
from physx_runtime.worlds.gpu.views import GpuRows

Array = NDArray[Any]
# Arrays that a quantity finds among its rows: where they lie, and how many numbers a world has.
GivenPlaces = Mapping[str, tuple[StridedView, int]]


class GpuQuantities:
    """Quantities of one simulation's worlds; methods raise DeviceError for a tree too large for kernels."""

    def __init__(self, t: ActorTopology) -> None:
        self._structure, self._links = structure(t), len(t.tree.links)
        self._specialised = specialised(t)
        self._kernels: dict[object, tuple[Mapping[str, int], LoadedFunction]] = {}
        self._idle: Memory | None = None

    def function(self, quantity: StateQuantity, given: Mapping[str, int]) -> Function:
        """What is computed, with arrays of these sizes."""
        if not self._specialised:
            raise DeviceError(f"device 'cuda': quantities are made for trees of up to a chain of 60 links, and "
                                   f"this one has {self._links}; use device='cpu'")
        return traced(quantity, self._structure, tuple(given.items()))

    def run(self, quantity: StateQuantity, rows: GpuRows, chosen: Chosen, given: GivenPlaces,
            results: Mapping[str, StridedView], written: Collection[str] = ()) -> None:
        """Compute a quantity for the chosen worlds.

        results: where to put those that are wanted; written: those that become rows of the worlds.
        """
        function = self.function(quantity, {name: size for name, (_, size) in given.items()})
        kernel = self._kernel(quantity, function, rows, tuple(written))
        if self._idle is None:
            self._idle = rows.worlds.gpu.allocate(np.dtype(np.float64).itemsize, "what nobody asked for")
        nowhere = StridedView(self._idle.address, of_row=0)
        wanted = [results.get(name, nowhere) for name, _ in function.results if name not in written]
        kernel.run(rows.worlds.address, chosen, [*(place for place, _ in given.values()), *wanted], rows.worlds.stream)
        for name in written:
            rows.worlds.changing(name)

    def values(self, quantity: StateQuantity, rows: GpuRows, chosen: Chosen, given: GivenPlaces,
               wanted: Collection[str] | None = None) -> dict[str, Array]:
        """Results, all where None are named, copied to the host: (n_line, size) each."""
        function = self.function(quantity, {name: size for name, (_, size) in given.items()})
        sizes = {name: size for name, size in function.results if wanted is None or name in wanted}
        made = {name: line_memory(rows, chosen.lines, size) for name, size in sizes.items()}
        self.run(quantity, rows, chosen, given, {name: StridedView(memory.address, of_line=sizes[name], owner=memory)
                                                 for name, memory in made.items()})
        return {name: read_lines(rows, memory, chosen.lines, sizes[name]) for name, memory in made.items()}

    def _kernel(self, quantity: StateQuantity, function: Function, rows: GpuRows,
                written: tuple[str, ...]) -> LoadedFunction:
        worlds = rows.worlds
        key = (quantity, function.given, written)
        layout, kernel = self._kernels.get(key, (None, None))
        if kernel is None or layout is not worlds.layout:
            source = emit_function_kernel(function, worlds.layout, worlds.dtype, written)
            kernel = LoadedFunction(worlds.gpu, source)
            self._kernels[key] = worlds.layout, kernel
        return kernel


def line_memory(rows: GpuRows, lines: int, size: int) -> Memory:
    """Memory for so many numbers of each line."""
    return rows.worlds.gpu.allocate(max(1, lines * size) * np.dtype(rows.worlds.dtype).itemsize, "what is computed")


def read_lines(rows: GpuRows, memory: Memory, lines: int, size: int) -> Array:
    """A copy on the host, (n_line, size)."""
    worlds = rows.worlds
    width = lines * size * np.dtype(worlds.dtype).itemsize
    flat = worlds.gpu.read(Lines(memory.address, max(1, width)), (1, lines * size), worlds.dtype, worlds.stream)
    return flat.reshape(lines, size)
