"""Sleeping of actors in contact: islands of actors that touch or are joined (PhysX PxsIslandSim.cpp, ScPipeline.cpp).

An island falls asleep in the step in which all its wake counters have reached 0. A kinematic body with a target that
touches it keeps it awake. It wakes when something awake begins to touch it. Measured, see
docs/reference/physx/sleeping.md. `WakeStateReader` and `WakeStateWriter` read and write the rows of wake states.
`IslandManager` keeps the islands of all worlds and finds the pairs that make contacts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from physx_runtime.arrays import Array, Flags, Integer, Record, Records
from physx_runtime.collision.components import connected_nodes, incident_edges
from physx_runtime.collision.pair_table import PairTable
from physx_runtime.collision.shapes import EVERY_WORLD, FREE
from physx_runtime.compiling.numba_functions import borrowing_code, borrowing_entry
from physx_runtime.model.body_kind import BODY, KINEMATIC, LINK, STATIC
from physx_runtime.model.island import IslandTopology, SolverBody
from physx_runtime.model.island_rows import KINEMATIC_GROUP
from physx_runtime.model.row_specs import ACTOR_GROUP, LINK_FORCE_ROWS, RowKey, external_force_rows
from physx_runtime.model.topology import ActorTopology
from physx_runtime.solver.contact.order import NO_ACTOR
from physx_runtime.solver.contact.program import PAIR_COUNTS, STAYS_AWAKE, ContactProgram
from physx_runtime.solver.island.plan import IslandPlan
from physx_runtime.solver.sleep import WAKE_REQUEST_WAKE
from physx_runtime.worlds.buffer import rows_by_world


class WakeStateReader:
    """Reads the wake states of nodes from the rows of worlds of one structure; arguments as in `IslandManager`."""

    def __init__(self, t: IslandTopology, worlds: int, layout: Mapping[str, int], bodies: Array,
                 shapes: Array) -> None:
        self.nodes_per_world, self.body_count = len(t.actors) + t.kinematic, len(bodies)
        self._actors, self._worlds = len(t.actors), worlds
        self._can_sleep = np.array([actor.sleeping for actor in t.actors], np.bool_)
        self._sleeping_actors, self._sleepless = np.flatnonzero(self._can_sleep), not self._can_sleep.any()
        sleeping = [(i, actor) for i, actor in enumerate(t.actors) if actor.sleeping]
        self._asleep, self._wake_request = (
            _first_rows(layout, [RowKey(ACTOR_GROUP, i, name) for i, _ in sleeping])
            for name in ("asleep", "wake_request"))
        self._counters = _RowLists(layout, [[str(RowKey(ACTOR_GROUP, i, "wake_counter"))] for i, _ in sleeping])
        self._external_forces = _RowLists(
            layout, [[str(RowKey(ACTOR_GROUP, i, name)) for name in external_force_row_names(actor)]
                     if actor.has_external_forces else [] for i, actor in sleeping])
        self._active = _first_rows(layout, [RowKey(KINEMATIC_GROUP, k, "active") for k in range(t.kinematic)])
        self.kinematic = np.tile(np.arange(self.nodes_per_world) >= self._actors, worlds)
        nodes = bodies["world"] * self.nodes_per_world + bodies["owner"] + np.where(bodies["kind"] == KINEMATIC,
                                                                                    self._actors, 0)
        self._node_of_shape = np.where(bodies["kind"] == STATIC, NO_ACTOR, nodes)[shapes["body"]].astype(np.int64)
        joint_nodes = np.array([pair for joint in t.joints
                                for pair in [[self._node(body) for body in joint.solver_bodies]]
                                if NO_ACTOR not in pair and pair[0] != pair[1]], np.int64).reshape(-1, 2)
        self.joints = (np.arange(worlds)[:, None, None] * self.nodes_per_world + joint_nodes).reshape(-1, 2)

    def _node(self, body: SolverBody) -> int:
        if body.kind == KINEMATIC:
            return self._actors + body.owner
        return body.owner if body.moves else NO_ACTOR

    def read(self, rows: Array) -> tuple[Flags, Flags]:
        """Two masks (n_node,): live nodes, and nodes that are ready to sleep.

        Live are actors that are awake or are to wake, and kinematic bodies that move to a target or have just arrived.
        Ready are nodes whose counters are 0 and on which no force acts.
        """
        live, ready = np.empty((2, self._worlds, self.nodes_per_world), np.bool_)
        live[:], ready[:] = self._sleepless, not self._sleepless
        _read(rows, self._sleeping_actors, self._asleep, self._wake_request, self._counters.rows,
              self._counters.starts, self._external_forces.rows, self._external_forces.starts, self._active,
              self._actors, live, ready)
        return live.ravel(), ready.ravel()

    def request_wake(self, rows: Array, nodes: Array) -> None:
        """Wake actors, as writes do."""
        mask = np.zeros((self._worlds, self.nodes_per_world), np.bool_)
        mask.ravel()[nodes] = True
        self.request_actor_wake(rows, mask[:, :self._actors])

    def request_actor_wake(self, rows: Array, actors: Flags) -> None:
        """Wake actors, (n_world, n_actor)."""
        requests = rows[:, self._wake_request]
        rows[:, self._wake_request] = np.where(actors[:, self._can_sleep], np.maximum(requests, WAKE_REQUEST_WAKE),
                                               requests)

    def node_flags(self, actors: Flags) -> Flags:
        """(n_node,) from (n_world, n_actor); False for kinematic bodies."""
        flags = np.zeros((self._worlds, self.nodes_per_world), np.bool_)
        flags[:, :self._actors] = actors
        return flags.ravel()

    def pair_nodes(self, pairs: Array) -> Array:
        """(n, 2) the nodes of pairs, NO_ACTOR for static colliders and in free rows."""
        nodes = np.empty((len(pairs), 2), np.int64)
        _write_nodes(pairs, self._node_of_shape, nodes)
        return nodes


@borrowing_entry
def _read(rows: Array, sleeping: Array, asleep: Array, wake_request: Array, counters: Array, counter_starts: Array,
          forces: Array, force_starts: Array, active: Array, actors: Integer, live: Array, ready: Array) -> None:
    for world in range(len(rows)):
        row = rows[world]
        for k in range(len(sleeping)):
            woken = row[wake_request[k]] >= WAKE_REQUEST_WAKE or _any(row, forces, force_starts[k], force_starts[k + 1])
            live[world, sleeping[k]] = woken or not row[asleep[k]] > 0.5
            ready[world, sleeping[k]] = not (woken or _any(row, counters, counter_starts[k], counter_starts[k + 1]))
        for k in range(len(active)):
            moves = row[active[k]] > 0.5
            live[world, actors + k], ready[world, actors + k] = moves, not moves


@borrowing_code
def _any(row: Array, columns: Array, first: Integer, end: Integer) -> bool:
    """Whether any of the values in the columns `first` to `end` is not 0."""
    any_nonzero = False
    for i in range(first, end):
        any_nonzero |= row[columns[i]] != 0.0
    return any_nonzero


@borrowing_entry
def _write_nodes(pairs: Records, node_of_shape: Array, nodes: Array) -> None:
    for k in range(len(pairs)):
        pair = pairs[k]
        if pair.shape0 == FREE:
            nodes[k, 0], nodes[k, 1] = NO_ACTOR, NO_ACTOR
        else:
            nodes[k, 0], nodes[k, 1] = node_of_shape[pair.shape0], node_of_shape[pair.shape1]


class WakeStateWriter:
    """Writes which actors fall asleep into the rows of a world's program."""

    def __init__(self, program: ContactProgram, bodies: Array, count: int) -> None:
        p = program.plan
        actors = {i: actor.layout for i, (actor, t) in enumerate(zip(p.actors, p.t.actors, strict=True)) if t.sleeping}
        self._sleeping_actors = np.array(list(actors), np.int64)
        self._awake_rows = np.array([layout[STAYS_AWAKE].row for layout in actors.values()], np.int64)
        # articulations count after the contacts of a step; bodies count together with them, from the counters before
        self._articulations = np.array([i for i in actors if i in p.trees], np.int64)
        self._wake_request = np.array([actors[i]["wake_request"].row for i in self._articulations.tolist()], np.int64)
        self._pair_count_rows = np.array([self._pair_count_row(p, body) for body in bodies], np.int64)
        self._bodies_by_world = rows_by_world(np.where(self._pair_count_rows != NO_ACTOR, bodies["world"], EVERY_WORLD),
                                              count)

    @staticmethod
    def _pair_count_row(p: IslandPlan, body: Record) -> int:
        """The row for the number of pairs of a body or link, -1 where there is none."""
        owner, link = int(body["owner"]), int(body["link"])
        if body["kind"] not in (BODY, LINK) or not p.t.actors[owner].sleeping:
            return NO_ACTOR
        links = p.t.actors[owner].tree.moving_links
        return p.actors[owner].layout[PAIR_COUNTS].row + links.index(link) if link in links else NO_ACTOR

    def write(self, memory: Array, world: int, falling_asleep: Flags, static_touch_lost: Flags,
              pair_counts: Array) -> None:
        """Write the flags of a world's actors, (n_actor,), and the number of pairs of each body."""
        _write_wake_state(memory, falling_asleep, static_touch_lost, pair_counts, self._sleeping_actors,
                          self._awake_rows, self._articulations, self._wake_request,
                          self._bodies_by_world[world], self._pair_count_rows)


@borrowing_entry
def _write_wake_state(memory: Array, falling_asleep: Array, static_touch_lost: Array, pair_counts: Array,
                      sleeping: Array, awake_rows: Array, articulations: Array, wake_request: Array, bodies: Array,
                      pair_count_rows: Array) -> None:
    for i in range(len(sleeping)):
        memory[awake_rows[i]] = 0.0 if falling_asleep[sleeping[i]] else 1.0
    for i in range(len(articulations)):
        if static_touch_lost[articulations[i]]:
            memory[wake_request[i]] = max(memory[wake_request[i]], WAKE_REQUEST_WAKE)
    for body in bodies:
        memory[pair_count_rows[body]] = pair_counts[body]


class _RowLists:
    """Rows of several actors, one list after the other; names: the row groups of each actor."""

    def __init__(self, layout: Mapping[str, int], names: list[list[str]]) -> None:
        lists = [[row for name in of for row in rows_named(layout, name)] for of in names]
        self.rows = np.array([row for rows in lists for row in rows], np.int64)
        self.starts = np.cumsum([0, *map(len, lists)])


def rows_named(layout: Mapping[str, int], name: str) -> Iterator[int]:
    """The row of every scalar of a group."""
    size = 0
    while f"{name}_{size}" in layout:
        yield layout[f"{name}_{size}"]
        size += 1


def _first_rows(layout: Mapping[str, int], keys: Iterable[RowKey]) -> Array:
    """The row of the first scalar of each group."""
    return np.array([next(rows_named(layout, str(key))) for key in keys], np.int64)


def external_force_row_names(t: ActorTopology) -> list[str]:
    """Names of the rows of external forces, which keep an actor awake while one of them is not 0."""
    return [*(LINK_FORCE_ROWS if t.link_forces else ()), *external_force_rows(t)]


@dataclass(frozen=True, slots=True)
class PreviousTouches:
    """The pairs that touch at a step's start."""

    rows: Array             # of the table of pairs
    creation_indices: Array
    nodes: Array            # (n, 2)

    def lost_touches(self, pairs: PairTable, static_touch_lost: Flags) -> Array:
        """The nodes of pairs that no longer touch, (n, 2); sets `static_touch_lost` of nodes that left a static."""
        lost = np.empty((len(self.rows), 2), np.int64)
        return lost[:_find_lost_touches(pairs.rows, self.rows, self.creation_indices, self.nodes, static_touch_lost,
                                        lost)]


@borrowing_entry
def _read_touches(rows: Records, indices: Array, edges: Array, creation_indices: Array, nodes: Array) -> None:
    for i in range(len(indices)):
        creation_indices[i] = rows[indices[i]].creation_index
        nodes[i, 0], nodes[i, 1] = edges[indices[i], 0], edges[indices[i], 1]


@borrowing_entry
def _find_lost_touches(rows: Records, indices: Array, creation_indices: Array, nodes: Array, static_touch_lost: Array,
                       lost: Array) -> Integer:
    count = 0
    for i in range(len(indices)):
        pair, a, b = rows[indices[i]], nodes[i, 0], nodes[i, 1]
        if pair.shape0 != FREE and pair.creation_index == creation_indices[i] and pair.touching:
            continue
        if a < 0 or b < 0:
            static_touch_lost[max(a, b)] = True
        else:
            lost[count, 0], lost[count, 1] = a, b
            count += 1
    return count


class IslandManager:
    """Islands of actors and kinematic bodies of all worlds; nodes are ordered by world, actors first.

    A step calls `begin`, `read_touches`, `find_active_pairs` and `update_wake_states` in this order. bodies, shapes: of
    the ContactTable; layout: the row of each scalar of a world.
    """

    def __init__(self, t: IslandTopology, worlds: int, layout: Mapping[str, int], bodies: Array,
                 shapes: Array) -> None:
        self._rows = WakeStateReader(t, worlds, layout, bodies, shapes)
        self._shape = worlds, len(t.actors)
        # nodes that are awake, active kinematic ones too
        self._live = np.ones(worlds * self._rows.nodes_per_world, np.bool_)
        self._all_live = True                                       # whether every node that may sleep is live
        self._ready = ~self._live                                   # nodes that keep nothing awake
        self._lost_touches = np.zeros((0, 2), np.int64)                   # nodes of pairs that parted in the last step
        self._edges = np.zeros((0, 2), np.int64)                    # nodes of every pair whose bounds overlap
        self._active_pairs = np.zeros(0, np.bool_)                     # the pairs of which contacts are made
        self._idle_rows: Array | None = None                            # rows with which nothing happens
        self.awake = np.ones(self._shape, np.bool_)     # actors that this step moves
        self.was_awake = self.awake                         # actors that the last step moved, or that were reset
        self._no_actors = ~self.awake
        self.falling_asleep = self._no_actors                     # actors that fall asleep at its end
        self.static_touch_lost = self._no_actors                    # actors that lost contact with a static collider

    def forget(self, worlds: Array) -> None:
        """Treat all actors of these worlds as awake after a reset."""
        self.awake[worlds], self._idle_rows = True, None
        self._lost_touches = self._lost_touches[~np.isin(self._lost_touches[:, 0] // self._rows.nodes_per_world,
                                                         worlds)]

    def continue_from(self, previous: IslandManager) -> None:
        """Take over the state of other worlds with the same actors."""
        self._live, self._all_live, self._ready, self._lost_touches, self._edges, self._active_pairs = (
            previous._live, previous._all_live, previous._ready, previous._lost_touches, previous._edges,
            previous._active_pairs)
        self.awake, self.falling_asleep = previous.awake, previous.falling_asleep
        self.static_touch_lost = previous.static_touch_lost

    def begin(self, rows: Array) -> bool:
        """Read rows (n_world, n_row) that were written since the last step; return whether this step has any work."""
        live, ready = self._rows.read(rows)
        if len(self._lost_touches):
            ends = live[self._lost_touches]
            woken = self._lost_touches[ends[:, 0] != ends[:, 1]].ravel()      # one of both fell asleep as they parted
            if len(woken):
                self._rows.request_wake(rows, woken)
                live, ready = self._rows.read(rows)
        self._set_live(live)
        self._ready = ready
        self._lost_touches, self.was_awake, self.awake = self._lost_touches[:0], self.awake, self._actor_flags(live)
        if live.any() or self.was_awake.any():
            self._idle_rows = None
        elif self._idle_rows is None or not np.array_equal(rows, self._idle_rows):
            self._idle_rows = rows.copy()
        else:
            return False
        return True

    def read_touches(self, pairs: PairTable) -> PreviousTouches:
        """The pairs that touch before the poses of shapes are updated."""
        rows = pairs.touching
        creation_indices, nodes = np.empty(len(rows), np.int64), np.empty((len(rows), 2), np.int64)
        _read_touches(pairs.rows, rows, self._edges, creation_indices, nodes)
        return PreviousTouches(rows, creation_indices, nodes)

    def find_active_pairs(self, pairs: PairTable) -> Flags:
        """(n_row,) the pairs to make contacts of: those connected with an awake node by overlapping bounds."""
        self._edges = self._rows.pair_nodes(pairs.rows)
        self._active_pairs = self._connected_pairs(self._live)
        return self._active_pairs

    def update_wake_states(self, pairs: PairTable, touches_before: PreviousTouches) -> None:
        """Wake islands that an awake node has begun to touch, and find the actors that fall asleep with the step."""
        touching, static_touch_lost = self._edges[pairs.touching], np.zeros(len(self._live), np.bool_)
        self._lost_touches = touches_before.lost_touches(pairs, static_touch_lost)
        if not self._all_live:
            self._set_live(self._connected_nodes(np.concatenate([touches_before.nodes, touching]), self._live))
        ready = self._ready & ~static_touch_lost
        self.static_touch_lost, self.falling_asleep = self._actor_flags(static_touch_lost), self._no_actors
        self.awake = self._actor_flags(self._live)
        if ready.any():         # otherwise live nodes keep themselves awake
            stays_awake = self._connected_nodes(touching, self._live & ~ready)
            self.falling_asleep = self._actor_flags(self._live & ~stays_awake)
            self._set_live(self._live & stays_awake)

    def solved_pairs(self, pairs: Array) -> Flags:
        """Which of these pairs, rows of the table, belong to an actor that the step moves."""
        return incident_edges(self._edges, self._rows.node_flags(self.awake), pairs)

    def reported_pairs(self, pairs: Array) -> Flags:
        """Which of these pairs belong to an actor that is awake after the step."""
        return incident_edges(self._edges, self._rows.node_flags(self.awake & ~self.falling_asleep), pairs)

    def deactivated_pairs(self) -> Array:
        """The pairs that were active in the step and will not be in the next, unless something wakes."""
        if self._all_live or not self._active_pairs.any():
            return np.zeros(0, np.int64)
        deactivated = self._active_pairs & ~self._connected_pairs(self._live)
        self._active_pairs &= ~deactivated
        return np.flatnonzero(deactivated)

    def pair_counts(self, pairs: PairTable) -> Array:
        """(n_body,) the number of pairs with overlapping bounds of each row of `bodies`."""
        counts = np.zeros(self._rows.body_count, np.int64)
        _count_pairs(pairs.rows, pairs.shapes, counts)
        return counts

    # -----------------------------------------------------------------------------------------------------------------

    def _actor_flags(self, nodes: Flags) -> Flags:
        return nodes.reshape(self._shape[0], -1)[:, :self._shape[1]].copy()

    def _set_live(self, live: Flags) -> None:
        self._live, self._all_live = live, bool((live | self._rows.kinematic).all())

    def _connected_pairs(self, live: Flags) -> Flags:
        """The pairs that overlapping bounds connect with a live node, directly or through other pairs."""
        return incident_edges(self._edges, live if self._all_live else self._connected_nodes(self._edges, live))

    def _connected_nodes(self, edges: Array, live: Flags) -> Flags:
        """The nodes that are connected with a live one; neither static nor kinematic bodies connect."""
        if len(self._rows.joints):
            edges = np.concatenate([edges, self._rows.joints])
        return connected_nodes(edges, self._rows.kinematic, live)


@borrowing_entry
def _count_pairs(pairs: Records, shapes: Records, counts: Array) -> None:
    for k in range(len(pairs)):
        if pairs[k].shape0 != FREE:
            counts[shapes[pairs[k].shape0].body] += 1
            counts[shapes[pairs[k].shape1].body] += 1
