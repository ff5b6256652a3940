"""Where links are and how they move, from rows of a state: poses of link frames, velocities of centres of mass."""

from __future__ import annotations

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.kinematics import Kinematics, link_motions
from physx_runtime.dynamics.spatial import linear_first, triple
from physx_runtime.language.ops import Rows, Scalar, Scalars
from physx_runtime.model.topology import Topology


def link_poses(t: Topology, rows: Rows, k: Kinematics) -> list[list[Scalar]]:
    """Position and quaternion (x y z w) of every link's frame in the world.

    rows: with `link_frames`, position and quaternion of every link's frame in its F.
    """
    root, poses = triple(rows, "root_position", 0), []
    for i in range(len(t.links)):
        x = rows["link_frames"][7 * i:7 * i + 7]
        anchor = sp.add(root, k.position[i])
        poses.append([*sp.add(anchor, sp.mul_mv(k.R[i], (x[0], x[1], x[2]))),
                      *sp.mul_quat(k.rotation[i], (x[3], x[4], x[5], x[6]))])
    return poses


def link_velocities(t: Topology, k: Kinematics, v: Scalars) -> list[list[Scalar]]:
    """Linear velocity of every link's centre of mass, and its angular velocity, world axes; v: generalised velocity."""
    return [linear_first(motion.velocity) for motion in link_motions(t, k, v)]
