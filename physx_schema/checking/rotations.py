"""Rotations that are none, and joint frames that do not meet."""

from __future__ import annotations

import math
from collections.abc import Iterator

from pxr import Gf

from physx_schema.checking.finding import Finding, judged
from physx_schema.checking.rule import Rule
from physx_schema.checking.values import flat
from physx_schema.description import Articulation, Authored, Description, Joint, Link
from physx_schema.description.frames import pose_matrix, pose_of

_UNIT = 1e-3            # a quaternion's length may differ from 1 by rounding
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
        yield Finding(
            "value/not-unit", "warning", item.path, item.property, f"a quaternion of length {length:g}",
            "PhysX normalises it", "author a quaternion of length 1",
        )


def joint_frames(description: Description) -> Iterator[Finding]:
    """Joints of articulations whose authored state says something else than the authored poses of the bodies."""
    meters = description.scene.meters_per_unit
    states = {item.path for item in description.authored if item.schema == "PhysicsJointStateAPI"}
    for articulation in description.articulations:
        for link in articulation.links:
            if link.joint is not None and link.joint.kind in ("revolute", "prismatic") and link.joint.path in states:
                yield from _apart(articulation, link, link.joint, meters)


def _apart(articulation: Articulation, link: Link, joint: Joint, meters: float) -> Iterator[Finding]:
    parent = articulation.links[link.parent]
    coordinate = joint.dofs[0].position * (-1.0 if joint.reversed else 1.0) if joint.dofs else 0.0
    wanted = _displaced(joint, coordinate) * pose_matrix(*joint.parent_frame) * pose_matrix(*parent.pose)
    found = pose_matrix(*joint.child_frame) * pose_matrix(*link.pose)
    position, rotation = pose_of(Gf.Transform(found * wanted.GetInverse()))
    distance, angle = math.hypot(*position) * meters, math.degrees(2.0 * math.acos(min(abs(rotation[3]), 1.0)))
    if distance > _DISTANCE or angle > _ANGLE:
        finding = Finding(
            "joint/frames-apart", "warning", joint.path, "physics:localPos0",
            f"the joint frames of {parent.path} and {link.path} are {distance * 1e3:.3g} mm and {angle:.3g} degrees "
            "apart at the authored joint state",
            f"PhysX moves {link.path} and what follows it to where the joint says",
            "author poses, frames and joint state that agree",
        )
        yield from judged(finding, "warning", "error")


def _displaced(joint: Joint, coordinate: float) -> Gf.Matrix4d:
    """The joint's motion as a matrix of row vectors."""
    axis = Gf.Vec3d(*(1.0 if i == joint.axis else 0.0 for i in range(3)))
    matrix = Gf.Matrix4d(1.0)
    if joint.kind == "revolute":
        matrix.SetRotate(Gf.Rotation(axis, math.degrees(coordinate)))
    elif joint.kind == "prismatic":
        matrix.SetTranslate(axis * coordinate)
    return matrix


RULES = (
    Rule("quaternions", quaternions, ("value/not-unit",)),
    Rule("joint-frames", joint_frames, ("joint/frames-apart",)),
)
