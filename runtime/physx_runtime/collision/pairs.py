"""The pairs of shapes whose bounds overlap, with what they remember from step to step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision import slots
from physx_runtime.collision.births import Births
from physx_runtime.collision.bounds import place_shapes
from physx_runtime.collision.broad_phase import chain, find, match
from physx_runtime.collision.geometry import EMPTY, Geometry
from physx_runtime.collision.meshes.manifolds import MANIFOLDS
from physx_runtime.collision.narrow_phase.kinds import TOUCH
from physx_runtime.collision.shape import EVERY_WORLD, FREE, KIND_NAMES, MESH, PAIR, RANKS, SHAPE
from physx_runtime.collision.tree import build, fit, levels_for
from physx_runtime.compiling.scalar_code import borrowing_entry

Array = NDArray[Any]

SUPPORTED = np.array([[(min(pair), max(pair)) in TOUCH for pair in ((a, b) for b in range(len(KIND_NAMES)))]
                      for a in range(len(KIND_NAMES))])        # whether contacts are made between two kinds
MORE_WORK = 1.5     # a tree in which searches take this much longer than when it was built is built anew


class PairTable:
    """Shapes, which of them may meet, and the pairs whose bounds overlap.

    shapes: of dtype SHAPE. moving: how many bodies forces move; they have the first rows of poses, and shapes of the
    others do not meet each other. meets: by group and group, whether shapes of these groups meet; None where there is
    one group only. apart: pairs of shapes that never meet. geometry: hulls that shapes refer to by row.
    """

    def __init__(self, shapes: Array, moving: int, meets: NDArray[np.bool_] | None = None,
                 apart: Sequence[tuple[int, int]] = (), geometry: Geometry = EMPTY) -> None:
        self.shapes = np.ascontiguousarray(shapes, SHAPE)
        self.moving = moving
        self.geometry = geometry
        self.meets = np.ones((1, 1), np.bool_) if meets is None else meets
        self.apart = np.unique(np.array([min(pair) << 32 | max(pair) for pair in apart], np.int64))
        self.rows = np.zeros(0, PAIR)           # places of pairs; a pair keeps its place while its bounds overlap
        self.manifolds = np.zeros(0, MANIFOLDS)     # of the pairs with meshes
        self.touching = np.zeros(0, np.int32)   # rows of the pairs that have contacts, in PhysX's input order
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
        self._births = Births(self.shapes, moving)
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
        self._take_up(self._births.in_order(fresh, self.bounds))

    def forget(self, worlds: Array) -> None:
        """Drop all pairs of these worlds, and what they remember."""
        gone = np.isin(self.shapes["world"], worlds)
        known = self.rows["shape0"] != FREE
        lost = known & (gone[self.rows["shape0"]] | gone[self.rows["shape1"]])
        self.rows["shape0"][lost] = FREE
        self._heads[gone] = FREE
        slots.forget(self._pools, worlds)
        self._births.forget(worlds)
        self.touching = self.touching[~lost[self.touching]]

    def sides(self, pairs: Array) -> Array:
        """(n, 2) the shapes of solver sides 0 and 1 of rows of pairs."""
        rows = self.rows
        shapes = np.stack([rows["shape0"][pairs], rows["shape1"][pairs]], axis=1).astype(np.int64)
        return np.where(rows["swapped"][pairs][:, None] == 1, shapes[:, ::-1], shapes)

    def go_on(self, before: PairTable) -> None:
        """Remember the pairs of another table of the same shapes."""
        self.rows, self.manifolds, self.touching, self._heads, self._born, self._pools = (
            before.rows, before.manifolds, before.touching, before._heads, before._born, before._pools)
        self._births.go_on(before._births)

    def lie_still(self, pairs: Array) -> None:
        """Drop the manifolds of some pairs, which go on touching though nobody looks at them."""
        for name in ("known", "points", "contacts", "warm"):
            self.rows[name][pairs] = 0

    def _find(self) -> int:
        """Fill in the partners of every shape; how many there are."""
        if not self._work:
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

    def _take_up(self, fresh: Array) -> None:
        """Give new pairs their places, in the order of a sweep, and free those of the lost ones."""
        self._pools = slots.grown(self._pools, len(fresh))
        worlds, order, taken = self.shapes["world"][fresh].max(axis=1), *np.empty((2, len(fresh)), np.int32)
        slots.renew(self._pools, self.rows, worlds, order, taken)
        if len(fresh):
            slots.settle(self._pools, self._add(fresh[order], taken))

    def _add(self, fresh: Array, taken: Array) -> Array:
        """Give new pairs with such slots rows: which."""
        free = np.flatnonzero(self.rows["shape0"] == FREE)
        if len(free) < len(fresh):
            more = np.zeros(max(len(fresh) - len(free), len(self.rows)), PAIR)
            more["shape0"] = FREE
            free = np.concatenate((free, np.arange(len(self.rows), len(self.rows) + len(more))))
            self.rows = np.concatenate((self.rows, more))
        places = free[:len(fresh)].astype(np.int32)
        self.rows[places] = self.records(fresh)
        self.rows["slot"][places] = taken
        if self._meshes:
            self._give_manifolds(places[self.shapes["kind"][self.rows["shape1"][places]] == MESH])
        chain(self.rows, self._heads, places, fresh)
        return places

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
        """New pairs, in the order of their birth.

        Raises NotImplementedError where shapes of two kinds meet that have no contacts here.
        """
        records, kind = np.zeros(len(fresh), PAIR), self.shapes["kind"][fresh]
        if not SUPPORTED[kind[:, 0], kind[:, 1]].all():
            first, second = kind[~SUPPORTED[kind[:, 0], kind[:, 1]]][0].tolist()
            names = " and ".join(sorted((KIND_NAMES[first], KIND_NAMES[second])))
            raise NotImplementedError(f"no contacts are made between {names}")
        _begin(records, fresh, self.shapes, RANKS, self._born)
        self._born += len(fresh)
        return records


@borrowing_entry
def _begin(records: Any, fresh: Any, shapes: Any, ranks: Any, born: Any) -> None:
    """Fill in who new pairs are."""
    for i in range(len(records)):
        pair, side0, side1 = records[i], fresh[i, 0], fresh[i, 1]
        if shapes[side1].precedence < shapes[side0].precedence:
            side0, side1 = side1, side0
        swapped = ranks[shapes[side0].kind] > ranks[shapes[side1].kind]
        pair.shape0, pair.shape1 = (side1, side0) if swapped else (side0, side1)
        pair.swapped = swapped
        first, second = shapes[fresh[i, 0]], shapes[fresh[i, 1]]
        pair.reach = first.contact_offset + second.contact_offset
        pair.rest = first.rest_offset + second.rest_offset
        pair.born = born + i
