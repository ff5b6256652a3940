"""The order in which PhysX creates pairs, and indices of its pool.

The order in which PhysX finds pairs of shapes whose bounds have met.

All shapes of an articulation are one object of its broad phase (an aggregate), as is any other shape. It finds, one
after the other (BpAABBManager.cpp), pairs within an articulation, pairs of objects whose bounds overlapped before, one
of which is an articulation, and pairs of objects whose bounds have met now. Each of these is a sweep along x, from the
lowest bounds on; of equal ones that of the object created first.

The order in which PhysX creates the bodies of a stage: of two that touch, the one created later is side 0.

Measured with stages of 10 to 300 bodies: bodies are created in the order of a hash table that they were put into by
path, with static colliders behind them. New ones are put in front of its list, and the list turns round whenever the
table grows. That is right for 94 to 100 of 100 pairs; the others share a place of the table with another object.

The places of pairs in PhysX's pool of contact managers, by which it lists those that begin to touch in one step.

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

from physx_runtime.collision.shapes import ALONE, FREE
from physx_runtime.compiling.numba_functions import scalar_code, scalar_entry

Array = NDArray[Any]

WITHIN, TWO_ARTICULATIONS, BEFORE, NOW = range(4)       # when a pair is found
AMONG, STATIC, KINEMATIC = range(3)                 # sweeps of objects that have met now: among what moves, with ...
# What pairs are sorted by, the first above all: these two, then where a pair is in a sweep of objects and of shapes.
KEYS = ("found", "sweep", *(f"{part} of {what}" for what in ("objects", "shapes") for part in (
    "begins with the second", "low of the lower", "age of the lower", "low of the upper", "age of the upper")))


class PairCreationOrder:
    """What the order of new pairs of some shapes depends on, and where their objects were a step ago."""

    def __init__(self, shapes: Array, moving: int) -> None:
        joined = shapes["articulation"] != ALONE
        numbers = np.stack([np.where(joined, shapes["articulation"], ALONE), np.where(joined, shapes["world"], 0),
                            np.where(joined, 0, np.arange(len(shapes)))])
        _, first, self._object = np.unique(numbers, axis=1, return_index=True, return_inverse=True)
        self._object = self._object.ravel()
        self._by_object = np.argsort(self._object, kind="stable")
        self._edges = np.searchsorted(self._object[self._by_object], np.arange(len(first)))
        self._joined, self._worlds = joined[first], shapes["world"][first]
        self._created = np.empty(len(shapes), np.int64)
        self._created[np.argsort(shapes["created"], kind="stable")] = np.arange(len(shapes))
        self._sweep = np.where((shapes["body"] < moving) | joined, AMONG,
                               np.where(shapes["kinematic"] == 1, KINEMATIC, STATIC))
        self._created_objects = np.minimum.reduceat(self._created[self._by_object], self._edges)
        self._before = _nowhere(len(first))

    def forget(self, worlds: Array) -> None:
        """Take what is in these worlds as not having been anywhere."""
        self._before[np.isin(self._worlds, worlds)] = _nowhere(1)

    def go_on(self, before: PairCreationOrder) -> None:
        """Remember where other, equal shapes were."""
        self._before = before._before

    def in_order(self, fresh: Array, bounds: Array) -> Array:
        """New pairs (moving shape, partner) of a step in their order; bounds: of all shapes, in every step."""
        low = bounds[:, 0, 0]
        if not self._joined.any():
            return self._sorted(fresh, low, low, np.zeros(len(fresh), np.bool_))
        a, b = self._object[fresh[:, 0]], self._object[fresh[:, 1]]
        met = (self._before[a, 0] <= self._before[b, 1]).all(1) & (self._before[b, 0] <= self._before[a, 1]).all(1)
        self._before = np.stack([np.minimum.reduceat(bounds[self._by_object, 0, :3], self._edges),
                                 np.maximum.reduceat(bounds[self._by_object, 1, :3], self._edges)], axis=1)
        return self._sorted(fresh, low, self._before[:, 0, 0], met)

    def _sorted(self, fresh: Array, low: Array, low_of_objects: Array, met: Array) -> Array:
        if len(fresh) < 2:
            return fresh
        keys = np.empty((len(KEYS), len(fresh)))
        _fill(keys, fresh, met, self._object, self._joined, self._sweep, low_of_objects, self._created_objects, low,
              self._created)
        return fresh[np.lexsort(keys[::-1])]


@scalar_entry
def _fill(keys: Any, fresh: Any, met: Any, objects: Any, joined: Any, sweeps: Any, low_of_objects: Any,
          created_objects: Any, low: Any, created: Any) -> None:
    """Fill in the `KEYS` of new pairs."""
    for i in range(len(fresh)):
        first, second = fresh[i, 0], fresh[i, 1]
        a, b = objects[first], objects[second]
        found, sweep = BEFORE, sweeps[second]
        if a == b:
            found = WITHIN
        elif not met[i] or not (joined[a] or joined[b]):
            found = NOW
        elif joined[a] and joined[b]:
            found = TWO_ARTICULATIONS
        keys[0, i], keys[1, i] = found, sweep
        _sweep(keys[2:7, i], a, b, sweep == AMONG, low_of_objects, created_objects)
        # an articulation sweeps before a body, of two articulations the one created first
        if created_objects[b] < created_objects[a] if joined[a] == joined[b] else joined[b]:
            first, second = second, first
        _sweep(keys[7:12, i], first, second, a == b, low, created)


@scalar_code
def _sweep(keys: Any, first: Any, second: Any, alike: Any, low: Any, created: Any) -> None:
    """Keys of a pair in a sweep: those that begin with their first one, then the others, from the lowest on.

    alike: whether both are of one list, in which the lower one is the first.
    """
    turned = low[second] < low[first] or (alike and low[second] == low[first] and created[second] < created[first])
    lower, upper = (second, first) if turned else (first, second)
    keys[0], keys[1], keys[2] = turned and not alike, low[lower], created[lower]
    keys[3], keys[4] = low[upper], created[upper]


def _nowhere(count: int) -> Array:
    """Bounds of nothing."""
    bounds = np.full((count, 2, 3), np.inf, np.float32)
    bounds[:, 1] = -np.inf
    return bounds


ROOMS = (13, 29, 59, 127, 257, 541, 1109, 2357, 5087, 10273, 20753, 42043, 85229, 172933)     # of libstdc++'s tables


def creation_ranks(bodies: int, statics: int) -> list[int]:
    """The rank in creation of each of `bodies` free bodies in path order, and of as many static colliders after them.

    Raises ValueError where there are more than the largest table measured holds.
    """
    total = bodies + statics
    if total > ROOMS[-1]:
        raise ValueError(f"{total} bodies and static colliders are more than the {ROOMS[-1]} whose order is known")
    order: list[int] = []
    first = 0
    for room in ROOMS:
        order = [*range(min(room, total) - 1, first - 1, -1), *order]
        first = room
        if total <= room:
            break
        order.reverse()
    ranks = [0] * total
    for rank, number in enumerate(order):
        ranks[number] = rank
    return ranks


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
