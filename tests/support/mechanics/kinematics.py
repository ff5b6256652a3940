"""Link poses of a described articulation at joint coordinates q, worked out plainly in float64."""

from __future__ import annotations

import math

import numpy as np

from physx_schema.description import Articulation, Joint, Pose

Array = np.ndarray


def rotation(quaternion: tuple[float, float, float, float]) -> Array:
    """The matrix of a unit quaternion (x, y, z, w), by v -> v + 2 u x (u x v + w v)."""
    x, y, z, w = quaternion
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * (w * cross + cross @ cross)


def transform(pose: Pose) -> Array:
    """A 4x4 matrix."""
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = rotation(pose[1]), pose[0]
    return matrix


def displacement(joint: Joint, q: Array) -> Array:
    """The child joint frame in the parent joint frame; a reversed joint moves by -q."""
    sign = -1.0 if joint.reversed else 1.0
    vector = np.sum([sign * value * np.array(dof.axis) for dof, value in zip(joint.dofs, q, strict=True)], axis=0)
    matrix = np.eye(4)
    if joint.kind == "prismatic":
        matrix[:3, 3] = vector
    elif joint.dofs:
        matrix[:3, :3] = about(vector)
    return matrix


def about(vector: Array) -> Array:
    """The rotation by a rotation vector."""
    angle = float(np.linalg.norm(vector))
    if angle == 0.0:
        return np.eye(3)
    x, y, z = vector / angle * math.sin(angle / 2)
    return rotation((x, y, z, math.cos(angle / 2)))


def link_poses(articulation: Articulation, q: Array, root: Pose | None = None) -> tuple[Array, Array]:
    """Positions (n_link, 3) and quaternions (n_link, 4) x y z w; the root as authored unless its pose is given."""
    worlds: list[Array] = []
    start = 0
    for link in articulation.links:
        if link.joint is None:
            worlds.append(transform(root or link.pose))
            continue
        count = len(link.joint.dofs)
        moved = displacement(link.joint, q[start:start + count])
        start += count
        worlds.append(worlds[link.parent] @ transform(link.joint.parent_frame) @ moved
                      @ np.linalg.inv(transform(link.joint.child_frame)))
    return np.array([world[:3, 3] for world in worlds]), np.array([quaternion(world[:3, :3]) for world in worlds])


def quaternion(matrix: Array) -> Array:
    """The unit quaternion (x, y, z, w) of a rotation matrix, as the null vector of Bar-Itzhack's form."""
    m = matrix
    k = np.array([
        [m[0, 0] - m[1, 1] - m[2, 2], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[2, 1] - m[1, 2]],
        [m[0, 1] + m[1, 0], m[1, 1] - m[0, 0] - m[2, 2], m[1, 2] + m[2, 1], m[0, 2] - m[2, 0]],
        [m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], m[2, 2] - m[0, 0] - m[1, 1], m[1, 0] - m[0, 1]],
        [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], m[0, 0] + m[1, 1] + m[2, 2]],
    ])
    return np.linalg.eigh(k)[1][:, -1]
