"""The order in which PhysX has the pairs that touch, which is that in which their contacts are solved.

Pairs that begin to touch in one step come behind all others, by their place in the pool of contact managers. Where a
pair within one articulation parts, the last pair of that articulation takes its place, behind those that begin in the
same step. Of several that part those come first whose bounds part, then the others by their place in the pool. All
other pairs close ranks. Measured on hands with up to five such pairs: no other order of them gives PhysX's motion.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.shape import ALONE, FREE
from physx_runtime.compiling.numba_functions import borrowing_entry

Array = NDArray[Any]
Flags = NDArray[np.bool_]

BETWEEN = -1
NOWHERE = -1
# A pair as it was listed: its row may since be of another one.
LISTED = np.dtype([
    ("row", "i4"),
    ("slot", "i4"),
    ("born", "i8"),
    ("owner", "i4"),        # which articulation of all worlds it is within, or BETWEEN
])


def in_order_of_touching(rows: Array, shapes: Array, listed: Array, awake: Flags) -> tuple[Array, Array]:
    """Rows of the pairs that touch, and how they are listed for the next step.

    listed: LISTED, as the last step left it. awake: (n_row,) the pairs of which contacts were made.
    """
    found, stays = np.empty(len(rows), np.int32), np.empty(len(listed), np.bool_)
    kept, end, gaps = _find_touching(rows, listed, awake, found, stays)
    begun = found[kept:end]
    found[kept:end] = begun[np.argsort(rows["slot"][begun], kind="stable")]
    touching = found[:end]
    if not gaps:
        return touching, _described(rows, shapes, touching)
    every = np.concatenate((listed, _described(rows, shapes, touching[kept:])))
    gone = np.flatnonzero(~stays)
    near = (rows["shape0"][listed["row"][gone]] != FREE) & (rows["born"][listed["row"][gone]] == listed["born"][gone])
    gone = gone[np.lexsort((listed["slot"][gone], near))]
    return touching, every[_without(every["owner"], gone)]


def _described(rows: Array, shapes: Array, touching: Array) -> Array:
    listed = np.empty(len(touching), LISTED)
    _describe(rows, shapes, touching, shapes["articulation"].max(initial=ALONE) + 1, listed)
    return listed


@borrowing_entry
def _describe(rows: Any, shapes: Any, touching: Any, articulations: Any, listed: Any) -> None:
    for i in range(len(touching)):
        pair, one = rows[touching[i]], listed[i]
        first, second = shapes[pair.shape0], shapes[pair.shape1]
        one.row, one.slot, one.born, one.owner = touching[i], pair.slot, pair.born, BETWEEN
        if first.articulation != ALONE and first.articulation == second.articulation:
            one.owner = first.world * articulations + first.articulation


@borrowing_entry
def _find_touching(rows: Any, listed: Any, awake: Any, found: Any, stays: Any) -> Any:
    """Fill in the pairs that went on touching, then those that begin, and which of the listed ones stay.

    How many of the former, how many in all, and how many within an articulation part.
    """
    kept, gaps = 0, 0
    for i in range(len(listed)):
        k = listed[i].row
        pair = rows[k]
        stays[i] = (pair.shape0 != FREE and pair.born == listed[i].born and pair.touching
                    and (pair.contacts > 0 or not awake[k]))
        if stays[i]:
            found[kept] = k
            kept += 1
        elif listed[i].owner != BETWEEN:
            gaps += 1
    end = kept
    for k in range(len(rows)):
        pair = rows[k]
        touches = pair.shape0 != FREE and (pair.contacts > 0 if awake[k] else pair.touching == 1)
        if touches and not pair.touching:
            found[end] = k
            end += 1
        pair.touching = touches
    return kept, end, gaps


def _without(owners: Array, gone: Array) -> Array:
    """Which pair has each place once some are gone, whose places the last pairs of their articulations take."""
    count = len(owners)
    last = np.full(int(owners.max(initial=BETWEEN)) + 1, NOWHERE, np.int64)
    before, place, pair_at = np.empty(count, np.int64), np.arange(count), np.arange(count)
    _fill_gaps(np.ascontiguousarray(owners), gone, last, before, place, pair_at)
    left: Array = pair_at[pair_at != NOWHERE]
    return left


@borrowing_entry
def _fill_gaps(owners: Any, gone: Any, last: Any, before: Any, place: Any, pair_at: Any) -> None:
    """Fill in the pair at every place. last: the last place of each articulation. before: that before each place."""
    for i in range(len(owners)):
        if owners[i] != BETWEEN:
            before[i] = last[owners[i]]
            last[owners[i]] = i
    for one in gone:
        gap = place[one]
        if owners[one] != BETWEEN:
            end = last[owners[one]]
            last[owners[one]] = before[end]
            pair_at[gap], place[pair_at[end]], gap = pair_at[end], gap, end
        pair_at[gap] = NOWHERE
