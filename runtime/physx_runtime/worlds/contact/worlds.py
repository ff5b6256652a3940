"""Worlds whose actors touch each other.

Worlds of bodies and articulations that touch, each stepped with the contacts of its own.

Worlds with contacts, however they are stepped.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.friction_patch import ANCHORS, KINEMATIC, LINK, STATIC, Patches
from physx_runtime.collision.pair_table import ContactTable, PairTable, generate
from physx_runtime.collision.shapes import CONTACT, NO_OWNER
from physx_runtime.compiling.numba_functions import borrowing_entry
from physx_runtime.model.island import IslandTopology
from physx_runtime.solver.contact.program import contact_program
from physx_runtime.solver.contact.solver_bodies import constants, pose_rows
from physx_runtime.solver.island.plan import IslandPlan
from physx_runtime.worlds.buffer import Buffer, rows_by_world
from physx_runtime.worlds.contact.bytecode import Code
from physx_runtime.worlds.contact.islands import IslandManager, WakeStateWriter
from physx_runtime.worlds.contact.patches import Structures, surfaces_of
from physx_runtime.worlds.contact.step import ContactStep, WorldPatches
from physx_runtime.worlds.state_tracker import StateTracker
from physx_runtime.worlds.static_contact.worlds import StaticContactWorlds
from physx_runtime.worlds.store import BY_JOINT

Array = NDArray[Any]


class ContactWorlds(Buffer):
    """Worlds of one structure whose colliders touch; their rows are those of an island of all actors.

    After a step `contacts` are those that it began with, `impulses` what each gave over it along its normal, `patches`
    those of one pair and one normal, `frictions` what the anchors of each gave, and by place `poses` the frames that
    shapes were placed in, float32, and `centers` those of the centres of mass, in which the anchors are.
    """

    near, path = True, BY_JOINT

    def __init__(self, t: IslandTopology, count: int, dtype: str, table: ContactTable) -> None:
        links = table.places[table.places["kind"] == LINK]
        touching = sorted({(int(place["owner"]), int(place["link"])) for place in links})
        program = contact_program(t, tuple(touching), tuple(sorted(_selves(table))))
        super().__init__(count, dtype, 1, program.layout)
        self.table = table
        self.contacts: Array = np.zeros(0, CONTACT)
        self.impulses: Array = np.zeros(0)
        self.frictions: Array = np.zeros((0, ANCHORS, 3))
        self.poses: Array = np.zeros((0, 7), np.float32)
        self.centers: Array = np.zeros((0, 7))
        self._patches = Patches(table.friction_offset, table.correlation)
        self._frames = Frames(program.plan, table.places, count)
        code = Code(program, dtype)
        known = Structures(program, code, touching, table.places)
        self._worlds = [ContactStep(program, code, known, dtype) for _ in range(count)]
        rows, values = constants(program.plan, table.mass_frames)
        for own in self._worlds:
            own.memory[rows] = values
        self._told = WakeStateWriter(program, table.places, count)
        self._state_tracker = StateTracker(program.plan, program.layout, self.host)
        self.resting = IslandManager(t, count, program.layout, table.places, table.pairs.shapes)
        self._frames_known = False      # whether the memory of every world has the frames of what sleeps

    @property
    def patches(self) -> Array:
        """Of dtype PATCH, those of all worlds."""
        return self._patches.rows

    @property
    def touching(self) -> Array:
        """Rows of the pairs that touch, also of what rests."""
        return self.table.pairs.touching

    def sides(self, pairs: Array) -> Array:
        """(n, 2) the shapes of sides 0 and 1 of rows of pairs."""
        return self.table.pairs.sides(pairs)

    def go_on(self, before: ContactWorlds) -> None:
        """Remember what touched in other worlds with the same shapes, whose rows these have taken over."""
        self.table.pairs.go_on(before.table.pairs)
        self.contacts, self.impulses, self.frictions, self.centers = (
            before.contacts, before.impulses, before.frictions, before.centers)
        self._patches.go_on(before._patches)
        self.resting.go_on(before.resting)
        self._state_tracker.go_on(before._state_tracker)
        self._frames_known = False

    def step(self, steps: int, n: int, v: int) -> None:
        """Advance by steps of `n` position and `v` velocity iterations."""
        for _ in range(steps):
            self.step_under(np.full((self.count, 2), (n, v)))

    def forget(self, worlds: Array) -> None:
        """Give up all that pairs of these worlds remember, and their contacts: they were set anew."""
        shapes = self.table.pairs.shapes["world"]
        pair = self.table.pairs.rows[self.contacts["pair"]]
        kept = ~np.isin(np.maximum(shapes[pair["shape0"]], shapes[pair["shape1"]]), worlds)
        self.contacts, self.impulses = self.contacts[kept], self.impulses[kept]
        self.frictions = self.frictions[~np.isin(self.table.places["world"][self.patches["side0"]], worlds)]
        self.resting.forget(worlds)
        self._state_tracker.forget(worlds)
        self._patches.forget(worlds, self.table.places)
        self.table.pairs.forget(worlds)

    def step_under(self, counts: Array) -> None:
        """Advance by a step, each world under its own position and velocity iterations, (n_world, 2)."""
        pairs, rows, resting = self.table.pairs, self.host[:, :, 0], self.resting
        self._lie_still(resting.laid_still())
        if not resting.begin(rows):
            self._take(np.zeros(0, CONTACT))
            return
        begun = resting.awake | resting.fresh | (not self._frames_known)
        self._frames_known = True
        stepped = self._state_tracker.begin(self.host)[:, :, 0]
        for world, own in enumerate(self._worlds):
            own.load(rows[world])
            own.memory[self._state_tracker.rows] = stepped[world]
            own.begin(begun[world])
        self.poses, self.centers = self._frames.read([own.memory for own in self._worlds])
        before = resting.touched(pairs)
        contacts = generate(pairs, self.poses, self._looked_at)
        resting.meet(pairs, before)
        self._patches.correlate(pairs.shapes, pairs.rows, pairs.touching, contacts, self.centers)
        self._take(contacts)
        self._finish(resting.awake & ~begun, counts)
        self._state_tracker.end(self.host)

    def shown(self, pairs: Array) -> NDArray[np.bool_]:
        """Which pairs, rows of the table, are of something that is awake after the step, and so tell contacts."""
        return self.resting.shown(pairs)

    def _looked_at(self, pairs: PairTable) -> NDArray[np.bool_]:
        found = self.resting.place(pairs)
        self._lie_still(np.flatnonzero(~found & (pairs.rows["contacts"] > 0)))
        return found

    def _lie_still(self, pairs: Array) -> None:
        """Have pairs at rest lose what they remember, but for that they touch."""
        if len(pairs):
            self.table.pairs.lie_still(pairs)
            self._patches.give_up(pairs)

    def _take(self, contacts: Array) -> None:
        self.contacts, self.impulses = contacts, np.zeros(len(contacts))
        self.frictions = np.zeros((len(self.patches), ANCHORS, 3))

    def _finish(self, woken: Array, counts: Array) -> None:
        """Step the worlds in which something is awake; woken: (n_world, n_actor) who woke by a touch of this step."""
        pairs, places, patches, resting = self.table.pairs, self.table.places, self.patches, self.resting
        given = WorldPatches(places, patches, self._patches.contacts, self.contacts, pairs.rows,
                             surfaces_of(self.table, patches), self.centers, self._frames.static, self.impulses,
                             self.frictions)
        of_worlds = self._by_world(np.flatnonzero(resting.solved(patches["pair"])))
        held = resting.pairs_held(pairs)
        for world in np.flatnonzero(resting.awake.any(axis=1)).tolist():
            own = self._worlds[world]
            if woken[world].any():
                own.begin(woken[world])
            self._told.write(own.memory, world, resting.falling[world], resting.loosened[world], held)
            own.finish(self.host[world, :, 0], given, of_worlds[world], resting.awake[world],
                       *map(int, counts[world]))

    def _by_world(self, patches: Array) -> list[Array]:
        """Some of the patches, world by world."""
        if self.count == 1:
            return [patches]
        worlds = self.table.places["world"][self.patches["side0"][patches]]
        return [patches[own] for own in rows_by_world(worlds, self.count)]


def _selves(table: ContactTable) -> set[int]:
    """The articulations that collide with themselves."""
    shapes = table.pairs.shapes
    places = table.places[shapes["body"][shapes["owner"] == NO_OWNER]]
    return {int(owner) for owner in places["owner"][places["kind"] == LINK]}


class Frames:
    """Where every place of a table is in the memory of its world."""

    def __init__(self, p: IslandPlan, places: Array, count: int) -> None:
        self.static = np.asarray(places["kind"] == STATIC)
        self._still = np.concatenate([places["position"], places["rotation"]], axis=1)
        moving, worlds = np.flatnonzero(~self.static), places["world"][~self.static]
        found = [_frame_rows(p, int(place["kind"]), int(place["owner"]), int(place["link"]))
                 for place in places[~self.static]]
        rows = np.array(found, np.int64).reshape(len(found), 4)
        self._of_worlds = [(moving[own], rows[own]) for own in rows_by_world(worlds, count)]

    def read(self, memories: list[Array]) -> tuple[Array, Array]:
        """(n_place, 7) each: the frames that shapes are placed in, float32, and those of the centres of mass."""
        poses, centers = self._still.astype(np.float32), self._still.copy()
        for memory, (moving, rows) in zip(memories, self._of_worlds, strict=True):
            _read(memory, moving, rows, poses, centers)
        return poses, centers


@borrowing_entry
def _read(memory: Any, moving: Any, rows: Any, poses: Any, centers: Any) -> None:
    for i in range(len(moving)):
        pose, center, own = poses[moving[i]], centers[moving[i]], rows[i]
        for k in range(3):
            pose[k], center[k] = memory[own[0] + k], memory[own[2] + k]
        for k in range(4):
            pose[3 + k], center[3 + k] = memory[own[1] + k], memory[own[3] + k]


def _frame_rows(p: IslandPlan, kind: int, owner: int, link: int) -> tuple[int, int, int, int]:
    """The rows of place and rotation of the frame that shapes are in, and of those of F at the centre of mass."""
    if kind == LINK:
        tree, pose = p.trees[owner], pose_rows(p.trees[owner].p, link).row
        return pose, pose + 3, tree.at("place", link).row, tree.p.at("rotation", link).row
    layout, prefix = (p.kinematic[owner], "") if kind == KINEMATIC else (p.bodies[owner].layout, "root_")
    frame = layout[f"{prefix}position"].row, layout[f"{prefix}rotation"].row
    return *frame, *frame


ContactStore = ContactWorlds | StaticContactWorlds


def go_on(own: object, before: object) -> bool:
    """Have worlds remember what touched in others; return False where these have other pairs or keep them otherwise."""
    if isinstance(own, ContactWorlds) and isinstance(before, ContactWorlds):
        own.go_on(before)
        return True
    if isinstance(own, StaticContactWorlds) and isinstance(before, StaticContactWorlds) and own.has_pairs_of(before):
        own.go_on(before)
        return True
    return False
