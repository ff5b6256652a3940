"""The bodies that joints connect.

Joint frames that are none, or do not meet.
"""

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

    A body relationship has more than one target; PhysX takes the first.

    Measured: A hinge with body1 l0 and l1 swings l0 to -10.23 degrees and lets l1 fall; with l1 and l0 it swings l1. No
    log has a word. With a first target that does not exist that side is the world.
    (`experiments/measure_joint_bodies.py`)
    """,
    profiles=PROFILES,
    example=usda.joint("j2", {"rel physics:body1": "[</Robot/b>, </Robot/a>]"}),
    remedy=usda.joint("j2"),
)

MISSING_BODY = ReaderRule("joint/missing-body", "error", """
    Joint to a body that does not exist

    A body relationship points at a path without a prim.

    Measured: With body0 missing the joint to the world fixes the base: the hinge has no degree of freedom, and l0
    stays. With body1 missing l0 falls as a free body. No log has a word. (`experiments/measure_joint_bodies.py`)
    """,
    profiles=PROFILES,
    example=usda.joint("j2", {"rel physics:body1": "</Robot/bb>"}),
    remedy=usda.joint("j2"),
)

NO_BODY = ReaderRule("joint/no-body", "warning", """
    Joint to a prim that is no body

    A body relationship points at a prim that is no rigid body nor inside one; that side then is the world. PhysX takes
    the joint frame as one of that prim, and as one of the world where the prim is inactive, a class or an over, or
    inside an instance and no collider. An info where the prim holds the body of the other side, as a robot's root does.

    Measured: A hinge from an Xform without body to a link fixes the base: no degree of freedom, no message.
    (`experiments/measure_joint_bodies.py`) A body fixed to an Xform stays where it is; where the Xform or body is
    inactive, an over or inside an instance it jumps to the world's origin. (`experiments/measure_outside_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.prim("Xform", "rock", {}) + usda.joint("j2", {"rel physics:body0": "</Robot/rock>"}),
    remedy=usda.joint("j2"),
)

JOINT_DISABLED = Rule("joint/disabled", "info", """
    Joint that is switched off

    PhysX makes nothing of a joint with jointEnabled false.

    Measured: With jointEnabled false a hanging link falls by 0.125 in half a second, as a free body does.
    (`experiments/measure_joint_bodies.py`)
    """,
    why="PhysX makes no joint of it; the bodies beyond it are in no articulation of this side",
    fix="set physics:jointEnabled to true to use it",
    profiles=PROFILES,
    example=usda.joint("j2", {"bool physics:jointEnabled": "false"}),
    remedy=usda.joint("j2"),
    explains=(Explains("prim", ("unused/disabled",)),),
)


@finder("disabled-joints", JOINT_DISABLED)
def disabled_joints(description: Description) -> Iterator[Finding]:
    """Joints that are switched off, which splits what they would hold together."""
    for item in description.authored:
        if item.base == "jointEnabled" and item.value is False:
            yield JOINT_DISABLED.at(item.path, item.property, "the joint is switched off")


NO_HINGE = ReaderRule("joint/no-hinge", "error", """
    Gear or rack joint without its hinges

    A gear joint couples two revolute joints, a rack joint a revolute and a prismatic one, each the joint that holds the
    body on its side. In place of one that is missing, switched off or made nowhere PhysX takes the x axis of the
    joint's own frame and warns. With a joint of another kind, or of another body, it takes that joint's position for
    the hinge's, and the bodies turn at other speeds, without a message. Only a gear of ratio 1 turns alike with its
    hinges swapped.

    Measured: A wheel driven to 1 rad/s turns the other with -2. Without hinges it does so too on hinges about x, and
    about y where the gear's own frames are turned alike. With hinge1 of another body, or a slider, the wheels turn with
    19 and -38; with the two swapped with -10.3 and 20.6. Only missing hinges are logged.
    (`experiments/measure_joint_bodies.py`) On hinges about y, with hinge1 missing, switched off or from a body to
    itself, the gear brakes the driven wheel to 0.113 and the other stays. (`experiments/measure_outside_rules.py`)
    """,
    why="PhysX takes its position for that of the body's hinge, and the bodies turn at other speeds",
    example=_geared("</Robot/j2>"),
    remedy=_geared("</Robot/j1>"),
)


@finder("couplings", NO_HINGE)
def couplings(description: Description) -> Iterator[Finding]:
    """Gear and rack joints whose hinges hold other bodies than theirs, or are made nowhere."""
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
            continue            # alike in both directions
        for base, hinge, body in zip(_HINGES[joint.kind], hinges, bodies, strict=True):
            fix = f"point {base} at the joint that holds {body or 'the world'}"
            if hinge not in joint_bodies and (joint.path, f"physics:{base}") not in reported:
                yield NO_HINGE.at(joint.path, f"physics:{base}", f"PhysX makes no joint of {hinge}", fix=fix,
                                  why="PhysX couples the body about the x axis of the joint's own frame")
            elif body and body not in joint_bodies.get(hinge, {body}):
                yield NO_HINGE.at(joint.path, f"physics:{base}", f"{hinge} does not hold {body}", fix=fix)


SAME_BODY = ReaderRule("joint/same-body", "error", """
    Joint between a body and itself

    PhysX makes no joint between a body and itself.

    Measured: A joint from a link to itself changes nothing, and PhysX logs a closed articulation, outside articulations
    that both bodies must be unique. (`experiments/measure_joint_bodies.py`)
    """,
    profiles=PROFILES,
    example=usda.joint("j2", parent="b"),
    remedy=usda.joint("j2"),
)

JOINT_NO_BODIES = ReaderRule("joint/no-bodies", "error", """
    Joint without bodies

    A joint with no rigid body on either side does nothing.

    Measured: A joint without bodies changes nothing, and PhysX logs that none are defined.
    (`experiments/measure_joint_bodies.py`)
    """,
    profiles=PROFILES,
    example=usda.prim("PhysicsRevoluteJoint", "j2", {}),
    remedy=usda.joint("j2"),
)

STATIC = ReaderRule("joint/static", "error", """
    Joint between bodies that do not move

    PhysX makes no joint between two bodies that forces do not move.

    Measured: A kinematic or disabled body joined to a kinematic one: PhysX logs that it cannot create a joint between
    static bodies. To a dynamic body it makes the joint. (`experiments/measure_joint_bodies.py`)
    """,
    example=_ANVIL + usda.prim("PhysicsFixedJoint", "weld", {"rel physics:body0": "</Robot/anvil>"}),
    remedy=_ANVIL + usda.prim("PhysicsFixedJoint", "weld", {
        "rel physics:body0": "</Robot/anvil>", "rel physics:body1": "</Robot/b>"}),
)

JOINT_SEVERAL_SCENES = ReaderRule("joint/several-scenes", "error", """
    Joint between scenes

    PhysX makes no joint between bodies that different scenes step.

    Measured: A body of one scene hinged to one of another falls by 0.125 in half a second, as a free body; PhysX logs
    different owners. In one scene it swings. (`experiments/measure_joint_bodies.py`)
    """,
    example=_SCENES + _scene_body("c", "day") + _scene_body("d", "night") + _WELD,
    remedy=_SCENES + _scene_body("c", "day") + _scene_body("d", "day") + _WELD,
)


_DISTANCE = 1e-3        # m
_ANGLE = 0.5            # degrees

FRAME_MISMATCH = Rule("DJ.003/frames-apart", "error", """
    Joint frames that do not meet

    The frames of a joint on its two bodies differ at the authored poses, by more than 1 mm or half a degree from what
    the joint state says. PhysX places links by their joints, at position 0 where no state is authored. Joints outside
    articulations and those that fix a base: joint/frames-apart.

    Measured: A fixed, hinged or spherical link posed 1 m or 30 degrees away from its joint is at its joint before the
    first step. A root posed at the origin, with an anchor frame 1 m above, stays at the origin.
    (`experiments/measure_start_poses.py`)
    """,
    fix="author poses, frames and joint state that agree",
    example=usda.driven_joint({"float state:angular:physics:position": "30"}),
    remedy=usda.driven_joint(),
)


@finder("joint-frames", FRAME_MISMATCH)
def joint_frames(description: Description) -> Iterator[Finding]:
    """Links that are posed elsewhere than their joints put them, at the joint state or at 0 where none is authored."""
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
        where = "the authored joint state" if authored else "0, where PhysX starts a joint without a joint state"
        finding = FRAME_MISMATCH.at(
            joint.path, "physics:localPos0",
            f"the joint frames of {parent.path} and {link.path} are {distance * 1e3:.3g} mm and {angle:.3g} degrees "
            f"apart at {where}", why=f"PhysX moves {link.path} and what follows it to where the joint says",
            severity="warning",
        )
        yield from per_profile(finding, "warning", "error" if authored else "warning")


def _pose_distance(first: Pose, second: Pose, meters: float) -> tuple[float, float]:
    """Distance in metres and angle in degrees between two frames."""
    (ax, ay, az, aw), (bx, by, bz, bw) = first[1], second[1]
    cosine = min(abs(ax * bx + ay * by + az * bz + aw * bw), 1.0)
    return math.dist(first[0], second[0]) * meters, math.degrees(2.0 * math.acos(cosine))


FRAME_REFUSED = ReaderRule("joint/frame-refused", "error", """
    Joint frame that is none

    A joint frame needs finite numbers and a rotation other than 0. Outside articulations PhysX makes no joint without.

    Measured: A zero or NaN frame on the parent's side puts the hinge where the child is posed, turned to another axis;
    on the child's side the child is held by its own origin. PhysX logs an invalid pose. A rotation of length 2 counts
    as of 1. (`experiments/measure_joint_bodies.py`) A body on a fixed joint outside articulations flies on.
    (`experiments/measure_outside_joints.py`)
    """,
    profiles=PROFILES,
    example=usda.joint("j2", {"quatf physics:localRot0": "(0, 0, 0, 0)"}),
    remedy=usda.joint("j2", {"quatf physics:localRot0": "(1, 0, 0, 0)"}),
)
