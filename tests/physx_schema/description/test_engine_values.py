"""Values of other engines: which differ from what PhysX works with, in one unit."""

from __future__ import annotations

import pytest
from support.stages.robots import base, described, finger, joint, link, prim, robot

from physx_schema.description.engine_values import EngineDifference, engine_differences, opinion_engine

AXIS = "PhysxJointAxisAPI:angular"
Values = dict[str, object]


def differences(text: str) -> list[EngineDifference]:
    return list(engine_differences(described(text)))


def slider(values: Values, schemas: tuple[str, ...] = ()) -> str:
    return robot(base(), link("tip"), joint("Prismatic", "j", "base", "tip", schemas, values))


@pytest.mark.parametrize(("values", "quantity", "in_physx"), [
    ({"double mjc:damping": 5.0}, "damping", 0.0), ({"double mjc:armature": 0.5}, "armature", 0.0),
    ({"double mjc:frictionloss": 1.0}, "friction", 0.0), ({"double mjc:stiffness": 2.0}, "spring", 0.0),
])
@pytest.mark.parametrize("text", [finger, slider])
def test_a_value_that_physx_works_without_differs_from_its_default(
        text: object, values: Values, quantity: str, in_physx: float) -> None:
    (found,) = differences(text(values, ("MjcJointAPI",)))      # type: ignore[operator]
    assert (found.path, found.quantity, found.in_physx) == ("/Robot/j", quantity, in_physx)
    assert f"PhysX uses {in_physx:g}" in found.text


def test_a_value_that_newton_says_too_is_what_physx_works_with() -> None:
    """PhysX reads Newton's damping per degree; MuJoCo's is per radian."""
    values: Values = {"float newton:damping": 1.0, "double mjc:damping": 57.29578}
    assert differences(finger(values, ("NewtonJointAPI", "MjcJointAPI"))) == []
    (found,) = differences(finger({**values, "double mjc:damping": 1.0}, ("NewtonJointAPI", "MjcJointAPI")))
    assert dict(found.values) == {"newton:damping": 1.0, "mjc:damping": 1.0}


def test_a_speed_limit_in_degrees_is_compared_with_one_in_radians() -> None:
    values: Values = {"float physxJointAxis:angular:maxJointVelocity": 90.0, "float urdf:limit:velocity": 1.5707964}
    assert differences(finger(values, (AXIS,))) == []
    (found,) = differences(finger({**values, "float urdf:limit:velocity": 90.0}, (AXIS,)))
    assert found.quantity == "velocity limit"


def test_an_effort_without_a_drive_says_nothing_about_physx() -> None:
    effort: Values = {"float urdf:limit:effort": 87.0}
    assert differences(finger(effort, ())) == []
    drive: Values = {"float drive:angular:physics:stiffness": 5.0, "float drive:angular:physics:maxForce": 87.0}
    assert differences(finger({**effort, **drive}, ("PhysicsDriveAPI:angular",))) == []
    drive["float drive:angular:physics:maxForce"] = 12.0
    (found,) = differences(finger({**effort, **drive}, ("PhysicsDriveAPI:angular",)))
    assert dict(found.values) == {"drive:angular:physics:maxForce": 12.0, "urdf:limit:effort": 87.0}


def test_a_spring_beside_a_drive_is_left_to_the_author() -> None:
    values: Values = {"double mjc:stiffness": 2.0, "float drive:angular:physics:stiffness": 5.0}
    assert differences(finger(values, ("MjcJointAPI", "PhysicsDriveAPI:angular"))) == []


def test_newtons_values_on_a_joint_outside_articulations_differ_from_none() -> None:
    text = robot(link("a"), link("b"), joint("Revolute", "j", "a", "b", ("NewtonJointAPI",), {
        "float newton:armature": 0.3}), schemas=())
    (found,) = differences(text)
    assert (found.quantity, found.in_physx) == ("armature", 0.0)


def test_values_that_are_the_defaults_differ_from_nothing() -> None:
    zeros: Values = {"double mjc:damping": 0.0, "double mjc:armature": 0.0, "float newton:velocityLimit": float("inf")}
    assert differences(finger(zeros, ("MjcJointAPI",))) == []


@pytest.mark.parametrize(("name", "engine"), [
    ("newton:inertiaOfTheEarth", "Newton"), ("mjc:solref", "MuJoCo"), ("urdf:limit:effort", "URDF"),
    ("drake:proximity", "Drake"),
])
def test_an_opinion_is_for_the_engine_of_its_namespace(name: str, engine: str) -> None:
    unused = described(robot(base(), prim("Xform", "x", (), {f"float {name}": 1.0}))).unused
    assert [opinion_engine(item) for item in unused if item.property == name] == [engine]
