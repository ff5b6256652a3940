"""Operands of fragments as the quantities they are, and back.

Every fragment maps operands (name -> scalars) to the operands it makes or changes. `joint` is a topology of two links,
the parent and the link itself (`tree.joint_topologies`). `grounded`: the parent never moves.
"""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.articulated import ArticulatedInertia, LinkResponse
from physx_runtime.dynamics.inertia import RigidInertia
from physx_runtime.dynamics.kinematics import LinkMotion
from physx_runtime.dynamics.spatial import Motion
from physx_runtime.language.ops import Scalar

Operands = dict[str, list[Scalar]]


def vec(x: Sequence[Scalar], i: int = 0) -> sp.Vec3:
    """The i-th vector of a list."""
    return (x[3 * i], x[3 * i + 1], x[3 * i + 2])


def quat(x: Sequence[Scalar]) -> sp.Quat:
    """Four scalars."""
    return (x[0], x[1], x[2], x[3])


def sym(x: Sequence[Scalar]) -> sp.Sym3:
    """Six scalars."""
    return (x[0], x[1], x[2], x[3], x[4], x[5])


def inertia_of(x: Sequence[Scalar]) -> ArticulatedInertia:
    """21 scalars."""
    return ArticulatedInertia(sym(x[15:21]), (vec(x, 2), vec(x, 3), vec(x, 4)), sym(x[0:6]))


def flat(x: ArticulatedInertia | LinkResponse) -> list[Scalar]:
    """Its 21 scalars."""
    return [*x.linear, *x.cross[0], *x.cross[1], *x.cross[2], *x.angular]


def rigid_of(x: Sequence[Scalar]) -> RigidInertia:
    """Ten scalars."""
    return RigidInertia(x[0], vec(x[1:4]), sym(x[4:10]))


def flat_rigid(x: RigidInertia) -> list[Scalar]:
    """Its ten scalars."""
    return [x.mass, *x.moment, *x.rotational]


def rotation_matrix(x: Sequence[Scalar]) -> sp.Mat3:
    """Nine scalars."""
    return (vec(x, 0), vec(x, 1), vec(x, 2))


def link_motion(x: Sequence[Scalar]) -> LinkMotion:
    """Twelve scalars."""
    return LinkMotion(Motion(vec(x, 0), vec(x, 2)), Motion(vec(x, 1), vec(x, 3)))


def central_velocity(rows: Operands) -> Motion:
    """A link's velocity at its centre of mass."""
    return Motion(vec(rows["motion"], 0), vec(rows["v_com"]))


def central_acceleration(rows: Operands, prefix: str = "") -> Motion:
    """A link's velocity-product acceleration at its centre of mass."""
    return Motion(vec(rows[f"{prefix}motion"], 1), vec(rows[f"{prefix}a_com"]))
