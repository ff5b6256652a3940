"""Rigid bodies and links that touch move as recorded from real PhysX, and touch where they did there."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from physx_runtime import NotSimulatedWarning, Recording, Scene, simulate
from support.physx.processor import CLIPPED, elsewhere
from support.physx.recorded_scenes import LINKS_TOUCHING, TOUCHING, apart, recorded

from physx_schema.description import describe

IMPULSE = 1e-3      # of the largest impulse of a step
PLACE = elsewhere(1e-5, CLIPPED)    # m
EDGES = {"box_on_static_box": elsewhere(1.0, 3.0)}      # times its tolerance, of what stands on clipped edges


def motion(stage: Path, dt: float, steps: int, dtype: str = "float32") -> Recording:
    with warnings.catch_warnings():
        warnings.simplefilter("error", NotSimulatedWarning)
        return simulate(stage, dt, steps, dtype=dtype)


@pytest.mark.parametrize("name", TOUCHING)
def test_bodies_that_touch_move_as_recorded(name: str, shared_cases: Path) -> None:
    real = recorded(shared_cases / "scenes" / name, EDGES.get(name, 1.0))
    ours = motion(real.stage, real.dt, int(real.steps[-1]))
    found = apart(real, ours)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("dtype", ["float32", pytest.param("float64", marks=pytest.mark.sweep)])
@pytest.mark.parametrize("name", LINKS_TOUCHING)
def test_links_that_touch_move_as_recorded(name: str, dtype: str, shared_cases: Path) -> None:
    real = recorded(shared_cases / "scenes" / name)
    found = apart(real, motion(real.stage, real.dt, int(real.steps[-1]), dtype))
    assert not found, "\n".join(found)


def test_contacts_of_a_step_are_those_of_physx(shared_cases: Path) -> None:
    folder = shared_cases / "scenes" / "stack_3_equal"
    real, expected = recorded(folder), np.load(folder / "expected.npz")
    ours = motion(real.stage, real.dt, 10).contacts
    assert len(ours[0]) == 0
    for step in range(10):
        rows = expected["contact_step"] == step
        bodies = list(zip(expected["contact_body"][rows], expected["contact_other"][rows], strict=True))
        points, impulses = expected["contact_point"][rows], expected["contact_impulse"][rows]
        found = ours[step + 1]
        for i, pair in enumerate(found.bodies):
            own = [k for k, other in enumerate(bodies) if other == pair]
            nearest = min(own, key=lambda k: float(np.abs(points[k] - found.points[i]).max()))
            assert np.abs(points[nearest] - found.points[i]).max() < PLACE
            assert abs(abs(impulses[nearest]) - found.impulses[i]) <= IMPULSE * np.abs(impulses).max()


def test_automatic_contact_offsets_are_those_of_physx(shared_cases: Path) -> None:
    for name in TOUCHING:
        folder = shared_cases / "scenes" / name
        expected = np.load(folder / "expected.npz")
        known = dict(zip(map(str, expected["bodies"]), expected["contact_offset"], strict=True))
        for body in describe(folder / "stage.usda").bodies:
            offsets = np.float32([shape.contact_offset for shape in body.colliders])
            np.testing.assert_allclose(offsets, known[body.path][:len(offsets)], rtol=1e-6)


def test_a_reset_world_repeats_bit_for_bit(shared_cases: Path) -> None:
    scene = Scene(shared_cases / "scenes" / "stack_3_equal" / "stage.usda", 2)
    scene.step(20)
    first = scene.body_pose.copy()
    scene.reset()
    scene.step(20)
    np.testing.assert_array_equal(scene.body_pose, first)
    np.testing.assert_array_equal(scene.body_pose[0], scene.body_pose[1])


def test_a_world_does_not_depend_on_its_neighbours(shared_cases: Path) -> None:
    stage = shared_cases / "scenes" / "sphere_on_box" / "stage.usda"
    alone, several = Scene(stage), Scene(stage, 3)
    moved = several["/World/b1"].get("root_position")
    moved[1, 0] += 0.1
    several["/World/b1"].set("root_position", moved)
    for scene in (alone, several):
        scene.step(30)
    np.testing.assert_array_equal(several.body_pose[[0, 2]], np.repeat(alone.body_pose, 2, axis=0))
    assert np.abs(several.body_pose[1] - several.body_pose[0]).max() > 0.05
