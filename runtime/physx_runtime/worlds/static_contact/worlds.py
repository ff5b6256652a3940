"""Worlds of articulations that touch static shapes only: blocks of worlds share the bytecode of a step.

`StaticContactWorlds` has a fixed contact slot for each pair of a link and a static shape. `advance` steps its blocks.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.arrays import Array
from physx_runtime.collision.broad_phase.overlap import update_offsets
from physx_runtime.collision.friction_patch import ANCHORS, PATCH
from physx_runtime.collision.shapes import MANIFOLD_SIZE
from physx_runtime.collision.static_pairs import StaticPairs
from physx_runtime.compiling.numba_functions import entry_for
from physx_runtime.model.island import IslandTopology
from physx_runtime.solver.contact.solver_bodies import constants, pose_rows
from physx_runtime.solver.contact.static_slots import LinkSlots, SlotProgram, slot_program
from physx_runtime.targets.interpreter import (
    bytecode_of,
    cores,
    guards_of,
    interpreter,
    load_fragments,
    threads,
    vector_lanes,
    wait_for,
)
from physx_runtime.worlds.buffer import Buffer, aligned
from physx_runtime.worlds.contact.patches import surfaces_of
from physx_runtime.worlds.state_tracker import StateTracker
from physx_runtime.worlds.static_contact.advance import (
    FLAG_ROWS,
    LINK_SLOTS,
    NORMAL_Z,
    WAKE_STATE,
    BlockScratch,
    PairQueue,
    StepPrograms,
    make_advance,
    make_queue,
    wake_rows,
)
from physx_runtime.worlds.static_contact.plane_pairs import STORED_SIZE, PairPatches, PlanePairs, plane_pair_kinds
from physx_runtime.worlds.store import SCHEDULED

OUTPUT_ROWS = ("broken", "impulse", "tangents", "friction_impulse")


class StaticContactWorlds(Buffer):
    """Worlds in which only links and static shapes can touch.

    Either nothing sleeps, or each world has one articulation, whose sleep depends on itself alone.
    The attributes for contacts are those of `ContactWorlds`.
    """

    is_host_memory, path = True, SCHEDULED

    def __init__(self, t: IslandTopology, count: int, dtype: str, pairs: StaticPairs) -> None:
        table, self._pair_patches = pairs.table, _make_pair_patches(pairs)
        sleeping = any(actor.sleeping for actor in t.actors)
        program = slot_program(t, _link_slots(pairs, {} if sleeping else plane_pair_kinds(pairs, self._pair_patches)))
        super().__init__(count, dtype, vector_lanes(program.size, dtype), program.layout)
        self.table, self._pairs, self._program = table, pairs, program
        pair_count = len(table.pairs.rows)
        self._impulses, self._frictions = np.zeros(pair_count * MANIFOLD_SIZE), np.zeros((pair_count, ANCHORS, 3))
        stored = aligned((len(self.host), len(program.plane_rows), STORED_SIZE, self.block_size), dtype)
        self._plane_pairs = PlanePairs(pairs, self._pair_patches, program, count, stored)
        self._constants = constants(program.plan, table.mass_frames)
        self._code = _Code(program, dtype, self.block_size)
        self._links, self._slots = _slot_rows(pairs, program)
        self._solver_shapes = table.pairs.solver_shapes(np.arange(pair_count))
        self._advance = make_advance(pairs.kinds)
        self._entry: Callable[..., Any] | None = None       # its compiled step, known from the first step on
        self._wake_rows = wake_rows(program, pairs.links)
        self._state_tracker = StateTracker(program.plan, program.layout, self.host)
        self._wake_states = np.zeros(count, WAKE_STATE)
        self._wake_states["awake"] = True
        self._scratch = threading.local()

    # --- what touched --------------------------------------------------------------------------------------------

    @property
    def contacts(self) -> Array:
        """The contacts that the last step began with, of dtype CONTACT."""
        self._update_records()
        return self._pairs.all.contacts[self._contact_indices()]

    @property
    def impulses(self) -> Array:
        """(n_contact,) the normal impulse of each contact over the step."""
        self._update_records()
        return self._impulses[self._contact_indices()]

    @property
    def patches(self) -> Array:
        """The contact patches of all worlds, of dtype PATCH."""
        self._update_records()
        return self._pair_patches.patches[self.table.pairs.rows["contacts"] > 0]

    @property
    def frictions(self) -> Array:
        """(n_patch, ANCHORS, 3) the friction impulses of the anchors of each patch."""
        self._update_records()
        return self._frictions[self.table.pairs.rows["contacts"] > 0]

    @property
    def centers(self) -> Array:
        """(n_body, 7) frames of the centres of mass that the step began with, indexed by the sides of patches."""
        self._update_records()
        return self._pair_patches.centers

    @property
    def touching(self) -> Array:
        """Rows of the pairs that touch, also in sleeping worlds."""
        return np.flatnonzero(self._pairs.all.memory["touching"])

    def solver_shapes(self, pairs: Array) -> Array:
        """(n, 2) the shapes of sides 0 and 1 of rows of pairs."""
        return self._solver_shapes[pairs]

    def _update_records(self) -> None:
        self._plane_pairs.write_records(self._impulses, self._frictions)

    def _contact_indices(self) -> Array:
        filled = np.arange(MANIFOLD_SIZE) < self.table.pairs.rows["contacts"][:, None]
        return np.flatnonzero(filled)

    def has_pairs_of(self, previous: StaticContactWorlds) -> bool:
        """Whether other worlds have the same pairs of shapes."""
        rows, other = self._pairs.all.rows, previous._pairs.all.rows
        return len(rows) == len(other) and all(np.array_equal(rows[name], other[name]) for name in ("shape0", "shape1"))

    def continue_from(self, previous: StaticContactWorlds) -> None:
        """Take over the contacts of other worlds with the same pairs, after their rows were copied."""
        previous._update_records()
        for target, source in ((self._pairs.all.rows, previous._pairs.all.rows),
                               (self._pairs.all.memory, previous._pairs.all.memory),
                               (self._pairs.all.contacts, previous._pairs.all.contacts),
                               (self._pair_patches.patches, previous._pair_patches.patches),
                               (self._impulses, previous._impulses),
                               (self._frictions, previous._frictions), (self._wake_states, previous._wake_states)):
            target[:] = source
        update_offsets(self._pairs.all.rows, self.table.pairs.shapes)
        self._plane_pairs.load_records()
        self._state_tracker.continue_from(previous._state_tracker)

    def reported_pairs(self, pairs: Array) -> NDArray[np.bool_]:
        """Which pairs, rows of the table, report contacts: those of worlds that are awake after the step."""
        states = self._wake_states[self.table.pairs.shapes["world"][self._pairs.all.moving[pairs]]]
        return np.asarray(states["awake"] & ~states["falling_asleep"])

    def forget(self, worlds: Array) -> None:
        """Clear the manifolds, friction anchors and contacts of worlds that were reset."""
        self._plane_pairs.forget(worlds)
        self._state_tracker.forget(worlds)
        self._pair_patches.patches["anchors"][self._pairs.forget(worlds)] = 0
        self._wake_states["awake"][worlds], self._wake_states["falling_asleep"][worlds] = True, False

    # --- stepping ------------------------------------------------------------------------------------------------

    def step(self, steps: int, n: int, v: int) -> None:
        """Advance by steps of `n` position and `v` velocity iterations."""
        self._run(steps, np.array([[n, v]]), np.zeros(self.count, np.int64))

    def step_under(self, counts: Array) -> None:
        """Advance by a step, each world under its own position and velocity iterations, (n_world, 2)."""
        unique_counts, count_index = np.unique(counts, axis=0, return_inverse=True)
        self._run(1, unique_counts, count_index.ravel())

    def _run(self, steps: int, counts: Array, count_index: Array) -> None:
        if steps < 1:
            return
        self._plane_pairs.stale = True
        self._run_threads(steps, counts, count_index, self._state_tracker.begin(self.host))
        self._state_tracker.end(self.host)

    def _run_threads(self, steps: int, counts: Array, count_index: Array, stepped: Array) -> None:
        blocks = len(self.host)
        parts = min(blocks, cores())
        edges = [blocks * i // parts for i in range(parts + 1)]
        if parts == 1:
            self._run_blocks(0, blocks, steps, counts, count_index, stepped)
            return
        wait_for([threads().submit(self._run_blocks, *ends, steps, counts, count_index, stepped)
                  for ends in itertools.pairwise(edges)])

    def _run_blocks(self, first: int, last: int, steps: int, counts: Array, count_index: Array, stepped: Array) -> None:
        if not hasattr(self._scratch, "room") or len(self._scratch.room.saved_rows) < 2 * (len(counts) > 1):
            self._scratch.room = _make_scratch(self._program, self.block_size, self.dtype, self._slots,
                                               make_queue(self._pairs.of_link, self.block_size), self._code.scratch(),
                                               len(counts) > 1)
            self._scratch.room.rows[self._constants[0]] = self._constants[1][:, None]
            self._plane_pairs.set_up(self._scratch.room.rows)
        arguments = (self.host, first, last, steps, self._program.state_size, self._code.passes(counts), count_index,
                     self._scratch.room, self._links, self._slots, self._pairs.all, self._pairs.colliders,
                     self._pair_patches,
                     self._wake_rows, self._wake_states, self._plane_pairs.rows, self._state_tracker.rows, stepped,
                     self._impulses,
                     self._frictions)
        if self._entry is None:
            self._entry = entry_for(self._advance, *arguments)
        self._entry(*arguments)


POSITION = 2            # of the passes


class _Code:
    """The passes of a step as bytecode."""

    def __init__(self, program: SlotProgram, dtype: str, block_size: int) -> None:
        passes = (program.start, program.prepare, program.position, program.velocity, program.end)
        fragment_addresses = load_fragments((i.fragment for schedule in passes for i in schedule.instructions), dtype,
                                            block_size)
        row_bytes = block_size * np.dtype(dtype).itemsize
        self._words = [np.array([*bytecode_of(schedule.instructions, fragment_addresses, row_bytes), 0], np.int64)
                       for schedule in passes]
        self._addresses = np.array([words.ctypes.data for words in self._words], np.int64)
        self._guards = guards_of(program.position.instructions)
        self._cache: dict[bytes, StepPrograms] = {}

    def scratch(self) -> tuple[Array, Array]:
        """Memory for the words of a block's position iterations, and the addresses of the passes that use it."""
        words, remainder = np.empty_like(self._words[POSITION]), self._addresses[1:].copy()
        remainder[POSITION - 1] = words.ctypes.data
        return words, remainder

    def passes(self, counts: Array) -> StepPrograms:
        """The passes for these position and velocity iterations, (n, 2)."""
        key = counts.tobytes()
        if key not in self._cache:
            once = np.ones((len(counts), 1), np.int64)
            self._cache[key] = StepPrograms(interpreter(), self._addresses[:1], once[0], self._addresses[1:],
                                            np.hstack([once, counts.astype(np.int64), once]), self._words[POSITION],
                                            self._guards)
        return self._cache[key]


def _make_scratch(program: SlotProgram, block_size: int, dtype: str, slots: Array, queue: PairQueue,
                  words: tuple[Array, Array],
                  counts_differ: bool) -> BlockScratch:
    rows = aligned((program.size, block_size), dtype)
    rows[slots + FLAG_ROWS + NORMAL_Z] = 1.0              # a unit normal, before the first patch
    return BlockScratch(rows, np.full((len(slots), block_size), -1, np.int64), queue,
                        np.empty((program.state_size, block_size), dtype),
                        np.empty((2 * counts_differ, *rows.shape), dtype), *words)


def _link_slots(pairs: StaticPairs, on_planes: Mapping[int, int]) -> tuple[LinkSlots, ...]:
    table = pairs.table
    torsional = bool(table.torsion_radius.any() or table.min_torsion_radius.any())
    return tuple(LinkSlots(owner, link, int((pairs.of_link == i).sum()), points, torsional, on_planes.get(i))
                 for i, ((owner, link), points) in enumerate(zip(pairs.links, pairs.points, strict=True)))


def _slot_rows(pairs: StaticPairs, program: SlotProgram) -> tuple[Array, Array]:
    links = np.zeros(len(pairs.links), LINK_SLOTS)
    for i, (row, (owner, link), slots) in enumerate(zip(links, pairs.links, program.slots, strict=True)):
        tree, pair_indices = program.plan.trees[owner], np.flatnonzero(pairs.of_link == i)
        row["owner"] = owner
        row["pose"], row["center"] = pose_rows(tree.p, link).row, tree.at("center_position", link).row
        row["rotation"], row["points"] = tree.p.at("rotation", link).row, pairs.points[i]
        row["first"], row["end"] = pair_indices[0], pair_indices[-1] + 1
        first = slots[0]["used"].row + FLAG_ROWS
        row["is_plane_pair"] = i in program.plane_rows
        row["output_offsets"] = [slots[0][name].row - first for name in OUTPUT_ROWS]
    return links, np.array([slot["used"].row for slots in program.slots for slot in slots], np.int64)


def _make_pair_patches(pairs: StaticPairs) -> PairPatches:
    table, moving = pairs.table, pairs.all.moving
    rows, shapes = table.pairs.rows, table.pairs.shapes
    patches = np.zeros(len(rows), PATCH)
    patches["pair"] = np.arange(len(rows))
    other = np.where(rows["shape0"] == moving, rows["shape1"], rows["shape0"])
    patches["body0"], patches["body1"] = shapes["body"][moving], shapes["body"][other]
    surfaces, surface_of = np.unique(surfaces_of(table, patches), axis=0, return_inverse=True)
    return PairPatches(patches, np.arange(len(rows) * MANIFOLD_SIZE, dtype=np.int32),
                        np.c_[table.bodies["position"], table.bodies["rotation"]], surfaces, surface_of.ravel(),
                        table.friction_offset, table.correlation)
