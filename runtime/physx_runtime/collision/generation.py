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
from physx_runtime.compiling.scalar_code import scalar_entry

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
    table.touching = in_order_of_touching(table.rows, table.touching, made)
    arranged = np.empty(count, CONTACT)
    arrange(table.rows, table.touching, contacts, arranged)
    return arranged


def touch(table: PairTable, made: Flags, contacts: Array) -> int:
    """Make the contacts of some pairs of a table, kind by kind; how many there are."""
    rows, shapes, at = table.rows, table.shapes, 0
    alive = np.flatnonzero(made & (rows["shape0"] != FREE))
    kinds = shapes["kind"][rows["shape0"][alive]] * len(KIND_NAMES) + shapes["kind"][rows["shape1"][alive]]
    for both in np.flatnonzero(np.bincount(kinds)):
        at = TOUCH[divmod(int(both), len(KIND_NAMES))](rows, alive[kinds == both], shapes, table.placed,
                                                       table.geometry, table.manifolds, contacts, at)
    return at


def in_order_of_touching(rows: Array, touching: Array, awake: Flags) -> Array:
    """The pairs that touch: those that did before keep their order, then those that begin, by their slots."""
    alive = np.where(awake, rows["contacts"] > 0, rows["touching"] == 1) & (rows["shape0"] != FREE)
    begun = np.flatnonzero(alive & (rows["touching"] == 0)).astype(np.int32)
    kept = touching[alive[touching] & (rows["touching"][touching] == 1)]
    rows["touching"] = alive
    return np.concatenate((kept, begun[np.argsort(rows["slot"][begun], kind="stable")]))


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
