"""Worlds of bodies and articulations that touch, each stepped with the contacts of its own."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.contact_table import ContactTable
from physx_runtime.collision.generation import generate
from physx_runtime.collision.patches import KINEMATIC, STATIC, Patches
from physx_runtime.collision.shape import CONTACT
from physx_runtime.model.island import IslandTopology
from physx_runtime.solver.contact.program import contact_program
from physx_runtime.worlds.buffer import Buffer
from physx_runtime.worlds.contact_step import ContactStep, WorldPatches
from physx_runtime.worlds.path import BY_JOINT

Array = NDArray[Any]


class ContactWorlds(Buffer):
    """Worlds of one structure whose colliders touch; their rows are those of an island of all actors.

    After a step `contacts` are those that it began with, `impulses` what each gave over it along its normal, `patches`
    those of one pair and one normal, and `frictions` what each of these gave.
    """

    near, path = True, BY_JOINT

    def __init__(self, t: IslandTopology, count: int, dtype: str, table: ContactTable) -> None:
        program = contact_program(t)
        super().__init__(count, dtype, 1, program.layout)
        self.table = table
        self.contacts: Array = np.zeros(0, CONTACT)
        self.impulses: Array = np.zeros(0)
        self.frictions: Array = np.zeros((0, 3))
        self._patches = Patches(table.friction_offset, table.correlation)
        self._frame_rows = self._find_frames()
        self._worlds = [ContactStep(program, dtype) for _ in range(count)]
        self._static = np.asarray(table.places["kind"] == STATIC)

    @property
    def patches(self) -> Array:
        """Of dtype PATCH, those of all worlds."""
        return self._patches.rows

    def step(self, steps: int, n: int, v: int) -> None:
        """Advance by steps of `n` position and `v` velocity iterations."""
        for _ in range(steps):
            self._step(n, v)

    def _step(self, n: int, v: int) -> None:
        pairs, frames = self.table.pairs, self._frames()
        self.contacts = generate(pairs, frames.astype(np.float32))
        self._patches.correlate(pairs.shapes, pairs.rows, pairs.touching, self.contacts, frames)
        patches = self._patches.rows
        self.impulses, self.frictions = np.zeros(len(self.contacts)), np.zeros((len(patches), 3))
        given = WorldPatches(self.table.places, patches, self._patches.contacts, self.contacts, self._surfaces(),
                             pairs.rows["rest"][patches["pair"]].astype(np.float64), frames, self._static)
        world_of = self.table.places["world"][patches["side0"]]
        for world, own in enumerate(self._worlds):
            own.step(self.host[world, :, 0], given, np.flatnonzero(world_of == world), n, v, self.impulses,
                     self.frictions)

    def _surfaces(self) -> Array:
        """How the surfaces of every patch answer each other, in the order of `model.contact.SURFACE`."""
        table, patches = self.table, self._patches.rows
        pair = table.pairs.rows[patches["pair"]]
        a, b = pair["shape0"], pair["shape1"]
        shapes, places = table.pairs.shapes, (patches["side0"], patches["side1"])
        found = table.surfaces[shapes["material"][a], shapes["material"][b]]
        columns = [found["static_friction"], found["dynamic_friction"], found["restitution"],
                   np.full(len(patches), table.bounce_threshold), found["stiffness"], found["damping"],
                   found["acceleration_spring"],
                   functools.reduce(np.minimum, (table.max_depenetration[side] for side in places)),
                   functools.reduce(np.minimum, (table.max_impulse[side] for side in places)),
                   np.maximum(table.torsion_radius[a], table.torsion_radius[b]),
                   np.maximum(table.min_torsion_radius[a], table.min_torsion_radius[b])]
        return np.stack(columns, axis=-1)

    def _find_frames(self) -> Array:
        """The rows of the frame of every place, (n_place, 7); -1 of what never moves."""
        rows = np.full((len(self.table.places), 7), -1)
        for i, place in enumerate(self.table.places):
            if place["kind"] == STATIC:
                continue
            prefix = f"kinematic{place['owner']}_" if place["kind"] == KINEMATIC else f"actor{place['owner']}_root_"
            rows[i] = [self.layout[f"{prefix}{name}_{x}"] for name, n in (("position", 3), ("rotation", 4))
                       for x in range(n)]
        return rows

    def _frames(self) -> Array:
        """Where every place is now, in the world."""
        places, moves = self.table.places, self._frame_rows[:, 0] >= 0
        frames = np.concatenate([places["position"], places["rotation"]], axis=1)
        frames[moves] = self.host[places["world"][moves][:, None], self._frame_rows[moves], 0]
        return frames
