"""Frames of joints outside articulations are PhysX's single-precision ones, those of the ideal solver exact."""

from __future__ import annotations

import numpy as np
from physx_runtime.packing.island import PackedIsland, islands_of
from physx_runtime.packing.scene import scene_model
from support.chance.jointed_scenes import jointed_scene
from support.stages.robots import opened

from physx_schema.description import describe

SEED = 3        # a tree of free bodies with masses of their own
NAMES = [f"frame{k}_{part}" for k in (0, 1) for part in ("position", "rotation")]


def packed(solver: str) -> PackedIsland:
    description = describe(opened(jointed_scene(SEED)))
    model = scene_model(description, [body for body in description.bodies if not body.kinematic])
    return islands_of(description, model, solver)[0]


def frames(island: PackedIsland) -> np.ndarray:
    return np.concatenate([island.parameters[f"joint{j}_{name}"].ravel()
                           for j in range(len(island.joints)) for name in NAMES])


def test_frames_are_numbers_of_single_precision() -> None:
    found = frames(packed("physx"))
    assert np.array_equal(found, found.astype(np.float32).astype(np.float64))


def test_frames_of_the_ideal_solver_are_exact() -> None:
    exact, rounded = frames(packed("ideal")), frames(packed("physx"))
    assert not np.array_equal(exact, exact.astype(np.float32).astype(np.float64))
    assert 0.0 < np.abs(exact - rounded).max() < 3e-7
