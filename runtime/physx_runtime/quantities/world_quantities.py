"""Quantities of all worlds of a simulation, written straight into arrays of the caller.

Small trees run as vector kernels on the worlds' own buffer. A tree too large for straight-line code is worked out by
the same functions on arrays of worlds, which is slower and has no limit.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.model.rows import input_rows, state_rows, tree_rows
from physx_runtime.model.topology import ActorTopology, Topology
from physx_runtime.quantities.gpu_quantities import GivenPlaces, GpuQuantities
from physx_runtime.quantities.state import evaluated
from physx_runtime.quantities.traced import StateQuantity, specialised, structure, traced
from physx_runtime.targets.cpu import FunctionKernel, Lines
from physx_runtime.worlds.gpu_rows import GpuRows, gpu_rows
from physx_runtime.worlds.store import WorldRows

Array = NDArray[Any]
Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ArrayLines:
    """Lines of numbers in an array: where the first number of each lies."""

    array: Array                        # C-contiguous
    starts: Indices                     # (n,)

    def addresses(self) -> Lines:
        """The addresses of the lines."""
        return Lines(self.array.ctypes.data + self.array.itemsize * self.starts, self.array)

    def view(self, size: int) -> tuple[Array, Indices]:
        """The array as one line of numbers, and the index of each number of each line in it."""
        return self.array.reshape(-1), self.starts[:, None] + np.arange(size)


def lines_of(array: Array) -> ArrayLines:
    """The lines of a two-dimensional array."""
    return ArrayLines(array, np.arange(len(array), dtype=np.int64) * array.shape[1])


class WorldQuantities:
    """Quantities of one simulation's worlds."""

    def __init__(self, t: ActorTopology) -> None:
        self._structure = structure(t)
        self.specialised, self._topology = specialised(t), t
        self._kernels: dict[object, FunctionKernel] = {}

    @functools.cached_property
    def gpu(self) -> GpuQuantities:
        """The same as kernels, for worlds on a GPU."""
        return GpuQuantities(self._topology)

    @property
    def topology(self) -> Topology:
        """The tree that quantities are functions of."""
        return self._structure.tree

    def run(self, quantity: StateQuantity, store: WorldRows, worlds: Indices, given: Mapping[str, Array],
            results: Mapping[str, ArrayLines]) -> None:
        """Compute a quantity for the worlds with these indices.

        given: arrays (n_chosen, size) that the quantity finds among its rows; results: where to put those of its
        results that are wanted, one line for each of the worlds.
        """
        if not len(worlds):
            return
        rows = gpu_rows(store)
        if rows is not None:
            made = self.gpu.values(quantity, rows, rows.chosen(worlds), _sent(rows, given), results)
            for name, place in results.items():
                flat, indices = place.view(made[name].shape[1])
                flat[indices] = made[name]
            return
        if not self.specialised:
            made = self._on_arrays(quantity, store, worlds, given)
            for name, place in results.items():
                flat, indices = place.view(made[name].shape[1])
                flat[indices] = made[name]
            return
        buffer, _ = store.blocks()
        kernel = self._kernel(quantity, store, given)
        sources = [lines_of(np.ascontiguousarray(values, dtype=buffer.dtype)) for values in given.values()]
        targets = [results.get(name) for name, _ in kernel.function.results]
        kernel(buffer, worlds, [place.addresses() if place else None for place in (*sources, *targets)],
               alike=store.alike(kernel.parameters))

    def values(self, quantity: StateQuantity, store: WorldRows, worlds: Indices,
               given: Mapping[str, Array]) -> dict[str, Array]:
        """The results of a quantity as new arrays, (n_chosen, size) each."""
        rows = gpu_rows(store)
        if rows is not None:
            return self.gpu.values(quantity, rows, rows.chosen(worlds), _sent(rows, given))
        if not self.specialised:
            return self._on_arrays(quantity, store, worlds, given)
        dtype = store.blocks()[0].dtype
        made = {name: np.zeros((len(worlds), size), dtype)
                for name, size in self._kernel(quantity, store, given).function.results}
        self.run(quantity, store, worlds, given, {name: lines_of(values) for name, values in made.items()})
        return made

    def _kernel(self, quantity: StateQuantity, store: WorldRows, given: Mapping[str, Array]) -> FunctionKernel:
        buffer, layout = store.blocks()
        sizes = tuple((name, values.shape[1]) for name, values in given.items())
        key = (quantity, sizes, buffer.dtype, buffer.shape[2])
        kernel = self._kernels.get(key)
        if kernel is None or kernel.layout is not layout:
            function = traced(quantity, self._structure, sizes)
            kernel = FunctionKernel(function, layout, state_rows(self._structure), str(buffer.dtype), buffer.shape[2])
            self._kernels[key] = kernel
        return kernel

    def _on_arrays(self, quantity: StateQuantity, store: WorldRows, worlds: Indices,
                   given: Mapping[str, Array]) -> dict[str, Array]:
        t = self._structure
        rows: dict[str, Array] = {name: np.zeros((size, len(worlds))) for name, size in tree_rows(t).items()}
        rows |= {name: store.rows(name)[worlds].T for name in state_rows(t) | input_rows(t)}
        made = evaluated(quantity, t.tree, rows | {name: values.T for name, values in given.items()})
        return {name: values.astype(rows["q"].dtype) for name, values in made.items()}


def _sent(rows: GpuRows, given: Mapping[str, Array]) -> GivenPlaces:
    """Arrays of the host where they were sent to."""
    return {name: (rows.worlds.lines(values), values.shape[1]) for name, values in given.items()}
