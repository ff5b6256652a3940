"""Where a converted robot starts: within its limits, on its feet, with its prims where PhysX starts the links."""

from __future__ import annotations

import numpy as np
import pytest
from physx_runtime.conversion.robot import repair
from pxr import Usd, UsdGeom
from support.converted_robots import NO_DRIVES, converted, only_robot, repaired, robot_text

from physx_schema.description.frames import start_poses_by_body

LEGS = ("FL", "FR", "RL", "RR")


def test_every_joint_starts_within_its_limits() -> None:
    before, after = (only_robot(stage)[1].dofs for stage in (converted("quadruped"), repaired("quadruped")[0]))
    assert [dof.path.rpartition("/")[2] for dof in before if not dof.lower <= dof.position <= dof.upper] == [
        f"{leg}_calf_joint" for leg in LEGS]
    assert all(dof.lower - 1e-6 <= dof.position <= dof.upper + 1e-6 for dof in after)


def test_knees_at_their_limits_leave_the_feet_in_place() -> None:
    feet = []
    for stage in (converted("quadruped"), repaired("quadruped")[0]):
        poses = start_poses_by_body(only_robot(stage)[0])
        feet.append(np.array([pose[0] for path, pose in poses.items() if path.endswith("_foot")]))
    # 0.4 m of leg with a knee at 45.8 degrees: twice 0.2 cos(22.9 degrees)
    assert feet[1][:, :2] == pytest.approx(feet[0][:, :2], abs=1e-4)
    assert feet[1][:, 2] == pytest.approx(-0.4 * np.cos(np.radians(45.8366 / 2)), abs=1e-4)


def test_prims_of_links_are_where_physx_starts_them() -> None:
    stage, _ = repaired("quadruped")
    poses = start_poses_by_body(only_robot(stage)[0])
    cache = UsdGeom.XformCache()
    for path, pose in poses.items():
        place = cache.GetLocalToWorldTransform(stage.GetPrimAtPath(path)).ExtractTranslation()
        assert tuple(place) == pytest.approx(pose[0], abs=1e-6)


def test_joints_are_named_with_the_reason() -> None:
    _, lines = repaired("quadruped")
    assert "start: joint FL_calf_joint starts at -45.84 degrees, because its limits exclude 0" in lines
    assert "start: joint FL_thigh_joint starts at 22.92 degrees, because its foot then stays in place" in lines


def test_robot_within_its_limits_starts_as_converted() -> None:
    stage, lines = repaired("hopper")
    assert "start:" not in lines
    assert not [prim for prim in stage.Traverse() if prim.GetAttribute("state:angular:physics:position")]


def test_limits_that_allow_nothing_are_left_to_the_checker() -> None:
    stage: Usd.Stage = converted("hopper")
    knee = next(prim for prim in stage.Traverse() if prim.GetName() == "knee")
    knee.GetAttribute("physics:lowerLimit").Set(50.0)
    knee.GetAttribute("physics:upperLimit").Set(40.0)
    assert not any(line.startswith("start:") for line in repair(stage, robot_text("hopper"), "auto", NO_DRIVES, False))
