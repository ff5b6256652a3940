"""Joints outside articulations: where they start, what they are held to, targets and ratios that do something else."""

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
_POINT = 1e-6           # of the largest coordinate: anchors this close are one point but for rounding
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
    Distance joint that starts at a point

    A distance joint pushes along the line between its anchors. Where they are at one point and minDistance asks for
    more, there is none: PhysX takes the world's x axis below 1.2e-7, and whatever rounding makes of it above. A body
    that starts there flies off by chance; the joint's tolerance of 0.025 m still holds it.

    Measured: Anchors at one point with a minDistance of 0.5 end 0.475 apart along x, 2e-7 apart along y they end along
    y; with 0.01, or with maxDistance alone, the body stays. (`experiments/measure_outside_rules.py`)
    """,
    why="PhysX pushes the bodies apart along the world's x axis, or where rounding points",
    fix="pose the bodies at least minDistance apart, or author minDistance -1 for no bound",
    example=_rod("(0, 0, 0)"),
    remedy=_rod("(0, 0, 0.6)"),
)

IDLE_TARGET = Rule("joint/idle-target", "warning", """
    Target of an axis that is not driven

    Outside articulations PhysX makes one rotation of the target positions of rotX, rotY and rotZ, those of axes that
    are locked or have no stiffness too, and drives turn towards it.

    Measured: rotY driven to 40 degrees arrives where rotX, which is locked, has no target, and stops at 28.15 where it
    has one of 50; with rotZ driven to 0 beside, the body ends at another turn of rotY and rotZ together. A target of a
    locked translation does nothing. (`experiments/measure_outside_rules.py`)
    """,
    why="PhysX makes one rotation of all three targets, and the driven axes turn elsewhere than their own say",
    fix="author a target of 0 where the axis is not driven",
    example=_rotation_target("50"),
    remedy=_rotation_target("0"),
)

UNMADE_BODY = Rule("joint/unmade-body", "warning", """
    Joint to a body that is not simulated

    A joint to a body that is disabled holds the other one where the disabled one stands; to a body that PhysX leaves
    out, it takes the joint frame as one of the world.

    Measured: A body on a fixed joint to a disabled one 2 beside it stays where it is under gravity, and falls with it
    where that is enabled. To a body that no scene owns it jumps to the world's origin, less its own frame.
    (`experiments/measure_outside_rules.py`)
    """,
    why="PhysX holds this side to the world",
    fix="set physics:rigidBodyEnabled to true, repair what is reported of the body, or remove the target for the world",
    profiles=PROFILES,
    example=_weld(usda.body(_OFF, name="rock")),
    remedy=_weld(usda.body(name="rock")),
)

NO_RATIO = Rule("joint/no-ratio", "error", """
    Gear or rack with a ratio of 0

    A ratio of 0 couples nothing and holds one side still: the second wheel of a gear, the wheel of a rack. NaN and
    infinity make both bodies NaN.

    Measured: With a gear ratio of 0 a first wheel driven to 1 rad/s turns with 1, a second one that is driven stays;
    so does a driven wheel at a rack of ratio 0. With NaN or infinity PhysX logs invalid transforms of both.
    (`experiments/measure_outside_rules.py`)
    """,
    why="PhysX holds one side still and couples nothing",
    fix="author the ratio, or remove the joint",
    example=_geared("0"),
    remedy=_geared("2"),
)


@finder("outside-joints", DISTANCE_DIRECTION, IDLE_TARGET, NO_RATIO)
def maximal_joints(description: Description) -> Iterator[Finding]:
    """What each joint outside articulations shows by itself."""
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
    """Joints to bodies that are disabled or left out, those that fix the base of an articulation among them."""
    simulated = set(description.body_paths)
    joint_bodies = {joint.path: (joint.body0, joint.body1) for joint in description.separate_joints}
    joint_bodies |= {item.base_joint.path: (item.base_joint.body0, item.base_joint.body1)
                     for item in description.articulations if item.base_joint is not None}
    for path, bodies in joint_bodies.items():
        for index, body in enumerate(bodies):
            if body and body not in simulated:
                yield UNMADE_BODY.at(path, f"physics:body{index}", f"PhysX makes no body of {body}")


def _direction(description: Description, joint: MaximalJoint, poses: Mapping[str, Pose]) -> Iterator[Finding]:
    """A distance joint whose anchors are one point and have to part."""
    min_distance = joint.distance.minimum if joint.distance is not None and joint.kind == "distance" else 0.0
    if min_distance * description.scene.meters_per_unit <= _TOLERANCE:
        return
    first, second = (composed(poses.get(body, IDENTITY_POSE), frame)[0] for body, frame in (
        (joint.body0, joint.frame0), (joint.body1, joint.frame1)))
    if math.dist(first, second) <= _POINT * max(1.0, *map(abs, first)):
        yield DISTANCE_DIRECTION.at(
            joint.path, "physics:minDistance", f"both anchors start at one point and have to be {min_distance:g} apart")


def _targets(joint: MaximalJoint) -> Iterator[Finding]:
    """Targets that turn where other drives of a generic joint aim."""
    driven = {axis.axis for axis in joint.axes if axis.angular and axis.drive is not None and axis.drive.stiffness}
    for axis, target in zip(ROTATIONS, joint.drive_rotation, strict=True):
        if joint.kind == "d6" and target and axis not in driven and driven:
            yield IDLE_TARGET.at(joint.path, f"drive:{axis}:physics:targetPosition",
                                 f"a target of {math.degrees(target):g} degrees on {axis}, which no drive turns")
