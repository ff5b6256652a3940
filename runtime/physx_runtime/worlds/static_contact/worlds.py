"""Worlds of articulations that touch nothing but what stands still: blocks of worlds share every instruction."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.broad_phase.overlap import renew_offsets
from physx_runtime.collision.friction_patch import ANCHORS, PATCH
from physx_runtime.collision.shapes import MOST_POINTS
from physx_runtime.collision.static_pairs import StaticPairs
from physx_runtime.compiling.numba_functions import entry_for
from physx_runtime.model.island import IslandTopology
from physx_runtime.solver.contact.solver_bodies import constants, pose_rows
from physx_runtime.solver.contact.static_slots import LinkSlots, SlotProgram, slot_program
from physx_runtime.targets.interpreter import (
    cores,
    guards_of,
    interpreter,
    load_fragments,
    threads,
    vector_lanes,
    wait_for,
    words_of,
)
from physx_runtime.worlds.buffer import Buffer, aligned
from physx_runtime.worlds.contact.patches import surfaces_of
from physx_runtime.worlds.state_tracker import StateTracker
from physx_runtime.worlds.static_contact.advance import (
    FLAGS,
    REST,
    SLOTS,
    UP,
    BlockScratch,
    PairQueue,
    StepPrograms,
    advancing,
    queue_of,
    resting_rows,
)
from physx_runtime.worlds.static_contact.plane_pairs import KEPT_SIZE, PairPatches, PlanePairs, kinds_on_planes
from physx_runtime.worlds.store import BY_JOINT

Array = NDArray[Any]

MADE = ("slipped", "impulse", "tangents", "friction_impulse")


class StaticContactWorlds(Buffer):
    """Worlds in which links touch what stands still, and nothing else can touch.

    Nothing sleeps in them, or they are worlds of one articulation each, which rests by itself.
    What is to be read of contacts is that of `ContactWorlds`.
    """

    near, path = True, BY_JOINT

    def __init__(self, t: IslandTopology, count: int, dtype: str, pairs: StaticPairs) -> None:
        table, self._known = pairs.table, _known_of(pairs)
        sleeping = any(actor.sleeping for actor in t.actors)
        program = slot_program(t, _slots_of(pairs, {} if sleeping else kinds_on_planes(pairs, self._known)))
        super().__init__(count, dtype, vector_lanes(program.size, dtype), program.layout)
        self.table, self._pairs, self._program = table, pairs, program
        number = len(table.pairs.rows)
        self._impulses, self._frictions = np.zeros(number * MOST_POINTS), np.zeros((number, ANCHORS, 3))
        kept = aligned((len(self.host), len(program.met), KEPT_SIZE, self.lanes), dtype)
        self._met = PlanePairs(pairs, self._known, program, count, kept)
        self._fixed = constants(program.plan, table.mass_frames)
        self._code = _Code(program, dtype, self.lanes)
        self._links, self._slots = _slot_rows(pairs, program)
        self._sides = table.pairs.sides(np.arange(number))
        self._advance = advancing(pairs.kinds)
        self._entry: Callable[..., Any] | None = None       # its code, known from the first step on
        self._resting = resting_rows(program, pairs.links)
        self._state_tracker = StateTracker(program.plan, program.layout, self.host)
        self._worlds = np.zeros(count, REST)
        self._worlds["awake"] = True
        self._scratch = threading.local()

    # --- what touched --------------------------------------------------------------------------------------------

    @property
    def contacts(self) -> Array:
        """Of dtype CONTACT, those that the last step began with."""
        self._read()
        return self._pairs.all.contacts[self._touched()]

    @property
    def impulses(self) -> Array:
        """(n_contact,) what each gave over the step along its normal."""
        self._read()
        return self._impulses[self._touched()]

    @property
    def patches(self) -> Array:
        """Of dtype PATCH, those of all worlds."""
        self._read()
        return self._known.patches[self.table.pairs.rows["contacts"] > 0]

    @property
    def frictions(self) -> Array:
        """(n_patch, ANCHORS, 3) what the anchors of each gave."""
        self._read()
        return self._frictions[self.table.pairs.rows["contacts"] > 0]

    @property
    def centers(self) -> Array:
        """(n_place, 7) frames of centres of mass that the step began with, by the patches' sides."""
        self._read()
        return self._known.centers

    @property
    def touching(self) -> Array:
        """Rows of the pairs that touch, also of what rests."""
        return np.flatnonzero(self._pairs.all.memory["touching"])

    def sides(self, pairs: Array) -> Array:
        """(n, 2) the shapes of sides 0 and 1 of rows of pairs."""
        return self._sides[pairs]

    def _read(self) -> None:
        self._met.write_records(self._impulses, self._frictions)

    def _touched(self) -> Array:
        filled = np.arange(MOST_POINTS) < self.table.pairs.rows["contacts"][:, None]
        return np.flatnonzero(filled)

    def has_pairs_of(self, before: StaticContactWorlds) -> bool:
        """Whether the same shapes can meet in other worlds as in these."""
        own, other = self._pairs.all.rows, before._pairs.all.rows
        return len(own) == len(other) and all(np.array_equal(own[name], other[name]) for name in ("shape0", "shape1"))

    def go_on(self, before: StaticContactWorlds) -> None:
        """Remember what touched in other worlds with the same pairs, whose rows these have taken over."""
        before._read()
        for own, other in ((self._pairs.all.rows, before._pairs.all.rows),
                           (self._pairs.all.memory, before._pairs.all.memory),
                           (self._pairs.all.contacts, before._pairs.all.contacts),
                           (self._known.patches, before._known.patches), (self._impulses, before._impulses),
                           (self._frictions, before._frictions), (self._worlds, before._worlds)):
            own[:] = other
        renew_offsets(self._pairs.all.rows, self.table.pairs.shapes)
        self._met.go_on()
        self._state_tracker.go_on(before._state_tracker)

    def shown(self, pairs: Array) -> NDArray[np.bool_]:
        """Which pairs, rows of the table, are of something that is awake after the step, and so tell contacts."""
        own = self._worlds[self.table.pairs.shapes["world"][self._pairs.all.moving[pairs]]]
        return np.asarray(own["awake"] & ~own["falling"])

    def forget(self, worlds: Array) -> None:
        """Give up all that pairs of these worlds remember, and their contacts: they were set anew."""
        self._met.forget(worlds)
        self._state_tracker.forget(worlds)
        self._known.patches["anchors"][self._pairs.forget(worlds)] = 0
        self._worlds["awake"][worlds], self._worlds["falling"][worlds] = True, False

    # --- stepping ------------------------------------------------------------------------------------------------

    def step(self, steps: int, n: int, v: int) -> None:
        """Advance by steps of `n` position and `v` velocity iterations."""
        self._run(steps, np.array([[n, v]]), np.zeros(self.count, np.int64))

    def step_under(self, counts: Array) -> None:
        """Advance by a step, each world under its own position and velocity iterations, (n_world, 2)."""
        found, which = np.unique(counts, axis=0, return_inverse=True)
        self._run(1, found, which.ravel())

    def _run(self, steps: int, counts: Array, which: Array) -> None:
        if steps < 1:
            return
        self._met.stale = True
        self._run_parts(steps, counts, which, self._state_tracker.begin(self.host))
        self._state_tracker.end(self.host)

    def _run_parts(self, steps: int, counts: Array, which: Array, stepped: Array) -> None:
        blocks = len(self.host)
        parts = min(blocks, cores())
        edges = [blocks * i // parts for i in range(parts + 1)]
        if parts == 1:
            self._run_part(0, blocks, steps, counts, which, stepped)
            return
        wait_for([threads().submit(self._run_part, *ends, steps, counts, which, stepped)
                  for ends in itertools.pairwise(edges)])

    def _run_part(self, first: int, last: int, steps: int, counts: Array, which: Array, stepped: Array) -> None:
        if not hasattr(self._scratch, "room") or len(self._scratch.room.begun) < 2 * (len(counts) > 1):
            self._scratch.room = _room(self._program, self.lanes, self.dtype, self._slots,
                                       queue_of(self._pairs.of_link, self.lanes), self._code.room(), len(counts) > 1)
            self._scratch.room.rows[self._fixed[0]] = self._fixed[1][:, None]
            self._met.set_up(self._scratch.room.rows)
        given = (self.host, first, last, steps, self._program.state_size, self._code.passes(counts), which,
                 self._scratch.room, self._links, self._slots, self._pairs.all, self._pairs.colliders, self._known,
                 self._resting, self._worlds, self._met.rows, self._state_tracker.rows, stepped, self._impulses,
                 self._frictions)
        if self._entry is None:
            self._entry = entry_for(self._advance, *given)
        self._entry(*given)


POSITION = 2            # of the passes


class _Code:
    """The passes in the interpreter's words."""

    def __init__(self, program: SlotProgram, dtype: str, lanes: int) -> None:
        passes = (program.start, program.prepare, program.position, program.velocity, program.end)
        where = load_fragments((i.fragment for one in passes for i in one.instructions), dtype, lanes)
        row_bytes = lanes * np.dtype(dtype).itemsize
        self._words = [np.array([*words_of(one.instructions, where, row_bytes), 0], np.int64) for one in passes]
        self._places = np.array([words.ctypes.data for words in self._words], np.int64)
        self._guards = guards_of(program.position.instructions)
        self._made: dict[bytes, StepPrograms] = {}

    def room(self) -> tuple[Array, Array]:
        """Memory for the words of a block's position iterations; the places of the passes behind the start with it."""
        words, rest = np.empty_like(self._words[POSITION]), self._places[1:].copy()
        rest[POSITION - 1] = words.ctypes.data
        return words, rest

    def passes(self, counts: Array) -> StepPrograms:
        """By how many position and velocity iterations, (n, 2)."""
        key = counts.tobytes()
        if key not in self._made:
            once = np.ones((len(counts), 1), np.int64)
            self._made[key] = StepPrograms(interpreter(), self._places[:1], once[0], self._places[1:],
                                           np.hstack([once, counts.astype(np.int64), once]), self._words[POSITION],
                                           self._guards)
        return self._made[key]


def _room(program: SlotProgram, lanes: int, dtype: str, slots: Array, queue: PairQueue, words: tuple[Array, Array],
          apart: bool) -> BlockScratch:
    rows = aligned((program.size, lanes), dtype)
    rows[slots + FLAGS + UP] = 1.0              # a normal, where no patch has been yet
    return BlockScratch(rows, np.full((len(slots), lanes), -1, np.int64), queue,
                        np.empty((program.state_size, lanes), dtype), np.empty((2 * apart, *rows.shape), dtype), *words)


def _slots_of(pairs: StaticPairs, on_planes: Mapping[int, int]) -> tuple[LinkSlots, ...]:
    table = pairs.table
    torsional = bool(table.torsion_radius.any() or table.min_torsion_radius.any())
    return tuple(LinkSlots(owner, link, int((pairs.of_link == i).sum()), points, torsional, on_planes.get(i))
                 for i, ((owner, link), points) in enumerate(zip(pairs.links, pairs.points, strict=True)))


def _slot_rows(pairs: StaticPairs, program: SlotProgram) -> tuple[Array, Array]:
    links = np.zeros(len(pairs.links), SLOTS)
    for i, (row, (owner, link), slots) in enumerate(zip(links, pairs.links, program.slots, strict=True)):
        tree, own = program.plan.trees[owner], np.flatnonzero(pairs.of_link == i)
        row["owner"] = owner
        row["pose"], row["center"] = pose_rows(tree.p, link).row, tree.at("place", link).row
        row["rotation"], row["points"] = tree.p.at("rotation", link).row, pairs.points[i]
        row["first"], row["end"] = own[0], own[-1] + 1
        first = slots[0]["used"].row + FLAGS
        row["met"] = i in program.met
        row["made"] = [slots[0][name].row - first for name in MADE]
    return links, np.array([slot["used"].row for slots in program.slots for slot in slots], np.int64)


def _known_of(pairs: StaticPairs) -> PairPatches:
    table, moving = pairs.table, pairs.all.moving
    rows, shapes = table.pairs.rows, table.pairs.shapes
    patches = np.zeros(len(rows), PATCH)
    patches["pair"] = np.arange(len(rows))
    other = np.where(rows["shape0"] == moving, rows["shape1"], rows["shape0"])
    patches["side0"], patches["side1"] = shapes["body"][moving], shapes["body"][other]
    surfaces, which = np.unique(surfaces_of(table, patches), axis=0, return_inverse=True)
    return PairPatches(patches, np.arange(len(rows) * MOST_POINTS, dtype=np.int32),
                        np.c_[table.places["position"], table.places["rotation"]], surfaces, which.ravel(),
                        table.friction_offset, table.correlation)
