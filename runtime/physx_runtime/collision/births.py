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

Array = NDArray[Any]

WITHIN, TWO_ARTICULATIONS, BEFORE, NOW = range(4)       # when a pair is found
AMONG, STATIC, KINEMATIC = range(3)                 # sweeps of objects that have met now: among what moves, with ...


class Births:
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

    def go_on(self, before: Births) -> None:
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
        first, second = fresh[:, 0], fresh[:, 1]
        a, b = self._object[first], self._object[second]
        joined, same, created = self._joined, a == b, self._created_objects
        found = np.select([same, ~met | ~(joined[a] | joined[b]), joined[a] & joined[b]],
                          [WITHIN, NOW, TWO_ARTICULATIONS], BEFORE)
        sweep = self._sweep[second]
        objects = _swept(a, b, sweep == AMONG, low_of_objects, created)
        # an articulation sweeps before a body, of two articulations the one created first
        later = np.where(joined[a] == joined[b], created[b] < created[a], joined[b])
        first, second = np.where(later, second, first), np.where(later, first, second)
        shapes = _swept(first, second, same, low, self._created)
        keys = (found, sweep, *objects, *shapes)
        return fresh[np.lexsort(keys[::-1])]


def _swept(first: Array, second: Array, alike: Array, low: Array, created: Array) -> tuple[Array, ...]:
    """Keys of pairs in a sweep: those that begin with their first one, then the others, from the lowest on.

    alike: whether both are of one list, in which the lower one is the first.
    """
    turned = (low[second] < low[first]) | (alike & (low[second] == low[first]) & (created[second] < created[first]))
    lower, upper = np.where(turned, second, first), np.where(turned, first, second)
    return turned & ~alike, low[lower], created[lower], low[upper], created[upper]


def _nowhere(count: int) -> Array:
    """Bounds of nothing."""
    bounds = np.full((count, 2, 3), np.inf, np.float32)
    bounds[:, 1] = -np.inf
    return bounds
