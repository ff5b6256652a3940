"""Drives of converted robots: gains by bandwidth, effort limits of the file."""

from __future__ import annotations

import math

import numpy as np
import pytest
from physx_runtime import compute
from physx_runtime.conversion.drives import Gains, effective_inertia
from physx_runtime.conversion.limbs import stance_of, upward
from support.converted_robots import converted, only_robot, repaired
from support.stages.robots import base, described, joint, link, robot

from physx_schema.description import describe
from physx_schema.description.frames import start_poses_by_body

POSITION, VELOCITY = Gains("position", 4.0, 0.7), Gains("velocity", 4.0)
RATE = 2.0 * math.pi * 4.0


@pytest.mark.parametrize("name", ["cart", "quadruped", "hopper"])
def test_inertia_beyond_the_joints_is_the_diagonal_of_the_mass_matrix(name: str) -> None:
    stage, _ = repaired(name, "fixed")
    description, robot = only_robot(stage)
    inertia = effective_inertia(robot, start_poses_by_body(description), None)
    zeros = np.array([[dof.position for dof in robot.dofs]])
    mass = np.asarray(compute(description, zeros, np.zeros_like(zeros), "mass_matrix"))[0]
    assert inertia == pytest.approx(np.diag(mass) + [dof.armature for dof in robot.dofs], rel=1e-5)


def test_leader_of_a_mimic_joint_moves_its_follower_too() -> None:
    values = {"rel physxMimicJoint:rotX:referenceJoint": "</Robot/ja>", "float physxMimicJoint:rotX:gearing": -3.0}
    limits = {"float physics:lowerLimit": -90.0, "float physics:upperLimit": 90.0}
    text = robot(base(), link("a"), link("b"), joint("Revolute", "ja", "base", "a", (), limits),
                 joint("Revolute", "jb", "base", "b", ("PhysxMimicJointAPI:rotX",), {**limits, **values}))
    description = described(text)
    (found,) = description.articulations
    assert [mimic.gearing for mimic in found.mimics] == [-3.0]
    leader, follower = effective_inertia(found, start_poses_by_body(description), None)
    assert leader == pytest.approx(10.0 * follower)


def test_leg_on_the_ground_carries_its_share_of_the_body() -> None:
    stage, _ = repaired("quadruped")
    description, robot = only_robot(stage)
    poses = start_poses_by_body(description)
    stance = stance_of(robot, poses, upward(description.scene.gravity, "Z"))
    names = [dof.path.rpartition("/")[2] for dof in robot.dofs]
    loaded = dict(zip(names, effective_inertia(robot, poses, stance), strict=True))
    free = dict(zip(names, effective_inertia(robot, poses, None), strict=True))
    knee = poses[next(path for path in poses if path.endswith("FL_calf"))][0]
    trunk = 7.0 * (knee[0] ** 2 + knee[2] ** 2) / 4
    assert loaded["FL_calf_joint"] > trunk > 10 * free["FL_calf_joint"]


def test_position_gains_give_the_natural_frequency_and_the_damping_ratio() -> None:
    stage, _ = repaired("hopper", gains=POSITION)
    description, robot = only_robot(stage)
    (dof,), (inertia,) = robot.dofs, effective_inertia(robot, start_poses_by_body(description), None)
    assert dof.drive is not None
    assert math.sqrt(dof.drive.stiffness / inertia) == pytest.approx(RATE, rel=1e-3)
    assert dof.drive.damping / (2.0 * math.sqrt(dof.drive.stiffness * inertia)) == pytest.approx(0.7, rel=1e-3)


def test_velocity_drive_has_no_spring_and_the_time_constant_of_the_bandwidth() -> None:
    stage, _ = repaired("hopper", gains=VELOCITY)
    description, robot = only_robot(stage)
    (drive,), (inertia,) = ([dof.drive for dof in robot.dofs],
                            effective_inertia(robot, start_poses_by_body(description), None))
    assert drive is not None
    assert (drive.stiffness, drive.damping / inertia) == pytest.approx((0.0, RATE), rel=1e-3)


@pytest.mark.parametrize(("name", "efforts"), [
    ("hopper", {"knee": 30.0}), ("cart", {"slider": 1.0}),
    ("quadruped", {f"{leg}_{joint}_joint": effort for leg in ("FL", "FR", "RL", "RR")
                   for joint, effort in (("hip", 24.0), ("thigh", 24.0), ("calf", 45.0))})])
def test_greatest_force_is_the_effort_limit_of_the_file(name: str, efforts: dict[str, float]) -> None:
    stage, _ = repaired(name, gains=POSITION)
    drives = {dof.path.rpartition("/")[2]: dof.drive for dof in only_robot(stage)[1].dofs if dof.drive is not None}
    assert {joint: drive.max_force for joint, drive in drives.items()} == efforts


def test_targets_are_the_start() -> None:
    stage, _ = repaired("quadruped", gains=POSITION)
    for dof in only_robot(stage)[1].dofs:
        assert dof.drive is not None
        assert dof.drive.target_position == pytest.approx(dof.position, abs=1e-6)


def test_joint_without_an_actuator_in_an_mjcf_stays_free() -> None:
    _, lines = repaired("cart", gains=POSITION)
    assert "drives: 1 joint without a drive, such as joint hinge: no motor of one axis moves it" in lines


def test_effort_of_zero_is_no_limit_and_is_said() -> None:
    from physx_runtime.conversion.robot import repair
    from support.converted_robots import robot_text

    stage = converted("quadruped")
    stage.GetPrimAtPath("/quadruped/Physics/FL_hip_joint").GetAttribute("urdf:limit:effort").Set(0.0)
    lines = repair(stage, robot_text("quadruped"), "auto", POSITION, False)
    assert "drives: 1 joint without a greatest effort, such as joint FL_hip_joint: the file gives none" in lines
    drives = {dof.path: dof.drive for dof in describe(stage).articulations[0].dofs}
    drive = drives["/quadruped/Physics/FL_hip_joint"]
    assert drive is not None
    assert math.isinf(drive.max_force)
