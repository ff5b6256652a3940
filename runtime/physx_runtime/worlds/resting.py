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
from physx_runtime.worlds.rest_rows import RestRows

Array = NDArray[Any]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class TouchesBefore:
    """The pairs that touch at a step's start."""

    rows: Array             # of the table of pairs
    born: Array
    nodes: Array            # (n, 2)

    def parted(self, pairs: PairTable, loosened: Flags) -> Array:
        """The nodes of those that touch no more, (n, 2); loosened: where what parted from a static collider is told."""
        found = np.empty((len(self.rows), 2), np.int64)
        return found[:_part(pairs.rows, self.rows, self.born, self.nodes, loosened, found)]


@borrowing_entry
def _look_up(rows: Any, chosen: Any, edges: Any, born: Any, nodes: Any) -> None:
    for i in range(len(chosen)):
        born[i], nodes[i, 0], nodes[i, 1] = rows[chosen[i]].born, edges[chosen[i], 0], edges[chosen[i], 1]


@borrowing_entry
def _part(rows: Any, chosen: Any, born: Any, nodes: Any, loosened: Any, found: Any) -> Any:
    count = 0
    for i in range(len(chosen)):
        pair, a, b = rows[chosen[i]], nodes[i, 0], nodes[i, 1]
        if pair.shape0 != FREE and pair.born == born[i] and pair.touching:
            continue
        if a < 0 or b < 0:
            loosened[max(a, b)] = True
        else:
            found[count, 0], found[count, 1] = a, b
            count += 1
    return count


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
        self._everyone = True                                       # whether all are live that may rest
        self._ready = ~self._live                                   # nodes that keep nothing awake
        self._parted = np.zeros((0, 2), np.int64)                   # nodes that parted in the last step
        self._edges = np.zeros((0, 2), np.int64)                    # nodes of every pair whose bounds meet
        self._looked_at = np.zeros(0, np.bool_)                     # the pairs of which contacts are made
        self._still: Array | None = None                            # rows with which nothing happens
        self.awake = np.ones(self._shape, np.bool_)     # actors that this step moves
        self.fresh = self.awake                         # actors that the last step moved, or that were set anew
        self._nobody = ~self.awake
        self.falling = self._nobody                     # actors that rest with its end
        self.loosened = self._nobody                    # actors that parted from a static collider

    def forget(self, worlds: Array) -> None:
        """Heed that these worlds were set anew."""
        self.awake[worlds], self._still = True, None
        self._parted = self._parted[~np.isin(self._parted[:, 0] // self._rows.width, worlds)]

    def go_on(self, before: Resting) -> None:
        """Know what was known of other worlds with the same actors, whose frames are to be made anew."""
        self._live, self._everyone, self._ready, self._parted, self._edges, self._looked_at = (
            before._live, before._everyone, before._ready, before._parted, before._edges, before._looked_at)
        self.awake, self.falling, self.loosened = before.awake, before.falling, before.loosened

    def begin(self, rows: Array) -> bool:
        """Heed what was done to rows (n_world, n_row) since the last step; whether anything happens in this one."""
        live, ready = self._rows.read(rows)
        if len(self._parted):
            ends = live[self._parted]
            woken = self._parted[ends[:, 0] != ends[:, 1]].ravel()      # one of two fell asleep as they parted
            if len(woken):
                self._rows.stir(rows, woken)
                live, ready = self._rows.read(rows)
        self._be_live(live)
        self._ready = ready
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
        born, nodes = np.empty(len(rows), np.int64), np.empty((len(rows), 2), np.int64)
        _look_up(pairs.rows, rows, self._edges, born, nodes)
        return TouchesBefore(rows, born, nodes)

    def place(self, pairs: PairTable) -> Flags:
        """(n_row,) the pairs to look at once shapes are placed: all of what bounds connect with something awake."""
        self._edges = self._rows.nodes_of(pairs.rows)
        self._looked_at = self._within_reach(self._live)
        return self._looked_at

    def meet(self, pairs: PairTable, before: TouchesBefore) -> None:
        """Wake what something awake has come to touch, and tell what rests with the step."""
        touching, loosened = self._edges[pairs.touching], np.zeros(len(self._live), np.bool_)
        self._parted = before.parted(pairs, loosened)
        if not self._everyone:
            self._be_live(self._reached(np.concatenate([before.nodes, touching]), self._live))
        ready = self._ready & ~loosened
        self.loosened, self.falling = self._of_actors(loosened), self._nobody
        self.awake = self._of_actors(self._live)
        if ready.any():         # else what is live keeps itself awake
            kept = self._reached(touching, self._live & ~ready)
            self.falling = self._of_actors(self._live & ~kept)
            self._be_live(self._live & kept)

    def solved(self, pair: Array) -> Flags:
        """Which of some pairs, rows of the table, are of an actor that the step moves."""
        return held(self._edges, self._rows.of_nodes(self.awake), pair)

    def shown(self, pair: Array) -> Flags:
        """Which of some pairs are of an actor that is awake after the step."""
        return held(self._edges, self._rows.of_nodes(self.awake & ~self.falling), pair)

    def laid_still(self) -> Array:
        """The pairs that were looked at in the step and will not be in the next, unless something wakes."""
        if self._everyone or not self._looked_at.any():
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

    def _be_live(self, live: Flags) -> None:
        self._live, self._everyone = live, bool((live | self._rows.kinematic).all())

    def _within_reach(self, live: Flags) -> Flags:
        """The pairs whose bounds, or others' between, connect them with a live node."""
        return held(self._edges, live if self._everyone else self._reached(self._edges, live))

    def _reached(self, edges: Array, live: Flags) -> Flags:
        """The nodes that are connected with a live one; neither static nor kinematic bodies connect."""
        if len(self._rows.joints):
            edges = np.concatenate([edges, self._rows.joints])
        return reached(edges, self._rows.kinematic, live)


@borrowing_entry
def _count_held(pairs: Any, shapes: Any, found: Any) -> None:
    for k in range(len(pairs)):
        if pairs[k].shape0 != FREE:
            found[shapes[pairs[k].shape0].body] += 1
            found[shapes[pairs[k].shape1].body] += 1
