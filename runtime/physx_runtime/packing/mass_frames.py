"""Joint frames and collider poses relative to the mass frames of links, in single precision and in PhysX's order of
operations. `mass_frame` is the centre of mass and the principal axes in the link's prim. PhysX's loader sets a link's
joint frames before its mass frame, which then moves them (NpArticulationLink.cpp, setCMassLocalPose).
`dynamics.link_poses` moves link poses for collision by these frames.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from physx_runtime.arrays import Array
from physx_runtime.collision.narrow_phase.planes import pose_of, singles
from physx_runtime.collision.pair_table import MASS_FRAME
from physx_runtime.collision.simd_math import transform_inv_fast
from physx_runtime.dynamics import rounded
from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.link_poses import BodyPose, transform
from physx_schema.description.model import Articulation, Joint, Link
from physx_schema.description.records import Pose, Quat

_ZERO, _ONE = np.float32(0.0), np.float32(1.0)
_HALF_ROOT = np.float32(math.sqrt(2.0)) / np.float32(2.0)
# Turns of a joint frame that bring x onto the axis, whichever link is body0 (InternalJoint::getLocalPoseFixupQuat).
_AXIS_FIXUPS = {1: (_ZERO, _ZERO, _HALF_ROOT, _HALF_ROOT), 2: (_ZERO, -_HALF_ROOT, _ZERO, _HALF_ROOT)}
_SPHERICAL_ROTATION = (_HALF_ROOT, _ZERO, _ZERO, _HALF_ROOT)
_AXES = np.eye(3, dtype=np.float32)


def mass_frames(articulation: Articulation) -> Array:
    """(n_link,) of dtype MASS_FRAME."""
    frames, centers = np.zeros(len(articulation.links), MASS_FRAME), list(map(mass_frame, articulation.links))
    for record, link, center in zip(frames, articulation.links, centers, strict=True):
        record["center"] = (*center[0], *center[1])
        if link.joint is None:
            continue
        parent, child = (_relative_to(body_frame, frame) for body_frame, frame in zip(
            (centers[link.parent], center), _joint_frames(link.joint), strict=True))
        record["parent"], record["child"] = parent[0], child[0]
        record["relative"] = rounded.normalize(rounded.multiply_generic(child[1], sp.conjugate(parent[1])))
        flipped = link.joint.reversed and link.joint.kind in ("revolute", "prismatic")
        axes = np.array([_unit(rounded.rotate_generic(child[1], axis)) for axis in _AXES])
        record["axes"] = -axes if flipped else axes
    return frames


def mass_frame(link: Link) -> BodyPose:
    """The centre of mass and the principal axes in the frame of the link's prim (cMassLocalPose)."""
    return _single((link.center_of_mass, link.authored_axes or link.principal_axes))


def relative_to_mass_frame(link: Link, pose: Pose) -> BodyPose:
    """A pose given in the frame of a link's prim, in its mass frame."""
    frame = mass_frame(link)
    relative = transform_inv_fast(pose_of(singles([*frame[0], *frame[1]])), pose_of(singles([*pose[0], *pose[1]])))
    (x, y, z), (i, j, k, w) = ((float(number.value) for number in part) for part in relative)
    return (x, y, z), (i, j, k, w)


def root_center(root: Link) -> sp.Vec3:
    """World position of a root link's centre of mass, in single precision."""
    return transform(_single(root.pose), mass_frame(root))[0]


def as_single(exact: float, single: Any) -> float:
    """The exact number if it rounds to `single`, else `single`."""
    return exact if np.float32(exact) == single else float(single)


def rotate_locally(rotation: Quat, local_rotation: Quat) -> Quat:
    """The product of a rotation and one in its own axes, as the one that aligns a shape's axis."""
    x, y, z, w = rounded.normalize(rounded.multiply_generic(_float32(rotation), _float32(local_rotation)))
    return float(x), float(y), float(z), float(w)


def _joint_frames(joint: Joint) -> tuple[BodyPose, BodyPose]:
    """The joint frames in the prims of parent and child, x along the axis."""
    parent, child = joint.authored_rotations or (joint.parent_frame[1], joint.child_frame[1])
    return (_onto_axis(joint, (joint.parent_frame[0], parent)), _onto_axis(joint, (joint.child_frame[0], child)))


def _onto_axis(joint: Joint, pose: Pose) -> BodyPose:
    position, rotation = _single(pose)
    if joint.kind in ("revolute", "prismatic", "spherical") and joint.axis:
        fixup = _AXIS_FIXUPS[joint.axis]
        if joint.kind == "spherical":
            fixup = rounded.multiply_generic(fixup, _SPHERICAL_ROTATION)
        rotation = rounded.multiply_generic(rotation, fixup)
    return position, rounded.normalize(rotation)


def _relative_to(center: BodyPose, frame: BodyPose) -> BodyPose:
    """A frame relative to a mass frame, with the rounding of setCMassLocalPose."""
    inverse_rotation = sp.conjugate(center[1])
    shift = rounded.rotate_generic(inverse_rotation, sp.sub((_ZERO, _ZERO, _ZERO), center[0])), inverse_rotation
    return transform(shift, frame)


def _single(pose: Pose) -> BodyPose:
    position, rotation = _numbers(pose)
    return position, rounded.normalize(rotation)


def _numbers(pose: Pose) -> BodyPose:
    x, y, z = _float32(pose[0])
    return (x, y, z), _float32(pose[1])


def _float32(values: Any) -> Any:
    return tuple(np.float32(value) for value in values)


def _unit(a: sp.Vec3) -> sp.Vec3:
    factor = _ONE / np.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
    return (a[0] * factor, a[1] * factor, a[2] * factor)
