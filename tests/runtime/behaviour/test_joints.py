"""What counts as arrived, and what a drive exerts."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from physx_runtime.behaviour.joints import ANGLE_TOLERANCE, drive_effort, follower_errors, tolerance_of
from physx_runtime.behaviour.motion import step_motion
from support.stages.driven_arms import arm
from support.stages.robots import base, described, joint, link, robot

from physx_schema.description.model import Dof, Drive


def dof_of(text: str) -> Dof:
    return described(text).articulations[0].dofs[0]


def test_tolerance_is_a_hundredth_of_a_wide_range_and_a_degree_of_a_narrow_one() -> None:
    assert tolerance_of(dof_of(arm(limits=(-180.0, 180.0))), 1.0) == pytest.approx(math.radians(3.6))
    assert tolerance_of(dof_of(arm(limits=(-10.0, 10.0))), 1.0) == pytest.approx(ANGLE_TOLERANCE)


@pytest.mark.parametrize("meters", [1.0, 0.01])
def test_tolerance_of_a_slider_is_a_millimetre_at_least(meters: float) -> None:
    dof = dof_of(arm("Prismatic", meters=meters, limits=(-0.01 / meters, 0.01 / meters)))
    assert tolerance_of(dof, meters) * meters == pytest.approx(1e-3)


def drive_of(text: str) -> Drive:
    drive = dof_of(text).drive
    assert drive is not None
    return drive


def test_effort_of_a_drive_is_that_of_a_spring_and_a_damper_within_its_limit() -> None:
    drive = drive_of(arm("Prismatic", stiffness=100.0, damping=10.0, maxForce=30.0, limits=(-1.0, 1.0)))
    assert drive_effort(drive, 0.2, 0.5, 7.0) == pytest.approx(15.0)
    assert drive_effort(drive, 1.0, 0.0, 7.0) == 30.0
    assert drive_effort(replace(drive, acceleration=True), 0.02, 0.0, 7.0) == pytest.approx(14.0)


def test_joint_at_its_target_needs_no_time() -> None:
    motion = step_motion(described(arm("Revolute", "Z", stiffness=100.0, damping=10.0)))
    assert motion.position == pytest.approx(np.zeros_like(motion.position))


@pytest.mark.parametrize("gearing", [-1.0, 2.0])
def test_hard_mimic_joint_follows(gearing: float) -> None:
    leader = joint("Revolute", "lead", "base", "a", ("PhysicsDriveAPI:angular",), {
        "float physics:lowerLimit": -40.0, "float physics:upperLimit": 40.0,
        "float drive:angular:physics:stiffness": 100.0, "float drive:angular:physics:damping": 10.0,
        "float drive:angular:physics:targetPosition": 20.0})
    follower = joint("Revolute", "follow", "base", "b", ("PhysxMimicJointAPI:rotX",), {
        "float physics:lowerLimit": -90.0, "float physics:upperLimit": 90.0,
        "rel physxMimicJoint:rotX:referenceJoint": "</Robot/lead>", "float physxMimicJoint:rotX:gearing": gearing})
    description = described(robot(base(), link("a"), link("b"), leader, follower))
    assert not list(follower_errors(description, step_motion(description)))


def test_follower_that_its_own_drive_holds_back_is_found() -> None:
    leader = joint("Revolute", "lead", "base", "a", ("PhysicsDriveAPI:angular",), {
        "float physics:lowerLimit": -40.0, "float physics:upperLimit": 40.0,
        "float drive:angular:physics:stiffness": 1000.0, "float drive:angular:physics:damping": 100.0,
        "float drive:angular:physics:targetPosition": 30.0})
    follower = joint("Revolute", "follow", "base", "b", ("PhysxMimicJointAPI:rotX", "PhysicsDriveAPI:angular"), {
        "float physics:lowerLimit": -90.0, "float physics:upperLimit": 90.0,
        "float drive:angular:physics:stiffness": 1000.0, "float drive:angular:physics:damping": 100.0,
        "rel physxMimicJoint:rotX:referenceJoint": "</Robot/lead>", "float physxMimicJoint:rotX:gearing": -1.0,
        "float physxMimicJoint:rotX:naturalFrequency": 0.1, "float physxMimicJoint:rotX:dampingRatio": 1.0})
    description = described(robot(base(), link("a"), link("b"), leader, follower))
    errors = list(follower_errors(description, step_motion(description), 0.0))
    assert [item.dof.path for item in errors] == ["/Robot/follow"]
    assert math.degrees(errors[0].wanted) == pytest.approx(30.0, abs=1.0)
