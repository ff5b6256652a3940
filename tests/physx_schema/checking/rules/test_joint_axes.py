"""Joints: limits that leave one position, clamps, hinges of gears, states and values that PhysX refuses or does not."""

from __future__ import annotations

import math

import pytest
from support.stages.faulty_robots import Values, gear, limits, newton
from support.stages.robots import base, finger, joint, link, opened, prim, robot

from physx_schema.checking import Finding, check


def findings(text: str, code: str) -> list[Finding]:
    return [item for item in check(opened(text), "physx+simready+newton").findings if item.code == code]


@pytest.mark.parametrize(("kind", "values", "name"), [
    ("Revolute", limits(10.0, 10.0), "physics:lowerLimit"), ("Revolute", limits(0.0, 0.0), "physics:lowerLimit"),
    ("Prismatic", limits(0.0, 0.0), "physics:lowerLimit"),
    ("", {"float limit:rotY:physics:low": 0.0, "float limit:rotY:physics:high": 0.0}, "limit:rotY:physics:low"),
])
def test_equal_limits_are_an_info_on_their_lower_one(kind: str, values: Values, name: str) -> None:
    schemas = () if kind else ("PhysicsLimitAPI:rotY",)
    found = findings(finger(values, schemas, kind), "joint/locked")
    assert [(item.severity, item.property) for item in found] == [("info", name)]


@pytest.mark.parametrize("values", [limits(10.0, -10.0), limits(-math.inf, 10.0), limits(math.nan, 0.0), {}])
def test_limits_that_physx_refuses_or_that_are_none_do_not_lock(values: Values) -> None:
    assert findings(finger(values), "joint/locked") == []


@pytest.mark.parametrize(("most", "found"), [(300.0, 1), (50.0, 0), (1e38, 0), (math.inf, 0)])
def test_velocity_that_stands_for_no_bound_is_not_above_the_clamp(most: float, found: int) -> None:
    text = finger({"float physxJointAxis:linear:maxJointVelocity": most}, ("PhysxJointAxisAPI:linear",), "Prismatic")
    assert len(findings(text, "joint/velocity-clamp")) == found


@pytest.mark.parametrize("name", ["drive:angular:physics:targetPosition", "state:angular:physics:position"])
def test_infinite_angle_does_not_look_like_radians(name: str) -> None:
    text = finger({f"float {name}": math.inf}, ("PhysicsDriveAPI:angular", "PhysicsJointStateAPI:angular"))
    assert findings(text, "unit/radians") == []


@pytest.mark.parametrize(("values", "found"), [
    ({"static": 5.0}, 1), ({"static": 5.0, "dynamic": 2.0}, 0), ({"static": 5.0, "dynamic": 0.0}, 0), ({}, 0)])
def test_static_friction_alone_is_a_warning_unless_it_is_meant(values: dict[str, float], found: int) -> None:
    attributes: Values = {f"float physxJointAxis:angular:{name}FrictionEffort": value for name, value in values.items()}
    text = finger(attributes, ("PhysxJointAxisAPI:angular",))
    assert len(findings(text, "joint/no-dynamic-friction")) == found


def test_newtons_friction_is_static_and_dynamic() -> None:
    text = finger({"float newton:friction": 2.0}, ("NewtonJointAPI",))
    assert findings(text, "joint/no-dynamic-friction") == []


# --- gears ---


@pytest.mark.parametrize(("first", "second", "wrong"), [
    ("ja", "jb", []), ("jb", "ja", ["hinge0", "hinge1"]), ("ja", "jc", ["hinge1"]), ("ja", "ja", ["hinge1"]),
    ("ja", "", ["hinge1"]), ("ja", "nope", ["hinge1"]), ("", "", ["hinge0", "hinge1"]),
])
def test_gear_names_the_hinges_of_its_own_bodies(first: str, second: str, wrong: list[str]) -> None:
    found = findings(gear(first, second), "joint/no-hinge")
    assert [(item.severity, item.property) for item in found] == [("error", f"physics:{name}") for name in wrong]


def test_hinges_of_a_gear_of_ratio_1_may_be_swapped() -> None:
    """As measured: 1 and -1 either way, while a ratio of -1 runs away."""
    assert findings(gear("jb", "ja", 1.0), "joint/no-hinge") == []
    assert len(findings(gear("jb", "ja", -1.0), "joint/no-hinge")) == 2


def test_gear_on_links_finds_its_hinges_inside_the_articulation() -> None:
    hinges = joint("Revolute", "ja", "base", "a") + joint("Revolute", "jb", "base", "b")
    coupled = prim("PhysxPhysicsGearJoint", "g", (), {
        "rel physics:body0": "</Robot/a>", "rel physics:body1": "</Robot/b>", "rel physics:hinge0": "</Robot/ja>",
        "rel physics:hinge1": "</Robot/jb>"})
    assert findings(robot(base(), link("a"), link("b"), hinges, coupled), "joint/no-hinge") == []


# --- Newton's mimic joints, of which PhysX makes its own ---


def test_sound_newton_mimic_joint_has_no_findings() -> None:
    assert [item.code for item in check(opened(newton())).findings] == []


@pytest.mark.parametrize(("values", "code", "asked"), [
    (limits(0.0, 10.0), "DJ.007/limits-clip", "[-45, 45]"),
    ({"float newton:mimicCoef1": 2.0}, "DJ.007/limits-clip", "[-90, 90]"),
    ({"float newton:mimicCoef0": 90.0, **limits(-180.0, 20.0)}, "DJ.007/limits-disjoint", "[45, 135]"),
])
def test_limits_of_newton_mimic_joints_are_judged_as_physx_feels_them(values: Values, code: str, asked: str) -> None:
    found = findings(newton(values), code)
    assert [(item.severity, item.path) for item in found] == [("error", "/Robot/j2")]
    assert f"for the reference joint's limits this joint needs the range {asked}" in found[0].message


def test_limits_of_a_hinge_that_leads_a_slider_are_compared_in_lengths() -> None:
    values: Values = {**limits(-0.5, 0.5), "float newton:mimicCoef1": 0.02}
    found = findings(newton(values, kinds=("Revolute", "Prismatic")), "DJ.007/limits-clip")
    assert "needs the range [-0.9, 0.9], but its limits are [-0.5, 0.5]" in found[0].message


def test_newton_mimic_joints_in_a_ring_are_an_error() -> None:
    found = findings(newton(leads=True), "DJ.007/cycle")
    assert [item.path for item in found] == ["/Robot/j1"] and found[0].repair is not None


@pytest.mark.parametrize("name", ["mimicCoef0", "mimicCoef1"])
@pytest.mark.parametrize("value", [math.inf, math.nan])
def test_newton_coefficients_are_finite(name: str, value: float) -> None:
    found = findings(newton({f"float newton:{name}": value}), "value/not-finite")
    assert [(item.severity, item.property) for item in found] == [("error", f"newton:{name}")]
    assert "becomes NaN" in found[0].why


def test_joint_states_that_miss_newtons_equation_are_told_by_its_coefficient() -> None:
    text = newton({"float state:angular:physics:position": 10.0}).replace(
        '"NewtonMimicAPI"', '"NewtonMimicAPI", "PhysicsJointStateAPI:angular"')
    assert [item.property for item in findings(text, "DJ.007/initial-violation")] == ["newton:mimicCoef1"]


@pytest.mark.parametrize(("own", "found"), [(0.0, False), (0.5, False), (0.2, True)])
def test_engines_agree_where_physx_takes_newtons_value(own: float, found: bool) -> None:
    """PhysX takes Newton's armature where its own is not above 0, so both engines simulate one robot then."""
    values: Values = {"float physxJointAxis:angular:armature": own, "float newton:armature": 0.5}
    text = finger(values, ("PhysxJointAxisAPI:angular", "NewtonJointAPI"))
    assert bool(findings(text, "engine/disagree")) == found
    assert bool(findings(text, "joint/newton-wins")) == (own == 0.0)


@pytest.mark.parametrize(("name", "why"), [("position", "PhysX refuses nan"),
                                           ("velocity", "PhysX refuses nan")])
def test_joint_state_of_nan_is_refused(name: str, why: str) -> None:
    text = finger({f"float state:angular:physics:{name}": math.nan}, ("PhysicsJointStateAPI:angular",))
    assert why in findings(text, "joint/state-refused")[0].why


@pytest.mark.parametrize(("kind", "axis", "name"), [
    ("Revolute", "angular", "velocity"), ("Prismatic", "linear", "position"), ("Prismatic", "linear", "velocity")])
def test_infinite_joint_state_is_not_refused_by_physx(kind: str, axis: str, name: str) -> None:
    text = finger({f"float state:{axis}:physics:{name}": math.inf}, (f"PhysicsJointStateAPI:{axis}",), kind)
    assert "PhysX accepts the value" in findings(text, "joint/state-refused")[0].why


@pytest.mark.parametrize(("changes", "code"), [
    ({"float drive:angular:physics:stiffness": -20.0}, "joint/drive-refused"),
    ({"float drive:angular:physics:damping": math.nan}, "joint/drive-refused"),
    ({"float drive:angular:physics:maxForce": -5.0}, "joint/drive-refused"),
    ({"float drive:angular:physics:targetPosition": math.nan}, "joint/drive-refused"),
    ({"float physics:lowerLimit": math.nan, "float physics:upperLimit": 20.0}, "joint/limit-order"),
])
def test_a_value_that_physx_refuses_outside_articulations_has_one_finding(
    changes: dict[str, object], code: str,
) -> None:
    text = robot(link("a"), joint("Revolute", "j", "", "a", ("PhysicsDriveAPI:angular",), {
        "float drive:angular:physics:stiffness": 20.0, "float drive:angular:physics:damping": 2.0, **changes}),
        schemas=())
    findings = [item for item in check(opened(text), "physx+simready+newton").findings if item.path == "/Robot/j"
                and item.property in {name.partition(" ")[2] for name in changes} and item.severity == "error"]
    assert [item.code for item in findings] == [code]


@pytest.mark.parametrize("change", [
    {"bool physics:jointEnabled": False}, {"rel physics:body0": "</Robot/b>"},
], ids=["switched off", "from a body to itself"])
def test_a_hinge_that_physx_makes_nowhere_is_no_hinge(change: dict[str, object]) -> None:
    """`experiments/measure_outside_rules.py`: the gear then couples about the x axis of its own frame."""
    gear = prim("PhysxPhysicsGearJoint", "g", (), {
        "rel physics:body0": "</Robot/a>", "rel physics:body1": "</Robot/b>", "rel physics:hinge0": "</Robot/h0>",
        "rel physics:hinge1": "</Robot/h1>", "float physics:gearRatio": 2.0})
    text = robot(link("a"), link("b", (2, 0, 0)), joint("Revolute", "h0", "", "a"),
                 joint("Revolute", "h1", "", "b", (), change), gear, schemas=())
    found = [item for item in check(opened(text)).findings if item.code == "joint/no-hinge"]
    assert [(item.property, item.message) for item in found] == [
        ("physics:hinge1", "PhysX does not create the joint /Robot/h1")]


def chain(first: str, second: str, base_moves: bool) -> str:
    """A chain base, a, b, c on hinges, and a joint beside it from one link to another."""
    held = () if base_moves else (joint("Fixed", "anchor", "", "base"),)
    return robot(link("base"), *held, link("a"), link("b"), link("c"), joint("Revolute", "j0", "base", "a"),
                 joint("Revolute", "j1", "a", "b"), joint("Revolute", "j2", "b", "c"),
                 joint("Fixed", "k", first, second, (), {"bool physics:excludeFromArticulation": True}))


@pytest.mark.parametrize(("first", "second", "base_moves", "mover"), [
    ("base", "c", False, ""), ("base", "c", True, ""), ("a", "c", False, "/Robot/j0"), ("c", "a", False, "/Robot/j0"),
    ("b", "c", False, "/Robot/j1"),
])
def test_a_loop_whose_ends_a_joint_moves_together_is_found(
    first: str, second: str, base_moves: bool, mover: str,
) -> None:
    found = [item.message for item in check(opened(chain(first, second, base_moves))).findings
             if item.code == "DJ.011/moving-loop"]
    expected = f"the joint connects /Robot/{first} and /Robot/{second}, although {mover} moves both"
    assert found == ([expected] if mover else [])


@pytest.mark.parametrize(("low", "meters", "offset", "found"), [
    (0.5, 1.0, 0.0, True), (0.5, 1.0, 1e-7, True), (0.5, 1.0, 1e-3, False), (0.01, 1.0, 0.0, False),
    (-1.0, 1.0, 0.0, False), (2.0, 0.01, 0.0, False), (3.0, 0.01, 0.0, True),
])
def test_a_distance_joint_that_has_to_leave_a_point_is_found(
    low: float, meters: float, offset: float, found: bool,
) -> None:
    """The joint's tolerance is 0.025 m, whatever the length unit."""
    text = robot(link("a"), joint("Distance", "j", "", "a", (), {
        "float physics:minDistance": low, "point3f physics:localPos1": (0.0, offset, 0.0)}), schemas=(), meters=meters)
    assert ("joint/distance-direction" in [item.code for item in check(opened(text)).findings]) == found


def test_a_third_joint_between_two_links_is_told_once() -> None:
    text = robot(base(), link("a"), link("b"), joint("Revolute", "j0", "base", "a"),
                 *(joint("Revolute", f"k{i}", "a", "b") for i in range(3)))
    codes = [item.code for item in check(opened(text)).findings if item.path == "/Robot/k2"]
    assert [code for code in codes if code.startswith("DJ.011/")] == ["DJ.011/beside"]


@pytest.mark.parametrize(("target", "severity"), [("</Robot>", "info"), ("</Robot/rock>", "warning")])
def test_the_root_prim_of_a_robot_stands_for_the_world(target: str, severity: str) -> None:
    text = robot(prim("Xform", "rock"), link("a"), joint("Fixed", "j", "", "a", (), {"rel physics:body0": target}))
    assert [item.severity for item in findings(text, "joint/no-body")] == [severity]


@pytest.mark.parametrize(("text", "found"), [
    (robot(link("a"), link("b"), joint("Revolute", "j", "a", "b"), schemas=()), True),
    (robot(link("a"), link("b", more={"bool physics:kinematicEnabled": True}), joint("Revolute", "j", "b", "a")),
     False),
    (robot(link("a"), link("b", more={"bool physics:rigidBodyEnabled": False}), joint("Fixed", "j", "b", "a"),
           schemas=()), False),
    (robot(link("a"), link("b"), joint("Distance", "j", "a", "b"), schemas=()), False),
], ids=["two bodies", "a root that PhysX refuses", "a disabled body", "a rope"])
def test_only_joints_that_an_articulation_could_have_ask_for_a_root(text: str, found: bool) -> None:
    assert bool(findings(text, "articulation/no-root")) == found


@pytest.mark.parametrize(("kind", "advice"), [
    ("Fixed", "move PhysicsArticulationRootAPI to /Robot/j or"),
    ("Prismatic", "add a body and fix it to the world")])
def test_moving_the_root_to_a_slider_is_no_advice(kind: str, advice: str) -> None:
    """The root API on a joint to the world fixes the base, whatever kind the joint is."""
    text = robot(link("a", schemas=("PhysicsArticulationRootAPI",)), link("b"), joint(kind, "j", "", "a"),
                 joint("Revolute", "k", "a", "b"), schemas=())
    assert advice in findings(text, "articulation/world-joint-outside")[0].fix


@pytest.mark.parametrize(("kind", "instance"), [("Revolute", "angular"), ("Prismatic", "linear")])
def test_joint_that_may_not_move_is_an_error_that_slows_all_joints(kind: str, instance: str) -> None:
    text = finger({f"float physxJointAxis:{instance}:maxJointVelocity": 0.0}, (f"PhysxJointAxisAPI:{instance}",), kind)
    [found] = findings(text, "joint/no-velocity")
    assert "also slows all other joints of the articulation" in found.why
