"""Joints outside articulations: their starts, bodies, targets and ratios."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import PROFILES, Finding
from physx_schema.checking.engine.rule import Rule, finder
from physx_schema.description import Description, MaximalJoint
from physx_schema.description.frames import composed, start_poses_by_body
from physx_schema.description.model.joint import ROTATIONS
from physx_schema.description.records import IDENTITY_POSE, Pose

_TOLERANCE = 0.025      # m, by which PhysX lets a distance be exceeded
_POINT = 1e-6           # of the largest coordinate: anchors this close are one point, except for rounding
_RATIOS = {"gear": "gearRatio", "rack": "ratio"}
_MAXIMAL_JOINT = {"bool physics:excludeFromArticulation": "true"}
_OFF = {"bool physics:rigidBodyEnabled": "false"}


def _rod(offset: str) -> str:
    """A body that a distance joint keeps away from a point of the world."""
    return usda.body() + usda.prim("PhysicsDistanceJoint", "rod", {
        "rel physics:body1": "</Robot/thing>", "float physics:minDistance": "0.5",
        "point3f physics:localPos0": offset, **_MAXIMAL_JOINT})


def _rotation_target(target: str) -> str:
    """A body on a generic joint that locks rotX and drives rotY."""
    locked = {f"float limit:{axis}:physics:{bound}": value for axis in ("transX", "transY", "transZ", "rotX", "rotZ")
              for bound, value in (("low", "1"), ("high", "-1"))}
    drives = {"float drive:rotY:physics:stiffness": "20", "float drive:rotY:physics:targetPosition": "40",
              "float drive:rotX:physics:targetPosition": target}
    schemas = dict.fromkeys(f"PhysicsLimitAPI:{key.split(':')[1]}" for key in locked)
    return usda.body() + usda.prim("PhysicsJoint", "turn", {
        "rel physics:body1": "</Robot/thing>", **locked, **drives, **_MAXIMAL_JOINT},
        *schemas, "PhysicsDriveAPI:rotX", "PhysicsDriveAPI:rotY")


def _weld(other: str) -> str:
    """A body that a fixed joint holds to another."""
    return other + usda.body() + usda.prim("PhysicsFixedJoint", "weld", {
        "rel physics:body0": "</Robot/rock>", "rel physics:body1": "</Robot/thing>"})


def _geared(ratio: str) -> str:
    """A gear from link a to link b."""
    return usda.joint("j2") + usda.prim("PhysxPhysicsGearJoint", "gear", {
        "rel physics:body0": "</Robot/a>", "rel physics:body1": "</Robot/b>", "rel physics:hinge0": "</Robot/j1>",
        "rel physics:hinge1": "</Robot/j2>", "float physics:gearRatio": ratio})


DISTANCE_DIRECTION = Rule("joint/distance-direction", "warning", """
    Distance joint with both anchors at one point

    A distance joint pushes two bodies apart along the line between its anchors. If the anchors start at one point and
    minDistance is above 0, PhysX pushes along the world's x axis or in an arbitrary direction.

    Measured: The anchors of a distance joint with minDistance 0.5 start at one point and end 0.475 apart along x.
    (`experiments/measure_outside_rules.py`)
    """,
    why="PhysX pushes the bodies apart along the world's x axis, or in an arbitrary direction",
    fix="pose the bodies at least minDistance apart, or author minDistance -1 for no lower bound",
    example=_rod("(0, 0, 0)"),
    remedy=_rod("(0, 0, 0.6)"),
)

IDLE_TARGET = Rule("joint/idle-target", "warning", """
    Target on an axis without a drive

    Outside articulations PhysX combines the targets of rotX, rotY and rotZ into one rotation. Targets of locked axes
    and of axes without a drive are part of this rotation. Axes with a drive miss their targets if an axis without a
    drive has a target.

    Measured: The axis rotY with target 40 degrees stops at 28.15 degrees if the locked axis rotX has target 50 degrees.
    (`experiments/measure_outside_rules.py`)
    """,
    why="PhysX combines the targets of all three axes into one rotation, and driven axes miss their targets",
    fix="author a target of 0 on axes without a drive",
    example=_rotation_target("50"),
    remedy=_rotation_target("0"),
)

UNMADE_BODY = Rule("joint/unmade-body", "warning", """
    Joint to a body that is not simulated

    If one body of a joint is disabled, the joint holds the other body relative to the pose of the disabled body. If
    PhysX does not create one body of a joint, PhysX reads the joint frame on this side relative to the world.

    Measured: A body on a fixed joint to a disabled body stays in place under gravity.
    (`experiments/measure_outside_rules.py`)
    """,
    why="PhysX connects this side of the joint to the world",
    fix="set physics:rigidBodyEnabled to true, repair the findings on the body, or remove the target to connect to "
        "the world",
    profiles=PROFILES,
    example=_weld(usda.body(_OFF, name="rock")),
    remedy=_weld(usda.body(name="rock")),
)

NO_RATIO = Rule("joint/no-ratio", "error", """
    Gear or rack joint with ratio 0

    A gear joint with ratio 0 couples nothing and blocks its second wheel. A rack joint with ratio 0 couples nothing and
    blocks its wheel. With a ratio of NaN or infinity, the state of both bodies becomes NaN.

    Measured: With gear ratio 0, a drive can turn the first wheel, but not the second wheel.
    (`experiments/measure_outside_rules.py`)
    """,
    why="PhysX blocks one of the bodies and couples nothing",
    fix="author a ratio other than 0, or remove the joint",
    example=_geared("0"),
    remedy=_geared("2"),
)


@finder("outside-joints", DISTANCE_DIRECTION, IDLE_TARGET, NO_RATIO)
def maximal_joints(description: Description) -> Iterator[Finding]:
    """Judge each joint outside articulations separately."""
    if not description.separate_joints:
        return
    poses = start_poses_by_body(description)
    for joint in description.separate_joints:
        yield from _direction(description, joint, poses)
        yield from _targets(joint)
        if joint.coupling is not None and joint.coupling.ratio == 0.0:
            yield NO_RATIO.at(joint.path, f"physics:{_RATIOS[joint.kind]}", "the ratio is 0")


@finder("unmade-bodies", UNMADE_BODY)
def unmade_bodies(description: Description) -> Iterator[Finding]:
    """Find joints to bodies that are disabled or left out, including joints that fix an articulation's base."""
    simulated = set(description.body_paths)
    joint_bodies = {joint.path: (joint.body0, joint.body1) for joint in description.separate_joints}
    joint_bodies |= {item.base_joint.path: (item.base_joint.body0, item.base_joint.body1)
                     for item in description.articulations if item.base_joint is not None}
    for path, bodies in joint_bodies.items():
        for index, body in enumerate(bodies):
            if body and body not in simulated:
                yield UNMADE_BODY.at(path, f"physics:body{index}", f"PhysX does not simulate the body {body}")


def _direction(description: Description, joint: MaximalJoint, poses: Mapping[str, Pose]) -> Iterator[Finding]:
    """Find a distance joint that pushes its anchors apart from one point."""
    min_distance = joint.distance.minimum if joint.distance is not None and joint.kind == "distance" else 0.0
    if min_distance * description.scene.meters_per_unit <= _TOLERANCE:
        return
    first, second = (composed(poses.get(body, IDENTITY_POSE), frame)[0] for body, frame in (
        (joint.body0, joint.frame0), (joint.body1, joint.frame1)))
    if math.dist(first, second) <= _POINT * max(1.0, *map(abs, first)):
        yield DISTANCE_DIRECTION.at(
            joint.path, "physics:minDistance", f"both anchors start at one point, and minDistance is {min_distance:g}")


def _targets(joint: MaximalJoint) -> Iterator[Finding]:
    """Find targets that change the aim of other drives of a generic joint."""
    driven = {axis.axis for axis in joint.axes if axis.angular and axis.drive is not None and axis.drive.stiffness}
    for axis, target in zip(ROTATIONS, joint.drive_rotation, strict=True):
        if joint.kind == "d6" and target and axis not in driven and driven:
            yield IDLE_TARGET.at(joint.path, f"drive:{axis}:physics:targetPosition",
                                 f"{axis} has a target of {math.degrees(target):g} degrees, but no stiffness")
