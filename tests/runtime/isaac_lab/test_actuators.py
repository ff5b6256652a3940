"""Actuators write the gains of drives per radian, limits and resistance of joints, as two releases of Isaac Lab do.

What real PhysX makes of it: test_in_physx.
"""

from __future__ import annotations

from math import degrees, radians
from pathlib import Path

import pytest
from physx_runtime.isaac_lab.report import FAULT, IGNORED, NOT_EVALUATED, OUTSIDE, WARNING
from pxr import UsdPhysics
from support.isaac_lab import FIRST_LINE, JOINTS, configured, implicit, notes, robot, setting
from support.stages.named_robots import star

DRIVE, AXIS = "drive:angular:physics:", "physxJointAxis:angular:"
GAINS = "stiffness=40.0, damping=5.0"
MOTOR = "'all': DCMotorCfg(joint_names_expr=['.*'], saturation_effort=120.0, effort_limit=80.0, {fields})"


@pytest.mark.parametrize(("field", "prop", "expected"), [
    ("stiffness", f"{DRIVE}stiffness", radians(3.0)), ("damping", f"{DRIVE}damping", radians(3.0)),
    ("effort_limit_sim", f"{DRIVE}maxForce", 3.0), ("velocity_limit_sim", f"{AXIS}maxJointVelocity", degrees(3.0)),
    ("joint_effort_limit", f"{DRIVE}maxForce", 3.0), ("joint_velocity_limit", f"{AXIS}maxJointVelocity", degrees(3.0)),
    ("armature", f"{AXIS}armature", 3.0), ("friction", f"{AXIS}staticFrictionEffort", 3.0),
    ("dynamic_friction", f"{AXIS}dynamicFrictionEffort", 3.0),
    ("viscous_friction", f"{AXIS}viscousFrictionCoefficient", radians(3.0))])
def test_a_field_of_an_implicit_actuator_is_written_in_the_unit_of_usd(field: str, prop: str, expected: float,
                                                                       tmp_path: Path) -> None:
    others = "".join(f", {name}=None" for name in ("stiffness", "damping") if name != field)
    stage, report = configured(tmp_path, robot(implicit(f"{field}=3.0{others}")))
    assert setting(report, "/Robot/hip", prop).configured == pytest.approx(expected, rel=1e-6)
    assert stage.GetPrimAtPath("/Robot/hip").GetAttribute(prop).Get() == pytest.approx(expected, rel=1e-6)


def test_gains_of_a_linear_joint_stay_as_they_are(tmp_path: Path) -> None:
    stage = star(("hip",))
    stage.GetPrimAtPath("/Robot/hip").SetTypeName("PhysicsPrismaticJoint")
    UsdPhysics.DriveAPI.Apply(stage.GetPrimAtPath("/Robot/hip"), "linear")
    _, report = configured(tmp_path, robot(implicit(GAINS)), stage)
    assert setting(report, "/Robot/hip", "drive:linear:physics:stiffness").configured == 40.0


def test_none_keeps_the_value_of_the_stage(tmp_path: Path) -> None:
    stage, report = configured(tmp_path, robot(implicit("stiffness=None, damping=None")))
    assert report.settings == () and notes(report, FAULT) == []
    assert stage.GetPrimAtPath("/Robot/hip").GetAttribute(f"{DRIVE}stiffness").Get() == 1.0


def test_an_override_has_the_authored_value_and_its_line(tmp_path: Path) -> None:
    _, report = configured(tmp_path, robot(implicit(GAINS)))
    item = setting(report, "/Robot/knee", f"{DRIVE}damping")
    assert (item.authored, item.overrides, item.field) == (pytest.approx(0.1), True, "actuators.all.damping")
    assert item.place.endswith(f"robot_cfg.py:{FIRST_LINE + 2}")


def test_values_by_joint_are_0_where_no_expression_matches(tmp_path: Path) -> None:
    _, report = configured(tmp_path, robot(implicit("stiffness={'hip|knee': 40.0}, damping=1.0")))
    assert setting(report, "/Robot/ankle", f"{DRIVE}stiffness").configured == 0.0
    assert [note.reason for note in notes(report, WARNING)] == [
        "no expression is for ankle; Isaac Lab writes 0 there, not the value of the stage"]


@pytest.mark.parametrize(("fields", "joints", "reason"), [
    (GAINS, "'hip', 'elbow'", "no joint matches 'elbow'"),
    (GAINS, "'hip', 'h.*'", "the joint hip matches both 'hip' and 'h.*'"),
    (GAINS, "'ip'", "no joint matches 'ip'"),
    (GAINS, "'('", "'(' is not a regular expression: missing ), unterminated subpattern at position 0"),
    (GAINS, "'(a+)+'", "'(a+)+' is too long or repeats a repetition, and is not matched here"),
    ("stiffness={'hip': 1.0, 'elbow': 2.0}, damping=1.0", "'.*'", "no joint matches 'elbow'"),
    ("stiffness='high', damping=1.0", "'.*'", "give a number, or numbers by expressions of joints"),
    ("damping=1.0", "'.*'", "stiffness is missing; give a number, or None for the value of the stage"),
    (f"{GAINS}, effort_limit=1.0, effort_limit_sim=2.0", "'.*'", "it differs from effort_limit_sim, 2.0"),
    (f"{GAINS}, velocity_limit=1.0, velocity_limit_sim=2.0", "'.*'", "it differs from velocity_limit_sim, 2.0"),
    (f"{GAINS}, joint_effort_limit=1.0, effort_limit_sim=2.0", "'.*'", "it differs from joint_effort_limit, 1.0")])
def test_what_isaac_lab_refuses_is_an_error(fields: str, joints: str, reason: str, tmp_path: Path) -> None:
    _, report = configured(tmp_path, robot(implicit(fields, joints)))
    assert [note.reason for note in notes(report, FAULT)] == [reason]
    assert report.failed


@pytest.mark.parametrize(("fields", "name"), [
    ("velocity_limit=7.0", "velocity_limit_sim"), ("actuator_velocity_limit=7.0", "joint_velocity_limit"),
    ("actuator_effort_limit=7.0", "joint_effort_limit")])
def test_limits_of_the_model_of_an_implicit_actuator_are_ignored(fields: str, name: str, tmp_path: Path) -> None:
    _, report = configured(tmp_path, robot(implicit(f"{GAINS}, {fields}")))
    [note] = notes(report, IGNORED)
    assert note.reason.endswith(f"to PhysX; set {name}") and note.value == "7.0"


def test_the_effort_limit_of_an_implicit_actuator_reaches_physx(tmp_path: Path) -> None:
    _, report = configured(tmp_path, robot(implicit(f"{GAINS}, effort_limit=7.0")))
    assert setting(report, "/Robot/hip", f"{DRIVE}maxForce").configured == 7.0


def test_joints_without_a_drive_ignore_gains(tmp_path: Path) -> None:
    stage, report = configured(tmp_path, robot(implicit(f"{GAINS}, armature=0.1")), star(JOINTS, driven=False))
    assert {note.field for note in notes(report, IGNORED)} == {"actuators.all.stiffness", "actuators.all.damping"}
    assert not stage.GetPrimAtPath("/Robot/hip").HasAPI(UsdPhysics.DriveAPI, "angular")
    assert setting(report, "/Robot/hip", f"{AXIS}armature").configured == 0.1


def test_explicit_actuators_have_drives_without_gains_and_a_high_limit_in_the_second_release(tmp_path: Path) -> None:
    _, report = configured(tmp_path, robot(MOTOR.format(fields=GAINS)))
    names = ("stiffness", "damping", "maxForce")
    values = {name: setting(report, "/Robot/hip", DRIVE + name).configured for name in names}
    assert values == {"stiffness": 0.0, "damping": 0.0, "maxForce": 1e9}
    assert {note.field.rpartition(".")[2] for note in notes(report, OUTSIDE)} == {
        "stiffness", "damping", "saturation_effort", "effort_limit"}
    assert set(report.explicit) == {f"/Robot/{name}" for name in JOINTS}


def test_the_third_release_keeps_the_limit_of_the_stage_for_explicit_actuators(tmp_path: Path) -> None:
    text = robot(MOTOR.format(fields=f"{GAINS}, actuator_velocity_limit=7.5"))
    stage, report = configured(tmp_path, text)
    assert stage.GetPrimAtPath("/Robot/hip").GetAttribute(f"{DRIVE}maxForce").Get() == 50.0
    assert [note.reason for note in notes(report, WARNING)] == [
        "maxForce 50 of the stage on /Robot/ankle and 2 more also bounds the efforts of this actuator; set "
        "joint_effort_limit"]


def test_a_joint_without_an_actuator_is_named(tmp_path: Path) -> None:
    _, report = configured(tmp_path, robot(implicit(GAINS, "'hip|knee'")))
    assert [note.reason for note in notes(report, WARNING)] == [
        "no actuator is for the joint /Robot/ankle; the drive of the stage stays"]


def test_a_joint_with_two_actuators_is_an_error_in_the_third_release(tmp_path: Path) -> None:
    two = (f"'a': ImplicitActuatorCfg(joint_names_expr=['hip'], {GAINS}, joint_effort_limit=1.0), "
           f"'b': ImplicitActuatorCfg(joint_names_expr=['.*'], {GAINS})")
    _, report = configured(tmp_path, robot(two))
    assert [note.reason for note in notes(report, FAULT)] == ["the joint hip has two actuators, a and b"]


def test_an_actuator_of_a_class_of_the_file_is_read_by_its_base(tmp_path: Path) -> None:
    text = ("@configclass\nclass Servo(ImplicitActuatorCfg):\n    stiffness = 7.0\n    damping = 1.0\n"
            + robot("'a': Servo(joint_names_expr=['.*'])"))
    _, report = configured(tmp_path, text)
    assert setting(report, "/Robot/hip", f"{DRIVE}stiffness").configured == pytest.approx(radians(7.0))


@pytest.mark.parametrize(("actuators", "reason"), [
    (implicit("stiffness=KP, damping=1.0"), "KP of other is not in a file beside the configuration"),
    ("'a': Servo(joint_names_expr=['.*'])",
     "Servo is not a class of Isaac Lab, and its base class is not in a file beside the configuration"),
    (implicit(f"{GAINS}, spring_preload=2.0"), "the field spring_preload of ImplicitActuatorCfg is not known here")])
def test_what_is_not_known_is_not_evaluated(actuators: str, reason: str, tmp_path: Path) -> None:
    _, report = configured(tmp_path, "from other import KP, Servo\n" + robot(actuators))
    assert [note.reason for note in notes(report, NOT_EVALUATED)] == [reason]
    assert report.incomplete
