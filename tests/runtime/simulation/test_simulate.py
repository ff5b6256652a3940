"""What options and files give joints, by name.

Recorded stages that were once simulated wrongly move as in real PhysX, by every door.
"""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from physx_runtime import NotSimulatedWarning, Recording, Session, simulate
from physx_runtime.simulation.simulate import start_values
from pxr import Usd
from support.physx.recorded_scenes import LINKS_TOUCHING, ROUNDED, TOUCHING, Recorded, apart, recorded
from support.stages.session_stages import world_poses

from physx_schema.errors import UnsupportedError

JOINTS = ("/Hand/index/knuckle", "/Hand/index/tip", "/Hand/thumb/tip")


def given(*positions: str, file: Path | None = None) -> dict[str, dict[str, float]]:
    return start_values(file, {"joint_position": positions}, JOINTS)


def test_a_joint_is_named_by_the_end_of_its_path_and_degrees_are_turned_into_radians() -> None:
    found = given("knuckle=30deg", "thumb/tip=-0.25")
    assert found == {"joint_position": {JOINTS[0]: math.radians(30.0), JOINTS[2]: -0.25}}


def test_an_option_comes_before_the_file(tmp_path: Path) -> None:
    file = tmp_path / "start.json"
    told = {"joint_position": {JOINTS[0]: 1.0, JOINTS[1]: "90deg"}, "joint_target": {JOINTS[0]: 2}}
    file.write_text(json.dumps(told), encoding="utf-8")
    found = given(f"{JOINTS[0]}=0.5", file=file)
    assert found["joint_position"] == {JOINTS[0]: 0.5, JOINTS[1]: math.radians(90.0)}
    assert found["joint_target"] == {JOINTS[0]: 2.0}


@pytest.mark.parametrize(("text", "said"), [
    ("tip=1", "tip is ambiguous; it matches /Hand/index/tip and /Hand/thumb/tip; give more of the path"),
    ("knukle=1", "knukle is not a simulated joint; did you mean /Hand/index/knuckle?"),
    ("knuckle", "'knuckle' is not JOINT=VALUE; write for example knuckle=30deg"),
    ("knuckle=fast", "'fast' is not a finite number"),
    ("knuckle=inf", "'inf' is not a finite number"),
])
def test_what_makes_no_sense_is_refused_in_one_line(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=r"\A[^\n]*\Z") as caught:
        given(text)
    assert said in str(caught.value)


def test_a_file_with_another_argument_names_those_there_are(tmp_path: Path) -> None:
    file = tmp_path / "start.json"
    file.write_text('{"positions": {}}', encoding="utf-8")
    with pytest.raises(ValueError, match="positions is not an argument; choose from joint_position, joint_velocity"):
        given(file=file)


# --- found cases -----------------------------------------------------------------------------------------------------

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
    """All but those of joints, links and bodies, which the tests of joints and of contacts step."""
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
