"""Worlds of articulations that touch nothing but what stands still: blocks of worlds share every instruction."""

from __future__ import annotations

import itertools
import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.fixed_pairs import FixedPairs
from physx_runtime.collision.patches import ANCHORS, PATCH
from physx_runtime.collision.shape import MOST_POINTS
from physx_runtime.compiling.schedule import Schedule
from physx_runtime.model.island import IslandTopology
from physx_runtime.solver.contact.slots import LinkSlots, SlotProgram, slot_program
from physx_runtime.targets.interpreter import cores, load_fragments, run_in_place, threads, vector_lanes, words_of
from physx_runtime.worlds.buffer import Buffer, aligned
from physx_runtime.worlds.path import BY_JOINT
from physx_runtime.worlds.slot_blocks import SlotBlocks
from physx_runtime.worlds.slot_rest import REST, heed, resting_rows
from physx_runtime.worlds.slot_values import SLOTS, UP, PairPatches, drain, filling, queue_of
from physx_runtime.worlds.surfaces import surfaces_of

Array = NDArray[Any]

# Blocks that a thread works on at a time: more calls cost, and so does memory that leaves the nearer cache.
BLOCKS = 2
MADE = ("slipped", "impulse", "tangents", "friction_impulse")


class GroundedWorlds(Buffer):
    """Worlds in which links touch what stands still, and nothing else can touch.

    Nothing sleeps in them, or they are worlds of one articulation each, which rests by itself.
    What is to be read of contacts is that of `ContactWorlds`.
    """

    near, path = True, BY_JOINT

    def __init__(self, t: IslandTopology, count: int, dtype: str, pairs: FixedPairs) -> None:
        table = pairs.table
        program = slot_program(t, _slots_of(pairs))
        super().__init__(count, dtype, vector_lanes(program.size, dtype), program.layout)
        self.table, self._pairs, self._program = table, pairs, program
        number = len(table.pairs.rows)
        self._impulses, self._frictions = np.zeros(number * MOST_POINTS), np.zeros((number, ANCHORS, 3))
        self._known = _known_of(pairs)
        self._code = _Code(program, dtype, self.lanes)
        self._links, self._slots = _slot_rows(pairs, program)
        self._sides = table.pairs.sides(np.arange(number))
        self._fill = filling(pairs.kinds)
        self._resting = resting_rows(program, pairs.links)
        self._worlds = np.zeros(count, REST)
        self._worlds["awake"] = True
        self._scratch = threading.local()

    # --- what touched --------------------------------------------------------------------------------------------

    @property
    def contacts(self) -> Array:
        """Of dtype CONTACT, those that the last step began with."""
        return self._pairs.all.contacts[self._touched()]

    @property
    def impulses(self) -> Array:
        """(n_contact,) what each gave over the step along its normal."""
        return self._impulses[self._touched()]

    @property
    def patches(self) -> Array:
        """Of dtype PATCH, those of all worlds."""
        return self._known.patches[self.table.pairs.rows["contacts"] > 0]

    @property
    def frictions(self) -> Array:
        """(n_patch, ANCHORS, 3) what the anchors of each gave."""
        return self._frictions[self.table.pairs.rows["contacts"] > 0]

    @property
    def centers(self) -> Array:
        """(n_place, 7) frames of centres of mass that the step began with, by the patches' sides."""
        return self._known.centers

    @property
    def touching(self) -> Array:
        """Rows of the pairs that touch, also of what rests."""
        return np.flatnonzero(self._pairs.all.memory["touching"])

    def sides(self, pairs: Array) -> Array:
        """(n, 2) the shapes of sides 0 and 1 of rows of pairs."""
        return self._sides[pairs]

    def _touched(self) -> Array:
        filled = np.arange(MOST_POINTS) < self.table.pairs.rows["contacts"][:, None]
        return np.flatnonzero(filled)

    def go_on(self, before: GroundedWorlds) -> None:
        """Remember what touched in other worlds with the same table, whose rows these have taken over."""
        self._pairs, self._known = before._pairs, before._known
        self._impulses, self._frictions, self._worlds = before._impulses, before._frictions, before._worlds
        self.table.pairs.rows = self._pairs.all.rows

    def shown(self, pairs: Array) -> NDArray[np.bool_]:
        """Which pairs, rows of the table, are of something that is awake after the step, and so tell contacts."""
        own = self._worlds[self.table.pairs.shapes["world"][self._pairs.all.moving[pairs]]]
        return np.asarray(own["awake"] & ~own["falling"])

    def forget(self, worlds: Array) -> None:
        """Give up all that pairs of these worlds remember, and their contacts: they were set anew."""
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
        blocks = len(self.host)
        parts = min(-(-blocks // BLOCKS), cores())
        edges = [blocks * i // parts for i in range(parts + 1)]
        if parts == 1:
            self._run_part(0, blocks, steps, counts, which)
            return
        own = [threads().submit(self._run_part, *ends, steps, counts, which) for ends in itertools.pairwise(edges)]
        for part in own:
            part.result()

    def _run_part(self, first: int, last: int, steps: int, counts: Array, which: Array) -> None:
        if not hasattr(self._scratch, "own"):
            self._scratch.own = _Scratch(self._program, self.lanes, self.dtype, self._slots)
        for start in range(first, last, BLOCKS):
            end = min(start + BLOCKS, last)
            rows, own = self.host[start:end], self._scratch.own
            memory, held = own.memory[:end - start], own.held[:end - start]
            memory[:, :len(self.layout)] = rows
            for _ in range(steps):
                self._step_blocks(memory, held, start * self.lanes, counts, which)
            rows[:, :self._program.state_size] = memory[:, :self._program.state_size]

    def _step_blocks(self, memory: Array, held: Array, first_world: int, counts: Array, which: Array) -> None:
        pairs, known, worlds = self._pairs.all, self._known, self._worlds
        own = SlotBlocks(memory.reshape(-1), self.lanes, memory.shape[1], held)
        awake, looked_at = heed(own, first_world, self._resting, worlds, pairs, known.patches)
        if not looked_at:
            return
        before = memory[:, :self._program.state_size].copy() if awake < held[:, 0].size else None
        run_in_place(memory, [self._code.start], (1,), len(memory))
        self._fill(own, first_world, self._links, self._slots, pairs, self._pairs.colliders, known,
                   queue_of(self._pairs.of_link, self.lanes), self._resting, worlds)
        if len(counts) == 1:
            run_in_place(memory, self._code.rest, (1, *counts[0], 1), len(memory))
        else:
            self._finish_apart(memory, first_world, counts, which)
        drain(own, self._links, self._slots, known, self._impulses, self._frictions)
        if before is not None:
            stepped = self._of_lanes(worlds["awake"], first_world, len(memory))
            np.copyto(memory[:, :self._program.state_size], before, where=~stepped)

    def _of_lanes(self, values: Array, first_world: int, blocks: int) -> Array:
        """Values of worlds by the lanes of blocks, (blocks, 1, lanes); lanes without a world have that of the last."""
        return np.asarray(values[np.minimum(first_world + np.arange(blocks * self.lanes), self.count - 1)].reshape(
            blocks, 1, self.lanes))

    def _finish_apart(self, memory: Array, first_world: int, counts: Array, which: Array) -> None:
        """The rest of a step under counts that differ: all worlds take it under each, and keep that under their own."""
        blocks, before = len(memory), memory.copy()
        own = self._of_lanes(which, first_world, blocks)
        for i in np.unique(own):
            taken = before.copy()
            run_in_place(taken, self._code.rest, (1, *counts[i], 1), blocks)
            np.copyto(memory, taken, where=own == i)


class _Code:
    """The passes in the interpreter's words."""

    def __init__(self, program: SlotProgram, dtype: str, lanes: int) -> None:
        passes = (program.start, program.prepare, program.position, program.velocity, program.end)
        where = load_fragments((i.fragment for one in passes for i in one.instructions), dtype, lanes)
        row_bytes = lanes * np.dtype(dtype).itemsize

        def words(one: Schedule) -> Array:
            return np.array([*words_of(one.instructions, where, row_bytes), 0], np.int64)

        self.start, self.rest = words(program.start), [words(one) for one in passes[1:]]


class _Scratch:
    """Memory of a thread for some blocks."""

    def __init__(self, program: SlotProgram, lanes: int, dtype: str, slots: Array) -> None:
        self.memory = aligned((BLOCKS, program.size, lanes), dtype)
        self.held = np.full((BLOCKS, len(slots), lanes), -1, np.int64)
        self.memory[:, slots + 1 + UP] = 1.0        # a normal, where no patch has been yet


def _slots_of(pairs: FixedPairs) -> tuple[LinkSlots, ...]:
    table = pairs.table
    torsional = bool(table.torsion_radius.any() or table.min_torsion_radius.any())
    return tuple(LinkSlots(owner, link, int((pairs.of_link == i).sum()), points, torsional)
                 for i, ((owner, link), points) in enumerate(zip(pairs.links, pairs.points, strict=True)))


def _slot_rows(pairs: FixedPairs, program: SlotProgram) -> tuple[Array, Array]:
    links = np.zeros(len(pairs.links), SLOTS)
    for i, (row, (owner, link), slots) in enumerate(zip(links, pairs.links, program.slots, strict=True)):
        tree, own = program.plan.trees[owner], np.flatnonzero(pairs.of_link == i)
        row["owner"] = owner
        row["origin"], row["center"] = tree.at("origin", link).row, tree.at("place", link).row
        row["rotation"], row["points"] = tree.p.at("rotation", link).row, pairs.points[i]
        row["first"], row["end"] = own[0], own[-1] + 1
        first = slots[0]["used"].row + 1
        row["made"] = [slots[0][name].row - first for name in MADE]
    return links, np.array([slot["used"].row for slots in program.slots for slot in slots], np.int64)


def _known_of(pairs: FixedPairs) -> PairPatches:
    table, moving = pairs.table, pairs.all.moving
    rows, shapes = table.pairs.rows, table.pairs.shapes
    patches = np.zeros(len(rows), PATCH)
    patches["pair"] = np.arange(len(rows))
    other = np.where(rows["shape0"] == moving, rows["shape1"], rows["shape0"])
    patches["side0"], patches["side1"] = shapes["body"][moving], shapes["body"][other]
    surfaces, which = np.unique(surfaces_of(table, rows, patches["side0"], patches["side1"]), axis=0,
                                return_inverse=True)
    return PairPatches(patches, np.arange(len(rows) * MOST_POINTS, dtype=np.int32),
                        np.c_[table.places["position"], table.places["rotation"]], surfaces, which.ravel(),
                        table.friction_offset, table.correlation)
