"""The pairs of shapes whose bounds overlap, with what they remember from step to step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision import slots
from physx_runtime.collision.births import PairCreationOrder
from physx_runtime.collision.bounds import place_shapes
from physx_runtime.collision.broad_phase import begin, find, find_free, match, renew_offsets
from physx_runtime.collision.geometry import EMPTY, Geometry
from physx_runtime.collision.meshes.manifolds import MANIFOLDS
from physx_runtime.collision.narrow_phase.kinds import TOUCH
from physx_runtime.collision.shape import EVERY_WORLD, FREE, KIND_NAMES, MESH, NO_OWNER, PAIR, RANKS, SHAPE
from physx_runtime.collision.touching_order import LISTED
from physx_runtime.collision.tree import build, fit, levels_for
from physx_runtime.compiling.numba_functions import borrowing_entry

Array = NDArray[Any]

SUPPORTED = np.array([[(min(pair), max(pair)) in TOUCH for pair in ((a, b) for b in range(len(KIND_NAMES)))]
                      for a in range(len(KIND_NAMES))])        # whether contacts are made between two kinds
MORE_WORK = 1.5     # a tree in which searches take this much longer than when it was built is built anew


class PairTable:
    """Shapes, which of them may meet, and the pairs whose bounds overlap.

    shapes: of dtype SHAPE. moving: how many bodies forces move; they have the first rows of poses, and shapes of the
    others do not meet each other. meets: by group and group, whether shapes of these groups meet; None where there is
    one group only. apart: pairs of shapes that never meet. geometry: hulls that shapes refer to by row.
    tolerance_length: what PhysX multiplies the lengths of contact generation by (PxTolerancesScale::length).
    """

    def __init__(self, shapes: Array, moving: int, meets: NDArray[np.bool_] | None = None,
                 apart: Sequence[tuple[int, int]] = (), geometry: Geometry = EMPTY,
                 tolerance_length: float = 1.0) -> None:
        self.shapes = np.ascontiguousarray(shapes, SHAPE)
        self.moving = moving
        self.geometry = geometry
        self.tolerance_length = tolerance_length
        self.meets = np.ones((1, 1), np.bool_) if meets is None else meets
        self.apart = np.unique(np.array([min(pair) << 32 | max(pair) for pair in apart], np.int64))
        self.rows = np.zeros(0, PAIR)           # places of pairs; a pair keeps its place while its bounds overlap
        self.manifolds = np.zeros(0, MANIFOLDS)     # of the pairs with meshes
        self.touching = np.zeros(0, np.int32)   # rows of the pairs that have contacts, in PhysX's input order
        self.listed = np.zeros(0, LISTED)       # the same as the next step goes on from, without gaps
        count = len(self.shapes)
        self.placed = np.zeros((count, 7), np.float32)          # where shapes are: position, quaternion x y z w
        self.bounds = np.zeros((count, 2, 4), np.float32)
        self._levels = levels_for(count)
        self._nodes = np.zeros(((1 << self._levels) - 1, 2, 4), np.float32)
        self._order = np.arange(count, dtype=np.int32)
        self._work = 0.0                        # nodes looked at with the tree as it was built
        self._heads = np.full(count, FREE, np.int32)
        self._mates = np.full(count, FREE, np.int32)
        self._starts = np.zeros(count, np.int64)
        self._counts = np.zeros(count, np.int32)
        self._partners = np.zeros(count, np.int32)
        self._births = PairCreationOrder(self.shapes, moving)
        self._filtered = self._pairs_filtered()
        self._near_filtered = np.zeros(len(self._filtered), np.bool_)       # whether their bounds overlap
        self._born = 0
        self._meshes = bool((self.shapes["kind"] == MESH).any())
        self._pools = slots.pools(int(self.shapes["world"].max(initial=EVERY_WORLD)) + 1)

    def place(self, poses: Array) -> None:
        """Put the shapes where their bodies are, and bring the pairs up to date."""
        place_shapes(self.shapes, poses, self.geometry, self.placed, self.bounds)
        total = self._find()
        fresh = np.empty((total, 2), np.int32)
        fresh = fresh[:match(self.rows, self._heads, self._partners, self._starts, self._counts, self._mates,
                             fresh)]
        count = len(fresh)
        if len(self._filtered):
            fresh = np.concatenate((fresh, self._newly_filtered()))
        self._take_up(self._births.in_order(fresh, self.bounds), count)

    def _pairs_filtered(self) -> Array:
        """Keys of pairs that never meet and yet are in PhysX's lists, which have none of one body or of one owner."""
        first, second = self.shapes[self.apart >> 32], self.shapes[self.apart & 0xFFFFFFFF]
        apart = (first["owner"] == NO_OWNER) | (first["owner"] != second["owner"])
        moves = np.minimum(first["body"], second["body"]) < self.moving
        return np.asarray(self.apart[apart & moves & (first["body"] != second["body"])])

    def _newly_filtered(self) -> Array:
        """(n, 2) the shapes of pairs that never meet whose bounds have met now, one that moves first."""
        before, self._near_filtered = self._near_filtered, np.empty(len(self._filtered), np.bool_)
        slots.overlapping(self._filtered, self.bounds, self._near_filtered)
        keys = self._filtered[self._near_filtered & ~before]
        sides = np.stack([keys >> 32, keys & 0xFFFFFFFF], axis=1).astype(np.int32)
        stands = self.shapes["body"][sides[:, 0]] >= self.moving
        sides[stands] = sides[stands, ::-1]
        return sides

    def forget(self, worlds: Array) -> None:
        """Drop all pairs of these worlds, and what they remember."""
        gone = np.isin(self.shapes["world"], worlds)
        known = self.rows["shape0"] != FREE
        lost = known & (gone[self.rows["shape0"]] | gone[self.rows["shape1"]])
        self.rows["shape0"][lost] = FREE
        self._heads[gone] = FREE
        slots.forget(self._pools, worlds)
        self._near_filtered &= ~(gone[self._filtered >> 32] | gone[self._filtered & 0xFFFFFFFF])
        self._births.forget(worlds)
        self.touching = self.touching[~lost[self.touching]]
        self.listed = self.listed[~lost[self.listed["row"]]]

    def sides(self, pairs: Array) -> Array:
        """(n, 2) the shapes of solver sides 0 and 1 of rows of pairs."""
        found = np.empty((len(pairs), 2), np.int64)
        _write_sides(self.rows, pairs, found)
        return found

    def go_on(self, before: PairTable) -> None:
        """Remember the pairs of another table of the same shapes, whose offsets may be others."""
        self.rows, self.manifolds, self.touching, self.listed, self._heads, self._born, self._pools = (
            before.rows, before.manifolds, before.touching, before.listed, before._heads, before._born, before._pools)
        if np.array_equal(self._filtered, before._filtered):
            self._near_filtered = before._near_filtered
        else:
            slots.without_filtered(self._pools)
        self._births.go_on(before._births)
        renew_offsets(self.rows, self.shapes)

    def lie_still(self, pairs: Array) -> None:
        """Drop the manifolds of some pairs, which go on touching though nobody looks at them."""
        for name in ("known", "points", "contacts", "warm"):
            self.rows[name][pairs] = 0

    def _find(self) -> int:
        """Fill in the partners of every shape; how many there are."""
        if not self._work and self._levels > 1:
            build(self.bounds, self._order, self._levels)
        fit(self.bounds, self._order, self._levels, self._nodes)
        total, looked = self._search()
        if total > len(self._partners):
            self._partners = np.zeros(2 * total, np.int32)
            total, looked = self._search()
        if not self._work:
            self._work = MORE_WORK * looked
        elif looked > self._work:
            self._work = 0.0                    # built anew at the next step
        return total

    def _search(self) -> tuple[int, int]:
        total, looked = find(self.shapes, self.moving, self.meets, self.apart, self.bounds, self._order, self._levels,
                             self._nodes, self._partners, self._starts, self._counts)
        return int(total), int(looked)

    def _take_up(self, fresh: Array, count: int) -> None:
        """Give new pairs their places, in the order of a sweep, and free those of the lost ones.

        count: how many of the pairs are of shapes that meet.
        """
        order, taken, places = np.empty((3, count), np.int32)
        if len(fresh):
            self._pools = slots.grown(self._pools, len(fresh))
        slots.renew(self._pools, self.rows, self.shapes, fresh, self._filtered, self._near_filtered, order, taken)
        if count:
            self._find_rows(places)
            self._begin(self.rows, fresh[order], taken, places)
            if self._meshes:
                self._give_manifolds(places[self.shapes["kind"][self.rows["shape1"][places]] == MESH])
            slots.settle(self._pools, places)

    def _find_rows(self, places: Array) -> None:
        """Fill in free rows for new pairs."""
        found = find_free(self.rows, places)
        if found < len(places):
            more = np.zeros(max(len(places) - found, len(self.rows)), PAIR)
            more["shape0"] = FREE
            places[found:] = len(self.rows) + np.arange(len(places) - found)
            self.rows = np.concatenate((self.rows, more))

    def _begin(self, rows: Array, fresh: Array, taken: Array, places: Array) -> None:
        """Write new pairs, in the order of their birth, into free rows, and put them in front of their shapes' chains.

        taken: their slots. Raises NotImplementedError where shapes of two kinds meet that have no contacts here.
        """
        begun = begin(rows, places, fresh, taken, self.shapes, RANKS, SUPPORTED, self._born,
                      self.tolerance_length, self._heads)
        if begun < len(fresh):
            names = " and ".join(sorted(KIND_NAMES[kind] for kind in self.shapes["kind"][fresh[begun]]))
            raise NotImplementedError(f"no contacts are made between {names}")
        self._born += len(fresh)

    def _give_manifolds(self, places: Array) -> None:
        """Give new pairs with meshes rows of their own, those of lost pairs first."""
        if not len(places):
            return
        of_mesh = (self.rows["shape0"] != FREE) & (self.shapes["kind"][self.rows["shape1"]] == MESH)
        of_mesh[places] = False
        free = np.setdiff1d(np.arange(len(self.manifolds)), self.rows["manifolds"][of_mesh])
        if len(free) < len(places):
            more = max(len(places) - len(free), len(self.manifolds))
            free = np.concatenate((free, np.arange(len(self.manifolds), len(self.manifolds) + more)))
            self.manifolds = np.concatenate((self.manifolds, np.zeros(more, MANIFOLDS)))
        chosen = free[:len(places)]
        self.rows["manifolds"][places] = chosen
        self.manifolds[chosen] = np.zeros(1, MANIFOLDS)

    def records(self, fresh: Array) -> Array:
        """New pairs by themselves, in the order of their birth; raises as `_begin`."""
        records = np.zeros(len(fresh), PAIR)
        self._begin(records, fresh, np.zeros(len(fresh), np.int32), np.arange(len(fresh), dtype=np.int32))
        return records


@borrowing_entry
def _write_sides(rows: Any, chosen: Any, sides: Any) -> None:
    for i in range(len(chosen)):
        pair = rows[chosen[i]]
        sides[i, 0], sides[i, 1] = (pair.shape1, pair.shape0) if pair.swapped else (pair.shape0, pair.shape1)
