"""Quantities of all worlds of a simulation, written straight into arrays of the caller.

Small trees run as vector kernels on the worlds' own buffer. A tree too large for straight-line code is worked out by
the same functions on arrays of worlds, which is slower and has no limit.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.compiling.function import Function, Sizes, trace_function
from physx_runtime.language.ops import Rows
from physx_runtime.model.rows import input_rows, state_rows, tree_rows
from physx_runtime.model.topology import ActorTopology, BodyTopology, DofTopology, Topology
from physx_runtime.quantities.state import evaluated
from physx_runtime.targets.cpu import FunctionKernel, Lines
from physx_runtime.worlds.store import WorldRows

Array = NDArray[Any]
Indices = NDArray[np.int64]
StateQuantity = Callable[[Topology, Rows], Rows]

# Pairs of a link and a dof it hangs on, up to which straight-line code is emitted: a chain of 62 links.
MOST_LINK_DOF_PAIRS = 2000


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
        self.specialised = _pairs(t.tree) <= MOST_LINK_DOF_PAIRS
        self._kernels: dict[object, FunctionKernel] = {}

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
            function = _traced(quantity, self._structure, sizes)
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


def structure(t: ActorTopology) -> ActorTopology:
    """What quantities depend on: the tree, its joints and what pushes links from outside.

    How often forces act stays too, which reports of joint forces show, and tendons whose impulses are kept for them.
    Whatever else acts on the joints is left out. The rows of link forces are there; a quantity that reads them is given
    them.
    """
    if isinstance(t, BodyTopology):
        return BodyTopology(t.forces_every_iteration, link_forces=True, pushes=t.pushes)
    dofs = tuple(DofTopology(dof.link, axis=dof.axis) for dof in t.dofs)
    alone = Topology(t.fixed_base, t.forces_every_iteration, t.links, dofs, link_forces=True, pushes=t.pushes)
    if not t.tendon_impulses:
        return alone
    return replace(alone, fixed_tendons=t.fixed_tendons, spatial_tendons=t.spatial_tendons, tendon_impulses=True)


@functools.lru_cache(maxsize=256)
def _traced(quantity: StateQuantity, t: ActorTopology, given: Sizes) -> Function:
    absent = {name: [0.0] * size for name, size in tree_rows(t).items()}
    return trace_function(lambda rows: quantity(t.tree, {**absent, **rows}), state_rows(t) | input_rows(t), given)


def _pairs(t: Topology) -> int:
    dofs = [t.root_size] * len(t.links)
    for i, link in enumerate(t.links):
        dofs[i] = len(t.dofs_of(i)) + (dofs[link.parent] if link.parent >= 0 else t.root_size)
    return sum(dofs)
