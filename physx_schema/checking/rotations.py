"""Rotations that are none, and joint frames that do not meet."""

from __future__ import annotations

import math
from collections.abc import Iterator

from pxr import Gf

from physx_schema.checking.edits import SetValue, safe
from physx_schema.checking.finding import Finding, judged
from physx_schema.checking.rule import Rule
from physx_schema.checking.values import flat
from physx_schema.description import Articulation, Authored, Description, Joint, Link
from physx_schema.description.frames import pose_matrix, pose_of

_UNIT = 1e-3            # a quaternion's length may differ from 1 by rounding
_DISTANCE = 1e-3        # m
_ANGLE = 0.5            # degrees
_SAME = 1e-7            # of every element of two frames' matrices: there is nothing to measure
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
        yield Finding(
            "value/not-unit", "warning", item.path, item.property, f"a quaternion of length {length:g}",
            "PhysX normalises it", "author a quaternion of length 1",
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
    wanted = _displaced(joint) * pose_matrix(*joint.parent_frame) * pose_matrix(*parent.pose)
    found = pose_matrix(*joint.child_frame) * pose_matrix(*link.pose)
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


def _between(found: Gf.Matrix4d, wanted: Gf.Matrix4d, meters: float) -> tuple[float, float]:
    """Distance in metres and angle in degrees between two frames."""
    if Gf.IsClose(found, wanted, _SAME):
        return 0.0, 0.0
    position, rotation = pose_of(Gf.Transform(found * wanted.GetInverse()))
    return math.hypot(*position) * meters, math.degrees(2.0 * math.acos(min(abs(rotation[3]), 1.0)))


def _displaced(joint: Joint) -> Gf.Matrix4d:
    """The joint's motion as a matrix of row vectors: a shift, or the turn by the sum of its rotation vectors."""
    sign = -1.0 if joint.reversed else 1.0
    vectors = [[sign * dof.position * part for part in dof.axis] for dof in joint.dofs]
    total = Gf.Vec3d(*map(sum, zip(*vectors, strict=True))) if vectors else Gf.Vec3d(0.0)
    matrix = Gf.Matrix4d(1.0)
    if joint.kind == "prismatic":
        matrix.SetTranslate(total)
    elif total.GetLength() > 0.0:
        matrix.SetRotate(Gf.Rotation(total, math.degrees(total.GetLength())))
    return matrix


RULES = (
    Rule("quaternions", quaternions, ("value/not-unit",)),
    Rule("joint-frames", joint_frames, ("DJ.003",)),
)
