"""Joints outside articulations beside usd-core's own reading of their prims (UsdPhysicsLoadStageFromPrimRange)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from pxr import Usd, UsdPhysics
from support.recorded.scene_stages import still
from support.stages.robots import joint, link, opened
from support.usd_versions import needs_physics_reading

from physx_schema.description import MaximalJoint, describe

pytestmark = needs_physics_reading
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


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_limits_and_drives_of_one_axis_are_those_that_usd_reads(kind: str) -> None:
    own, theirs = both(kind)
    axis, = own.axes
    turn = math.radians(1.0) if axis.angular else 1.0
    np.testing.assert_allclose((axis.lower / turn, axis.upper / turn), (theirs.limit.lower, theirs.limit.upper),
                               rtol=FLOAT32)
    _same_drive(axis.drive, theirs.drive, axis.angular)


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


def test_cones_and_distances_are_those_that_usd_reads() -> None:
    ball, theirs = both("spherical")
    assert ball.cone is not None
    np.testing.assert_allclose((math.degrees(ball.cone.angle0), math.degrees(ball.cone.angle1)),
                               (theirs.limit.lower, theirs.limit.upper), rtol=FLOAT32)
    rope, theirs = both("distance")
    assert rope.distance is not None
    assert (rope.distance.minimum, rope.distance.maximum) == (theirs.limit.lower, theirs.limit.upper)
