"""Where links are before the first step: where their joints put them, whatever their own poses say."""

from __future__ import annotations

import math

from physx_schema.description import Articulation, Joint
from physx_schema.description.frames import composed
from physx_schema.description.records import IDENTITY_POSE, Pose


def start_poses(articulation: Articulation) -> list[Pose]:
    """World poses of the links: the root where it is authored, the others by joint, at their states or at 0."""
    poses: list[Pose] = []
    for link in articulation.links:
        if link.joint is None:
            poses.append(link.pose)
        else:
            joint_frame = composed(composed(poses[link.parent], link.joint.parent_frame), joint_motion(link.joint))
            poses.append(composed(joint_frame, inverse(link.joint.child_frame)))
    return poses


def joint_motion(joint: Joint) -> Pose:
    """The joint's motion as a pose: a shift, or the turn by the sum of its rotation vectors."""
    sign = -1.0 if joint.reversed else 1.0
    x, y, z = (sign * sum(dof.position * dof.axis[i] for dof in joint.dofs) for i in range(3))
    if joint.kind == "prismatic":
        return (x, y, z), IDENTITY_POSE[1]
    angle = math.hypot(x, y, z)
    if not angle > 0.0:
        return IDENTITY_POSE
    scale = math.sin(angle / 2.0) / angle
    return IDENTITY_POSE[0], (x * scale, y * scale, z * scale, math.cos(angle / 2.0))


def inverse(pose: Pose) -> Pose:
    """The pose of the outer frame in the inner one."""
    (x, y, z), (i, j, k, w) = pose
    inverse_rotation = IDENTITY_POSE[0], (-i, -j, -k, w)
    return composed(inverse_rotation, ((-x, -y, -z), IDENTITY_POSE[1]))
