"""Sleeping of actors in contact (PhysX IslandSim).

Who rests in worlds whose actors touch, step by step (PxsIslandSim.cpp, ScPipeline.cpp; measured, see
docs/physx_semantics.md, sleeping).

What touches or joints hold together rests together, with the step in which every counter of it has come to 0, unless a
kinematic body that was sent to a target touches it. It wakes when something awake comes to touch it.

What rows of worlds say of who is awake, by node: actors, then kinematic bodies of one world after the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.components import held, reached
from physx_runtime.collision.friction_patch import BODY, KINEMATIC, LINK, STATIC
from physx_runtime.collision.pair_table import PairTable
from physx_runtime.collision.shapes import EVERY_WORLD, FREE
from physx_runtime.compiling.numba_functions import borrowing_code, borrowing_entry
from physx_runtime.model.island import KINEMATIC as KINEMATIC_SIDE
from physx_runtime.model.island import IslandTopology, Side
from physx_runtime.model.island_rows import ACTOR_GROUP, KINEMATIC_GROUP
from physx_runtime.model.row_specs import LINK_FORCE_ROWS
from physx_runtime.model.topology import ActorTopology
from physx_runtime.solver.contact.order import NOTHING
from physx_runtime.solver.contact.program import KEPT_AWAKE, PAIRS_HELD, ContactProgram
from physx_runtime.solver.island.plan import IslandPlan
from physx_runtime.solver.sleep import WOKEN
from physx_runtime.worlds.buffer import rows_by_world

Array = NDArray[Any]
Flags = NDArray[np.bool_]


class WakeStateReader:
    """Nodes of worlds of one structure, and what their rows say of them; arguments as of `IslandManager`."""

    def __init__(self, t: IslandTopology, worlds: int, layout: Mapping[str, int], places: Array,
                 shapes: Array) -> None:
        self.width, self.places = len(t.actors) + t.kinematic, len(places)
        self._actors, self._worlds = len(t.actors), worlds
        self._counting = np.array([actor.sleeping for actor in t.actors], np.bool_)
        self._counted, self._sleepless = np.flatnonzero(self._counting), not self._counting.any()
        counting = [(i, actor) for i, actor in enumerate(t.actors) if actor.sleeping]
        self._asleep, self._stirred = (np.array([layout[f"{ACTOR_GROUP}{i}_{name}_0"] for i, _ in counting], np.int64)
                                       for name in ("asleep", "stirred"))
        self._counters = _Lists(layout, [[f"{ACTOR_GROUP}{i}_wake_counter"] for i, _ in counting])
        self._pushes = _Lists(layout, [[f"{ACTOR_GROUP}{i}_{name}" for name in push_rows(actor)] if actor.pushed
                                       else [] for i, actor in counting])
        self._active = np.array([layout[f"{KINEMATIC_GROUP}{k}_active_0"] for k in range(t.kinematic)], np.int64)
        self.kinematic = np.tile(np.arange(self.width) >= self._actors, worlds)
        nodes = places["world"] * self.width + places["owner"] + np.where(places["kind"] == KINEMATIC, self._actors, 0)
        self._node_of_shape = np.where(places["kind"] == STATIC, NOTHING, nodes)[shapes["body"]].astype(np.int64)
        held = np.array([pair for joint in t.joints for pair in [[self._node(side) for side in joint.sides]]
                         if NOTHING not in pair and pair[0] != pair[1]], np.int64).reshape(-1, 2)
        self.joints = (np.arange(worlds)[:, None, None] * self.width + held).reshape(-1, 2)

    def _node(self, side: Side) -> int:
        if side.kind == KINEMATIC_SIDE:
            return self._actors + side.owner
        return side.owner if side.moves else NOTHING

    def read(self, rows: Array) -> tuple[Flags, Flags]:
        """(n_node,) what is live, actors that are awake or were stirred and kinematic bodies on their way or just
        arrived; and what is ready to rest: its counters are 0, and nothing was done to it."""
        live, ready = np.empty((2, self._worlds, self.width), np.bool_)
        live[:], ready[:] = self._sleepless, not self._sleepless
        _read(rows, self._counted, self._asleep, self._stirred, self._counters.rows,
              self._counters.starts, self._pushes.rows, self._pushes.starts, self._active, self._actors, live, ready)
        return live.ravel(), ready.ravel()

    def stir(self, rows: Array, nodes: Array) -> None:
        """Wake actors, as writes do."""
        chosen = np.zeros((self._worlds, self.width), np.bool_)
        chosen.ravel()[nodes] = True
        self.stir_actors(rows, chosen[:, :self._actors])

    def stir_actors(self, rows: Array, actors: Flags) -> None:
        """Wake actors, (n_world, n_actor)."""
        held = rows[:, self._stirred]
        rows[:, self._stirred] = np.where(actors[:, self._counting], np.maximum(held, WOKEN), held)

    def of_nodes(self, actors: Flags) -> Flags:
        """(n_node,) of (n_world, n_actor); no kinematic body."""
        found = np.zeros((self._worlds, self.width), np.bool_)
        found[:, :self._actors] = actors
        return found.ravel()

    def nodes_of(self, pairs: Array) -> Array:
        """(n, 2) of pairs, NOTHING of static colliders and in free places."""
        nodes = np.empty((len(pairs), 2), np.int64)
        _write_nodes(pairs, self._node_of_shape, nodes)
        return nodes


@borrowing_entry
def _read(rows: Any, counting: Any, asleep: Any, stirred: Any, counters: Any, counter_starts: Any, pushes: Any,
          push_starts: Any, active: Any, actors: Any, live: Any, ready: Any) -> None:
    for world in range(len(rows)):
        own = rows[world]
        for k in range(len(counting)):
            woken = own[stirred[k]] >= WOKEN or _any(own, pushes, push_starts[k], push_starts[k + 1])
            live[world, counting[k]] = woken or not own[asleep[k]] > 0.5
            ready[world, counting[k]] = not (woken or _any(own, counters, counter_starts[k], counter_starts[k + 1]))
        for k in range(len(active)):
            moves = own[active[k]] > 0.5
            live[world, actors + k], ready[world, actors + k] = moves, not moves


@borrowing_code
def _any(row: Any, chosen: Any, first: Any, end: Any) -> bool:
    """Whether one of some numbers of a row is not 0."""
    found = False
    for i in range(first, end):
        found |= row[chosen[i]] != 0.0
    return found


@borrowing_entry
def _write_nodes(pairs: Any, node_of_shape: Any, nodes: Any) -> None:
    for k in range(len(pairs)):
        pair = pairs[k]
        if pair.shape0 == FREE:
            nodes[k, 0], nodes[k, 1] = NOTHING, NOTHING
        else:
            nodes[k, 0], nodes[k, 1] = node_of_shape[pair.shape0], node_of_shape[pair.shape1]


class WakeStateWriter:
    """The rows of a world's program that are told who rests."""

    def __init__(self, program: ContactProgram, places: Array, count: int) -> None:
        p = program.plan
        actors = {i: actor.layout for i, (actor, t) in enumerate(zip(p.actors, p.t.actors, strict=True)) if t.sleeping}
        self._counting = np.array(list(actors), np.int64)
        self._kept = np.array([layout[KEPT_AWAKE].row for layout in actors.values()], np.int64)
        # articulations count behind the touches of a step, bodies beside them, with the counters from before
        self._late = np.array([i for i in actors if i in p.trees], np.int64)
        self._stirred = np.array([actors[i]["stirred"].row for i in self._late.tolist()], np.int64)
        self._held = np.array([self._held_row(p, place) for place in places], np.int64)
        self._places = rows_by_world(np.where(self._held != NOTHING, places["world"], EVERY_WORLD), count)

    @staticmethod
    def _held_row(p: IslandPlan, place: Any) -> int:
        """The row that counts the pairs which hold the body or link of a place, NOTHING where none does."""
        owner, link = int(place["owner"]), int(place["link"])
        if place["kind"] not in (BODY, LINK) or not p.t.actors[owner].sleeping:
            return NOTHING
        links = p.t.actors[owner].tree.moving_links
        return p.actors[owner].layout[PAIRS_HELD].row + links.index(link) if link in links else NOTHING

    def write(self, memory: Array, world: int, falling: Flags, loosened: Flags, held: Array) -> None:
        """Tell a world of its actors, (n_actor,), and by place how many pairs hold each."""
        _tell(memory, falling, loosened, held, self._counting, self._kept, self._late, self._stirred,
              self._places[world], self._held)


@borrowing_entry
def _tell(memory: Any, falling: Any, loosened: Any, held: Any, counting: Any, kept: Any, late: Any, stirred: Any,
          places: Any, held_rows: Any) -> None:
    for i in range(len(counting)):
        memory[kept[i]] = 0.0 if falling[counting[i]] else 1.0
    for i in range(len(late)):
        if loosened[late[i]]:
            memory[stirred[i]] = max(memory[stirred[i]], WOKEN)
    for place in places:
        memory[held_rows[place]] = held[place]


class _Lists:
    """Rows of several actors, list behind list; names: of the groups of each."""

    def __init__(self, layout: Mapping[str, int], names: list[list[str]]) -> None:
        own = [[row for name in of for row in rows_named(layout, name)] for of in names]
        self.rows = np.array([row for rows in own for row in rows], np.int64)
        self.starts = np.cumsum([0, *map(len, own)])


def rows_named(layout: Mapping[str, int], name: str) -> Iterator[int]:
    """The row of every scalar of a group."""
    size = 0
    while f"{name}_{size}" in layout:
        yield layout[f"{name}_{size}"]
        size += 1


def push_rows(t: ActorTopology) -> list[str]:
    """Groups of rows that wake an actor which is pushed, while one of them is not 0."""
    return [*(LINK_FORCE_ROWS if t.link_forces else ()),
            *(f"push{i}_{name}" for i in range(len(t.pushes)) for name in ("force", "torque"))]


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


class IslandManager:
    """Actors and kinematic bodies of all worlds as nodes, those of a world one after the other, actors first.

    `begin`, `place` and `meet` follow each other in a step. places, shapes: of the worlds' ContactTable; layout: the
    row of each scalar of a world.
    """

    def __init__(self, t: IslandTopology, worlds: int, layout: Mapping[str, int], places: Array,
                 shapes: Array) -> None:
        self._rows = WakeStateReader(t, worlds, layout, places, shapes)
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

    def go_on(self, before: IslandManager) -> None:
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
