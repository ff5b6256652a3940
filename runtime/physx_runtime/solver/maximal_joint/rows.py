"""Frames of a maximal joint, and its rows (PhysX Px1DConstraint, ExtConstraintHelper).

`joint_frames` are the joint's frames in the world, A on side 0 and B on side 1. `JointRow` is one constraint row: a
target velocity and bounds of its impulse. J v = linear0 . v0 + angular0 . w0 - linear1 . v1 - angular1 . w1, of the
centres of mass of both sides. `linear_row` and `angular_row` build rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from physx_runtime.dynamics import rounded
from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.spatial import ZERO3, Mat3, Quat, Vec3, cross, quaternion, triple
from physx_runtime.language.ops import Rows, Scalar, where
from physx_runtime.model.body_kind import BODY, STATIC
from physx_runtime.model.island import JointTopology


@dataclass(frozen=True, slots=True)
class JointFrames:
    """Frames A and B at the step's start, world axes."""

    a: Quat                 # rotation of A
    b: Quat                 # of B, the quaternion in the hemisphere of A's
    A: Mat3                 # a as a matrix, its columns the axes
    B: Mat3
    between: Vec3           # from A's anchor to B's
    relative: Quat          # B relative to A
    offset: Vec3            # B's anchor relative to A
    arm0: Vec3              # from side 0's centre of mass to B's anchor
    arm1: Vec3              # from side 1's


def joint_frames(t: JointTopology, rows: Rows) -> JointFrames:
    """The frames of a joint, from rows with the poses of its sides and its local frames."""
    # A = pose0 frame0, B = pose1 frame1 with its quaternion in A's hemisphere
    a, anchor_a, center0 = _frame(t, rows, 0)
    b, anchor_b, center1 = _frame(t, rows, 1)
    flip = quaternion_product(a, b) < 0.0
    b = (where(flip, -b[0], b[0]), where(flip, -b[1], b[1]), where(flip, -b[2], b[2]), where(flip, -b[3], b[3]))
    # cB2cA = conj(A) B
    between = sp.sub(anchor_b, anchor_a)
    inverse_a = sp.conjugate(a)
    return JointFrames(a, b, sp.matrix(a), sp.matrix(b), between, rounded.product(inverse_a, b),
                       rounded.rotate(inverse_a, between), sp.sub(anchor_b, center0), sp.sub(anchor_b, center1))


def _frame(t: JointTopology, rows: Rows, index: int) -> tuple[Quat, Vec3, Vec3]:
    """Rotation and anchor of one frame, and its side's centre of mass, the origin for the world."""
    rotation, position = quaternion(rows, f"frame{index}_rotation", 0), triple(rows, f"frame{index}_position", 0)
    if t.solver_bodies[index].kind == STATIC:
        return rotation, position, sp.ZERO3
    # p = x + R(q) frame_p, q = q frame_q; bodies leave its length as it is
    body_q, center = quaternion(rows, f"body{index}_rotation", 0), triple(rows, f"body{index}_position", 0)
    origin = triple(rows, f"body{index}_origin", 0) if f"body{index}_origin" in rows else center
    rotated, anchor = rounded.transform_product(body_q, rotation), sp.add(origin, rounded.rotate(body_q, position))
    return rotated if t.solver_bodies[index].kind == BODY else sp.normalized(rotated), anchor, center


def quaternion_product(a: Quat, b: Quat) -> Scalar:
    """The scalar product of two quaternions: the cosine of half the angle between them."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]


def axis(m: Mat3, i: int) -> Vec3:
    """The i-th axis of a frame, a column of its matrix."""
    return (m[0][i], m[1][i], m[2][i])


# Hints by which rows are sorted and orthogonalised (PxConstraintSolveHint); odd ones are limits.
NO_HINT, ROTATION, ROTATION_LIMIT, TRANSLATION, TRANSLATION_LIMIT = 0, 1024, 1025, 2048, 2049


@dataclass(frozen=True, slots=True)
class Spring:
    """Parameters of a row that is an implicit spring."""

    stiffness: Scalar
    damping: Scalar
    target_velocity: Scalar = 0.0       # of J v
    acceleration: bool = False          # gains are those of a unit mass


@dataclass(frozen=True, slots=True)
class Bounce:
    """Restitution of a hard limit."""

    restitution: Scalar
    threshold: Scalar                   # least speed of a bounce


@dataclass(frozen=True, slots=True)
class JointRow:
    """One row at the poses of the step's start."""

    linear0: Vec3
    angular0: Vec3
    linear1: Vec3
    angular1: Vec3
    error: Scalar
    hint: int
    angular: bool                       # its bias has the bound of rotations, and it is measured by rotation
    lower: Scalar = -math.inf           # bounds of the impulse; of a drive its force, times dt once prepared
    upper: Scalar = math.inf
    spring: Spring | None = None
    bounce: Bounce | None = None
    drive: bool = False                 # the bounds are forces
    keeps_bias: Scalar = False          # whether velocity iterations use its error: limits not reached yet
    active: Scalar = True               # soft limits act only where the step starts beyond them
    holds: bool = False                 # its impulse counts for breaking the joint: all except drives

    @property
    def bounded(self) -> bool:
        """Whether a hard limit: its bias has no lower bound."""
        return bool(self.hint & 1)


def linear_row(axis: Vec3, arm0: Vec3, arm1: Vec3, error: Scalar) -> JointRow:
    """A row along an axis, at the ends of the arms of both sides."""
    # J = [n, r0 x n, n, r1 x n]  (ExtConstraintHelper.h, _linear)
    return JointRow(axis, cross(arm0, axis), axis, cross(arm1, axis), error, NO_HINT, False)


def angular_row(axis: Vec3, error: Scalar) -> JointRow:
    """A row about an axis."""
    # J = [0, n, 0, n]  (ExtConstraintHelper.h, _angular)
    return JointRow(ZERO3, axis, ZERO3, axis, error, NO_HINT, True)
