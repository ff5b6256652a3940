"""What PhysX has in place of another engine's property, by the kind of prim."""

from __future__ import annotations

import pytest
from support.stages.robots import base, described, joint, link, prim, robot

TARGETS = {"rel mjc:target": "</Robot/j>"}


def suggestions(text: str) -> dict[str, str]:
    return {item.property: item.suggestion for item in described(text).unused}


@pytest.mark.parametrize(("kind", "root"), [
    ("fixed", "PhysxTendonAxisRootAPI"), ("spatial", "PhysxTendonAttachmentRootAPI"),
])
def test_a_tendons_gains_are_those_of_a_tendon(kind: str, root: str) -> None:
    found = suggestions(robot(base(), prim("MjcTendon", "t", (), {
        "uniform double mjc:stiffness": 2.0, "uniform double mjc:damping": 0.1, "uniform token mjc:type": kind})))
    assert found["mjc:stiffness"] == f"physxTendon:*:stiffness ({root})"
    assert found["mjc:damping"] == f"physxTendon:*:damping ({root})"


@pytest.mark.parametrize(("kind", "axis"), [("Revolute", "angular"), ("Prismatic", "linear"), ("Spherical", "*")])
def test_a_joints_gains_are_those_of_its_axis(kind: str, axis: str) -> None:
    values = {"uniform double mjc:stiffness": 2.0, "uniform double mjc:damping": 0.1, "uniform double mjc:margin": 0.1}
    found = suggestions(robot(base(), link("a"), joint(kind, "j", "base", "a", ("MjcJointAPI",), values)))
    assert found["mjc:stiffness"] == f"drive:{axis}:physics:stiffness"
    assert found["mjc:damping"] == f"physxJointAxis:{axis}:viscousFrictionCoefficient"
    assert found["mjc:margin"] == ""        # of the joint's limit, which is no contact


def test_a_colliders_margin_is_a_contact_offset() -> None:
    cube = prim("Cube", "shape", ("PhysicsCollisionAPI", "MjcCollisionAPI"), {"uniform double mjc:margin": 0.1})
    assert suggestions(robot(base(), outside=cube))["mjc:margin"] == "physxCollision:contactOffset"


def test_an_actuators_gains_are_those_of_the_joint_that_it_drives() -> None:
    actuator = prim("MjcActuator", "m", (), {"uniform double[] mjc:gainPrm": [50.0], **TARGETS})
    text = robot(base(), link("a"), joint("Revolute", "j", "base", "a"), actuator)
    assert suggestions(text)["mjc:gainPrm"] == "drive:*:physics:stiffness of the driven joint"


def test_an_actuator_of_a_tendon_has_no_counterpart() -> None:
    actuator = prim("MjcActuator", "m", (), {"uniform double[] mjc:gainPrm": [50.0], **TARGETS})
    text = robot(base(), prim("MjcTendon", "j"), actuator)
    assert suggestions(text)["mjc:gainPrm"] == ""


def test_an_actuator_of_a_joint_that_is_not_there_is_one_of_a_joint() -> None:
    actuator = prim("MjcActuator", "m", (), {"uniform double[] mjc:gainPrm": [50.0], **TARGETS})
    assert suggestions(robot(base(), actuator))["mjc:gainPrm"] == "drive:*:physics:stiffness of the driven joint"
