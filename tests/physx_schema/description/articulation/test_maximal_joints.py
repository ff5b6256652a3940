"""Joints outside articulations as PhysX sets them up: `experiments/measure_outside_joints.py` says how far each lets a
body go, which is what is written down here.

Every property of joints, on a joint outside articulations, is a fact that moves it or is said to do nothing.

Joints outside articulations beside usd-core's own reading of their prims (UsdPhysicsLoadStageFromPrimRange).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pxr import Usd, UsdPhysics
from support.compared.outside_joint_features import ACTS, FEATURES, NOTHING, REFUSED, Feature
from support.places import ROOT
from support.recorded.scene_stages import still
from support.recorded.transform_stages import instanced
from support.stages.robots import described, joint, link, opened, placed, prim
from support.usd_versions import needs_physics_reading

from physx_schema import check
from physx_schema.definitions import definitions
from physx_schema.description import Description, JointAxis, MaximalJoint, describe

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
    assert [math.degrees(angle) for angle in found.drive_rotation] == pytest.approx([50.0, 40.0, 10.0])


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


# --- outside joint features ------------------------------------------------------------------------------------------

TYPES = ("PhysicsJoint", "PhysicsFixedJoint", "PhysicsRevoluteJoint", "PhysicsPrismaticJoint", "PhysicsSphericalJoint",
         "PhysicsDistanceJoint", "PhysxPhysicsGearJoint", "PhysxPhysicsRackAndPinionJoint")
SCHEMAS = ("PhysicsLimitAPI", "PhysicsDriveAPI", "PhysxLimitAPI", "PhysxJointAxisAPI", "PhysicsJointStateAPI",
           "PhysxDrivePerformanceEnvelopeAPI", "PhysxPhysicsDistanceJointAPI", "PhysxMimicJointAPI",
           "PhysxTendonAxisAPI", "PhysxTendonAxisRootAPI")
INSTANCES = ("angular", "linear", "cone", "transX", "transY", "transZ", "rotX", "rotY", "rotZ", "distance", "t")
# A fact about contacts alone, and what is so already.
SAYS_NOTHING = ("physics:collisionEnabled", "physics:excludeFromArticulation")
DT, STEPS = 1 / 60, 30
MOVED = 1e-5        # length units within half a second; what does nothing changes no bit


def without_instance(name: str) -> str:
    """The name with its instance left out."""
    head, middle, *rest = name.split(":")
    return ":".join((head, *rest)) if middle in INSTANCES else name


def declared() -> set[str]:
    """All properties of the joints' types and schemas, instances left out."""
    registry, names = Usd.SchemaRegistry(), set()
    for schema in TYPES:
        found = registry.FindConcretePrimDefinition(schema)
        names |= {name for name in found.GetPropertyNames() if name.startswith("physics:")}
    for schema in SCHEMAS:
        found = registry.FindAppliedAPIPrimDefinition(schema)
        names |= {name.replace(":__INSTANCE_NAME__", "") for name in found.GetPropertyNames()}
    return names


def read(folder: Path, feature: Feature, value: str) -> Description:
    path = folder / "stage.usda"
    path.write_text(feature.stage(value))
    return describe(path)


def test_every_property_of_joints_has_a_row() -> None:
    assert declared() - {without_instance(feature.property) for feature in FEATURES} == set()


def test_every_schema_of_joint_axes_has_a_row() -> None:
    """A schema that definitions give joints and nobody thought of here would be ignored in silence."""
    ours = {name for name in definitions() if name.startswith("Physx") and "Joint" in name and name.endswith("API")}
    assert ours - {*SCHEMAS, "PhysxJointAPI", "PhysxPhysicsDistanceJointAPI"} == set()


def test_the_page_on_joints_names_every_property() -> None:
    page = (ROOT / "docs" / "reference" / "physx" / "maximal_joints.md").read_text(encoding="utf-8")
    for feature in FEATURES:
        schemas = [schema.partition(":")[0] for schema in feature.schemas]
        assert feature.property.rpartition(":")[2] in page or any(schema in page for schema in schemas), feature


def test_the_page_on_joints_names_a_test_for_whatever_joints_hold() -> None:
    page = (ROOT / "docs" / "reference" / "physx" / "maximal_joints.md").read_text(encoding="utf-8")
    header, _, *rows = [line for line in page.partition("| bodies of the joint |")[2].splitlines() if line.startswith(
        (" ", "|"))]
    assert header.strip().endswith("test |")
    for row in rows:
        named = re.findall(r"`(tests/[^`]+)`", row)
        assert named and all((ROOT / name).is_file() for name in named), row


@pytest.mark.parametrize("feature", FEATURES, ids=lambda f: f"{f.kind} {f.property}")
def test_a_property_is_a_fact_or_is_said_not_to_be_one(feature: Feature, tmp_path: Path) -> None:
    before, after = read(tmp_path, feature, feature.before), read(tmp_path, feature, feature.value)
    if feature.effect in (ACTS, REFUSED):
        assert before.joints != after.joints
    elif feature.property not in SAYS_NOTHING:
        assert feature.property in {item.property for item in after.unused} or is_no_mimic(tmp_path / "stage.usda")


def is_no_mimic(path: Path) -> bool:
    """Whether a finding says that PhysX makes no mimic joint of a joint."""
    return "DJ.007/same-articulation" in {finding.code for finding in check(path).findings}


def test_what_acts_moves_the_body_in_physx_and_nothing_else_does(oracle_folder: Path, tmp_path: Path) -> None:
    from physx_oracle import run_jobs, sim_job

    stages = list(dict.fromkeys(feature.stage(value) for feature in FEATURES
                                for value in (feature.before, feature.value)))
    jobs = []
    for number, text in enumerate(stages):
        path = tmp_path / f"{number}.usda"
        path.write_text(text)
        jobs.append(sim_job(path, DT, STEPS))
    poses = {text: result["rigid_pose"] for text, result in zip(stages, run_jobs(jobs), strict=True)}
    for feature in FEATURES:
        moved = abs(poses[feature.stage(feature.before)] - poses[feature.stage(feature.value)]).max()
        assert moved == 0.0 if feature.effect == NOTHING else moved > MOVED, (feature, moved)


# --- usd reading -----------------------------------------------------------------------------------------------------

# of the reader's numbers to float32 ones
FLOAT32 = 1e-6
PLACED = {
    "point3f physics:localPos0": (0.1, -0.2, 0.3), "point3f physics:localPos1": (-0.4, 0.5, 0.6),
    "quatf physics:localRot0": (0.8, 0.6, 0.0, 0.0), "quatf physics:localRot1": (0.6, 0.0, 0.0, 0.8),
    "float physics:breakForce": 7.0, "float physics:breakTorque": 9.0, "bool physics:collisionEnabled": True}
DRIVE = {"stiffness": 3.0, "damping": 0.5, "targetPosition": 20.0, "targetVelocity": -4.0, "maxForce": 8.0}
RANGE = {"float physics:lowerLimit": -30.0, "float physics:upperLimit": 40.0}


def driven(*instances: str) -> dict[str, object]:
    return {f"float drive:{instance}:physics:{name}": value for instance in instances for name, value in DRIVE.items()}


def bounded(**limits: tuple[float, float]) -> dict[str, object]:
    return {f"float limit:{axis}:physics:{name}": value for axis, pair in limits.items()
            for name, value in zip(("low", "high"), pair, strict=True)}


STAGES: Mapping[str, tuple[str, tuple[str, ...], Mapping[str, object]]] = {
    "revolute": ("Revolute", ("PhysicsDriveAPI:angular",), {**RANGE, **driven("angular")}),
    "prismatic": ("Prismatic", ("PhysicsDriveAPI:linear",), {**RANGE, **driven("linear")}),
    "spherical": ("Spherical", (), {"float physics:coneAngle0Limit": 20.0, "float physics:coneAngle1Limit": 30.0}),
    "distance": ("Distance", (), {"float physics:minDistance": 0.2, "float physics:maxDistance": 0.7}),
    "d6": ("", ("PhysicsDriveAPI:rotX", "PhysicsDriveAPI:transY", "PhysicsLimitAPI:rotX", "PhysicsLimitAPI:transY",
                "PhysicsLimitAPI:transX"),
           {**driven("rotX", "transY"), **bounded(rotX=(-30.0, 40.0), transY=(-0.2, 0.3), transX=(1.0, -1.0))}),
    "fixed": ("Fixed", (), {}),
}
AXES = {UsdPhysics.JointDOF.TransX: "transX", UsdPhysics.JointDOF.TransY: "transY",
        UsdPhysics.JointDOF.TransZ: "transZ", UsdPhysics.JointDOF.RotX: "rotX", UsdPhysics.JointDOF.RotY: "rotY",
        UsdPhysics.JointDOF.RotZ: "rotZ"}


def both(kind: str) -> tuple[MaximalJoint, Any]:
    """Our joint, and usd-core's description of the same prim."""
    name, schemas, values = STAGES[kind]
    stage: Usd.Stage = opened(still(link("a", (1, 2, 3)), link("b", (3, 2, 1)), joint(
        name, "j", "a", "b", schemas, {**PLACED, **values}), schemas=()))
    parsed = UsdPhysics.UsdPhysicsLoadStageFromPrimRange(stage, ["/"])
    theirs = [item for _, items in parsed.values() for item in items if str(item.primPath) == "/Robot/j"]
    return describe(stage).joints[0], theirs[0]


@needs_physics_reading
@pytest.mark.parametrize("kind", STAGES)
def test_bodies_frames_and_breaking_are_those_that_usd_reads(kind: str) -> None:
    own, theirs = both(kind)
    assert (own.body0, own.body1) == (str(theirs.body0), str(theirs.body1))
    for side, frame in enumerate((own.frame0, own.frame1)):
        np.testing.assert_allclose(frame[0], getattr(theirs, f"localPose{side}Position"), rtol=FLOAT32)
        turned = getattr(theirs, f"localPose{side}Orientation")
        np.testing.assert_allclose(frame[1], (*turned.GetImaginary(), turned.GetReal()), atol=FLOAT32)
    assert (own.break_force, own.break_torque, own.collision_enabled) == (
        theirs.breakForce, theirs.breakTorque, theirs.collisionEnabled)


def _same_drive(own: Any, theirs: Any, angular: bool) -> None:
    turn = math.radians(1.0) if angular else 1.0
    assert theirs.enabled
    np.testing.assert_allclose(
        (own.stiffness * turn, own.damping * turn, own.target_position / turn, own.target_velocity / turn),
        (theirs.stiffness, theirs.damping, theirs.targetPosition, theirs.targetVelocity), rtol=FLOAT32)
    assert (own.max_force, own.acceleration) == (theirs.forceLimit, theirs.acceleration)


@needs_physics_reading
@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_limits_and_drives_of_one_axis_are_those_that_usd_reads(kind: str) -> None:
    own, theirs = both(kind)
    axis, = own.axes
    turn = math.radians(1.0) if axis.angular else 1.0
    np.testing.assert_allclose((axis.lower / turn, axis.upper / turn), (theirs.limit.lower, theirs.limit.upper),
                               rtol=FLOAT32)
    _same_drive(axis.drive, theirs.drive, axis.angular)


@needs_physics_reading
def test_limits_and_drives_of_a_generic_joint_are_those_that_usd_reads() -> None:
    own, theirs = both("d6")
    axes = {axis.axis: axis for axis in own.axes}
    limits = {AXES[found.first]: found.second for found in theirs.jointLimits}
    assert {axis for axis, limit in limits.items() if limit.lower > limit.upper} == {"transX"} == (
        set(AXES.values()) - axes.keys())
    for name in ("rotX", "transY"):
        turn = math.radians(1.0) if axes[name].angular else 1.0
        np.testing.assert_allclose((axes[name].lower / turn, axes[name].upper / turn),
                                   (limits[name].lower, limits[name].upper), rtol=FLOAT32)
    for found in theirs.jointDrives:
        _same_drive(axes[AXES[found.first]].drive, found.second, axes[AXES[found.first]].angular)
    assert {axis.axis for axis in own.axes if axis.drive} == {AXES[found.first] for found in theirs.jointDrives}


@needs_physics_reading
def test_cones_and_distances_are_those_that_usd_reads() -> None:
    ball, theirs = both("spherical")
    assert ball.cone is not None
    np.testing.assert_allclose((math.degrees(ball.cone.angle0), math.degrees(ball.cone.angle1)),
                               (theirs.limit.lower, theirs.limit.upper), rtol=FLOAT32)
    rope, theirs = both("distance")
    assert rope.distance is not None
    assert (rope.distance.minimum, rope.distance.maximum) == (theirs.limit.lower, theirs.limit.upper)
