"""The loop over pairs of two kinds, around any function that makes the contacts of one of them.

Such functions ask for different things of their shapes; `of_...` gives them all one form:
(pair, shape0, pose0, shape1, pose1, geometry, manifolds, contacts, at), and the next free row of contacts back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from physx_runtime.collision.bounds import pose_at, size_of
from physx_runtime.collision.shape import TO_SEARCH
from physx_runtime.compiling.numba_functions import scalar_code, scalar_entry

Maker = Callable[..., Any]


def over_pairs(contacts_of: Maker) -> Maker:
    """The loop over rows of a table of pairs, compiled for Python to call."""

    @scalar_entry
    def touch(rows: Any, chosen: Any, shapes: Any, placed: Any, geometry: Any, manifolds: Any, contacts: Any,
              at: Any) -> Any:
        """Write the contacts of the chosen rows from row `at` on; the next free row."""
        for k in chosen:
            pair, i, j = rows[k], rows[k].shape0, rows[k].shape1
            end = contacts_of(pair, shapes[i], pose_at(placed, i), shapes[j], pose_at(placed, j), geometry, manifolds,
                              contacts, at)
            put_down(pair, k, contacts, at, end)
            at = end
        return at

    return touch


@scalar_code
def put_down(pair: Any, k: Any, contacts: Any, first: Any, end: Any) -> None:
    """Tell a pair, row `k` of its table, which contacts are its own, and have their normals point to solver side 0."""
    pair.first, pair.contacts = first, end - first
    for row in range(first, end):
        contacts[row].pair = k
        if pair.swapped:
            for axis in range(3):
                contacts[row].normal[axis] = -contacts[row].normal[axis]


def one_of(made: Sequence[Maker]) -> Maker:
    """The maker that is told by its place among these."""
    if len(made) == 1:
        return _only(made[0])
    return _or(made[0], one_of(made[1:]))


def _only(make: Maker) -> Maker:

    @scalar_code
    def contacts_of(which: Any, pair: Any, shape0: Any, pose0: Any, shape1: Any, pose1: Any, geometry: Any,
                    manifolds: Any, contacts: Any, at: Any) -> Any:
        return make(pair, shape0, pose0, shape1, pose1, geometry, manifolds, contacts, at)

    return contacts_of


def _or(make: Maker, others: Maker) -> Maker:

    @scalar_code
    def contacts_of(which: Any, pair: Any, shape0: Any, pose0: Any, shape1: Any, pose1: Any, geometry: Any,
                    manifolds: Any, contacts: Any, at: Any) -> Any:
        if which == 0:
            return make(pair, shape0, pose0, shape1, pose1, geometry, manifolds, contacts, at)
        return others(which - 1, pair, shape0, pose0, shape1, pose1, geometry, manifolds, contacts, at)

    return contacts_of


def searched_apart(touch: Maker, search: Maker) -> Maker:
    """The loop of `touch`, and that of `search` over the pairs that it leaves, which is not compiled before one is."""

    def both(rows: Any, chosen: Any, shapes: Any, placed: Any, geometry: Any, manifolds: Any, contacts: Any,
             at: int) -> int:
        at = touch(rows, chosen, shapes, placed, geometry, manifolds, contacts, at)
        left = chosen[rows["warm"][chosen] == TO_SEARCH]
        return search(rows, left, shapes, placed, geometry, manifolds, contacts, at) if len(left) else at

    return both


def of_sizes(make: Maker) -> Maker:
    """For shapes that are told by their sizes."""

    @scalar_code
    def contacts_of(pair: Any, shape0: Any, pose0: Any, shape1: Any, pose1: Any, geometry: Any, manifolds: Any,
                    contacts: Any, at: Any) -> Any:
        return make(pair, size_of(shape0), pose0, size_of(shape1), pose1, contacts, at)

    return contacts_of


def of_sizes_beside_hulls(make: Maker) -> Maker:
    """For shapes told by their sizes that the search for hulls is used for."""

    @scalar_code
    def contacts_of(pair: Any, shape0: Any, pose0: Any, shape1: Any, pose1: Any, geometry: Any, manifolds: Any,
                    contacts: Any, at: Any) -> Any:
        return make(pair, size_of(shape0), pose0, size_of(shape1), pose1, geometry.hulls, contacts, at)

    return contacts_of


def of_cores(make: Maker) -> Maker:
    """For shapes of kinds that only the core tells apart."""

    @scalar_code
    def contacts_of(pair: Any, shape0: Any, pose0: Any, shape1: Any, pose1: Any, geometry: Any, manifolds: Any,
                    contacts: Any, at: Any) -> Any:
        return make(pair, shape0.kind, size_of(shape0), pose0, shape1.kind, size_of(shape1), pose1, contacts, at)

    return contacts_of


def of_hulls(make: Maker) -> Maker:
    """For shapes that refer to hulls."""

    @scalar_code
    def contacts_of(pair: Any, shape0: Any, pose0: Any, shape1: Any, pose1: Any, geometry: Any, manifolds: Any,
                    contacts: Any, at: Any) -> Any:
        return make(pair, shape0, pose0, shape1, pose1, geometry.hulls, contacts, at)

    return contacts_of


def of_mesh(make: Maker) -> Maker:
    """For a shape with a mesh, a pair that keeps several manifolds."""

    @scalar_code
    def contacts_of(pair: Any, shape0: Any, pose0: Any, shape1: Any, pose1: Any, geometry: Any, manifolds: Any,
                    contacts: Any, at: Any) -> Any:
        return make(pair, manifolds[pair.manifolds], shape0, pose0, shape1, pose1, geometry.meshes, contacts, at)

    return contacts_of


def of_hull_and_mesh(make: Maker) -> Maker:
    """For a box or a hull and a mesh, a pair that keeps several manifolds."""

    @scalar_code
    def contacts_of(pair: Any, shape0: Any, pose0: Any, shape1: Any, pose1: Any, geometry: Any, manifolds: Any,
                    contacts: Any, at: Any) -> Any:
        return make(pair, manifolds[pair.manifolds], shape0, pose0, shape1, pose1, geometry.hulls, geometry.meshes,
                    contacts, at)

    return contacts_of


def of_remade_mesh(make: Maker) -> Maker:
    """For a shape with a mesh whose contacts are new in every step."""

    @scalar_code
    def contacts_of(pair: Any, shape0: Any, pose0: Any, shape1: Any, pose1: Any, geometry: Any, manifolds: Any,
                    contacts: Any, at: Any) -> Any:
        return make(pair, shape0, pose0, shape1, pose1, geometry.meshes, contacts, at)

    return contacts_of
