"""Fragments of poses and velocities, of one link each."""

from __future__ import annotations

from physx_runtime.dynamics import rounded
from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.kinematics import (
    AT_REST,
    Kinematics,
    LinkMotion,
    ball_coordinates,
    forward_kinematics,
    moved_by_joint,
    subspace,
)
from physx_runtime.dynamics.spatial import NO_MOTION, motion_of
from physx_runtime.language.ops import Rows, plain, unfused
from physx_runtime.model.topology import ROTARY_JOINTS, Topology
from physx_runtime.solver.by_joint.fragments.operands import Operands, link_motion, quat, vec
from physx_runtime.solver.by_joint.tree import SINGLE_LINK


def normalize(rows: Operands) -> Rows:
    """A quaternion of length one, to the bit that of PhysX in float32 (PxQuat::getNormalized)."""
    return {"rotation": plain(rounded.normalized(unfused(rows["rotation"])))}


def turn_axes(rows: Operands) -> Rows:
    """World rotation of the root's principal axes."""
    return {"axes_rotation": sp.mul_quat(quat(rows["rotation"]), quat(rows["axes"]))}


def pose_root(rows: Operands) -> Rows:
    """Pose of the root."""
    k = forward_kinematics(SINGLE_LINK, rows, [], quat(rows["rotation"]))
    return {"R": [x for row in k.R[0] for x in row], "center": k.com[0]}


def pose(rows: Operands, joint: Topology) -> Rows:
    """Pose of a link from its parent's; where the row "ball" is given it is the link's rotation."""
    padded = {name: [0.0] * (len(rows[name])) + rows[name] for name in ("tree_rotation", "tree_position", "com")}
    padded |= {name: rows[name] for name in ("locked",) if name in rows}
    k = forward_kinematics(joint, padded, rows.get("q", []), quat(rows["parent_rotation"]), rows.get("ball", ()))
    return {"rotation": k.rotation[1], "R": [x for row in k.R[1] for x in row], "d": k.d[1], "center": k.com[1],
            "position": sp.add(vec(rows["parent_position"]), k.d[1]), "axes": [x for axis in k.axes for x in axis]}


def coordinates(rows: Operands, joint: Topology) -> Rows:
    """Coordinates of a spherical joint from the poses of its links."""
    k = Kinematics([quat(rows["parent_rotation"]), quat(rows["rotation"])], [], [], [], [], [], [])
    q, locked = ball_coordinates(joint, {"tree_rotation": [0.0] * 4 + rows["tree_rotation"]}, k,
                                 [0.0] * len(joint.dofs))
    return {"q": q, "locked": locked}


def move_link(rows: Operands, joint: Topology) -> Rows:
    """Velocities of a link from its parent's."""
    turning = joint.links[1].kind in ROTARY_JOINTS
    rates = [(subspace(turning, vec(rows["axes"], i)), rate) for i, rate in enumerate(rows.get("rates", []))]
    motion = moved_by_joint(link_motion(rows["parent_motion"]).at(vec(rows["d"])), rates)
    return _centered(motion, vec(rows["center"]))


def root_motion(rows: Operands, grounded: bool, turning_only: bool) -> Rows:
    """Velocities of the root."""
    v = [0.0] * 3 + rows["v"][3:6] if turning_only else rows.get("v", ())
    return _centered(AT_REST if grounded else LinkMotion(motion_of(v), NO_MOTION), vec(rows["center"]))


def _centered(motion: LinkMotion, center: sp.Vec3) -> Rows:
    v, a, at_center = motion.velocity, motion.acceleration, motion.at(center)
    return {"motion": [*v.angular, *a.angular, *v.linear, *a.linear], "v_com": at_center.velocity.linear,
            "a_com": at_center.acceleration.linear}
