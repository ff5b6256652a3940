"""From where bodies are to where their shapes touch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.meshes.manifolds import MOST_WITH_MESH
from physx_runtime.collision.narrow_phase.kinds import TOUCH
from physx_runtime.collision.pairs import PairTable
from physx_runtime.collision.shape import CONTACT, FREE, KIND_NAMES, MOST_POINTS
from physx_runtime.collision.touching_order import in_order_of_touching
from physx_runtime.compiling.numba_functions import borrowing_entry, scalar_entry

Array = NDArray[Any]
Flags = NDArray[np.bool_]


def supported(kind0: int, kind1: int) -> bool:
    """Whether contacts are made between shapes of two kinds, in either order."""
    return (min(kind0, kind1), max(kind0, kind1)) in TOUCH


def every_pair(table: PairTable) -> Flags:
    """All pairs of a table."""
    return np.ones(len(table.rows), np.bool_)


def generate(table: PairTable, poses: Array, awake: Callable[[PairTable], Flags] = every_pair) -> Array:
    """Contacts of a step, of dtype CONTACT, and in `table` the pairs as they are now.

    poses: (bodies, 7) float32 in the world, position and quaternion x y z w, of the frames that shapes are placed in.
    awake: which pairs of the table to make contacts of, its shapes being placed, (n_row,); the others stay as they are
    Contacts of a pair are neighbours, in the order of its manifold; pairs follow `table.touching`.
    """
    table.place(poses)
    made = awake(table)
    contacts = np.empty(MOST_POINTS * len(table.rows) + MOST_WITH_MESH * len(table.manifolds), CONTACT)
    count = touch(table, made, contacts)
    table.touching, table.listed = in_order_of_touching(table.rows, table.shapes, table.listed, made)
    arranged = np.empty(count, CONTACT)
    arrange(table.rows, table.touching, contacts, arranged)
    return arranged


def touch(table: PairTable, made: Flags, contacts: Array) -> int:
    """Make the contacts of some pairs of a table, kind by kind; how many there are."""
    rows, shapes, at, kinds = table.rows, table.shapes, 0, len(KIND_NAMES)
    chosen, ends = np.empty(len(rows), np.int64), np.zeros(kinds * kinds, np.int64)
    _sort_by_kinds(rows, made, shapes, kinds, chosen, ends)
    first = 0
    for both, end in enumerate(ends.tolist()):
        if end > first:
            at = TOUCH[divmod(both, kinds)](rows, chosen[first:end], shapes, table.placed, table.geometry,
                                            table.manifolds, contacts, at)
            first = end
    return at


@borrowing_entry
def _sort_by_kinds(rows: Any, made: Any, shapes: Any, kinds: Any, chosen: Any, ends: Any) -> None:
    """Fill in the rows of pairs to look at by the kinds of their shapes; ends: zeros, where those of each end."""
    for k in range(len(rows)):
        if made[k] and rows[k].shape0 != FREE:
            ends[shapes[rows[k].shape0].kind * kinds + shapes[rows[k].shape1].kind] += 1
    at = 0
    for both in range(len(ends)):
        at, ends[both] = at + ends[both], at
    for k in range(len(rows)):
        if made[k] and rows[k].shape0 != FREE:
            both = shapes[rows[k].shape0].kind * kinds + shapes[rows[k].shape1].kind
            chosen[ends[both]] = k
            ends[both] += 1


@scalar_entry
def arrange(rows: Any, touching: Any, contacts: Any, arranged: Any) -> None:
    """Copy contacts in the order of their pairs, and tell the pairs where they are."""
    at = 0
    for k in touching:
        pair = rows[k]
        for i in range(pair.contacts):
            arranged[at + i] = contacts[pair.first + i]
        pair.first = at
        at += pair.contacts
