"""Recorded stages that were once simulated wrongly move as in real PhysX, by every door."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from physx_runtime import NotSimulatedWarning, Recording, Session, simulate
from pxr import Usd
from support.physx.recorded_scenes import LINKS_TOUCHING, TOUCHING, Recorded, apart, recorded
from support.physx.rounded_sums import ROUNDED
from support.stages.session_stages import world_poses

from physx_schema.errors import UnsupportedError

# Stages that move as recorded, whole: with their joints outside articulations, and without those that PhysX drops.
WITHIN = (
    "box_on_hull_centimetres", "cylinder_on_hull_links", "fourbar", "iterations_beside_body", "iterations_beside_robot",
    "iterations_two_robots", "mirrored_legs", "moving_mesh_none", "plane_contact_gap_0", "plane_contact_gap_1e-3",
    "rest_length_from_pose", "rest_length_off_joint", "root_held_by_fixed_joint", "self_contact_order", "single_link",
    "three_hinges_same_bodies", "two_hinges_same_bodies", "welded_pair")
IN_CENTIMETRES = "box_on_hull_centimetres"
# Times their tolerance, where that is less than PhysX's own noise: moved by 3e-8 m as a whole these legs part from
# themselves by up to 4.7e-6 m in ten steps, and with another order of pairs by 1.2e-3 m.
NOISY = {"mirrored_legs": 4.0}
# Robots that were once stepped as if they could move at their joints.
WELDED = ("single_link", "welded_pair")
PATHS = ("specialised", "generic")


def moved(real: Recorded, **options: Any) -> Recording:
    """The whole stage, as simulated."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotSimulatedWarning)
        return simulate(real.stage, real.dt, int(real.steps[-1]), **options)


def test_every_recorded_stage_is_listed(shared_cases: Path) -> None:
    assert {folder.name for folder in (shared_cases / "found").iterdir() if folder.is_dir()} == set(WITHIN)


@pytest.mark.parametrize("name", WITHIN)
def test_a_whole_stage_moves_as_recorded(name: str, shared_cases: Path) -> None:
    real = recorded(shared_cases / "found" / name, NOISY.get(name, 1.0))
    ours = moved(real, path="generic")
    assert sorted(ours.body_names) == sorted(real.bodies)
    assert ours.not_simulated == ()
    found = apart(real, ours)
    assert not found, "\n".join(found)


def test_scenes_of_contact_are_stepped_or_named(shared_cases: Path) -> None:
    """All but those of joints, links and bodies, which `test_recorded_joints` and `test_recorded_contacts` step."""
    joints = shared_cases.parent / "reference" / "proofs" / "maximal" / "cases"
    silent = []
    for folder in sorted((shared_cases / "scenes").iterdir()):
        if not folder.is_dir() or (joints / folder.name).is_dir() or folder.name in TOUCHING + LINKS_TOUCHING:
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", NotSimulatedWarning)
                found = simulate(folder / "stage.usda", steps=0, path="generic").not_simulated
        except UnsupportedError:
            continue
        if not any(item.code == "contact" for item in found):
            silent.append(folder.name)
    assert not silent


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", WELDED)
def test_every_world_of_a_welded_robot_moves_as_recorded(name: str, path: str, dtype: str, shared_cases: Path) -> None:
    real = recorded(shared_cases / "found" / name)
    ours = moved(real, worlds=2, path=path, dtype=dtype)
    for world in range(2):
        found = apart(real, ours, world, ROUNDED[name].float64 if dtype == "float64" else 0.0)
        assert not found, "\n".join(found)


def test_every_world_of_a_stage_in_centimetres_moves_as_recorded(shared_cases: Path) -> None:
    real = recorded(shared_cases / "found" / IN_CENTIMETRES)
    ours = moved(real, worlds=2)
    for world in range(2):
        found = apart(real, ours, world)
        assert not found, "\n".join(found)


@pytest.mark.parametrize("name", [*WELDED, IN_CENTIMETRES])
def test_a_session_moves_the_stage_as_recorded(name: str, shared_cases: Path) -> None:
    real = recorded(shared_cases / "found" / name)
    stage = Usd.Stage.Open(str(real.stage))
    poses = [world_poses(stage, real.bodies)]
    with Session(stage) as session:
        for _ in range(int(real.steps[-1])):
            session.step(real.dt)
            poses.append(world_poses(stage, real.bodies))
        assert not [message for message in session.messages if message.severity != "info"]
    found = list(real.poses_apart(np.array(poses)))
    assert not found, "\n".join(found)
