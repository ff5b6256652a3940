"""Rotations that are none, and joint frames that do not meet."""

from __future__ import annotations

import math
from collections.abc import Iterator

from physx_schema.checking.edits import SetValue, safe
from physx_schema.checking.finding import Finding, judged
from physx_schema.checking.rule import Rule
from physx_schema.checking.start_poses import displaced
from physx_schema.checking.values import flat
from physx_schema.description import Articulation, Authored, Description, Joint, Link
from physx_schema.description.frames import composed
from physx_schema.description.poses import Pose

_UNIT = 1e-3            # a quaternion's length may differ from 1 by rounding
_SANE = 1e-2            # and by that much before PhysX refuses principal axes
_DISTANCE = 1e-3        # m
_ANGLE = 0.5            # degrees
_QUATERNIONS = frozenset({"localRot0", "localRot1", "principalAxes"})


def quaternions(description: Description) -> Iterator[Finding]:
    """Quaternions of another length than 1."""
    for item in description.authored:
        if item.base in _QUATERNIONS and item.schema.startswith("Physics"):
            yield from _unit(item)


def _unit(item: Authored) -> Iterator[Finding]:
    parts = flat(item.value)
    length = math.hypot(*parts)
    if len(parts) == 4 and math.isfinite(length) and length > 0.0 and abs(length - 1.0) > _UNIT:
        refused = item.base == "principalAxes" and not abs(length - 1.0) < _SANE
        yield Finding(
            "value/not-unit", "error" if refused else "warning", item.path, item.property,
            f"a quaternion of length {length:g}",
            "PhysX refuses it, and the centre of mass with it: the moments are about the body's own axes and origin"
            if refused else "PhysX normalises it", "author a quaternion of length 1",
            repair=safe(SetValue(item.path, item.property, tuple(part / length for part in parts))),
        )


def joint_frames(description: Description) -> Iterator[Finding]:
    """Links that are posed elsewhere than their joints put them, at the joint state or at 0 where none is authored."""
    states = {item.path for item in description.authored if item.schema == "PhysicsJointStateAPI"}
    for articulation in description.articulations:
        meters = description.scene_of(articulation).meters_per_unit
        for link in articulation.links:
            if link.joint is not None:
                yield from _apart(articulation, link, link.joint, meters, link.joint.path in states)


def _apart(articulation: Articulation, link: Link, joint: Joint, meters: float, known: bool) -> Iterator[Finding]:
    parent = articulation.links[link.parent]
    wanted = composed(parent.pose, joint.parent_frame)
    if any(dof.position for dof in joint.dofs):
        wanted = composed(wanted, displaced(joint))
    found = composed(link.pose, joint.child_frame)
    distance, angle = _between(found, wanted, meters)
    if distance > _DISTANCE or angle > _ANGLE:
        where = "the authored joint state" if known else "0, where PhysX starts a joint without a joint state"
        finding = Finding(
            "DJ.003/frames-apart", "warning", joint.path, "physics:localPos0",
            f"the joint frames of {parent.path} and {link.path} are {distance * 1e3:.3g} mm and {angle:.3g} degrees "
            f"apart at {where}",
            f"PhysX moves {link.path} and what follows it to where the joint says",
            "author poses, frames and joint state that agree",
        )
        yield from judged(finding, "warning", "error" if known else "warning")


def _between(found: Pose, wanted: Pose, meters: float) -> tuple[float, float]:
    """Distance in metres and angle in degrees between two frames."""
    (ax, ay, az, aw), (bx, by, bz, bw) = found[1], wanted[1]
    cosine = min(abs(ax * bx + ay * by + az * bz + aw * bw), 1.0)
    return math.dist(found[0], wanted[0]) * meters, math.degrees(2.0 * math.acos(cosine))


RULES = (
    Rule("quaternions", quaternions, ("value/not-unit",)),
    Rule("joint-frames", joint_frames, ("DJ.003",)),
)
