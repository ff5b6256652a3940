"""Worlds with contacts between actors, each stepped with its own contact patches.

`ContactWorlds` runs collision, islands and the solver of each world. `BodyFrames` reads the poses of bodies from the
memory of worlds. `continue_from` carries contacts over to new worlds of the same pairs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from physx_runtime.arrays import Array
from physx_runtime.collision.friction_patch import ANCHORS, Patches
from physx_runtime.collision.pair_table import ContactTable, PairTable, generate
from physx_runtime.collision.shapes import CONTACT, NO_OWNER
from physx_runtime.compiling.numba_functions import borrowing_entry
from physx_runtime.model.body_kind import KINEMATIC, LINK, STATIC, BodyKind
from physx_runtime.model.island import IslandTopology
from physx_runtime.solver.contact.program import contact_program
from physx_runtime.solver.contact.solver_bodies import constants, pose_rows
from physx_runtime.solver.island.plan import IslandPlan
from physx_runtime.worlds.buffer import Buffer, rows_by_world
from physx_runtime.worlds.contact.bytecode import Code
from physx_runtime.worlds.contact.islands import IslandManager, WakeStateWriter
from physx_runtime.worlds.contact.patches import PatchStructures, surfaces_of
from physx_runtime.worlds.contact.step import ContactStep, WorldPatches
from physx_runtime.worlds.state_tracker import StateTracker
from physx_runtime.worlds.static_contact.worlds import StaticContactWorlds
from physx_runtime.worlds.store import SCHEDULED


class ContactWorlds(Buffer):
    """Worlds of one structure whose colliders touch; their rows are those of an island of all actors.

    After a step `contacts` are those that it began with, and `impulses` their normal impulses. `patches` are the
    contact patches, and `frictions` the friction impulses of their anchors. By body, `poses` are the
    float32 frames of shapes, and `centers` the frames of the centres of mass, in which anchors are.
    """

    is_host_memory, path = True, SCHEDULED

    def __init__(self, t: IslandTopology, count: int, dtype: str, table: ContactTable) -> None:
        links = table.bodies[table.bodies["kind"] == LINK]
        link_keys = sorted({(int(body["owner"]), int(body["link"])) for body in links})
        program = contact_program(t, tuple(link_keys), tuple(sorted(_self_colliding(table))))
        super().__init__(count, dtype, 1, program.layout)
        self.table = table
        self.contacts: Array = np.zeros(0, CONTACT)
        self.impulses: Array = np.zeros(0)
        self.frictions: Array = np.zeros((0, ANCHORS, 3))
        self.poses: Array = np.zeros((0, 7), np.float32)
        self.centers: Array = np.zeros((0, 7))
        self._patches = Patches(table.friction_offset, table.correlation)
        self._frames = BodyFrames(program.plan, table.bodies, count)
        code = Code(program, dtype)
        tables = PatchStructures(program, code, link_keys, table.bodies)
        self._steps = [ContactStep(program, code, tables, dtype) for _ in range(count)]
        rows, values = constants(program.plan, table.mass_frames)
        for step in self._steps:
            step.memory[rows] = values
        self._wake_state_writer = WakeStateWriter(program, table.bodies, count)
        self._state_tracker = StateTracker(program.plan, program.layout, self.host)
        self.islands = IslandManager(t, count, program.layout, table.bodies, table.pairs.shapes)
        self._frames_valid = False      # whether the memory of every world has the frames of sleeping actors

    @property
    def patches(self) -> Array:
        """The contact patches of all worlds, of dtype PATCH."""
        return self._patches.rows

    @property
    def touching(self) -> Array:
        """Rows of the pairs that touch, also of sleeping actors."""
        return self.table.pairs.touching

    def solver_shapes(self, pairs: Array) -> Array:
        """(n, 2) the shapes of sides 0 and 1 of rows of pairs."""
        return self.table.pairs.solver_shapes(pairs)

    def continue_from(self, previous: ContactWorlds) -> None:
        """Take over the contacts of other worlds with the same shapes, after their rows were copied."""
        self.table.pairs.continue_from(previous.table.pairs)
        self.contacts, self.impulses, self.frictions, self.centers = (
            previous.contacts, previous.impulses, previous.frictions, previous.centers)
        self._patches.continue_from(previous._patches)
        self.islands.continue_from(previous.islands)
        self._state_tracker.continue_from(previous._state_tracker)
        self._frames_valid = False

    def step(self, steps: int, n: int, v: int) -> None:
        """Advance by steps of `n` position and `v` velocity iterations."""
        for _ in range(steps):
            self.step_under(np.full((self.count, 2), (n, v)))

    def forget(self, worlds: Array) -> None:
        """Clear the manifolds, friction anchors and contacts of worlds that were reset."""
        shapes = self.table.pairs.shapes["world"]
        pair = self.table.pairs.rows[self.contacts["pair"]]
        remaining = ~np.isin(np.maximum(shapes[pair["shape0"]], shapes[pair["shape1"]]), worlds)
        self.contacts, self.impulses = self.contacts[remaining], self.impulses[remaining]
        self.frictions = self.frictions[~np.isin(self.table.bodies["world"][self.patches["body0"]], worlds)]
        self.islands.forget(worlds)
        self._state_tracker.forget(worlds)
        self._patches.forget(worlds, self.table.bodies)
        self.table.pairs.forget(worlds)

    def step_under(self, counts: Array) -> None:
        """Advance by a step, each world under its own position and velocity iterations, (n_world, 2)."""
        pairs, rows, islands = self.table.pairs, self.host[:, :, 0], self.islands
        self._clear_manifolds(islands.deactivated_pairs())
        if not islands.begin(rows):
            self._set_contacts(np.zeros(0, CONTACT))
            return
        starting = islands.awake | islands.was_awake | (not self._frames_valid)
        self._frames_valid = True
        stepped = self._state_tracker.begin(self.host)[:, :, 0]
        for world, step in enumerate(self._steps):
            step.load(rows[world])
            step.memory[self._state_tracker.rows] = stepped[world]
            step.begin(starting[world])
        self.poses, self.centers = self._frames.read([step.memory for step in self._steps])
        touches_before = islands.read_touches(pairs)
        contacts = generate(pairs, self.poses, self._active_pairs)
        islands.update_wake_states(pairs, touches_before)
        self._patches.correlate(pairs.shapes, pairs.rows, pairs.touching, contacts, self.centers)
        self._set_contacts(contacts)
        self._finish(islands.awake & ~starting, counts)
        self._state_tracker.end(self.host)

    def reported_pairs(self, pairs: Array) -> NDArray[np.bool_]:
        """Which pairs, rows of the table, report contacts: those of an actor that is awake after the step."""
        return self.islands.reported_pairs(pairs)

    def _active_pairs(self, pairs: PairTable) -> NDArray[np.bool_]:
        active = self.islands.find_active_pairs(pairs)
        self._clear_manifolds(np.flatnonzero(~active & (pairs.rows["contacts"] > 0)))
        return active

    def _clear_manifolds(self, pairs: Array) -> None:
        """Clear the manifolds and friction anchors of sleeping pairs, which keep touching."""
        if len(pairs):
            self.table.pairs.clear_manifolds(pairs)
            self._patches.drop(pairs)

    def _set_contacts(self, contacts: Array) -> None:
        self.contacts, self.impulses = contacts, np.zeros(len(contacts))
        self.frictions = np.zeros((len(self.patches), ANCHORS, 3))

    def _finish(self, woken: Array, counts: Array) -> None:
        """Step the worlds with awake actors; woken: (n_world, n_actor) actors that a contact of this step woke."""
        pairs, bodies, patches, islands = self.table.pairs, self.table.bodies, self.patches, self.islands
        world_patches = WorldPatches(bodies, patches, self._patches.contacts, self.contacts, pairs.rows,
                                     surfaces_of(self.table, patches), self.centers, self._frames.static, self.impulses,
                                     self.frictions)
        patches_by_world = self._by_world(np.flatnonzero(islands.solved_pairs(patches["pair"])))
        pair_counts = islands.pair_counts(pairs)
        for world in np.flatnonzero(islands.awake.any(axis=1)).tolist():
            step = self._steps[world]
            if woken[world].any():
                step.begin(woken[world])
            self._wake_state_writer.write(step.memory, world, islands.falling_asleep[world],
                                          islands.static_touch_lost[world], pair_counts)
            step.finish(self.host[world, :, 0], world_patches, patches_by_world[world], islands.awake[world],
                        *map(int, counts[world]))

    def _by_world(self, patches: Array) -> list[Array]:
        """Indices of these patches by world."""
        if self.count == 1:
            return [patches]
        worlds = self.table.bodies["world"][self.patches["body0"][patches]]
        return [patches[rows] for rows in rows_by_world(worlds, self.count)]


def _self_colliding(table: ContactTable) -> set[int]:
    """The articulations that collide with themselves."""
    shapes = table.pairs.shapes
    bodies = table.bodies[shapes["body"][shapes["owner"] == NO_OWNER]]
    return {int(owner) for owner in bodies["owner"][bodies["kind"] == LINK]}


class BodyFrames:
    """Reads the frames of bodies of a ContactTable from the memory of their worlds."""

    def __init__(self, p: IslandPlan, bodies: Array, count: int) -> None:
        self.static = np.asarray(bodies["kind"] == STATIC)
        self._static_frames = np.concatenate([bodies["position"], bodies["rotation"]], axis=1)
        moving, worlds = np.flatnonzero(~self.static), bodies["world"][~self.static]
        frame_rows = [_frame_rows(p, BodyKind(body["kind"]), int(body["owner"]), int(body["link"]))
                      for body in bodies[~self.static]]
        rows = np.array(frame_rows, np.int64).reshape(len(frame_rows), 4)
        self._rows_by_world = [(moving[indices], rows[indices]) for indices in rows_by_world(worlds, count)]

    def read(self, memories: list[Array]) -> tuple[Array, Array]:
        """Two arrays (n_body, 7): the float32 frames of shapes, and the frames of the centres of mass."""
        poses, centers = self._static_frames.astype(np.float32), self._static_frames.copy()
        for memory, (moving, rows) in zip(memories, self._rows_by_world, strict=True):
            _read(memory, moving, rows, poses, centers)
        return poses, centers


@borrowing_entry
def _read(memory: Array, moving: Array, rows: Array, poses: Array, centers: Array) -> None:
    for i in range(len(moving)):
        pose, center, row = poses[moving[i]], centers[moving[i]], rows[i]
        for k in range(3):
            pose[k], center[k] = memory[row[0] + k], memory[row[2] + k]
        for k in range(4):
            pose[3 + k], center[3 + k] = memory[row[1] + k], memory[row[3] + k]


def _frame_rows(p: IslandPlan, kind: BodyKind, owner: int, link: int) -> tuple[int, int, int, int]:
    """The rows of position and rotation of the frame of shapes, and of F at the centre of mass."""
    if kind == LINK:
        tree, pose = p.trees[owner], pose_rows(p.trees[owner].p, link).row
        return pose, pose + 3, tree.at("center_position", link).row, tree.p.at("rotation", link).row
    layout, prefix = (p.kinematic[owner], "") if kind == KINEMATIC else (p.bodies[owner].layout, "root_")
    frame = layout[f"{prefix}position"].row, layout[f"{prefix}rotation"].row
    return *frame, *frame


ContactStore = ContactWorlds | StaticContactWorlds


def continue_from(worlds: object, previous: object) -> bool:
    """Take over the contacts of previous worlds; return False where these have other pairs or another store."""
    if isinstance(worlds, ContactWorlds) and isinstance(previous, ContactWorlds):
        worlds.continue_from(previous)
        return True
    if isinstance(worlds, StaticContactWorlds) and isinstance(previous,
                                                              StaticContactWorlds) and worlds.has_pairs_of(previous):
        worlds.continue_from(previous)
        return True
    return False
