"""Servos of an MJCF as drives, held against MuJoCo's own actuator forces."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from physx_runtime.conversion.drives import Gains
from physx_runtime.conversion.robot import repair
from physx_runtime.conversion.servos import Servo, servos_of
from pxr import Sdf
from support.converted_robots import FOLDER, converted, only_robot, repaired, robot_text

FILE = Gains("file", 5.0)
SERVOS = ("shoulder", "elbow", "wrist")
SEED = 5
# of gains: four digits are authored, and the converter rounds inertias to float32
GAIN_TOLERANCE = 1e-3


def _actuator(stage: Any, name: str) -> Any:
    return next(prim for prim in stage.Traverse() if prim.GetName() == name)


def _drives(stage: Any) -> dict[str, Any]:
    return {dof.path.rpartition("/")[2]: dof.drive for dof in only_robot(stage)[1].dofs}


def test_drives_exert_what_the_actuators_exert_in_mujoco() -> None:
    mujoco = pytest.importorskip("mujoco")
    drives = _drives(repaired("servos", gains=FILE)[0])
    model = mujoco.MjModel.from_xml_path(str(FOLDER / "servos.xml"))
    data, rng = mujoco.MjData(model), np.random.default_rng(SEED)
    for _ in range(20):
        data.qpos[:], data.qvel[:] = rng.normal(size=(2, model.nq)) * [[0.05], [0.5]]
        mujoco.mj_forward(model, data)
        for name in SERVOS:
            index, drive = model.joint(name).dofadr[0], drives[name]
            parts = np.array([-drive.stiffness * data.qpos[index], -drive.damping * data.qvel[index]])
            effort = np.clip(parts.sum(), -drive.max_force, drive.max_force)
            assert effort == pytest.approx(data.qfrc_actuator[index], abs=GAIN_TOLERANCE * np.abs(parts).sum())


def test_motor_gets_no_drive_from_the_file() -> None:
    assert _drives(repaired("servos", gains=FILE)[0])["slide"] is None


def test_effort_of_a_motor_is_its_gear_times_its_greatest_control() -> None:
    drives = _drives(repaired("servos", gains=Gains("position", 5.0))[0])
    assert drives["slide"].max_force == 15.0


def test_servos_are_named() -> None:
    assert "drives: 3 joints as the servos of the file: joint shoulder, joint elbow, joint wrist" in (
        repaired("servos", gains=FILE)[1])


def test_file_without_servos_gets_no_drive_and_no_line() -> None:
    stage, lines = repaired("quadruped", gains=FILE)
    assert "drives:" not in lines
    assert set(_drives(stage).values()) == {None}


@pytest.mark.parametrize(("name", "value", "reason"), [
    ("mjc:dynType", "filter", "its dyntype is filter"), ("mjc:gainType", "affine", "its gaintype is affine"),
    ("mjc:biasPrm", [1.0, -80.0, 0.0], "its biasprm starts with 1 -80")])
def test_actuator_that_no_drive_equals_is_reported(name: str, value: Any, reason: str) -> None:
    stage = converted("servos")
    kind = Sdf.ValueTypeNames.DoubleArray if isinstance(value, list) else Sdf.ValueTypeNames.Token
    _actuator(stage, "shoulder_servo").CreateAttribute(name, kind).Set(value)
    lines = repair(stage, robot_text("servos"), "auto", FILE, False)
    assert f"drives: joint shoulder has no drive: no drive does what its actuator does, because {reason}" in lines
    assert _drives(stage)["shoulder"] is None


def test_actuators_of_one_joint_add_up() -> None:
    stage = converted("servos")
    _actuator(stage, "wrist_servo").GetRelationship("mjc:target").SetTargets(
        _actuator(stage, "shoulder_servo").GetRelationship("mjc:target").GetTargets())
    servo = servos_of(stage)["/servos/Geometry/base/upper/shoulder"]
    assert (servo.stiffness, servo.damping) == pytest.approx((320.0, 24.4))
    assert math.isinf(servo.max_effort)


def test_range_that_is_not_limited_bounds_nothing() -> None:
    stage = converted("servos")
    _actuator(stage, "shoulder_servo").CreateAttribute("mjc:forceLimited", Sdf.ValueTypeNames.Token).Set("false")
    assert math.isinf(servos_of(stage)["/servos/Geometry/base/upper/shoulder"].max_effort)


def test_servo_without_gains_is_no_drive() -> None:
    assert not Servo(max_effort=3.0).has_gains
