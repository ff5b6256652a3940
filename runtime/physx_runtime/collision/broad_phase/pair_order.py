"""The order in which PhysX creates pairs, and the pool indices of their contact managers (BpAABBManager, CmPool).

`PairCreationOrder` sorts new pairs. All shapes of an articulation are one object of PhysX's broad phase, an aggregate.
Any other shape is an object of its own. BpAABBManager.cpp finds pairs in this order: pairs within an articulation;
pairs with an articulation whose objects overlapped before; pairs of objects that overlap now. Each is a sweep along x,
from the lowest bounds on. Of equal bounds the object created first comes first.

`creation_ranks` is the order in which PhysX creates the bodies of a stage. Of two in contact, the one created later is
side 0. Measured with stages of 10 to 300 bodies: they are created in the order of a hash table that they were put into
by path. Static colliders follow. New bodies are put in front of its list, and the list is reversed whenever the table
grows. That is right for 94 to 100 of 100 pairs. The others share a bucket with another object.

`Pools` are the memories that decide pool indices, for each world. PhysX lists pairs that begin to touch in one step by
these indices. One memory is the list of overlapping pairs, in which the last pair replaces a lost one
(BpBroadPhaseABP.cpp). The other is the pool, whose freed slots are used again, last freed first (CmPool.h). Slots are
freed at the end of the step in which bounds part. Measured: the first step of a scene lists pairs in reverse order.

Pairs of shapes that never collide, as those of jointed links, are filtered after the list was made. They are in the
list but get no slot (PersistentPairs::updatePairs, BpAABBManager.cpp).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from physx_runtime.arrays import Array, Condition, Integer, Records
from physx_runtime.collision.shapes import FREE, NO_ARTICULATION
from physx_runtime.compiling.numba_functions import scalar_code, scalar_entry

WITHIN_ARTICULATION, TWO_ARTICULATIONS, OVERLAPPED_BEFORE, OVERLAPPING_NOW = range(4)       # when a pair is found
DYNAMIC, STATIC, KINEMATIC = range(3)                 # sweeps of objects that overlap now: among moving ones, with ...
# Sort keys, most significant first: these two, then the place of a pair in a sweep of objects and of shapes.
KEYS = ("phase", "sweep", *(f"{part} of {what}" for what in ("objects", "shapes") for part in (
    "begins with the second", "low of the lower", "age of the lower", "low of the upper", "age of the upper")))


class PairCreationOrder:
    """Sorts new pairs of shapes; keeps the bounds of their objects from the step before."""

    def __init__(self, shapes: Array, moving: int) -> None:
        # one object per aggregate, otherwise one per shape  (BpAABBManager.cpp, createAggregate)
        joined = shapes["articulation"] != NO_ARTICULATION
        numbers = np.stack([np.where(joined, shapes["articulation"], NO_ARTICULATION),
                            np.where(joined, shapes["world"], 0),
                            np.where(joined, 0, np.arange(len(shapes)))])
        _, first, self._object = np.unique(numbers, axis=1, return_index=True, return_inverse=True)
        self._object = self._object.ravel()
        self._by_object = np.argsort(self._object, kind="stable")
        self._edges = np.searchsorted(self._object[self._by_object], np.arange(len(first)))
        self._joined, self._worlds = joined[first], shapes["world"][first]
        self._created = np.empty(len(shapes), np.int64)
        self._created[np.argsort(shapes["created"], kind="stable")] = np.arange(len(shapes))
        self._sweep = np.where((shapes["body"] < moving) | joined, DYNAMIC,
                               np.where(shapes["kinematic"] == 1, KINEMATIC, STATIC))
        self._created_objects = np.minimum.reduceat(self._created[self._by_object], self._edges)
        self._before = _empty_bounds(len(first))

    def forget(self, worlds: Array) -> None:
        """Forget the bounds of objects in these worlds."""
        self._before[np.isin(self._worlds, worlds)] = _empty_bounds(1)

    def continue_from(self, before: PairCreationOrder) -> None:
        """Take over the bounds of other, equal shapes."""
        self._before = before._before

    def in_order(self, new_pairs: Array, bounds: Array) -> Array:
        """New pairs (moving shape, partner) of a step in PhysX's order; bounds: of all shapes, given in every step."""
        # sort key: minimum along x  (BpAABBManager.cpp, getSortedMinBounds)
        low = bounds[:, 0, 0]
        if not self._joined.any():
            return self._sorted(new_pairs, low, low, np.zeros(len(new_pairs), np.bool_))
        # overlap of the aggregates' bounds in the step before
        a, b = self._object[new_pairs[:, 0]], self._object[new_pairs[:, 1]]
        overlapped = ((self._before[a, 0] <= self._before[b, 1]).all(1)
                      & (self._before[b, 0] <= self._before[a, 1]).all(1))
        self._before = np.stack([np.minimum.reduceat(bounds[self._by_object, 0, :3], self._edges),
                                 np.maximum.reduceat(bounds[self._by_object, 1, :3], self._edges)], axis=1)
        return self._sorted(new_pairs, low, self._before[:, 0, 0], overlapped)

    def _sorted(self, new_pairs: Array, low: Array, low_of_objects: Array, overlapped: Array) -> Array:
        if len(new_pairs) < 2:
            return new_pairs
        keys = np.empty((len(KEYS), len(new_pairs)))
        _fill_keys(keys, new_pairs, overlapped, self._object, self._joined, self._sweep, low_of_objects,
                   self._created_objects, low,
                   self._created)
        return new_pairs[np.lexsort(keys[::-1])]


@scalar_entry
def _fill_keys(keys: Array, new_pairs: Array, overlapped: Array, objects: Array, joined: Array, sweeps: Array,
               low_of_objects: Array, created_objects: Array, low: Array, created: Array) -> None:
    """Fill in the `KEYS` of new pairs."""
    for i in range(len(new_pairs)):
        # order: self collision, aggregate pairs, then created broad phase pairs
        # (BpAABBManager.cpp, processAggregatePairs, processBPCreatedPair)
        first, second = new_pairs[i, 0], new_pairs[i, 1]
        a, b = objects[first], objects[second]
        phase, sweep = OVERLAPPED_BEFORE, sweeps[second]
        if a == b:
            phase = WITHIN_ARTICULATION
        elif not overlapped[i] or not (joined[a] or joined[b]):
            phase = OVERLAPPING_NOW
        elif joined[a] and joined[b]:
            phase = TWO_ARTICULATIONS
        keys[0, i], keys[1, i] = phase, sweep
        _sweep(keys[2:7, i], a, b, sweep == DYNAMIC, low_of_objects, created_objects)
        # an articulation sweeps before a body, of two articulations the one created first
        if created_objects[b] < created_objects[a] if joined[a] == joined[b] else joined[b]:
            first, second = second, first
        _sweep(keys[7:12, i], first, second, a == b, low, created)


@scalar_code
def _sweep(keys: Array, first: Integer, second: Integer, same_list: Condition, low: Array, created: Array) -> None:
    """Fill in the keys of a pair in a sweep along x.

    same_list: whether both objects are in one list, in which the lower one is the first.
    """
    # sweep and prune along x: a pair is found when the lower of both is visited
    # (BpAABBManager.cpp, doCompleteBoxPruning_Leaf; doBipartiteBoxPruning_Leaf)
    swapped = low[second] < low[first] or (same_list and low[second] == low[first] and created[second] < created[first])
    lower, upper = (second, first) if swapped else (first, second)
    keys[0], keys[1], keys[2] = swapped and not same_list, low[lower], created[lower]
    keys[3], keys[4] = low[upper], created[upper]


def _empty_bounds(count: int) -> Array:
    """Empty bounds."""
    bounds = np.full((count, 2, 3), np.inf, np.float32)
    bounds[:, 1] = -np.inf
    return bounds


SIZES = (13, 29, 59, 127, 257, 541, 1109, 2357, 5087, 10273, 20753, 42043, 85229, 172933)     # of libstdc++'s tables


def creation_ranks(bodies: int, statics: int) -> list[int]:
    """The rank in creation of each of `bodies` free bodies in path order, and of as many static colliders after them.

    Raises ValueError where there are more than the largest table measured holds.
    """
    # insertion order reverses at every growth of the hash table
    total = bodies + statics
    if total > SIZES[-1]:
        raise ValueError(f"the scene has {total} bodies and static colliders; the order of contact pairs is known for "
                         f"at most {SIZES[-1]}")
    order: list[int] = []
    first = 0
    for size in SIZES:
        order = [*range(min(size, total) - 1, first - 1, -1), *order]
        first = size
        if total <= size:
            break
        order.reverse()
    ranks = [0] * total
    for rank, index in enumerate(order):
        ranks[index] = rank
    return ranks


SLAB = 256      # slots that the pool grows by, and the most pairs that get theirs at once
FILTERED = -(1 << 30)       # in a list, FILTERED - k: the k-th excluded pair of shapes
NOT_FILTERED = -1                   # a pair of shapes that may collide


class Pools(NamedTuple):
    """Lists of overlapping pairs and pools of slots, by world."""

    has_stepped: Array        # (n_world,) whether they have had their first step
    # (n_world, n) i4: rows of the pairs whose bounds overlap; -1 - k of the k-th without a row yet; FILTERED - k
    near: Array
    near_counts: Array  # (n_world,) i4
    free: Array         # (n_world, n) i4: free slots, the last of which is taken first
    free_counts: Array
    capacity: Array         # (n_world,) i4: all slots


def new_pools(worlds: int) -> Pools:
    """Pools of worlds without pairs."""
    counts = [np.zeros(worlds, np.int32) for _ in range(3)]
    empty = np.zeros((2, worlds, 0), np.int32)
    return Pools(np.zeros(worlds, np.bool_), empty[0], counts[0], empty[1], counts[1], counts[2])


def with_capacity(pools: Pools, new_pairs: int) -> Pools:
    """The pools with capacity for `new_pairs` more pairs of one world."""
    near = int(pools.near_counts.max(initial=0)) + new_pairs
    free = int(pools.capacity.max(initial=0)) + new_pairs + SLAB
    if near <= pools.near.shape[1] and free <= pools.free.shape[1]:
        return pools
    return pools._replace(near=_widened(pools.near, near), free=_widened(pools.free, free))


def _widened(rows: Array, needed: int) -> Array:
    if needed <= rows.shape[1]:
        return rows
    wide = np.zeros((len(rows), max(needed, 2 * rows.shape[1])), np.int32)
    wide[:, :rows.shape[1]] = rows
    return wide


def reset_pools(pools: Pools, worlds: Array) -> None:
    """Empty the lists and pools of these worlds."""
    for values in (pools.has_stepped, pools.near_counts, pools.free_counts, pools.capacity):
        values[worlds] = 0


@scalar_entry
def mark_overlapping(excluded_pairs: Array, bounds: Array, near: Array) -> None:
    # overlap of all axes
    """Fill in whether the bounds of excluded pairs, given as keys, overlap."""
    for k in range(len(excluded_pairs)):
        first, second = bounds[excluded_pairs[k] >> 32], bounds[excluded_pairs[k] & 0xFFFFFFFF]
        near[k] = True
        for axis in range(4):
            if first[0, axis] > second[1, axis] or second[0, axis] > first[1, axis]:
                near[k] = False


@scalar_entry
def without_filtered(pools: Pools) -> None:
    """Remove excluded pairs from the lists."""
    for w in range(len(pools.near_counts)):
        count = 0
        for i in range(pools.near_counts[w]):
            if pools.near[w, i] > FILTERED:
                pools.near[w, count] = pools.near[w, i]
                count += 1
        pools.near_counts[w] = count


@scalar_code
def _filtered_index(excluded_pairs: Array, first: Integer, second: Integer) -> Integer:
    """The index of two shapes among excluded pairs, or NOT_FILTERED."""
    key = (np.int64(min(first, second)) << 32) | np.int64(max(first, second))
    k = np.searchsorted(excluded_pairs, key)
    return k if k < len(excluded_pairs) and excluded_pairs[k] == key else NOT_FILTERED


@scalar_entry
def update_slots(pools: Pools, rows: Records, shapes: Records, new_pairs: Array, excluded_pairs: Array,
                 excluded_overlap: Array, order: Array, slots: Array) -> None:
    """Allocate pool slots for new pairs, by world in the order of a sweep, and free those of lost pairs.

    new_pairs: excluded pairs included, which get no slot. excluded_pairs: keys of the latter; excluded_overlap: whether
    their bounds overlap. Fills in `order`, in which the new pairs are created, and their `slots` in that order.
    """
    # new overlaps go to the end of the list  (BpBroadPhaseABP.cpp, addPair)
    for k in range(len(new_pairs)):
        w = max(shapes[new_pairs[k, 0]].world, shapes[new_pairs[k, 1]].world)
        filtered_index = _filtered_index(excluded_pairs, new_pairs[k, 0], new_pairs[k, 1])
        pools.near[w, pools.near_counts[w]] = -1 - k if filtered_index == NOT_FILTERED else FILTERED - filtered_index
        pools.near_counts[w] += 1
    freed = np.empty(pools.near.shape[1], np.int32)
    at = 0
    for w in range(len(pools.near_counts)):
        # the first step lists pairs in reverse
        if not pools.has_stepped[w]:
            _reverse(pools.near[w], pools.near_counts[w])
            pools.has_stepped[w] = True
        first, lost, i = at, 0, 0
        # a lost pair's entry is overwritten by the last one  (BpBroadPhaseABP.cpp, computeCreatedDeletedPairs)
        while i < pools.near_counts[w]:
            row = pools.near[w, i]
            if row <= FILTERED:
                if excluded_overlap[FILTERED - row]:
                    i += 1
                else:
                    pools.near_counts[w] -= 1
                    pools.near[w, i] = pools.near[w, pools.near_counts[w]]
            elif row < 0:
                order[at], pools.near[w, i] = -1 - row, -1 - at
                at += 1
                i += 1
            elif rows[row].shape0 == FREE:
                freed[lost] = rows[row].slot
                lost += 1
                pools.near_counts[w] -= 1
                pools.near[w, i] = pools.near[w, pools.near_counts[w]]
            else:
                i += 1
        for start in range(first, at, SLAB):
            _allocate_slots(pools, w, slots[start:min(start + SLAB, at)])
        # freed slots go to the pool's stack  (CmPool.h, destroy)
        for i in range(lost):
            pools.free[w, pools.free_counts[w]] = freed[i]
            pools.free_counts[w] += 1


@scalar_code
def _reverse(near: Array, count: Integer) -> None:
    for i in range(count // 2):
        near[i], near[count - 1 - i] = near[count - 1 - i], near[i]


@scalar_code
def _allocate_slots(pools: Pools, w: int, slots: Array) -> None:
    """Allocate slots for several pairs at once."""
    # free slots last in, first out; then a slab of 256  (CmPool.h)
    reused = min(len(slots), pools.free_counts[w])
    pools.free_counts[w] -= reused
    for i in range(reused):
        slots[i] = pools.free[w, pools.free_counts[w] + i]
    if reused == len(slots):
        return
    for i in range(reused, len(slots)):
        slots[i] = pools.capacity[w] + i - reused
    for slot in range(SLAB - 1, len(slots) - reused - 1, -1):
        pools.free[w, pools.free_counts[w]] = pools.capacity[w] + slot
        pools.free_counts[w] += 1
    pools.capacity[w] += SLAB


@scalar_entry
def assign_rows(pools: Pools, rows: Records) -> None:
    """Put the rows of new pairs into the lists, in the order in which they were created."""
    for w in range(len(pools.near_counts)):
        for i in range(pools.near_counts[w]):
            if FILTERED < pools.near[w, i] < 0:
                pools.near[w, i] = rows[-1 - pools.near[w, i]]
