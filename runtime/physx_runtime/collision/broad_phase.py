"""Which shapes' bounds overlap: kept pairs are found again, lost ones freed, new ones listed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.shape import FREE, NO_OWNER
from physx_runtime.collision.tree import near_leaf, overlap, stretch
from physx_runtime.compiling.scalar_code import scalar_code, scalar_entry

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
    near = np.empty(len(shapes), np.int32)
    for place in range(first + 1):
        start, stop = stretch(len(order), levels - 1, place)
        count, nodes_looked_at = near_leaf(bounds, order, levels, nodes, first + place, near)
        looked += nodes_looked_at
        for i in order[start:stop]:
            starts[i], counts[i] = total, 0
            if shapes[i].body >= moving:
                continue
            for j in near[:count]:
                found = j > i or shapes[j].body >= moving       # else the other one finds this
                if found and overlap(bounds, j, bounds, i) and may_meet(shapes, moving, meets, apart, i, j):
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


@scalar_entry
def chain(rows: Any, heads: Any, places: Any, fresh: Any) -> None:
    """Put new pairs in front of their shapes' chains."""
    for i in range(len(places)):
        shape = fresh[i, 0]
        rows[places[i]].following = heads[shape]
        heads[shape] = places[i]


@scalar_code
def _other(row: Any, shape: Any) -> Any:
    return row.shape1 if row.shape0 == shape else row.shape0
