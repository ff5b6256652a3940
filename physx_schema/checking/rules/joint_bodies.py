"""The bodies that joints connect, and joint frames that are invalid or apart."""

from __future__ import annotations

import math
from collections.abc import Iterator

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import PROFILES, Finding, per_profile
from physx_schema.checking.engine.rule import Explains, ReaderRule, Rule, finder, joints_with_state
from physx_schema.description import Articulation, Description, Joint, Link
from physx_schema.description.frames import composed, joint_motion
from physx_schema.description.records import Pose

_HINGES = {"gear": ("hinge0", "hinge1"), "rack": ("hinge", "prismatic")}    # in the order of body0 and body1
_ANVIL = usda.prim("Xform", "anvil", {"float physics:mass": "1", "bool physics:kinematicEnabled": "true"},
                   "PhysicsRigidBodyAPI", "PhysicsMassAPI")
_SCENES = usda.prim("PhysicsScene", "day", {}) + usda.prim("PhysicsScene", "night", {})
_WELD = usda.prim("PhysicsFixedJoint", "weld", {"rel physics:body0": "</Robot/c>", "rel physics:body1": "</Robot/d>"})


def _geared(hinge: str) -> str:
    """A gear from link a to link b; the first hinge should be j1, the second is j2."""
    return usda.joint("j2") + usda.prim("PhysxPhysicsGearJoint", "gear", {
        "rel physics:body0": "</Robot/a>", "rel physics:body1": "</Robot/b>", "rel physics:hinge0": hinge,
        "rel physics:hinge1": "</Robot/j2>"})


def _scene_body(name: str, scene: str) -> str:
    """A body that a scene steps."""
    return usda.prim("Xform", name, {"float physics:mass": "1", "rel physics:simulationOwner": f"</Robot/{scene}>"},
                     "PhysicsRigidBodyAPI", "PhysicsMassAPI")


SEVERAL_BODIES = ReaderRule("joint/several-bodies", "error", """
    Several bodies on one side of a joint

    If body0 or body1 has several targets, PhysX uses the first target. If the first target does not exist, PhysX
    attaches that side of the joint to the world.

    Measured: On one side a revolute joint has the targets l0 and l1. The joint turns l0 to -10.23 degrees, and l1
    falls. (`experiments/measure_joint_bodies.py`)
    """,
    profiles=PROFILES,
    example=usda.joint("j2", {"rel physics:body1": "[</Robot/b>, </Robot/a>]"}),
    remedy=usda.joint("j2"),
)

MISSING_BODY = ReaderRule("joint/missing-body", "error", """
    Joint to a missing body

    If body0 or body1 points to a path without a prim, PhysX attaches that side of the joint to the world, without a
    message.

    Measured: If body0 targets a missing prim, a revolute joint connects to the world and fixes the base.
    (`experiments/measure_joint_bodies.py`)
    """,
    profiles=PROFILES,
    example=usda.joint("j2", {"rel physics:body1": "</Robot/bb>"}),
    remedy=usda.joint("j2"),
)

NO_BODY = ReaderRule("joint/no-body", "warning", """
    Joint to a prim without a rigid body

    If body0 or body1 points to a prim outside all rigid bodies, PhysX attaches that side of the joint to the world.
    The joint frame on this side is then relative to the prim's frame. PhysX uses the world's frame if the prim is
    inactive or abstract, or if it is inside an instance and not a collider.

    Measured: A revolute joint from an Xform without a body has no degree of freedom and fixes the base.
    (`experiments/measure_joint_bodies.py`)
    """,
    profiles=PROFILES,
    example=usda.prim("Xform", "rock", {}) + usda.joint("j2", {"rel physics:body0": "</Robot/rock>"}),
    remedy=usda.joint("j2"),
)

JOINT_DISABLED = Rule("joint/disabled", "info", """
    Disabled joint

    PhysX does not create a joint that has jointEnabled false.

    Measured: With jointEnabled false, a hanging link falls by 0.125 in half a second, like a free body.
    (`experiments/measure_joint_bodies.py`)
    """,
    why="PhysX does not create the joint, and the bodies beyond the joint are not in this articulation",
    fix="set physics:jointEnabled to true to use the joint",
    profiles=PROFILES,
    example=usda.joint("j2", {"bool physics:jointEnabled": "false"}),
    remedy=usda.joint("j2"),
    explains=(Explains("prim", ("unused/disabled",)),),
)


@finder("disabled-joints", JOINT_DISABLED)
def disabled_joints(description: Description) -> Iterator[Finding]:
    """Find disabled joints, which split articulations."""
    for item in description.authored:
        if item.base == "jointEnabled" and item.value is False:
            yield JOINT_DISABLED.at(item.path, item.property, "jointEnabled is false")


NO_HINGE = ReaderRule("joint/no-hinge", "error", """
    Gear or rack joint with wrong hinges

    A gear joint must name the revolute joints of its two bodies in hinge0 and hinge1. A rack joint must name a revolute
    joint in hinge and a prismatic joint in prismatic. If a named joint does not exist, PhysX couples the body about the
    x axis of the joint frame. If a named joint belongs to another body, the bodies turn at wrong speeds.

    Measured: Two gear wheels should turn at 1 and -2 rad/s. If hinge1 names a joint of another body, the wheels turn at
    19 and -38 rad/s. (`experiments/measure_joint_bodies.py`)
    """,
    why="PhysX uses the position of this wrong joint, and the bodies turn at wrong speeds",
    example=_geared("</Robot/j2>"),
    remedy=_geared("</Robot/j1>"),
)


@finder("couplings", NO_HINGE)
def couplings(description: Description) -> Iterator[Finding]:
    """Find gear and rack joints with hinges that hold other bodies, or that PhysX does not create."""
    tree_joints = (link.joint for item in description.articulations for link in item.links if link.joint is not None)
    base_joints = (item.base_joint for item in description.articulations if item.base_joint is not None)
    joint_bodies = {joint.path: {joint.body0, joint.body1} for joint in (*tree_joints, *base_joints)}
    joint_bodies |= {joint.path: {joint.body0, joint.body1} for joint in description.separate_joints}
    reported = {(item.path, item.property) for item in description.problems if item.code == NO_HINGE.code}
    for joint in description.separate_joints:
        if joint.coupling is None:
            continue
        hinges, bodies = (joint.coupling.first, joint.coupling.second), (joint.body0, joint.body1)
        swapped = all(body in joint_bodies.get(hinge, ()) for hinge, body in zip(reversed(hinges), bodies, strict=True))
        if swapped and joint.kind == "gear" and joint.coupling.ratio == 1.0:
            continue            # the same in both directions
        for base, hinge, body in zip(_HINGES[joint.kind], hinges, bodies, strict=True):
            fix = f"point {base} at the joint of {body or 'the world'}"
            if hinge not in joint_bodies and (joint.path, f"physics:{base}") not in reported:
                yield NO_HINGE.at(joint.path, f"physics:{base}", f"PhysX does not create the joint {hinge}", fix=fix,
                                  why="PhysX couples the body about the x axis of the joint frame instead")
            elif body and body not in joint_bodies.get(hinge, {body}):
                yield NO_HINGE.at(joint.path, f"physics:{base}", f"{hinge} is not a joint of {body}", fix=fix)


SAME_BODY = ReaderRule("joint/same-body", "error", """
    Joint between a body and itself

    PhysX does not create a joint between a body and itself.

    Measured: For a joint between a body and itself, PhysX logs a message about a closed articulation.
    (`experiments/measure_joint_bodies.py`)
    """,
    profiles=PROFILES,
    example=usda.joint("j2", parent="b"),
    remedy=usda.joint("j2"),
)

JOINT_NO_BODIES = ReaderRule("joint/no-bodies", "error", """
    Joint without bodies

    PhysX does not create a joint if neither side has a rigid body.

    Measured: For a joint without bodies, PhysX logs that no bodies are defined for the joint.
    (`experiments/measure_joint_bodies.py`)
    """,
    profiles=PROFILES,
    example=usda.prim("PhysicsRevoluteJoint", "j2", {}),
    remedy=usda.joint("j2"),
)

STATIC = ReaderRule("joint/static", "error", """
    Joint between bodies that cannot move

    PhysX does not create a joint if each of its sides is a kinematic body, a disabled body or the world.

    Measured: PhysX logs that it cannot create a joint between two kinematic bodies.
    (`experiments/measure_joint_bodies.py`)
    """,
    example=_ANVIL + usda.prim("PhysicsFixedJoint", "weld", {"rel physics:body0": "</Robot/anvil>"}),
    remedy=_ANVIL + usda.prim("PhysicsFixedJoint", "weld", {
        "rel physics:body0": "</Robot/anvil>", "rel physics:body1": "</Robot/b>"}),
)

JOINT_SEVERAL_SCENES = ReaderRule("joint/several-scenes", "error", """
    Joint between bodies of different scenes

    PhysX does not create a joint between bodies of different PhysicsScene prims.

    Measured: With a joint to a body of another scene, a body falls by 0.125 in half a second, like a free body.
    (`experiments/measure_joint_bodies.py`)
    """,
    example=_SCENES + _scene_body("c", "day") + _scene_body("d", "night") + _WELD,
    remedy=_SCENES + _scene_body("c", "day") + _scene_body("d", "day") + _WELD,
)


_DISTANCE = 1e-3        # m
_ANGLE = 0.5            # degrees

FRAME_MISMATCH = Rule("DJ.003/frames-apart", "error", """
    Joint frames that contradict the body poses

    In the authored body poses, the relative pose of the two joint frames differs from the joint state by over 1 mm or
    0.5 degrees. PhysX computes the poses of links from their joint states. A joint without a joint state starts at
    position 0. The rule joint/frames-apart covers joints outside articulations.

    Measured: If a link starts 1 m or 30 degrees away from its joint, PhysX moves the link to the joint before the first
    step. (`experiments/measure_start_poses.py`)
    """,
    fix="author poses, frames and joint state that agree",
    example=usda.driven_joint({"float state:angular:physics:position": "30"}),
    remedy=usda.driven_joint(),
)


@finder("joint-frames", FRAME_MISMATCH)
def joint_frames(description: Description) -> Iterator[Finding]:
    """Find links away from the place of their joints, at the joint state or at 0 without one."""
    states = joints_with_state(description)
    for articulation in description.articulations:
        meters = description.scene_of(articulation).meters_per_unit
        for link in articulation.links if articulation.enabled else ():
            if link.joint is not None:
                yield from _mismatch(articulation, link, link.joint, meters, link.joint.path in states)


def _mismatch(articulation: Articulation, link: Link, joint: Joint, meters: float, authored: bool) -> Iterator[Finding]:
    parent = articulation.links[link.parent]
    joint_frame = composed(parent.pose, joint.parent_frame)
    if any(dof.position for dof in joint.dofs):
        joint_frame = composed(joint_frame, joint_motion(joint))
    child_frame = composed(link.pose, joint.child_frame)
    distance, angle = _pose_distance(child_frame, joint_frame, meters)
    if distance > _DISTANCE or angle > _ANGLE:
        where = "the authored joint state" if authored else "position 0, the start without a joint state"
        finding = FRAME_MISMATCH.at(
            joint.path, "physics:localPos0",
            f"the joint frames of {parent.path} and {link.path} are {distance * 1e3:.3g} mm and {angle:.3g} degrees "
            f"apart at {where}", why=f"PhysX moves {link.path} and the links below it to the joint",
            severity="warning",
        )
        yield from per_profile(finding, "warning", "error" if authored else "warning")


def _pose_distance(first: Pose, second: Pose, meters: float) -> tuple[float, float]:
    """Return distance in metres and angle in degrees between two frames."""
    (ax, ay, az, aw), (bx, by, bz, bw) = first[1], second[1]
    cosine = min(abs(ax * bx + ay * by + az * bz + aw * bw), 1.0)
    return math.dist(first[0], second[0]) * meters, math.degrees(2.0 * math.acos(cosine))


FRAME_REFUSED = ReaderRule("joint/frame-refused", "error", """
    Invalid joint frame

    A joint frame needs finite numbers and a rotation quaternion other than 0. In an articulation PhysX otherwise places
    the joint at another pose. Outside articulations PhysX does not create a joint with an invalid frame.

    Measured: With a zero quaternion on the parent's side, PhysX places the joint at the child's pose, with another
    axis.
    (`experiments/measure_joint_bodies.py`)
    """,
    profiles=PROFILES,
    example=usda.joint("j2", {"quatf physics:localRot0": "(0, 0, 0, 0)"}),
    remedy=usda.joint("j2", {"quatf physics:localRot0": "(1, 0, 0, 0)"}),
)
