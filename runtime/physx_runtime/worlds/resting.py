"""Who rests in worlds whose actors touch, step by step (PxsIslandSim.cpp, ScPipeline.cpp; measured, see
docs/physx_semantics.md, sleeping).

What touches or joints hold together rests together, with the step in which every counter of it has come to 0, unless a
kinematic body that was sent to a target touches it. It wakes when something awake comes to touch it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.components import held, reached
from physx_runtime.collision.pairs import PairTable
from physx_runtime.collision.shape import FREE
from physx_runtime.compiling.scalar_code import borrowing_entry
from physx_runtime.model.island import IslandTopology
from physx_runtime.solver.contact.order import NOTHING
from physx_runtime.worlds.rest_rows import RestRows

Array = NDArray[Any]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class TouchesBefore:
    """The pairs that touch at a step's start."""

    rows: Array             # of the table of pairs
    born: Array
    nodes: Array            # (n, 2)

    def parted(self, pairs: PairTable) -> Array:
        """The nodes of those that touch no more, (n, 2)."""
        found = np.empty(len(self.rows), np.bool_)
        _part(pairs.rows, self.rows, self.born, found)
        return self.nodes[found] if found.any() else self.nodes[:0]


@borrowing_entry
def _part(rows: Any, chosen: Any, born: Any, found: Any) -> None:
    """Fill in which of the chosen rows are of other pairs than they were, or touch no more."""
    for i in range(len(chosen)):
        pair = rows[chosen[i]]
        found[i] = pair.shape0 == FREE or pair.born != born[i] or pair.touching == 0


class Resting:
    """Actors and kinematic bodies of all worlds as nodes, those of a world one after the other, actors first.

    `begin`, `place` and `meet` follow each other in a step. places, shapes: of the worlds' ContactTable; layout: the
    row of each scalar of a world.
    """

    def __init__(self, t: IslandTopology, worlds: int, layout: Mapping[str, int], places: Array,
                 shapes: Array) -> None:
        self._rows = RestRows(t, worlds, layout, places, shapes)
        self._shape = worlds, len(t.actors)
        self._live = np.ones(worlds * self._rows.width, np.bool_)   # nodes that are awake, active kinematic ones too
        self._ready = ~self._live                                   # nodes that keep nothing awake
        self._parted = np.zeros((0, 2), np.int64)                   # nodes that parted in the last step
        self._edges = np.zeros((0, 2), np.int64)                    # nodes of every pair whose bounds meet
        self._looked_at = np.zeros(0, np.bool_)                     # the pairs of which contacts are made
        self._still: Array | None = None                            # rows with which nothing happens
        self.awake = np.ones(self._shape, np.bool_)     # actors that this step moves
        self.fresh = self.awake                         # actors that the last step moved, or that were set anew
        self.falling = ~self.awake                      # actors that rest with its end
        self.loosened = self.falling                    # actors that parted from a static collider

    def forget(self, worlds: Array) -> None:
        """Heed that these worlds were set anew."""
        self.awake[worlds], self._still = True, None
        self._parted = self._parted[~np.isin(self._parted[:, 0] // self._rows.width, worlds)]

    def go_on(self, before: Resting) -> None:
        """Know what was known of other worlds with the same actors, whose frames are to be made anew."""
        self._live, self._ready, self._parted, self._edges, self._looked_at = (
            before._live, before._ready, before._parted, before._edges, before._looked_at)
        self.awake, self.falling, self.loosened = before.awake, before.falling, before.loosened

    def begin(self, rows: Array) -> bool:
        """Heed what was done to rows (n_world, n_row) since the last step; whether anything happens in this one."""
        live, ready = self._rows.read(rows)
        ends = live[self._parted]
        woken = self._parted[ends[:, 0] != ends[:, 1]].ravel()      # one of two fell asleep as they parted
        if len(woken):
            self._rows.stir(rows, woken)
            live, ready = self._rows.read(rows)
        self._live, self._ready = live, ready
        self._parted, self.fresh, self.awake = self._parted[:0], self.awake, self._of_actors(live)
        if live.any() or self.fresh.any():
            self._still = None
        elif self._still is None or not np.array_equal(rows, self._still):
            self._still = rows.copy()
        else:
            return False
        return True

    def touched(self, pairs: PairTable) -> TouchesBefore:
        """What touches before shapes are placed anew."""
        rows = pairs.touching
        return TouchesBefore(rows, pairs.rows["born"][rows], self._edges[rows])

    def place(self, pairs: PairTable) -> Flags:
        """(n_row,) the pairs to look at once shapes are placed: all of what bounds connect with something awake."""
        self._edges = self._rows.nodes_of(pairs.rows)
        self._looked_at = self._within_reach(self._live)
        return self._looked_at

    def meet(self, pairs: PairTable, before: TouchesBefore) -> None:
        """Wake what something awake has come to touch, and tell what rests with the step."""
        touching, parted = self._edges[pairs.touching], before.parted(pairs)
        if not self._all(self._live):
            self._live = self._reached(np.concatenate([before.nodes, touching]), self._live)
        onto_static = (parted == NOTHING).any(axis=1)
        loosened = np.zeros(len(self._live), np.bool_)
        loosened[parted[onto_static].max(axis=1)] = True
        self._parted = parted[~onto_static]
        kept = self._reached(touching, self._live & ~(self._ready & ~loosened))
        self.awake, self.loosened = self._of_actors(self._live), self._of_actors(loosened)
        self.falling = self._of_actors(self._live & ~kept)
        self._live = self._live & kept

    def solved(self, pair: Array) -> Flags:
        """Which of some pairs, rows of the table, are of an actor that the step moves."""
        return held(self._edges[pair], self._rows.of_nodes(self.awake))

    def shown(self, pair: Array) -> Flags:
        """Which of some pairs are of an actor that is awake after the step."""
        return held(self._edges[pair], self._rows.of_nodes(self.awake & ~self.falling))

    def laid_still(self) -> Array:
        """The pairs that were looked at in the step and will not be in the next, unless something wakes."""
        if self._all(self._live) or not self._looked_at.any():
            return np.zeros(0, np.int64)
        still = self._looked_at & ~self._within_reach(self._live)
        self._looked_at &= ~still
        return np.flatnonzero(still)

    def pairs_held(self, pairs: PairTable) -> Array:
        """(n_place,) how many pairs of colliders whose bounds meet hold the body in each place."""
        found = np.zeros(self._rows.places, np.int64)
        _count_held(pairs.rows, pairs.shapes, found)
        return found

    # -----------------------------------------------------------------------------------------------------------------

    def _of_actors(self, nodes: Flags) -> Flags:
        return nodes.reshape(self._shape[0], -1)[:, :self._shape[1]].copy()

    def _all(self, live: Flags) -> bool:
        """Whether all are live that may rest."""
        return bool((live | self._rows.kinematic).all())

    def _within_reach(self, live: Flags) -> Flags:
        """The pairs whose bounds, or others' between, connect them with a live node."""
        return held(self._edges, self._reached(self._edges, live))

    def _reached(self, edges: Array, live: Flags) -> Flags:
        """The nodes that are connected with a live one; neither static nor kinematic bodies connect."""
        if self._all(live):
            return live
        if len(self._rows.joints):
            edges = np.concatenate([edges, self._rows.joints])
        return reached(edges, self._rows.kinematic, live)


@borrowing_entry
def _count_held(pairs: Any, shapes: Any, found: Any) -> None:
    for k in range(len(pairs)):
        if pairs[k].shape0 != FREE:
            found[shapes[pairs[k].shape0].body] += 1
            found[shapes[pairs[k].shape1].body] += 1
