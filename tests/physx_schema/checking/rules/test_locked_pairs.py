"""Joints between the same two bodies that leave no motion together."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.stages.parts import frames, limit
from support.stages.robots import base, joint, link, opened, robot

from physx_schema.checking import Finding, check

EXCLUDED = {"bool physics:excludeFromArticulation": True}
ALIGNED = (1.0, 0.0, 0.0, 0.0)


def found(text: str, code: str = "joint/locked-pair") -> list[Finding]:
    return [item for item in check(opened(text)).findings if item.code == code]


def leg(*second: str, axis: str = "X", inside: bool = True, meters: float = 1.0) -> str:
    """A leg on a hinge of the base, and further joints of the two."""
    return robot(base(), link("leg"), joint("Revolute", "hip", "base", "leg", (), frames(axis=axis)), *second,
                 schemas=("PhysicsArticulationRootAPI",) if inside else (), meters=meters)


def beside(kind: str, name: str = "k", first: str = "base", second: str = "leg", **options: object) -> str:
    """An excluded joint between the two."""
    more = options.pop("more", {})
    assert isinstance(more, dict)
    return joint(kind, name, first, second, (), {**frames(**options), **EXCLUDED, **more})  # type: ignore[arg-type]


@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize(("first", "second"), [("X", "Y"), ("Y", "Z"), ("Z", "X")])
def test_hinges_about_two_axes_lock_each_other(first: str, second: str, inside: bool) -> None:
    items = found(leg(beside("Revolute", axis=second), axis=first, inside=inside))
    assert [(item.severity, item.path) for item in items] == [("error", "/Robot/k")]
    assert "locks the two bodies" in items[0].why and "generic joint (PhysicsJoint)" in items[0].fix


@pytest.mark.parametrize(("place", "locked"), [((0.5, 0, 0), False), ((0, 0.05, 0), True), ((0, 0, -0.2), True)])
@pytest.mark.parametrize("meters", [1.0, 0.01])
def test_hinges_on_one_line_are_one_hinge(place: tuple[float, ...], locked: bool, meters: float) -> None:
    at = tuple(value / meters for value in place)
    items = found(leg(beside("Revolute", axis="X", pos0=at, pos1=at), meters=meters))
    assert bool(items) == locked
    assert not items or "a body between each two" in items[0].fix


@pytest.mark.parametrize(("kind", "axis", "locked"), [
    ("Prismatic", "X", True), ("Prismatic", "Z", True), ("Spherical", "X", False), ("Fixed", "X", True)])
def test_a_joint_of_another_kind_beside_a_hinge(kind: str, axis: str, locked: bool) -> None:
    assert bool(found(leg(beside(kind, axis=axis)))) == locked


def test_a_body_order_of_its_own_changes_nothing() -> None:
    assert not found(leg(beside("Revolute", axis="X", first="leg", second="base")))
    assert found(leg(beside("Revolute", axis="Z", first="leg", second="base")))


@pytest.mark.parametrize(("locked", "is_found"), [(("rotX",), True), (("rotY", "rotZ", "transX"), False), ((), False)])
def test_a_generic_joint_locks_what_its_limits_lock(locked: tuple[str, ...], is_found: bool) -> None:
    values = {key: value for axis in locked for key, value in limit(axis, 1.0, -1.0).items()}
    schemas = tuple(f"PhysicsLimitAPI:{axis}" for axis in locked)
    assert bool(found(leg(joint("", "k", "base", "leg", schemas, {**EXCLUDED, **values})))) == is_found


def test_a_joint_that_breaks_locks_nothing_for_good() -> None:
    assert not found(leg(beside("Fixed", more={"float physics:breakForce": 20.0})))


def test_joints_to_the_world_lock_a_body_too() -> None:
    hinges = [joint("Revolute", name, "", "a", (), frames(axis=axis)) for name, axis in (("h", "X"), ("k", "Z"))]
    assert [item.path for item in found(robot(link("a"), *hinges, schemas=()))] == ["/Robot/k"]


def test_an_excluded_hinge_of_a_fixed_base_is_locked() -> None:
    assert found(robot(base(), link("leg"), joint("Revolute", "hip", "base", "leg"),
                       beside("Revolute", first="", second="base")))


def test_two_welds_lock_nothing_that_could_move() -> None:
    welds = [joint("Fixed", name, "a", "b") for name in "hk"]
    assert not found(robot(link("a"), link("b"), *welds, schemas=()))


def test_a_second_joint_of_the_base_to_the_world_is_to_be_removed_not_excluded() -> None:
    items = found(robot(base(), link("leg"), joint("Revolute", "hip", "base", "leg"),
                        joint("Revolute", "turn", "", "base")), "DJ.011/world-loop")
    assert [item.repair for item in items] == [None]
    assert items[0].fix.startswith("remove one of the two")


HINGES = tuple(joint("Revolute", f"hip_{axis.lower()}", "base", "leg", (), frames(axis=axis)) for axis in "XYZ")


def test_joints_that_would_lock_each_other_are_not_excluded_by_the_fix() -> None:
    text = robot(base(), link("leg"), *HINGES)
    for code in ("DJ.011/loop", "DJ.011/beside"):
        items = found(text, code)
        assert [item.repair for item in items] == [None]
        assert "rotX, rotY and rotZ free" in items[0].fix and "locks the two bodies" in items[0].fix
    assert not found(text), "the loop says it already"


def test_joints_of_one_line_may_be_excluded() -> None:
    text = robot(base(), link("leg"), HINGES[0], joint("Revolute", "k", "leg", "base", (), frames(axis="X")))
    assert [item.repair is not None for item in found(text, "DJ.011/loop")] == [True]


def test_a_frame_that_is_none_is_no_lock() -> None:
    nan = (float("nan"), 0.0, 0.0)
    assert not found(leg(beside("Revolute", axis="Y", pos0=nan)))


@pytest.mark.parametrize(("name", "errors"), [("03b_three_hinges_fix_followed", 1), ("03c_three_hinges_right", 0)])
def test_reported_stages(shared_cases: Path, name: str, errors: int) -> None:
    report = check(shared_cases / "said" / f"{name}.usda")
    assert len([item for item in report.findings if item.severity == "error"]) == errors
