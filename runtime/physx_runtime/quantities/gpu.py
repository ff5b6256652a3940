"""`GpuQuantities` computes quantities of worlds on a GPU, with one CUDA kernel each, on the rows in device memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from physx_runtime.arrays import Array
from physx_runtime.compiling.cuda.source import emit_function_kernel
from physx_runtime.compiling.schedule import Function
from physx_runtime.model.topology import ActorTopology
from physx_runtime.quantities.traced import StateQuantity, can_compile, structure, traced
from physx_runtime.targets.cuda.driver import DeviceError, Memory, PitchedLines
from physx_runtime.targets.cuda.kernels import LineSelection, LoadedFunction, StridedView
from physx_runtime.worlds.gpu.views import GpuRows

# Arrays that a quantity finds among its rows: where they lie, and how many numbers a world has.
ArrayViews = Mapping[str, tuple[StridedView, int]]


class GpuQuantities:
    """Quantities of one simulation's worlds; methods raise DeviceError for a tree too large for kernels."""

    def __init__(self, t: ActorTopology) -> None:
        self._structure, self._links = structure(t), len(t.tree.links)
        self._compiled = can_compile(t)
        self._kernels: dict[object, tuple[Mapping[str, int], LoadedFunction]] = {}
        self._discarded: Memory | None = None

    def function(self, quantity: StateQuantity, arrays: Mapping[str, int]) -> Function:
        """The traced function of a quantity, with arrays of these sizes."""
        if not self._compiled:
            raise DeviceError(f"device 'cuda': the articulation has {self._links} links; quantities on a GPU "
                                   "support chains of at most 60 links; use device='cpu'")
        return traced(quantity, self._structure, tuple(arrays.items()))

    def run(self, quantity: StateQuantity, rows: GpuRows, selection: LineSelection, arrays: ArrayViews,
            results: Mapping[str, StridedView], row_results: Collection[str] = ()) -> None:
        """Compute a quantity for the chosen worlds.

        results: views for the results that are needed; row_results: names of results that are written to rows.
        """
        function = self.function(quantity, {name: size for name, (_, size) in arrays.items()})
        kernel = self._kernel(quantity, function, rows, tuple(row_results))
        if self._discarded is None:
            self._discarded = rows.worlds.gpu.allocate(np.dtype(np.float64).itemsize, "unused results")
        discarded = StridedView(self._discarded.address, of_row=0)
        output_views = [results.get(name, discarded) for name, _ in function.results if name not in row_results]
        kernel.run(rows.worlds.address, selection, [*(view for view, _ in arrays.values()), *output_views],
                   rows.worlds.stream)
        for name in row_results:
            rows.worlds.invalidate(name)

    def values(self, quantity: StateQuantity, rows: GpuRows, selection: LineSelection, arrays: ArrayViews,
               names: Collection[str] | None = None) -> dict[str, Array]:
        """Results, all where None are named, copied to the host: (n_line, size) each."""
        function = self.function(quantity, {name: size for name, (_, size) in arrays.items()})
        sizes = {name: size for name, size in function.results if names is None or name in names}
        memories = {name: line_memory(rows, selection.lines, size) for name, size in sizes.items()}
        self.run(quantity, rows, selection, arrays,
                 {name: StridedView(memory.address, of_line=sizes[name], owner=memory)
                  for name, memory in memories.items()})
        return {name: read_lines(rows, memory, selection.lines, sizes[name]) for name, memory in memories.items()}

    def _kernel(self, quantity: StateQuantity, function: Function, rows: GpuRows,
                row_results: tuple[str, ...]) -> LoadedFunction:
        worlds = rows.worlds
        key = (quantity, function.arrays, row_results)
        layout, kernel = self._kernels.get(key, (None, None))
        if kernel is None or layout is not worlds.layout:
            source = emit_function_kernel(function, worlds.layout, worlds.dtype, row_results)
            kernel = LoadedFunction(worlds.gpu, source)
            self._kernels[key] = worlds.layout, kernel
        return kernel


def line_memory(rows: GpuRows, lines: int, size: int) -> Memory:
    """Device memory for `size` numbers of each line."""
    return rows.worlds.gpu.allocate(max(1, lines * size) * np.dtype(rows.worlds.dtype).itemsize, "results")


def read_lines(rows: GpuRows, memory: Memory, lines: int, size: int) -> Array:
    """A copy on the host, (n_line, size)."""
    worlds = rows.worlds
    width = lines * size * np.dtype(worlds.dtype).itemsize
    flat = worlds.gpu.read(PitchedLines(memory.address, max(1, width)), (1, lines * size), worlds.dtype, worlds.stream)
    return flat.reshape(lines, size)
