"""Motions that no robot makes, and those that look like it and are none."""

from __future__ import annotations

import pytest
from support.stages.driven_arms import arm
from support.stages.robots import base, joint, link, opened, prim, robot

from physx_schema.checking import check


def codes(text: str) -> set[str]:
    return {item.code.removeprefix("behaviour/") for item in check(opened(text), "behaviour").findings}


def pendulum(start: float, axis: str = "Y") -> str:
    """A pendulum without a drive that starts so many degrees from hanging up."""
    schemas = ("PhysicsJointStateAPI:angular",)
    return robot(base(), link("bob", (0, 0, 1)), joint("Revolute", "j", "base", "bob", schemas, {
        "uniform token physics:axis": axis, "point3f physics:localPos1": (0.0, 0.0, -1.0),
        "float state:angular:physics:position": start}))


@pytest.mark.parametrize("axis", ["X", "Y"])
def test_pendulum_that_falls_over_keeps_its_energy(axis: str) -> None:
    assert codes(pendulum(0.1, axis)) == set()


@pytest.mark.parametrize("meters", [1.0, 0.01])
def test_negative_stiffness_lets_the_motion_grow(meters: float) -> None:
    text = arm("Prismatic", "X", meters=meters, state=0.09 / meters, limits=(-1e6, 1e6), stiffness=-1.8, damping=0.001)
    assert codes(text) == {"grows"}


def test_drive_that_is_on_its_way_does_not_grow() -> None:
    text = arm("Prismatic", "X", limits=(-1e6, 1e6), stiffness=10.0, damping=1.0, targetPosition=20.0)
    assert "grows" not in codes(text)


@pytest.mark.parametrize("up", ["Z", "Y"])
def test_robot_without_a_base_or_ground_falls(up: str) -> None:
    text = robot(link("base"), link("tip", (1, 0, 0)), joint("Revolute", "j", "base", "tip", (), {
        "point3f physics:localPos0": (1.0, 0.0, 0.0)})).replace('upAxis = "Z"', f'upAxis = "{up}"')
    assert codes(text) == {"falls"}


def test_many_falling_bodies_are_one_finding() -> None:
    crates = "".join(prim("Xform", f"crate{i}", ("PhysicsRigidBodyAPI",)) for i in range(5))
    found = check(opened(robot(crates, schemas=())), "behaviour").findings
    assert [item.message.partition(" fall ")[0] for item in found] == ["/Robot/crate0 and 4 more"]


def test_motion_that_diverges_is_an_error_and_the_rest_is_not_evaluated() -> None:
    report = check(opened(arm(stiffness=float("inf"), damping=1.0)), "behaviour")
    assert [item.code for item in report.findings] == ["behaviour/diverges"]
    assert report.verdict("behaviour/sag") == "not evaluated"


def test_stage_with_nothing_that_moves_is_judged_without_stepping() -> None:
    report = check(opened(robot(prim("Cube", "box"), schemas=())), "behaviour")
    assert not report.findings and report.verdict("behaviour") == "pass"


def test_stage_with_hundreds_of_bodies_is_not_stepped() -> None:
    crates = "".join(prim("Xform", f"crate{i}", ("PhysicsRigidBodyAPI",)) for i in range(301))
    report = check(opened(robot(crates, schemas=())), "behaviour")
    assert not report.findings and report.verdict("behaviour") == "not evaluated"
