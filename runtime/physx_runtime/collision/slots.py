"""The places of pairs in PhysX's pool of contact managers, by which it lists those that begin to touch in one step.

Two memories of PhysX decide them and are kept here by world as it keeps them: the list of pairs whose bounds overlap,
in which the last pair takes the place of a lost one (BpBroadPhaseABP.cpp), and the pool, whose freed places are taken
again, the last freed first (CmPool.h). Places are freed at the end of the step in which bounds part. Measured: in the
first step of a scene pairs are listed in the reverse of the order in which they are found in later ones.

Shapes that never meet, as those of jointed links, are filtered after the list was made: a pair of them has a line in it
but no place (PersistentPairs::updatePairs, BpAABBManager.cpp).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.shape import FREE
from physx_runtime.compiling.numba_functions import scalar_code, scalar_entry

Array = NDArray[Any]

SLAB = 256      # places that the pool grows by, and most pairs that take theirs at once
FILTERED = -(1 << 30)       # in a list, FILTERED - k: the k-th pair of shapes that never meet
REAL = -1                   # a pair of shapes that meet


class Pools(NamedTuple):
    """The memories of some worlds."""

    begun: Array        # (n_world,) whether they have had their first step
    # (n_world, n) i4: rows of the pairs whose bounds overlap; -1 - k of the k-th without a row yet; FILTERED - k
    near: Array
    near_counts: Array  # (n_world,) i4
    free: Array         # (n_world, n) i4: free places, the last of which is taken first
    free_counts: Array
    made: Array         # (n_world,) i4: places in all


def pools(worlds: int) -> Pools:
    """Those of worlds in which nothing has met."""
    counts = [np.zeros(worlds, np.int32) for _ in range(3)]
    empty = np.zeros((2, worlds, 0), np.int32)
    return Pools(np.zeros(worlds, np.bool_), empty[0], counts[0], empty[1], counts[1], counts[2])


def grown(found: Pools, fresh: int) -> Pools:
    """The same with room for so many new pairs of one world."""
    near, free = int(found.near_counts.max(initial=0)) + fresh, int(found.made.max(initial=0)) + fresh + SLAB
    if near <= found.near.shape[1] and free <= found.free.shape[1]:
        return found
    return found._replace(near=_widened(found.near, near), free=_widened(found.free, free))


def _widened(rows: Array, needed: int) -> Array:
    if needed <= rows.shape[1]:
        return rows
    wide = np.zeros((len(rows), max(needed, 2 * rows.shape[1])), np.int32)
    wide[:, :rows.shape[1]] = rows
    return wide


def forget(found: Pools, worlds: Array) -> None:
    """Begin anew in these worlds."""
    for values in (found.begun, found.near_counts, found.free_counts, found.made):
        values[worlds] = 0


@scalar_entry
def overlapping(apart: Any, bounds: Any, near: Any) -> None:
    """Tell of pairs of shapes that never meet, given as keys, whether their bounds overlap."""
    for k in range(len(apart)):
        first, second = bounds[apart[k] >> 32], bounds[apart[k] & 0xFFFFFFFF]
        near[k] = True
        for axis in range(4):
            if first[0, axis] > second[1, axis] or second[0, axis] > first[1, axis]:
                near[k] = False


@scalar_entry
def without_filtered(found: Pools) -> None:
    """Take pairs of shapes that never meet out of the lists."""
    for w in range(len(found.near_counts)):
        count = 0
        for i in range(found.near_counts[w]):
            if found.near[w, i] > FILTERED:
                found.near[w, count] = found.near[w, i]
                count += 1
        found.near_counts[w] = count


@scalar_code
def _filtered(apart: Any, first: Any, second: Any) -> Any:
    """Which of the pairs that never meet two shapes are, or REAL."""
    key = (np.int64(min(first, second)) << 32) | np.int64(max(first, second))
    k = np.searchsorted(apart, key)
    return k if k < len(apart) and apart[k] == key else REAL


@scalar_entry
def renew(found: Pools, rows: Any, shapes: Any, fresh: Any, apart: Any, near_apart: Any, order: Any, slots: Any
          ) -> None:
    """Give places to new pairs of shapes, by world in the order of a sweep, and free those of the lost ones.

    fresh: also of shapes that never meet, which get none; apart: keys of these, of which `near_apart` have bounds that
    overlap. Fills in `order`, in which the new pairs are created, and their `slots` in that order.
    """
    for k in range(len(fresh)):
        w = max(shapes[fresh[k, 0]].world, shapes[fresh[k, 1]].world)
        number = _filtered(apart, fresh[k, 0], fresh[k, 1])
        found.near[w, found.near_counts[w]] = -1 - k if number == REAL else FILTERED - number
        found.near_counts[w] += 1
    gone = np.empty(found.near.shape[1], np.int32)
    at = 0
    for w in range(len(found.near_counts)):
        if not found.begun[w]:
            _turn_round(found.near[w], found.near_counts[w])
            found.begun[w] = True
        first, lost, i = at, 0, 0
        while i < found.near_counts[w]:
            row = found.near[w, i]
            if row <= FILTERED:
                if near_apart[FILTERED - row]:
                    i += 1
                else:
                    found.near_counts[w] -= 1
                    found.near[w, i] = found.near[w, found.near_counts[w]]
            elif row < 0:
                order[at], found.near[w, i] = -1 - row, -1 - at
                at += 1
                i += 1
            elif rows[row].shape0 == FREE:
                gone[lost] = rows[row].slot
                lost += 1
                found.near_counts[w] -= 1
                found.near[w, i] = found.near[w, found.near_counts[w]]
            else:
                i += 1
        for start in range(first, at, SLAB):
            _take(found, w, slots[start:min(start + SLAB, at)])
        for i in range(lost):
            found.free[w, found.free_counts[w]] = gone[i]
            found.free_counts[w] += 1


@scalar_code
def _turn_round(near: Any, count: Any) -> None:
    for i in range(count // 2):
        near[i], near[count - 1 - i] = near[count - 1 - i], near[i]


@scalar_code
def _take(found: Pools, w: Any, slots: Any) -> None:
    """Take places for some pairs at once."""
    known = min(len(slots), found.free_counts[w])
    found.free_counts[w] -= known
    for i in range(known):
        slots[i] = found.free[w, found.free_counts[w] + i]
    if known == len(slots):
        return
    for i in range(known, len(slots)):
        slots[i] = found.made[w] + i - known
    for place in range(SLAB - 1, len(slots) - known - 1, -1):
        found.free[w, found.free_counts[w]] = found.made[w] + place
        found.free_counts[w] += 1
    found.made[w] += SLAB


@scalar_entry
def settle(found: Pools, places: Any) -> None:
    """Name the new pairs by the rows that they were given, in the order in which they were created."""
    for w in range(len(found.near_counts)):
        for i in range(found.near_counts[w]):
            if FILTERED < found.near[w, i] < 0:
                found.near[w, i] = places[-1 - found.near[w, i]]
