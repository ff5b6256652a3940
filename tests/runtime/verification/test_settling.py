"""Limits, targets and target velocities are where joints come to rest, or at which speed they go on."""

from __future__ import annotations

import pytest
from physx_runtime.verification import verify
from pxr import Usd
from support.stages.loaded_robots import lift
from support.stages.robots import base, joint, link, opened, robot
from support.stages.verified_robots import ROOT_SCHEMAS, both, chain, drive, limits, part, row_of, turning, verified

TARGET, SPEED = "drive:angular:physics:targetPosition", "drive:angular:physics:targetVelocity"
LOWER, UPPER = "physics:lowerLimit", "physics:upperLimit"


def hinge(*parts: object, **values: float) -> Usd.Stage:
    """A hinge with limits from -20 to 50 degrees and a drive."""
    driven = drive("angular", **({"stiffness": 30.0, "damping": 2.0} | values))
    return chain(both(limits(-20, 50), driven, *parts), kind="Revolute")    # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "authored"), [(LOWER, -20.0), (UPPER, 50.0)])
def test_limit_is_where_a_pushed_joint_stops(name: str, authored: float) -> None:
    row = verified(hinge(), name)
    assert (row.authored, row.verdict, row.unit) == (authored, "as authored", "deg")
    assert row.effective == pytest.approx(authored, rel=1e-5)


def test_limits_in_the_wrong_order_hold_the_joint_at_0() -> None:
    verification = verify(chain(limits(10, -10), kind="Revolute"))
    rows = [row_of(verification, name) for name in (LOWER, UPPER)]
    assert [(row.effective, row.verdict) for row in rows] == [(pytest.approx(0.0, abs=1e-4), "altered")] * 2
    assert rows[0].reason == "limits [10, -10]: PhysX refuses both limits and holds the joint at 0"


def test_limits_of_a_joint_that_starts_beyond_them_are_measured() -> None:
    turned = part("PhysicsJointStateAPI:angular", "state:angular:physics", position=80.0)
    assert verified(hinge(turned), UPPER).effective == pytest.approx(50.0, rel=1e-5)


def test_bounds_of_a_generic_joint_are_measured_under_their_own_names() -> None:
    bounds = part("PhysicsLimitAPI:rotY", "limit:rotY:physics", low=-30.0, high=60.0)
    verification = verify(chain(turning(bounds), kind=""))
    for name, value in (("low", -30.0), ("high", 60.0)):
        row = row_of(verification, f"limit:rotY:physics:{name}")
        assert (row.effective, row.verdict) == (pytest.approx(value, rel=1e-5), "as authored")


def test_cone_angle_is_measured_to_both_sides() -> None:
    cone = {"float physics:coneAngle0Limit": 30.0, "float physics:coneAngle1Limit": 40.0}
    ball = joint("Spherical", "ball", "base", "l0", (), cone)
    rows = verify(opened(robot(base(), link("l0"), ball, schemas=ROOT_SCHEMAS))).rows
    for name, value in (("coneAngle0Limit", 30.0), ("coneAngle1Limit", 40.0)):
        found = [row for row in rows if row.property == f"physics:{name}"]
        assert [row.effective for row in found] == [pytest.approx(value, rel=1e-5)] * 2
        assert {row.verdict for row in found} == {"as authored"}


def test_target_is_where_the_drive_pulls() -> None:
    row = verified(hinge(targetPosition=30.0), TARGET)
    assert (row.verdict, row.unit) == ("as authored", "deg")
    assert row.effective == pytest.approx(30.0, rel=1e-5)


def test_target_beyond_a_limit_is_the_limit() -> None:
    row = verified(hinge(targetPosition=70.0), TARGET)
    assert (row.verdict, row.reason) == ("altered", "the joint's limits [-20, 50] deg stop it before the target")
    assert row.effective == pytest.approx(50.0, rel=1e-3)


def test_whole_turns_are_taken_off_a_target_without_limits() -> None:
    stage = chain(drive("angular", stiffness=30.0, damping=2.0, targetPosition=370.0), kind="Revolute")
    row = verified(stage, TARGET)
    assert (row.effective, row.verdict) == (pytest.approx(10.0, rel=1e-5), "altered")
    assert "PhysX removes whole turns" in row.reason


def test_target_without_stiffness_is_ignored() -> None:
    row = verified(hinge(stiffness=0.0, targetPosition=30.0), TARGET)
    assert (row.verdict, row.reason) == ("ignored", "stiffness is 0, and the drive has no effect on position")


def test_target_velocity_is_the_speed_that_the_damper_keeps_up() -> None:
    row = verified(hinge(stiffness=0.0, targetVelocity=40.0), SPEED)
    assert (row.verdict, row.unit) == ("as authored", "deg/s")
    assert row.effective == pytest.approx(40.0, rel=1e-5)


def test_target_velocity_above_the_joints_maximum_is_the_maximum() -> None:
    slow = part("PhysxJointAxisAPI:angular", "physxJointAxis:angular", maxJointVelocity=25.0)
    row = verified(hinge(slow, stiffness=0.0, targetVelocity=40.0), SPEED)
    reason = "the joint's maximum velocity 25 deg/s is below the target velocity"
    assert (row.verdict, row.reason) == ("altered", reason)
    assert row.effective == pytest.approx(25.0, rel=1e-3)


def test_target_velocity_beside_a_spring_without_damping_is_not_evaluated() -> None:
    """It moves the spring's target within a step, so it is not without effect."""
    assert verified(hinge(damping=0.0, targetVelocity=40.0), SPEED).verdict == "not evaluated"


def test_targets_that_are_not_authored_have_no_rows() -> None:
    assert not {TARGET, SPEED} & {row.property for row in verify(hinge()).rows}


def test_pose_and_other_joints_do_not_matter() -> None:
    neighbour = both(limits(-5, 5), drive("linear", stiffness=1000.0, targetPosition=1.0))
    stage = chain(both(limits(-1, 2), drive("linear", stiffness=3.0, damping=0.1, targetPosition=-0.5)), neighbour)
    verification = verify(stage)
    assert row_of(verification, "drive:linear:physics:targetPosition").effective == pytest.approx(-0.5, abs=1e-6)
    assert row_of(verification, UPPER).effective == pytest.approx(2.0, abs=1e-5)


def gimbal(**targets: float) -> Usd.Stage:
    """A generic joint that turns about these axes, each with a drive to a target."""
    locked = [part(f"PhysicsLimitAPI:{name}", f"limit:{name}:physics", low=1.0, high=-1.0)
              for name in ("rotX", "rotY", "rotZ") if name not in targets]
    return chain(turning(*locked, *(drive(name, stiffness=20.0, damping=2.0, targetPosition=target)
                                    for name, target in targets.items())), kind="")


# Where real PhysX rests: experiments/measure_loaded_limits.py.
@pytest.mark.parametrize(("targets", "rest"), [((45.0, 179.0), (-42.77, -170.13)), ((-45.0, 179.0), (42.77, -170.13)),
                                               ((20.0, -179.5), (-19.86, 178.28))])
@pytest.mark.parametrize("names", [("rotY", "rotZ"), ("rotX", "rotY")])
def test_targets_of_two_axes_beyond_half_a_turn_are_altered_together(targets: tuple[float, float],
                                                                      rest: tuple[float, float],
                                                                      names: tuple[str, str]) -> None:
    verification = verify(gimbal(**dict(zip(names, targets, strict=True))))
    for name, angle in zip(names, rest, strict=True):
        row = row_of(verification, f"drive:{name}:physics:targetPosition")
        assert (row.verdict, row.effective) == ("altered", pytest.approx(angle, abs=0.02))
        assert "into one rotation of 18" in row.reason
        assert "takes the shorter way" in row.reason


@pytest.mark.parametrize("targets", [{"rotY": 30.0, "rotZ": 40.0}, {"rotX": 45.0, "rotZ": 174.0}, {"rotZ": 179.0},
                                     {"rotX": 20.0, "rotY": 30.0, "rotZ": -40.0}])
def test_targets_of_several_axes_within_half_a_turn_are_as_authored(targets: dict[str, float]) -> None:
    verification = verify(gimbal(**targets))
    for name, target in targets.items():
        row = row_of(verification, f"drive:{name}:physics:targetPosition")
        assert (row.verdict, row.effective) == ("as authored", pytest.approx(target, rel=1e-3))


def test_number_that_physx_takes_otherwise_has_the_remedy_of_check() -> None:
    stage = chain(drive("angular", stiffness=30.0, damping=2.0, targetPosition=370.0), kind="Revolute")
    remedy = verified(stage, TARGET).remedy
    assert remedy is not None
    assert (remedy.value, remedy.feasible) == (None, False)
    assert remedy.reason.startswith("author finite lowerLimit and upperLimit around the target")


@pytest.mark.parametrize("direction", [(0, 0, -1), (0, 1, 0)])
def test_direction_of_no_gravity_is_not_altered(direction: tuple[float, float, float]) -> None:
    rows = verify(opened(lift(gravity=0.0).replace("(0, 0, -1)", str(direction)))).rows
    verdicts = {row.property: row.verdict for row in rows if row.path == "/Robot/Scene"}
    assert verdicts["physics:gravityDirection"] == "not evaluated"
    assert verdicts["physics:gravityMagnitude"] == "as authored"
