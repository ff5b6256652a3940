"""Joints outside articulations as PhysX sets them up: `experiments/measure_outside_joints.py` says how far each lets a
body go, which is what is written down here."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest
from support.recorded.scene_stages import still
from support.recorded.transform_stages import instanced
from support.stages.robots import described, joint, link, placed, prim

from physx_schema.description import Description, JointAxis, MaximalJoint

INF, NAN = math.inf, math.nan
FREE = (-INF, INF)
LOCKED = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")


def stage(kind: str, values: Mapping[str, object], schemas: tuple[str, ...] = ()) -> Description:
    """A body on a joint to the world."""
    return described(still(link("a"), joint(kind, "j", "", "a", schemas, values), schemas=()))


def made(found: Description) -> MaximalJoint:
    item, = found.joints
    return item


def codes(found: Description) -> list[str]:
    return [problem.code for problem in found.problems]


def bounds(axis: JointAxis) -> tuple[float, float]:
    """Of an angle in degrees."""
    return (math.degrees(axis.lower), math.degrees(axis.upper)) if axis.angular else (axis.lower, axis.upper)


def limited(low: float, high: float) -> Mapping[str, object]:
    return {"float physics:lowerLimit": low, "float physics:upperLimit": high}


def generic(**limits: tuple[float, float]) -> tuple[Mapping[str, object], tuple[str, ...]]:
    """Values and schemas of a generic joint that locks the axes without limits."""
    every = dict.fromkeys(LOCKED, (1.0, -1.0)) | limits
    values = {f"float limit:{axis}:physics:{name}": value for axis, pair in every.items()
              for name, value in zip(("low", "high"), pair, strict=True)}
    return values, tuple(f"PhysicsLimitAPI:{axis}" for axis in every)


@pytest.mark.parametrize(("low", "high", "taken", "code"), [
    (-10.0, 20.0, (-10.0, 20.0), ""), (-INF, 20.0, (-180.0, 20.0), ""), (-10.0, INF, (-10.0, 180.0), ""),
    (-1e38, 20.0, (-180.0, 20.0), ""), (20.0, -10.0, (-90.0, 90.0), "joint/limit-order"),
    (NAN, 20.0, (-180.0, 20.0), "joint/limit-order"), (0.0, 0.0, (0.0, 0.0), ""), (-200.0, 250.0, (-180.0, 180.0), ""),
    (200.0, 250.0, (-90.0, 90.0), "joint/limit-order"), (-300.0, -200.0, (-90.0, 90.0), "joint/limit-order"),
    (-INF, INF, FREE, ""),
])
def test_a_hinge_stops_where_physx_stops_it(low: float, high: float, taken: tuple[float, float], code: str) -> None:
    found = stage("Revolute", limited(low, high))
    axis, = made(found).axes
    assert axis.axis == "rotX"
    assert bounds(axis) == pytest.approx(taken)
    assert codes(found) == ([code] if code else [])


@pytest.mark.parametrize(("low", "high", "taken", "code"), [
    (-0.25, 0.5, (-0.25, 0.5), ""), (-INF, 0.5, FREE, "joint/one-sided-limit"), (-0.25, INF, FREE,
                                                                               "joint/one-sided-limit"),
    (-2.5e37, 0.5, (-2.5e37, 0.5), ""), (-1e38, 0.5, (-INF, 0.5), ""), (NAN, 0.5, FREE, "joint/limit-order"),
    (0.5, -0.25, FREE, "joint/limit-order"),
])
def test_a_slider_stops_where_physx_stops_it(low: float, high: float, taken: tuple[float, float], code: str) -> None:
    found = stage("Prismatic", limited(low, high))
    axis, = made(found).axes
    assert axis.axis == "transX"
    assert bounds(axis) == pytest.approx(taken)
    assert codes(found) == ([code] if code else [])


@pytest.mark.parametrize(("name", "low", "high", "taken", "code"), [
    ("rotX", -10.0, 20.0, (-10.0, 20.0), ""), ("rotX", -INF, 20.0, (-INF, 20.0), ""),
    ("rotX", NAN, 20.0, (-INF, 20.0), "joint/limit-order"), ("rotX", -200.0, 250.0, (-200.0, 250.0), ""),
    ("rotY", -10.0, 20.0, (-10.0, 20.0), ""), ("rotY", -INF, 20.0, (-90.0, 90.0), "joint/one-sided-limit"),
    ("rotY", NAN, 20.0, (-90.0, 90.0), "joint/limit-order"), ("rotY", -179.0, 179.0, (-179.0, 179.0), ""),
    ("rotY", -180.0, 180.0, (-90.0, 90.0), "joint/limit-order"),
    ("transY", -0.25, 0.5, (-0.25, 0.5), ""), ("transY", -INF, 0.5, FREE, "joint/one-sided-limit"),
    ("transY", NAN, 0.5, FREE, "joint/limit-order"),
])
def test_a_generic_axis_stops_where_physx_stops_it(
    name: str, low: float, high: float, taken: tuple[float, float], code: str,
) -> None:
    found = stage("", *generic(**{name: (low, high)}))
    axis, = made(found).axes
    assert (axis.axis, axis.instance) == (name, name)
    assert bounds(axis) == pytest.approx(taken)
    assert codes(found) == ([code] if code else [])


@pytest.mark.parametrize("name", LOCKED)
def test_low_above_high_locks_a_generic_axis(name: str) -> None:
    assert made(stage("", *generic(**{name: (20.0, -10.0)}))).axes == ()


@pytest.mark.parametrize("value", [("restitution", 1.5), ("restitution", NAN), ("bounceThreshold", NAN)])
def test_limits_are_refused_for_how_they_would_bounce(value: tuple[str, float]) -> None:
    name, number = value
    turned = stage("Revolute", {**limited(-10.0, 20.0), f"float physxLimit:angular:{name}": number},
                   ("PhysxLimitAPI:angular",))
    slid = stage("Prismatic", {**limited(-0.1, 0.2), f"float physxLimit:linear:{name}": number},
                 ("PhysxLimitAPI:linear",))
    assert bounds(made(turned).axes[0]) == pytest.approx((-90.0, 90.0))
    assert bounds(made(slid).axes[0]) == FREE


@pytest.mark.parametrize(("swing", "taken"), [("rotY", (-10.0, 20.0)), ("rotZ", FREE)])
def test_the_last_swings_bounce_is_that_of_both(swing: str, taken: tuple[float, float]) -> None:
    values, schemas = generic(rotY=(-10.0, 20.0), rotZ=(-10.0, 20.0))
    found = made(stage("", {**values, f"float physxLimit:{swing}:restitution": 1.5}, (*schemas,
                                                                                    f"PhysxLimitAPI:{swing}")))
    assert [bounds(axis) for axis in found.axes] == [pytest.approx(taken)] * 2


def test_the_limits_of_both_swings_are_refused_together() -> None:
    first, second = made(stage("", *generic(rotY=(-10.0, 20.0), rotZ=(-INF, 30.0)))).axes
    assert bounds(first) == bounds(second) == FREE


@pytest.mark.parametrize(("soft", "taken"), [
    ({"rotY": 1.0, "rotZ": 4.0}, (4.0, 4.0)), ({"rotY": 1.0}, (0.0, 0.0)), ({"rotZ": 4.0}, (4.0, 4.0)),
])
def test_both_swings_are_as_soft_as_the_last(soft: Mapping[str, float], taken: tuple[float, float]) -> None:
    values, schemas = generic(rotY=(-1.0, 1.0), rotZ=(-1.0, 1.0))
    values = {**values, **{f"float physxLimit:{axis}:stiffness": value for axis, value in soft.items()}}
    found = made(stage("", values, (*schemas, *(f"PhysxLimitAPI:{axis}" for axis in soft))))
    assert tuple(axis.limit_stiffness for axis in found.axes) == taken


def test_one_limited_swing_has_its_own_softness() -> None:
    values, schemas = generic(rotY=(-1.0, 1.0))
    found = made(stage("", {**values, "float physxLimit:rotY:stiffness": 1.0}, (*schemas, "PhysxLimitAPI:rotY")))
    assert found.axes[0].limit_stiffness == 1.0


@pytest.mark.parametrize(("first", "second", "code"), [
    (20.0, 30.0, ""), (179.0, 179.0, ""), (0.0, 0.0, "joint/limit-range"), (0.0, 30.0, "joint/limit-range"),
    (180.0, 30.0, "joint/limit-range"), (30.0, 200.0, "joint/limit-range"), (20.0, -1.0, "joint/half-cone"),
    (NAN, 30.0, "joint/half-cone"), (-1.0, -1.0, None),
])
def test_a_cone_is_made_of_angles_between_0_and_180_degrees(first: float, second: float, code: str | None) -> None:
    found = stage("Spherical", {"float physics:coneAngle0Limit": first, "float physics:coneAngle1Limit": second})
    cone = made(found).cone
    assert (cone is not None) == (code == "")
    if cone is not None:
        assert (cone.angle0, cone.angle1) == pytest.approx((math.radians(first), math.radians(second)))
    assert codes(found) == ([code] if code else [])


@pytest.mark.parametrize(("name", "value", "refused", "made_without"), [
    ("maxForce", -5.0, True, True), ("stiffness", -20.0, True, True), ("damping", -2.0, True, True),
    ("stiffness", NAN, True, True), ("maxForce", NAN, False, False), ("stiffness", INF, True, True),
    ("damping", INF, True, True), ("targetVelocity", NAN, True, False), ("targetVelocity", INF, True, False),
    ("targetPosition", INF, True, False), ("targetPosition", 400.0, False, False),
])
def test_a_drive_is_refused_as_physx_refuses_it(name: str, value: float, refused: bool, made_without: bool) -> None:
    gains = {"stiffness": 20.0, "damping": 2.0, "targetPosition": 30.0, name: value}
    found = stage("Revolute", {f"float drive:angular:physics:{key}": number for key, number in gains.items()},
                  ("PhysicsDriveAPI:angular",))
    drive = made(found).axes[0].drive
    assert (drive is None) == made_without
    assert codes(found) == ["joint/drive-refused"] * refused
    if drive is not None:
        target = 0.0 if math.isinf(gains["targetPosition"]) else gains["targetPosition"]
        assert math.degrees(drive.target_position) == pytest.approx(target)
        assert drive.target_velocity == 0.0


def test_drives_of_locked_axes_and_refused_ones_aim_with_the_others() -> None:
    values, schemas = generic(rotY=FREE, rotZ=FREE)
    drives = {f"float drive:{axis}:physics:{name}": value for axis, value in (
        ("rotX", 50.0), ("rotY", 40.0), ("rotZ", 10.0)) for name, value in (
        ("stiffness", 20.0), ("targetPosition", value), ("maxForce", -1.0 if axis == "rotZ" else 100.0))}
    found = made(stage("", {**values, **drives}, (*schemas, *(f"PhysicsDriveAPI:{axis}" for axis in LOCKED[3:]))))
    assert [axis.drive is not None for axis in found.axes] == [True, False]
    assert [math.degrees(angle) for angle in found.aim] == pytest.approx([50.0, 40.0, 10.0])


@pytest.mark.parametrize(("name", "value"), [
    ("quatf physics:localRot0", (0.0, 0.0, 0.0, 0.0)), ("quatf physics:localRot1", (0.0, 0.0, 0.0, 0.0)),
    ("point3f physics:localPos0", (NAN, 0.0, 0.0)), ("point3f physics:localPos1", (NAN, 0.0, 0.0)),
])
def test_no_joint_is_made_of_a_frame_that_is_none(name: str, value: tuple[float, ...]) -> None:
    found = stage("Fixed", {name: value, "float physics:breakForce": 3.0})
    assert found.joints == ()
    assert codes(found) == ["joint/frame-refused"]
    assert [item.code for item in found.unused if item.property == "physics:breakForce"] == ["dropped"]


@pytest.mark.parametrize(("low", "high", "taken", "code"), [
    (-1.0, 0.5, (-INF, 0.5), None), (-1.0, NAN, FREE, None), (NAN, 0.5, (-INF, 0.5), None),
    (-1.0, INF, (-INF, 0.0), "joint/infinite-distance"), (INF, -1.0, (0.0, INF), "joint/infinite-distance"),
])
def test_an_infinite_distance_is_one_of_0(
    low: float, high: float, taken: tuple[float, float], code: str | None,
) -> None:
    found = stage("Distance", {"float physics:minDistance": low, "float physics:maxDistance": high})
    distance = made(found).distance
    assert distance is not None
    assert (distance.minimum, distance.maximum) == taken
    assert codes(found) == ([code] if code else [])


def test_what_is_no_axis_is_x() -> None:
    assert made(stage("Revolute", {"uniform token physics:axis": "W"})).axis == 0


@pytest.mark.parametrize(("gain", "taken"), [(NAN, 0.0), (-1.0, 0.0), (2.0, 2.0), (INF, 3.4028234663852886e38)])
def test_gains_of_springs_are_finite(gain: float, taken: float) -> None:
    soft = made(stage("Revolute", {**limited(-1.0, 1.0), "float physxLimit:angular:stiffness": gain},
                      ("PhysxLimitAPI:angular",)))
    rope = made(stage("Distance", {"float physics:maxDistance": 1.0,
                                   "bool physxPhysicsDistanceJoint:springEnabled": True,
                                   "float physxPhysicsDistanceJoint:springStiffness": gain},
                      ("PhysxPhysicsDistanceJointAPI",)))
    assert rope.distance is not None
    assert (soft.axes[0].limit_stiffness, rope.distance.stiffness) == (taken, taken)


# The Xform /Robot/rock at (2, 0, 10): PhysX takes a frame in it for one of the world where it sees no place of it.
@pytest.mark.parametrize(("rock", "frame"), [
    ('def Xform "rock"', (2.0, 0.0, 10.0)), ('def Xform "rock" (active = false)', (0.0, 0.0, 0.0)),
    ('over Xform "rock"', (0.0, 0.0, 0.0)), ('class Xform "rock"', (0.0, 0.0, 0.0)),
])
def test_a_frame_in_what_physx_does_not_see_is_one_of_the_world(rock: str, frame: tuple[float, ...]) -> None:
    other = prim("Xform", "rock", (), placed((2, 0, 10))).replace('def Xform "rock"', rock)
    found = described(still(other, link("a"), joint("Fixed", "j", "rock", "a", (), {}), schemas=()))
    assert made(found).frame0[0] == frame


@pytest.mark.parametrize(("inside", "frame"), [
    (prim("Xform", "rock", (), placed((2, 0, 10))), (0.0, 0.0, 0.0)),
    (prim("Cube", "rock", ("PhysicsCollisionAPI",), placed((2, 0, 10))), (2.0, 0.0, 10.0)),
], ids=["an Xform", "a collider"])
def test_physx_knows_the_place_of_colliders_alone_inside_instances(inside: str, frame: tuple[float, ...]) -> None:
    text = instanced(inside, link("a") + joint("Fixed", "j", "I/rock", "a", (), {}))
    assert made(described(text)).frame0[0] == frame
