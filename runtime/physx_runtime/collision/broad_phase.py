"""Which shapes' bounds overlap: kept pairs are found again, lost ones freed, new ones listed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.shape import FREE, NO_OWNER
from physx_runtime.collision.tree import near_leaf, overlaps, stretch
from physx_runtime.compiling.numba_functions import borrowing_code, borrowing_entry, scalar_code, scalar_entry

Array = NDArray[Any]


@scalar_code
def may_meet(shapes: Any, moving: Any, meets: Any, apart: Any, i: Any, j: Any) -> bool:
    """Whether shape j is a partner that the moving shape i is to be paired with.

    Of two moving shapes the one of the lower index finds the other.
    """
    a, b = shapes[i], shapes[j]
    if a.body == b.body or (b.body < moving and j < i) or not meets[a.group, b.group]:
        return False
    if a.owner != NO_OWNER and a.owner == b.owner:
        return False
    key = (np.int64(min(i, j)) << 32) | np.int64(max(i, j))
    low, high = 0, len(apart)
    while low < high:
        middle = (low + high) // 2
        if apart[middle] < key:
            low = middle + 1
        else:
            high = middle
    return bool(low == len(apart) or apart[low] != key)


@scalar_entry
def find(shapes: Any, moving: Any, meets: Any, apart: Any, bounds: Any, order: Any, levels: Any, nodes: Any,
         partners: Any, starts: Any, counts: Any) -> Any:
    """Partners of each moving shape: where they begin, and how many there are.

    Shapes of a leaf look together for what is near. Returns the number of partners, which may exceed the room for them,
    and how many nodes of the tree were looked at.
    """
    total, looked, first = 0, 0, (1 << (levels - 1)) - 1
    near, met, sides = np.empty(len(shapes), np.int32), np.empty(len(shapes), np.bool_), np.empty(
        (8, len(shapes)), np.float32)
    for place in range(first + 1):
        start, stop = stretch(len(order), levels - 1, place)
        count, nodes_looked_at = near_leaf(bounds, order, levels, nodes, first + place, near, sides)
        looked += nodes_looked_at
        for i in order[start:stop]:
            starts[i], counts[i] = total, 0
            if shapes[i].body >= moving:
                continue
            overlaps(sides, count, bounds[i], met)
            for k in range(count):
                j = near[k]
                # of two that move the first finds the other
                if met[k] and (j > i or shapes[j].body >= moving) and may_meet(shapes, moving, meets, apart, i, j):
                    if total < len(partners):
                        partners[total] = j
                    total += 1
                    counts[i] += 1
    return total, looked


@scalar_entry
def match(rows: Any, heads: Any, partners: Any, starts: Any, counts: Any, mates: Any, fresh: Any) -> Any:
    """Free the pairs that are no longer found and list those that are new as (shape, partner): how many.

    heads: by moving shape its first pair; the pairs of a shape are a chain. mates: FREE for every shape.
    """
    new = 0
    for i in range(len(counts)):
        k = heads[i]
        while k != FREE:
            mates[_other(rows[k], i)] = k
            k = rows[k].following
        old, heads[i] = heads[i], FREE
        for at in range(starts[i], starts[i] + counts[i]):
            k = mates[partners[at]]
            if k == FREE:
                fresh[new, 0], fresh[new, 1] = i, partners[at]
                new += 1
            else:
                mates[partners[at]] = FREE
        while old != FREE:
            row, other = rows[old], _other(rows[old], i)
            following = row.following
            if mates[other] == FREE:
                row.following, heads[i] = heads[i], old
            else:
                mates[other] = FREE
                row.shape0 = FREE
            old = following
    return new


@borrowing_entry
def find_free(rows: Any, places: Any) -> Any:
    """Fill in free rows, the first ones, as far as there are some: how many."""
    found = 0
    for k in range(len(rows)):
        if found == len(places):
            break
        if rows[k].shape0 == FREE:
            places[found] = k
            found += 1
    return found


@borrowing_entry
def begin(rows: Any, places: Any, fresh: Any, taken: Any, shapes: Any, ranks: Any, supported: Any, born: Any,
          tolerance_length: Any, heads: Any) -> Any:
    """Write new pairs in front of their shapes' chains, up to the first of two kinds that are not supported: how many.

    fresh: (shape, partner), in the order of their birth, of which the first is number `born`; taken: their slots.
    """
    for i in range(len(fresh)):
        shape, partner = fresh[i, 0], fresh[i, 1]
        own, other, pair = shapes[shape], shapes[partner], rows[places[i]]
        if not supported[own.kind, other.kind]:
            return i
        forget(pair)
        later = other.precedence < own.precedence
        side0, side1 = (partner, shape) if later else (shape, partner)
        swapped = ranks[shapes[side0].kind] > ranks[shapes[side1].kind]
        pair.shape0, pair.shape1 = (side1, side0) if swapped else (side0, side1)
        pair.swapped, pair.born, pair.slot = swapped, born + i, taken[i]
        pair.tolerance_length = tolerance_length
        _add_offsets(pair, own, other)
        pair.following, heads[shape] = heads[shape], places[i]
    return len(fresh)


@borrowing_entry
def renew_offsets(rows: Any, shapes: Any) -> None:
    """Have pairs keep the offsets that their shapes have now."""
    for k in range(len(rows)):
        if rows[k].shape0 != FREE:
            _add_offsets(rows[k], shapes[rows[k].shape0], shapes[rows[k].shape1])


@borrowing_code
def _add_offsets(pair: Any, own: Any, other: Any) -> None:
    pair.reach = own.contact_offset + other.contact_offset
    pair.rest = own.rest_offset + other.rest_offset


@borrowing_code
def forget(pair: Any) -> None:
    """Make a pair one that never touched; its manifold has no points."""
    pair.touching, pair.first, pair.contacts, pair.manifolds = 0, 0, 0, 0
    pair.known, pair.points, pair.warm = 0, 0, 0


@scalar_code
def _other(row: Any, shape: Any) -> Any:
    return row.shape1 if row.shape0 == shape else row.shape0
