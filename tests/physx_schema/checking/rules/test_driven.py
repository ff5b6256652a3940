"""The published rules for driven joints, done without their holes: DJ.001 to DJ.006 and DJ.011."""

from __future__ import annotations

import math

import pytest
from support.stages.robots import base, finger, joint, link, opened, placed, robot

from physx_schema.checking import check, parse_profile
from physx_schema.checking.engine.finding import ApplySchema, safe

DRIVE, STATE = "PhysicsDriveAPI:angular", "PhysicsJointStateAPI:angular"
GAINS: dict[str, object] = {"float drive:angular:physics:stiffness": 10.0, "float drive:angular:physics:damping": 1.0}
LIMITS: dict[str, object] = {"float physics:lowerLimit": -45.0, "float physics:upperLimit": 45.0}


def codes(text: str, profile: str = "driven", start: str = "DJ.") -> dict[str, str]:
    found = check(opened(text), profile).findings
    return {item.code: item.severity for item in found if item.code.startswith(start)}


def driven(values: dict[str, object] | None = None, *schemas: str, kind: str = "Revolute") -> str:
    return finger({**GAINS, **(values or {})}, (DRIVE, *schemas), kind)


# --- DJ.001: drives ---


@pytest.mark.parametrize("value", [-5.0, 0.0])
def test_drive_without_force_is_an_error_of_the_physx_profile(value: float) -> None:
    found = codes(driven({"float drive:angular:physics:maxForce": value}), "physx", "joint/drive")
    assert set(found.values()) == {"error"}


@pytest.mark.parametrize(("values", "found"), [
    ({}, True), ({"float drive:angular:physics:maxForce": 20.0}, False),
])
def test_driven_joint_needs_a_finite_force(values: dict[str, object], found: bool) -> None:
    assert ("DJ.001/max-force" in codes(driven(values))) == found


def test_infinite_force_is_not_finite() -> None:
    stage = opened(driven({"float drive:angular:physics:maxForce": 1.0}))
    stage.GetPrimAtPath("/Robot/j").GetAttribute("drive:angular:physics:maxForce").Set(math.inf)
    assert "DJ.001/max-force" in {item.code for item in check(stage, "driven").findings}


def target(value: float, meters: float, kind: str = "Prismatic") -> str:
    axis = "angular" if kind == "Revolute" else "linear"
    values = {f"float drive:{axis}:physics:stiffness": 10.0, f"float drive:{axis}:physics:targetPosition": value,
              f"float state:{axis}:physics:position": 0.0, "point3f physics:localPos0": (0, 0, 0)}
    return robot(base(), link("tip"), joint(
        kind, "j", "base", "tip", (f"PhysicsDriveAPI:{axis}", f"PhysicsJointStateAPI:{axis}"), values), meters=meters)


@pytest.mark.parametrize(("value", "meters", "kind", "found"), [
    (0.02, 1.0, "Prismatic", True), (0.005, 1.0, "Prismatic", False), (0.5, 0.01, "Prismatic", False),
    (2.0, 0.01, "Prismatic", True), (0.4, 1.0, "Revolute", False), (1.0, 1.0, "Revolute", True),
])
def test_target_and_state_agree_within_ten_millimetres_or_a_hundredth_of_a_radian(
    value: float, meters: float, kind: str, found: bool,
) -> None:
    assert ("DJ.001/target-state" in codes(target(value, meters, kind))) == found


# --- DJ.002 to DJ.006 ---


def test_spherical_and_generic_joints_are_asked_for_a_state_too() -> None:
    text = finger({"float drive:rotX:physics:stiffness": 1.0}, ("PhysicsDriveAPI:rotX",), "")
    assert "DJ.002/joint-state" in codes(text)


def test_a_generic_joint_with_one_free_axis_is_asked_for_the_state_of_that_axis() -> None:
    locked: dict[str, object] = {f"float limit:{axis}:physics:{bound}": value
                                 for axis in ("transX", "transY", "transZ", "rotX", "rotZ")
                                 for bound, value in (("low", 1.0), ("high", -1.0))}
    schemas = (*(f"PhysicsLimitAPI:{axis}" for axis in ("transX", "transY", "transZ", "rotX", "rotZ")),
               "PhysicsDriveAPI:rotY")
    text = finger({"float drive:rotY:physics:stiffness": 1.0, **locked}, schemas, "")
    found = {item.code: item for item in check(opened(text), "driven").findings}
    assert found["DJ.002/joint-state"].repair == safe(ApplySchema("/Robot/j", "PhysicsJointStateAPI:rotY"))
    assert found["DJ.005/max-velocity"].property == "physxJointAxis:rotY:maxJointVelocity"


def test_undriven_joint_is_not_asked_for_a_state() -> None:
    assert "DJ.002/joint-state" not in codes(finger())


@pytest.mark.parametrize("kind", ["Revolute", "Prismatic", "Spherical", "Fixed"])
def test_link_away_from_its_joint_is_a_warning_without_a_state(kind: str) -> None:
    text = robot(base(), link("tip", (0, 0, 1)), joint(kind, "j", "base", "tip"))
    assert codes(text, "physx")["DJ.003/frames-apart"] == "warning"


def test_link_at_its_joint_state_is_no_finding() -> None:
    half = math.radians(15.0)
    turned = placed((0, 0, 0), orient=(math.cos(half), math.sin(half), 0, 0))
    text = robot(base(), link("tip", more=turned), joint("Revolute", "j", "base", "tip", (STATE,), {
        "float state:angular:physics:position": 30.0}))
    assert codes(text, "physx") == {}


def test_same_pose_without_a_state_snaps_back_to_zero() -> None:
    half = math.radians(15.0)
    turned = placed((0, 0, 0), orient=(math.cos(half), math.sin(half), 0, 0))
    found = check(opened(robot(base(), link("tip", more=turned), joint("Revolute", "j", "base", "tip"))), "physx")
    assert [item.code for item in found.findings] == ["DJ.003/frames-apart"]
    assert "30 degrees apart" in found.findings[0].message


def test_anchor_that_does_not_meet_is_no_finding_because_it_moves_nothing() -> None:
    anchor = joint("Fixed", "anchor", "", "base", (), {"point3f physics:localPos0": (0, 0, 1)})
    assert codes(robot(link("base"), anchor, link("tip"), joint("Revolute", "j", "base", "tip")), "physx") == {}


def test_passive_joint_is_legal_for_physx_and_not_for_the_published_rule() -> None:
    assert codes(finger(), "physx") == {}
    assert codes(finger())["DJ.004/undriven"] == "error"


def test_prismatic_mimic_joint_needs_no_stiffness() -> None:
    mimic = {**LIMITS, "rel physxMimicJoint:rotX:referenceJoint": "</Robot/lead>",
             "float physxMimicJoint:rotX:gearing": -1.0, "float physxMimicJoint:rotX:naturalFrequency": 10.0,
             "float physxMimicJoint:rotX:dampingRatio": 1.0}
    text = robot(base(), link("a"), link("b"), joint("Prismatic", "lead", "base", "a", (), LIMITS),
                 joint("Prismatic", "j", "base", "b", ("PhysxMimicJointAPI:rotX",), mimic))
    assert set(codes(text, "simready")) == {"DJ.004/undriven"}      # of the leader, which nothing drives


def test_velocity_limit_counts_where_physx_reads_it() -> None:
    retired = driven({"float physxJoint:maxJointVelocity": 90.0}, "PhysxJointAPI")
    present = driven({"float physxJointAxis:angular:maxJointVelocity": 90.0}, "PhysxJointAxisAPI:angular")
    newton = driven({"float newton:velocityLimit": 90.0}, "NewtonJointAPI")
    assert [("DJ.005/max-velocity" in codes(text)) for text in (retired, present, newton)] == [True, False, False]


def test_stiffness_is_judged_per_degree() -> None:
    assert "DJ.006/stiffness" not in codes(driven({"float drive:angular:physics:stiffness": 9e5}))
    assert "DJ.006/stiffness" in codes(driven({"float drive:angular:physics:stiffness": 2e6}))


@pytest.mark.parametrize(("stiffness", "found"), [(0.0, {"DJ.006/target-without-gain": "warning"}), (10.0, {})])
def test_target_velocity_needs_damping_or_a_stiffness_beside_which_it_moves_the_aim(
        stiffness: float, found: dict[str, str]) -> None:
    text = driven({"float drive:angular:physics:damping": 0.0, "float drive:angular:physics:targetVelocity": 5.0,
                   "float drive:angular:physics:stiffness": stiffness,
                   "float drive:angular:physics:targetPosition": 0.0})
    assert codes(text, "physx") == found


# --- profiles ---


def test_simready_by_itself_brings_the_rules_for_driven_joints_and_the_default_does_not() -> None:
    assert parse_profile("simready") == ("simready", "driven", "published")
    assert parse_profile("physx+simready") == ("physx", "simready")


# --- DJ.011 ---


def chain(*joints: str) -> str:
    return robot(base(), link("a"), link("b"), *joints)


FIRST, SECOND = joint("Fixed", "f1", "base", "a"), joint("Fixed", "f2", "a", "b")


def test_loop_of_fixed_joints_is_a_loop() -> None:
    assert codes(chain(FIRST, SECOND, joint("Fixed", "f3", "b", "base")), "physx") == {"DJ.011/loop": "error"}


def test_second_joint_between_two_bodies_is_a_loop() -> None:
    assert codes(chain(FIRST, joint("Revolute", "r", "a", "base")), "physx") == {"DJ.011/loop": "error"}


def test_second_joint_to_the_world_is_a_warning() -> None:
    assert codes(chain(FIRST, joint("Revolute", "r", "", "a")), "physx") == {"DJ.011/world-loop": "warning"}


@pytest.mark.parametrize(("name", "flag"), [("jointEnabled", False), ("excludeFromArticulation", True)])
def test_disabled_and_excluded_joints_close_no_loop(name: str, flag: bool) -> None:
    value = {f"bool physics:{name}": flag}
    closing = joint("Fixed", "f3", "b", "base", (), value)
    to_world = joint("Revolute", "r", "", "b", (), value)
    assert codes(chain(FIRST, SECOND, closing, to_world), "physx") == {}


def test_two_loops_are_two_findings() -> None:
    found = check(opened(robot(
        base(), link("a"), link("b"), link("c"), FIRST, SECOND, joint("Fixed", "f3", "b", "base"),
        joint("Fixed", "f4", "b", "c"), joint("Fixed", "f5", "c", "a"))), "physx").findings
    assert len([item for item in found if item.code == "DJ.011/loop"]) == 2


def test_chain_of_two_thousand_links_is_no_loop() -> None:
    parts = [base(), link("b0"), joint("Revolute", "j0", "base", "b0")]
    for i in range(1, 2000):
        parts += [link(f"b{i}"), joint("Revolute", f"j{i}", f"b{i - 1}", f"b{i}")]
    assert codes(robot(*parts), "physx") == {}
