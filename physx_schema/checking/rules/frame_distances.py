"""Joint frames that are apart: joints outside articulations, and joints that fix a base.

Frames of joints in articulations: DJ.003.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.rule import Rule, finder
from physx_schema.description import Description, Joint, MaximalJoint
from physx_schema.description.articulation.freedom import ALIGNED, NEAR, free_axes
from physx_schema.description.bodies import WITHOUT_ANCHORS
from physx_schema.description.frames import composed, inverse, start_poses_by_body
from physx_schema.description.model.joint import ROTATIONS, TRANSLATIONS, JointAxisName
from physx_schema.description.records import IDENTITY_POSE, Pose

_EXCLUDED = {"bool physics:excludeFromArticulation": "true"}


def _weld(place: str) -> str:
    """A body that a fixed joint holds to a point of the world."""
    return usda.body() + usda.prim("PhysicsFixedJoint", "weld", {
        "rel physics:body1": "</Robot/thing>", "point3f physics:localPos0": place, **_EXCLUDED})


FRAME_DISTANCE = Rule("joint/frames-apart", "warning", """
    Joint frames apart outside articulations

    The two frames of a joint outside articulations are more than 1 mm or 0.5 degrees apart along axes that the joint
    locks. If the joint frames are apart, PhysX pulls the bodies together at the start. If the joint fixes the base of
    an articulation to the world, the base stays at its authored pose.

    Measured: If a body starts 0.97 m above its fixed joint, the joint pulls the body to the joint frame within one
    step. (`experiments/measure_borders.py`)
    """,
    why="PhysX pulls the two bodies together within the first steps, and attached bodies move with them",
    fix="move the bodies, or change localPos and localRot until the two joint frames meet",
    example=_weld("(0, 0, 0.5)"),
    remedy=_weld("(0, 0, 0)"),
)


@finder("frames-apart", FRAME_DISTANCE)
def frame_distances(description: Description) -> Iterator[Finding]:
    """Joints outside articulations, and joints to the world of fixed bases, whose frames do not meet at the start."""
    bases = [item.base_joint for item in description.articulations if item.enabled and item.base_joint is not None]
    if not description.separate_joints and not bases:
        return
    poses = start_poses_by_body(description)
    meters = description.scene.meters_per_unit
    for joint in description.separate_joints:
        gap = _joint_distance(joint, poses, meters) if joint.kind not in WITHOUT_ANCHORS else ""
        if gap:
            first, second = (body or "the world" for body in (joint.body0, joint.body1))
            yield FRAME_DISTANCE.at(joint.path, "physics:localPos0",
                                  f"the joint frames of {first} and {second} are {gap} apart")
    for base in bases:
        gap = _base_distance(base, poses, meters) if base.kind not in WITHOUT_ANCHORS else ""
        if gap:
            yield FRAME_DISTANCE.at(
                base.path, "physics:localPos0", f"the joint frames of the world and {base.body0 or base.body1} are "
                f"{gap} apart", why="PhysX leaves the base at its authored pose and ignores the joint frame",
                severity="info")


def _joint_distance(joint: MaximalJoint, poses: Mapping[str, Pose], meters: float) -> str:
    first, second = (composed(poses.get(body, IDENTITY_POSE), frame) for body, frame in (
        (joint.body0, joint.frame0), (joint.body1, joint.frame1)))
    return _distance(first, second, free_axes(joint.kind, joint.axis, (axis.axis for axis in joint.axes)), meters)


def _base_distance(joint: Joint, poses: Mapping[str, Pose], meters: float) -> str:
    """Of a joint that fixes a base; its parent is the world."""
    body = joint.body1 if joint.body1 in poses else joint.body0
    child = composed(poses.get(body, IDENTITY_POSE), joint.child_frame)
    generic = (*TRANSLATIONS, *ROTATIONS)       # whatever it leaves free is not known of the joint of a base
    return _distance(joint.parent_frame, child, free_axes(joint.kind, joint.axis, generic), meters)


def _distance(first: Pose, second: Pose, free: tuple[JointAxisName, ...], meters: float) -> str:
    """How far the second frame is from the first along and about the axes that are not free, "" where it is not."""
    position, (x, y, z, _) = composed(inverse(first), second)
    distance = math.hypot(*(value for value, axis in zip(position, TRANSLATIONS, strict=True) if axis not in free))
    sine = math.hypot(*(value for value, axis in zip((x, y, z), ROTATIONS, strict=True) if axis not in free))
    angle = math.degrees(2.0 * math.asin(min(sine, 1.0)))
    parts = []
    if distance * meters > NEAR:
        units = "" if meters == 1.0 else f" ({distance:.4g} stage units)"
        parts.append(f"{distance * meters * 1e3:.4g} mm{units}")
    if angle > ALIGNED:
        parts.append(f"{angle:.3g} degrees")
    return " and ".join(parts)
