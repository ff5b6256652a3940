"""Frames of links: from prims' frames to the internal frame F of the step (see model.topology), and back.

Functions take floats, or arrays with one number a world.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from physx_runtime.dynamics import spatial as sp
from physx_schema.description.model import ActorDescription, FreeBody, Joint, Link

# Position and rotation.
Frame = tuple[sp.Vec3, sp.Quat]

IDENTITY_ROTATION = (0.0, 0.0, 0.0, 1.0)

# Turns of a joint frame that bring x onto +x, +y, +z and, for a joint whose child is body0, onto -x, -y, -z.
SIN_45 = math.sqrt(0.5)
AXIS_ROTATIONS: dict[tuple[int, bool], sp.Quat] = {
    (0, False): (0.0, 0.0, 0.0, 1.0), (1, False): (0.0, 0.0, SIN_45, SIN_45), (2, False): (0.0, -SIN_45, 0.0, SIN_45),
    (0, True): (0.0, 0.0, 1.0, 0.0), (1, True): (0.0, 0.0, -SIN_45, SIN_45), (2, True): (0.0, SIN_45, 0.0, SIN_45),
}
# Turns that bring x, y, z onto twist and swings of a spherical joint: (x, y, z), (y, z, x) or (z, -x, -y).
BALL_ROTATIONS: dict[int, sp.Quat] = {0: (0.0, 0.0, 0.0, 1.0), 1: (0.5, 0.5, 0.5, 0.5), 2: (0.5, -0.5, 0.5, 0.5)}


def compose(a: Frame, b: Frame) -> Frame:
    """Pose b in the frame a, seen from outside."""
    return sp.add(a[0], sp.rotate(a[1], b[0])), sp.mul_quat(a[1], b[1])


def inverse_frame(a: Frame) -> Frame:
    """The outside, seen from the frame a."""
    back = sp.conjugate(a[1])
    return sp.scale(-1.0, sp.rotate(back, a[0])), back


def internal_frame(link: Link, fixed_base: bool) -> Frame:
    """F in the link frame: the joint's child frame turned so that x is its axis; a floating root's centre of mass."""
    if link.joint is None:
        return ((0.0, 0.0, 0.0) if fixed_base else link.center_of_mass), IDENTITY_ROTATION
    return on_axis(link.joint.child_frame, link.joint.kind, link.joint.axis, link.joint.reversed)


def on_axis(frame: Frame, kind: str, axis: int, reversed_: bool = False) -> Frame:
    """A joint frame turned so that x is the joint's axis: as PhysX's loader turns it."""
    return compose(frame, ((0.0, 0.0, 0.0), _axis_turn(kind, axis, reversed_)))


def _axis_turn(kind: str, axis: int, reversed_: bool) -> sp.Quat:
    if kind == "d6":
        return IDENTITY_ROTATION
    return BALL_ROTATIONS[axis] if kind == "spherical" else AXIS_ROTATIONS[axis, reversed_]


def tree_frame(joint: Joint | None, into_parent: Frame) -> Frame:
    """F where q is 0, in the parent's F; `into_parent`: the parent link's frame in its F."""
    if joint is None:
        return (0.0, 0.0, 0.0), IDENTITY_ROTATION
    return compose(into_parent, on_axis(joint.parent_frame, joint.kind, joint.axis, joint.reversed))


def in_frame(into: Frame, point: sp.Vec3) -> sp.Vec3:
    """A point of the link's frame in F; `into`: the link's frame in F."""
    return sp.add(into[0], sp.rotate(into[1], point))


def inertia_in_frame(into: Frame, inertia: sp.Sym3) -> sp.Sym3:
    """An inertia in the link's axes, in those of F."""
    return sp.rotate_sym(sp.matrix(into[1]), inertia)


def root_place(actor: ActorDescription) -> Frame:
    """F in the root link's frame: a floating base's is at the centre of mass, a body's has its principal axes too."""
    if actor.fixed_base:
        return (0.0, 0.0, 0.0), IDENTITY_ROTATION
    root = actor.links[0]
    return root.center_of_mass, root.principal_axes if isinstance(actor, FreeBody) else IDENTITY_ROTATION


def root_frame(pose: Frame, place: Frame) -> Frame:
    """Where the root's F is, from the pose of its link and `root_place`."""
    return compose(pose, place)


def root_link(frame: Frame, place: Frame) -> Frame:
    """The pose of the root link from where its F is; the reverse of `root_frame`."""
    return compose(frame, inverse_frame(place))


def root_rows(frame: Frame) -> dict[str, NDArray[np.float64]]:
    """The rows that say where the root's F is, the numbers of one world last."""
    parts = np.broadcast_arrays(*frame[0], *frame[1])
    return {"root_position": np.stack(parts[:3], axis=-1), "root_rotation": np.stack(parts[3:], axis=-1)}
