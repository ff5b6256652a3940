"""Joints that don't get to their targets: the cause, the figure, and a fix with which they do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.stages.driven_arms import TORQUE, WEIGHT, arm, layered, repaired
from support.stages.robots import opened

from physx_schema.checking import Finding, check

# Kind, axis, up axis, metres per unit: gravity acts across the hinges and along the sliders.
PLACES = (("Revolute", "Y", "Z", 1.0), ("Revolute", "Z", "Y", 0.01), ("Prismatic", "Z", "Z", 1.0),
          ("Prismatic", "Y", "Y", 0.01))
FIRM = {"Revolute": {"stiffness": 1000.0, "damping": 100.0}, "Prismatic": {"stiffness": 1e5, "damping": 1e4}}


def units(kind: str, meters: float) -> float:
    """How much larger the numbers of forces, or torques, are in a unit of length."""
    return meters ** (-2 if kind == "Revolute" else -1)


def place(kind: str, axis: str, up: str, meters: float, force_free: bool = False, **values: float) -> str:
    """An arm with firm gains, in the units of the stage."""
    scale = units(kind, meters) / (1.0 if kind == "Revolute" else 1.0 / meters)
    gains = {name: value * scale for name, value in FIRM[kind].items()}
    limits = (-90.0, 90.0) if kind == "Revolute" else (-0.5 / meters, 0.5 / meters)
    return arm(kind, axis, up, meters, limits=limits, **{**gains, **values})


def findings(text: str) -> list[Finding]:
    return [item for item in check(opened(text), "behaviour").findings if item.severity != "info"]


def codes(text: str) -> list[str]:
    return [item.code for item in findings(text)]


@pytest.mark.parametrize("where", PLACES)
def test_firm_drive_has_no_finding(where: tuple[str, str, str, float]) -> None:
    assert codes(place(*where)) == []


@pytest.mark.parametrize("where", PLACES)
def test_drive_below_the_weight_is_too_weak(where: tuple[str, str, str, float]) -> None:
    kind, _, _, meters = where
    load = (TORQUE if kind == "Revolute" else WEIGHT) * units(kind, meters)
    (item,) = findings(place(*where, maxForce=0.4 * load))
    assert (item.code, item.property) == ("behaviour/too-weak", f"drive:{'angular' if kind == 'Revolute' else 'linear'}"
                                          ":physics:maxForce")
    (figure,) = re.findall(r"needs up to ([\d.e+]+)", item.message)
    assert float(figure) == pytest.approx(load, rel=0.01)
    assert float(re.findall(r"author maxForce ([\d.e+]+)", item.fix)[0]) == pytest.approx(1.2 * load, rel=0.02)


@pytest.mark.parametrize("where", PLACES)
def test_repair_of_a_weak_drive_leaves_no_finding(where: tuple[str, str, str, float]) -> None:
    stage = opened(place(*where, maxForce=0.4 * TORQUE * units(where[0], where[3])))
    assert codes(repaired(stage, list(check(stage, "behaviour").findings))) == []


def test_force_that_a_stronger_layer_authors_counts() -> None:
    over = 'over "Robot"\n{\n    over "j"\n    {\n        float drive:angular:physics:maxForce = 3\n    }\n}\n'
    stage = layered(arm(stiffness=1000.0, damping=100.0, maxForce=100.0), over)
    assert [item.code for item in check(stage, "behaviour").findings] == ["behaviour/too-weak"]


@pytest.mark.parametrize("meters", [1.0, 0.01])
def test_drive_below_static_friction_stays_where_it_is(meters: float) -> None:
    text = arm("Prismatic", "X", meters=meters, limits=(-1.0 / meters, 1.0 / meters), stiffness=1000.0, damping=200.0,
               targetPosition=0.3 / meters, maxForce=2.0 / meters, staticFrictionEffort=5.0 / meters,
               dynamicFrictionEffort=4.0 / meters)
    (item,) = findings(text)
    assert item.code == "behaviour/friction"
    assert codes(repaired(opened(text), [item])) == []


def test_stiffness_too_small_for_static_friction_is_raised() -> None:
    text = arm("Prismatic", "X", limits=(-1.0, 1.0), stiffness=10.0, damping=20.0, targetPosition=0.3, maxForce=1000.0,
               staticFrictionEffort=5.0, dynamicFrictionEffort=4.0)
    (item,) = findings(text)
    assert item.code == "behaviour/friction" and "stiffness" in item.fix
    assert codes(repaired(opened(text), [item])) == []


@pytest.mark.parametrize("kind", ["force", "acceleration"])
def test_sag_is_the_load_over_the_stiffness(kind: str) -> None:
    text = arm(stiffness=1.0, damping=1.0, maxForce=1000.0).replace(
        "float drive:angular:physics:stiffness", f'uniform token drive:angular:physics:type = "{kind}"\n'
        "float drive:angular:physics:stiffness")
    (item,) = findings(text)
    assert item.code == "behaviour/sag"
    assert codes(repaired(opened(text), [item])) == []


def test_sag_below_a_hundredth_of_the_range_is_none() -> None:
    assert codes(arm(stiffness=15.0, damping=5.0, maxForce=1000.0)) == []       # 1.64 of 1.8 degrees


@pytest.mark.parametrize(("axis", "speed"), [("Z", 1.57), ("Y", 3.14), ("X", 0.5)])
def test_speed_limit_in_radians_is_named_in_degrees(axis: str, speed: float) -> None:
    text = arm("Revolute", axis, stiffness=1000.0, damping=100.0, maxForce=1000.0, targetPosition=60.0,
               maxJointVelocity=speed)
    (item,) = findings(text)
    assert (item.code, item.property) == ("behaviour/speed-limit", "physxJointAxis:angular:maxJointVelocity")
    assert item.severity == "error" and f"{speed:g} rad/s in degrees" in item.fix
    assert codes(repaired(opened(text), [item])) == []


def test_speed_limit_is_a_warning_where_the_target_is_at_the_start() -> None:
    (item,) = findings(arm("Revolute", "Z", stiffness=1000.0, damping=100.0, maxJointVelocity=2.0))
    assert (item.code, item.severity) == ("behaviour/speed-limit", "warning")
    assert "takes 90 s for its range" in item.message and "114.6 if 2 is meant in rad/s" in item.fix


@pytest.mark.parametrize("speed", [30.0, 180.0])
def test_usual_speed_limit_has_no_finding(speed: float) -> None:
    assert codes(arm("Revolute", "Z", stiffness=1000.0, damping=100.0, maxJointVelocity=speed)) == []


@pytest.mark.parametrize(("axis", "gains", "code"), [
    ("Z", {"stiffness": 10.0, "damping": 0.0}, "swings"), ("X", {"stiffness": 0.05, "damping": 0.0}, "swings"),
    ("Z", {"stiffness": 1.0, "damping": 20.0}, "slow"), ("Z", {"stiffness": 1e-3, "damping": 1e-3}, "slow")])
def test_gains_that_bring_no_joint_to_rest_are_replaced(axis: str, gains: dict[str, float], code: str) -> None:
    text = arm("Revolute", axis, **gains, targetPosition=40.0)
    (item,) = findings(text)
    assert item.code == f"behaviour/{code}"
    assert codes(repaired(opened(text), [item])) == []


def test_tiny_gains_let_the_arm_fall_to_its_limit() -> None:
    (item,) = findings(arm(stiffness=0.01, damping=0.001))
    assert item.code in ("behaviour/sag", "behaviour/swings") and "stiffness" in item.fix


def test_target_outside_the_limits_is_left_to_its_own_rule() -> None:
    assert codes(arm("Revolute", "Z", limits=(-10.0, 10.0), stiffness=100.0, damping=10.0, targetPosition=60.0)) == []


def test_profile_driven_brings_behaviour_but_not_for_simready_by_itself() -> None:
    stage = opened(arm(stiffness=1.0, damping=1.0))
    found = {profile: {item.code for item in check(stage, profile).findings if item.code.startswith("behaviour/")}
             for profile in ("physx+driven", "driven", "simready", "physx+simready")}
    assert found == {"physx+driven": {"behaviour/sag"}, "driven": {"behaviour/sag"}, "simready": set(),
                     "physx+simready": set()}


@pytest.mark.parametrize(("name", "code", "joint"), [
    ("14a_force_below_friction", "friction", "j0"), ("14c_force_below_weight", "too-weak", "j0"),
    ("drive_too_weak", "too-weak", "shoulder"), ("max_velocity_radians", "speed-limit", "shoulder"),
    ("finger_sound", "", "")])
def test_reported_stage_has_the_finding_on_its_joint(shared_cases: Path, name: str, code: str, joint: str) -> None:
    found = {(item.code.removeprefix("behaviour/"), item.path.rpartition("/")[2])
             for item in check(shared_cases / "said" / f"{name}.usda", "behaviour").findings}
    assert found == ({(code, joint)} if code else set())
