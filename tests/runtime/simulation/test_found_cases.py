"""Recorded stages that were once simulated wrongly move as in real PhysX, by every door."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime import NotSimulatedWarning, Recording, Session, simulate
from pxr import Usd
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
# A quaternion's component may part by so many times what a position may.
QUATERNION_FACTOR = 5.0
# Of positions in float64, which does not round as PhysX does: a fall of 5 m at 10 m/s rounds by 2e-5 in 60 steps.
FLOAT64 = 5e-5


@dataclass(frozen=True, slots=True)
class Recorded:
    """A stage, and the motion of its bodies in real PhysX."""

    stage: Path
    dt: float
    bodies: tuple[str, ...]
    pose: NDArray[Any]              # (steps + 1, n_body, 7) prim frame
    velocity: NDArray[Any]          # (steps + 1, n_body, 6) linear at the centre of mass, angular
    tolerance: dict[str, dict[str, float]]

    @property
    def steps(self) -> int:
        """Steps after the authored state."""
        return len(self.pose) - 1

    def poses_apart(self, pose: NDArray[Any], least: float = 0.0) -> Iterator[str]:
        """Where poses are beyond the tolerance, and beyond `least`."""
        sign = np.sign((pose[..., 3:] * self.pose[..., 3:]).sum(axis=-1, keepdims=True))
        found = np.concatenate([pose[..., :3], pose[..., 3:] * sign / QUATERNION_FACTOR], axis=-1)
        real = np.concatenate([self.pose[..., :3], self.pose[..., 3:] / QUATERNION_FACTOR], axis=-1)
        yield from self._apart("position", found - real, least)

    def velocities_apart(self, velocity: NDArray[Any]) -> Iterator[str]:
        """Where velocities are beyond the tolerance."""
        difference = velocity - self.velocity
        yield from self._apart("velocity", difference[..., :3])
        yield from self._apart("angular_velocity", difference[..., 3:])

    def _apart(self, name: str, difference: NDArray[Any], least: float = 0.0) -> Iterator[str]:
        for last, tolerance in self.tolerance[name].items():
            error, most = float(np.abs(difference[:int(last) + 1]).max()), max(tolerance, least)
            if not error <= most:
                yield f"{name} to step {last}: {error:.1e} is more than {most:.1e}"


def recorded(folder: Path) -> Recorded:
    """The recorded case in a folder."""
    case, expected = json.loads((folder / "case.json").read_text()), np.load(folder / "expected.npz")
    return Recorded(folder / "stage.usda", case["dt"], tuple(map(str, expected["bodies"])),
                    *(expected[name].astype(np.float64) for name in ("pose", "velocity")), case["tolerance"])


def moved(real: Recorded, **options: Any) -> Recording:
    """The whole stage, as simulated."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotSimulatedWarning)
        return simulate(real.stage, real.dt, real.steps, **options)


def apart(real: Recorded, ours: Recording, world: int = 0, least: float = 0.0) -> list[str]:
    """Where bodies of a world are beyond the tolerance."""
    own = [ours.body_names.index(body) for body in real.bodies]
    return [*real.poses_apart(ours.body_pose[:, world, own], least),
            *real.velocities_apart(ours.body_velocity[:, world, own])]


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
        for _ in range(real.steps):
            session.step(real.dt)
            poses.append(world_poses(stage, real.bodies))
        assert not [message for message in session.messages if message.severity != "info"]
    found = list(real.poses_apart(np.array(poses)))
    assert not found, "\n".join(found)
