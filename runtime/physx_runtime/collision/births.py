"""The order in which PhysX finds pairs of shapes whose bounds have met.

All shapes of an articulation are one object of its broad phase (an aggregate), as is any other shape. It finds, one
after the other (BpAABBManager.cpp), pairs within an articulation, pairs of objects whose bounds overlapped before, one
of which is an articulation, and pairs of objects whose bounds have met now. Each of these is a sweep along x, from the
lowest bounds on; of equal ones that of the object created first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.shape import ALONE
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
