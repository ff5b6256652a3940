"""Frames of links and joints: prim frames, the internal frame F of the step, and frames in single precision as PhysX
loads them. F is at a joint's anchor with x along its axis (see model.topology); a floating root's is at its centre of
mass. These functions take floats, or arrays with one number for each world.

`rounded_frame` and `relative_to_center` round as PhysX's loader and JointT do. The rounding of about 6e-8 m matters
only at the start of a scene. A quarter turn is longer than 1 by 1e-7, which tilts planes.

`LinkPlacement` holds what stays constant while a link moves: its scale, and the prims between it and the world. The
local matrix of a link is shape * pose(t) * (parent * carrier(t))^-1 with row vectors, as in USD. carrier(t) is the pose
of the nearest link above it whose motion it inherits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Gf, Usd, UsdGeom

from physx_runtime.dynamics import rounded
from physx_runtime.dynamics import spatial as sp
from physx_schema.description.frames import Frames, decompose, pose_matrix
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
SPHERICAL_ROTATIONS: dict[int, sp.Quat] = {0: (0.0, 0.0, 0.0, 1.0), 1: (0.5, 0.5, 0.5, 0.5), 2: (0.5, -0.5, 0.5, 0.5)}


def compose(a: Frame, b: Frame) -> Frame:
    """The pose b, given in frame a, in the frame that a is given in."""
    return sp.add(a[0], sp.rotate(a[1], b[0])), sp.mul_quat(a[1], b[1])


def inverse_frame(a: Frame) -> Frame:
    """The inverse of a frame."""
    inverse_rotation = sp.conjugate(a[1])
    return sp.scale(-1.0, sp.rotate(inverse_rotation, a[0])), inverse_rotation


def internal_frame(link: Link, fixed_base: bool) -> Frame:
    """F in the link frame: the joint's child frame turned so that x is its axis; a floating root's centre of mass."""
    if link.joint is None:
        return ((0.0, 0.0, 0.0) if fixed_base else link.center_of_mass), IDENTITY_ROTATION
    return on_axis(link.joint.child_frame, link.joint.kind, link.joint.axis, link.joint.reversed)


def on_axis(frame: Frame, kind: str, axis: int, reversed_: bool = False) -> Frame:
    """A joint frame turned so that x is the joint's axis: as PhysX's loader turns it."""
    return compose(frame, ((0.0, 0.0, 0.0), _axis_rotation(kind, axis, reversed_)))


def _axis_rotation(kind: str, axis: int, reversed_: bool) -> sp.Quat:
    if kind == "d6":
        return IDENTITY_ROTATION
    return SPHERICAL_ROTATIONS[axis] if kind == "spherical" else AXIS_ROTATIONS[axis, reversed_]


def tree_frame(joint: Joint | None, parent_link_frame: Frame) -> Frame:
    """F at q = 0 in the parent's F. parent_link_frame: the parent link's frame in its F."""
    if joint is None:
        return (0.0, 0.0, 0.0), IDENTITY_ROTATION
    return compose(parent_link_frame, on_axis(joint.parent_frame, joint.kind, joint.axis, joint.reversed))


def in_frame(link_frame: Frame, point: sp.Vec3) -> sp.Vec3:
    """A point of the link's frame in F. link_frame: the link's frame in F."""
    return sp.add(link_frame[0], sp.rotate(link_frame[1], point))


def inertia_in_frame(link_frame: Frame, inertia: sp.Sym3) -> sp.Sym3:
    """An inertia in the link's axes, expressed in those of F."""
    return sp.rotate_sym(sp.matrix(link_frame[1]), inertia)


def root_frame_in_link(actor: ActorDescription) -> Frame:
    """F in the root link's frame: a floating base's is at the centre of mass, a body's has its principal axes too."""
    if actor.fixed_base:
        return (0.0, 0.0, 0.0), IDENTITY_ROTATION
    root = actor.links[0]
    return root.center_of_mass, root.principal_axes if isinstance(actor, FreeBody) else IDENTITY_ROTATION


def root_frame(pose: Frame, local_frame: Frame) -> Frame:
    """The pose of the root's F. pose: of the root link; local_frame: as of `root_frame_in_link`."""
    return compose(pose, local_frame)


def root_link(frame: Frame, local_frame: Frame) -> Frame:
    """The pose of the root link from that of its F; the inverse of `root_frame`."""
    return compose(frame, inverse_frame(local_frame))


def root_rows(frame: Frame) -> dict[str, NDArray[np.float64]]:
    """The rows root_position and root_rotation of the root's F, the numbers of one world last."""
    parts = np.broadcast_arrays(*frame[0], *frame[1])
    return {"root_position": np.stack(parts[:3], axis=-1), "root_rotation": np.stack(parts[3:], axis=-1)}


def rounded_frame(frame: Frame) -> Frame:
    """A frame in single precision with a normalized rotation (PxTransform::getNormalized)."""
    return _plain(_single(frame))


def rounded_rotations(rotations: NDArray[Any]) -> NDArray[np.float32]:
    """Quaternions (..., 4) in single precision, normalized."""
    x, y, z, w = np.moveaxis(rotations.astype(np.float32), -1, 0)
    factor = np.float32(1.0) / np.sqrt(x * x + y * y + z * z + w * w)
    return np.stack([x * factor, y * factor, z * factor, w * factor], axis=-1)


def relative_to_center(frame: Frame, center: Frame) -> Frame:
    """A joint frame in the frame of the mass centre and principal axes; both given in the body's prim (JointT, c2b)."""
    (position, rotation), (center_position, axes) = _single(frame), _single(center)
    inverse_rotation = sp.conjugate(axes)
    return _plain((rounded.rotate(inverse_rotation, sp.sub(position, center_position)),
                   rounded.product(inverse_rotation, rotation)))


def _single(frame: Frame) -> Frame:
    position, rotation = frame
    px, py, pz = _numbers(position)
    x, y, z, w = _numbers(rotation)
    factor = np.float32(1.0) / np.sqrt(x * x + y * y + z * z + w * w)
    return (px, py, pz), (x * factor, y * factor, z * factor, w * factor)


def _numbers(values: Any) -> list[Any]:
    return [np.float32(value) for value in values]


def _plain(frame: Frame) -> Frame:
    (px, py, pz), (x, y, z, w) = frame
    return (float(px), float(py), float(pz)), (float(x), float(y), float(z), float(w))


@dataclass(frozen=True, slots=True)
class LinkPlacement:
    """A link and its constant frames."""

    path: str
    shape: Gf.Matrix4d                 # matrix: world scale and shear, in the link's own frame
    carrier: str | None                 # the link below which the prim lies
    parent: Gf.Matrix4d                # matrix of the parent prim, in the carrier's frame or in the world


def read_link_placements(stage: Usd.Stage, names: Sequence[str]) -> list[LinkPlacement]:
    """The placement of every link, read at the default time."""
    frames, links = Frames(), []
    for name in names:
        prim = stage.GetPrimAtPath(name)
        matrix = frames.matrix(prim)
        if UsdGeom.Xformable(prim).GetResetXformStack():
            parent, carrier = Gf.Matrix4d(1.0), None
        else:
            parent, carrier = frames.matrix(prim.GetParent()), _carrier(prim, frozenset(names))
        if carrier is not None:
            parent = parent * rigid(frames.matrix(stage.GetPrimAtPath(carrier))).GetInverse()
        links.append(LinkPlacement(name, matrix * rigid(matrix).GetInverse(), carrier, parent))
    return links


def _carrier(prim: Usd.Prim, links: frozenset[str]) -> str | None:
    """The nearest link above a prim whose motion reaches it."""
    above = prim.GetParent()
    while above and not above.IsPseudoRoot():
        if str(above.GetPath()) in links:
            return str(above.GetPath())
        if UsdGeom.Xformable(above).GetResetXformStack():
            return None
        above = above.GetParent()
    return None


def rigid(matrix: Gf.Matrix4d) -> Gf.Matrix4d:
    """The pose in a matrix, without scale and shear, as PhysX takes it from USD."""
    return pose_matrix(*decompose(matrix).pose)
