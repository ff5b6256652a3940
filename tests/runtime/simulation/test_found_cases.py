"""Recorded stages that were once simulated wrongly move as in real PhysX, by every door."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from physx_runtime import NotSimulatedWarning, Recording, Session, simulate
from pxr import Usd
from support.physx.recorded_scenes import Recorded, apart, recorded
from support.stages.session_stages import world_poses

from physx_schema.errors import UnsupportedError

# Stages that move as recorded, and what is said to be left out of them; the loops of two are redundant.
WITHIN: dict[str, list[str]] = {
    "fourbar": ["/R/j3"],
    "iterations_beside_body": [],
    "iterations_beside_robot": [],
    "iterations_two_robots": [],
    "rest_length_from_pose": [],
    "rest_length_off_joint": [],
    "single_link": [],
    "two_hinges_same_bodies": ["/R/j2"],
    "welded_pair": [],
}
# Stages that do not, and the joints that are named as the reason.
BEYOND = {
    "three_hinges_same_bodies": ["/R/j2", "/R/j3"],     # loops that hold what the tree alone lets go
}
REFUSED = {
    "root_held_by_fixed_joint": "/R/root_joint",        # holds a floating base at the world
}
# Robots that were once stepped as if they could move at their joints.
WELDED = ("single_link", "welded_pair")
PATHS = ("specialised", "generic")
# Of positions in float64, which does not round as PhysX does: a fall of 5 m at 10 m/s rounds by 2e-5 in 60 steps.
FLOAT64 = 5e-5


def moved(real: Recorded, **options: Any) -> Recording:
    """The whole stage, as simulated."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotSimulatedWarning)
        return simulate(real.stage, real.dt, int(real.steps[-1]), **options)


def test_every_recorded_stage_is_listed(shared_cases: Path) -> None:
    assert {folder.name for folder in (shared_cases / "found").iterdir() if folder.is_dir()} == {
        *WITHIN, *BEYOND, *REFUSED}


@pytest.mark.parametrize("name", WITHIN)
def test_a_whole_stage_moves_as_recorded(name: str, shared_cases: Path) -> None:
    real = recorded(shared_cases / "found" / name)
    ours = moved(real, path="generic")
    assert sorted(ours.body_names) == sorted(real.bodies)
    assert [item.path for item in ours.not_simulated] == WITHIN[name]
    found = apart(real, ours)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", BEYOND)
def test_a_stage_that_moves_otherwise_names_the_reason(name: str, shared_cases: Path) -> None:
    real = recorded(shared_cases / "found" / name)
    ours = moved(real, path="generic")
    assert sorted(item.path for item in ours.not_simulated) == BEYOND[name]
    assert apart(real, ours)


@pytest.mark.parametrize("name", REFUSED)
def test_a_stage_that_would_move_otherwise_altogether_is_refused(name: str, shared_cases: Path) -> None:
    with pytest.raises(UnsupportedError, match=f"^{REFUSED[name]}: not simulated"):
        simulate(shared_cases / "found" / name / "stage.usda", steps=1)


def test_scenes_of_contact_and_joints_are_refused_or_named(shared_cases: Path) -> None:
    silent = []
    for folder in sorted((shared_cases / "scenes").iterdir()):
        if not folder.is_dir():
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", NotSimulatedWarning)
                found = simulate(folder / "stage.usda", steps=0, path="generic").not_simulated
        except UnsupportedError:
            continue
        if not any(item.code in ("contact", "joint", "loop") for item in found):
            silent.append(folder.name)
    assert not silent


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", WELDED)
def test_every_world_of_a_welded_robot_moves_as_recorded(name: str, path: str, dtype: str, shared_cases: Path) -> None:
    real = recorded(shared_cases / "found" / name)
    ours = moved(real, worlds=2, path=path, dtype=dtype)
    for world in range(2):
        found = apart(real, ours, world, FLOAT64 if dtype == "float64" else 0.0)
        assert not found, "\n".join(found)


@pytest.mark.parametrize("name", WELDED)
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
