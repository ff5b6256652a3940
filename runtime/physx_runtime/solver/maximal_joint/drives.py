"""Rows of drives and locked axes of a D6 joint (PhysX ExtD6Joint, ExtConstraintHelper).

`drive_rows` are springs of the joint's offset and rotation (ExtD6Joint.cpp, D6JointSolverPrep). `locked_rows` are the
equality rows of locked axes (ExtConstraintHelper.h, prepareLockedAxes).
"""

from __future__ import annotations

from dataclasses import replace

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.spatial import Quat, Vec3
from physx_runtime.language.ops import Rows, Scalar, sincos, where
from physx_runtime.model.island import LOCKED, JointTopology
from physx_runtime.solver.maximal_joint.rows import (
    ROTATION,
    TRANSLATION,
    JointFrames,
    JointRow,
    Spring,
    angular_row,
    axis,
    linear_row,
    quaternion_product,
)


def drive_rows(t: JointTopology, rows: Rows, frames: JointFrames) -> list[JointRow]:
    """One row per drive of an axis that is not locked: translations, then rotations."""
    # order: linear drives, angular drives  (ExtD6Joint.cpp, D6JointSolverPrep)
    driven = [i for i, topology in enumerate(t.axes) if topology.drive and topology.motion != LOCKED]
    errors = _rotation_errors(t, rows, frames.relative) if any(i >= 3 for i in driven) else []
    result = []
    for i in driven:
        direction = axis(frames.A, i % 3)
        if i < 3:
            row = linear_row(direction, frames.arm0, frames.arm1, rows["target_position"][i] - frames.offset[i])
        else:
            row = angular_row(direction, errors[i - 3])
        result.append(_driven(row, t, rows, i))
    return result


def _driven(row: JointRow, t: JointTopology, rows: Rows, i: int) -> JointRow:
    """A row with the drive of the axis, whose velocity is that of B relative to A, the opposite of J v.

    SAPIEN's PhysX 5.3.1 has the opposite sign of angular target velocities (ExtD6Joint.cpp of that version).
    """
    # F = k error + d (v_target - v), |F| <= maxForce  (ExtConstraintHelper.h, addDrive)
    target = rows["target_velocity"][i]
    spring = Spring(rows["stiffness"][i], rows["damping"][i], target if t.sapien and i >= 3 else -target,
                    t.axes[i].drive == "acceleration")
    return replace(row, lower=-rows["max_force"][i], upper=rows["max_force"][i], spring=spring, drive=True)


def _rotation_errors(t: JointTopology, rows: Rows, relative: Quat) -> list[Scalar]:
    """Errors of the rotational drives: twist of the delta rotation, then the direction of its x axis.

    The delta rotation is relative conj(target), as measured. PhysX's source, SAPIEN's too, has conj(target) relative.
    """
    # twist: -2 delta_x, of both quaternions the nearer; swings: +-D_x, the x axis of the turn
    # (ExtD6Joint.cpp, D6JointSolverPrep)
    target = target_rotation(rows)
    inverse_target = sp.conjugate(target)
    delta = sp.mul_quat(inverse_target, relative) if t.sapien else sp.mul_quat(relative, inverse_target)
    twist = where(quaternion_product(relative, target) <= 0.0, 2.0 * delta[0], -2.0 * delta[0])
    D = sp.matrix(delta)            # the same of either sign
    return [twist, D[2][0], -D[1][0]]


def target_rotation(rows: Rows) -> Quat:
    """The rotation by the target angles of all axes, locked ones included: about x, then y, then z of A."""
    # target = q_z q_y q_x
    target: Quat = (0.0, 0.0, 0.0, 1.0)
    for i in range(3):
        s, c = sincos(0.5 * rows["target_position"][3 + i])
        target = sp.mul_quat((s if i == 0 else 0.0, s if i == 1 else 0.0, s if i == 2 else 0.0, c), target)
    return target


# Keeps the rotational axes independent where both frames differ by half a turn (PX_EPS_F32).
EPSILON = 1.1920929e-07


def locked_rows(t: JointTopology, frames: JointFrames) -> list[JointRow]:
    """Equality rows: translations, then rotations; a swing that is the only locked rotation goes first."""
    # order: translations, rotations  (ExtConstraintHelper.h, prepareLockedAxes)
    rotations = [i for i in range(3) if t.axes[3 + i].motion == LOCKED]
    result = []
    # one locked swing: C = -B_x . A_other, J = [0, B_x x A_other]  (ExtD6Joint.cpp, D6JointSolverPrep)
    if rotations in ([1], [2]):
        result.append(_locked_swing(frames, rotations[0]))
        rotations = []
    arm0 = locked_arm(t, frames)
    # C = -offset_i, J = [A_i, r x A_i]
    for i in _locked_translations(t):
        result.append(_equality_row(linear_row(axis(frames.A, i), arm0, frames.arm1, -frames.offset[i]), TRANSLATION))
    # C = -Im(conj(a) b)_i, J = d Im(conj(a) b)_i / dtheta  (ExtConstraintHelper.h, prepareLockedAxes)
    axes = rotation_axes(frames.a, frames.b) if rotations else []
    return result + [_equality_row(angular_row(axes[i], -frames.relative[i]), ROTATION) for i in rotations]


def _equality_row(row: JointRow, hint: int) -> JointRow:
    return replace(row, hint=hint, holds=True)


def locked_arm(t: JointTopology, frames: JointFrames) -> Vec3:
    """From side 0's centre of mass to A's anchor along locked translations, to B's along the others."""
    # r0 = p_B - c0 - sum of locked offsets: PhysX moves the arm to A's anchor
    # (ExtConstraintHelper.h, prepareLockedAxes)
    arm = frames.arm0
    for i in _locked_translations(t):
        arm = sp.sub(arm, sp.scale(frames.offset[i], axis(frames.A, i)))
    return arm


def _locked_translations(t: JointTopology) -> list[int]:
    return [i for i in range(3) if t.axes[i].motion == LOCKED]


def _locked_swing(frames: JointFrames, i: int) -> JointRow:
    """Keep B's x axis perpendicular to the other swing axis of A."""
    twist, swing = axis(frames.B, 0), axis(frames.A, 3 - i)
    return _equality_row(angular_row(sp.cross(twist, swing), -sp.dot(twist, swing)), ROTATION)


def rotation_axes(a: Quat, b: Quat) -> list[Vec3]:
    """Derivative of B's quaternion relative to A by the rotation of A; half unit axes where both frames agree."""
    # 1/2 (w_a w_b - v_a . v_b) 1 + 1/2 (v_a v_b^T + v_b v_a^T) + 1/2 [(w_a v_b + w_b v_a) x]
    # (ExtConstraintHelper.h, computeJacobianAxes)
    va, vb = (a[0], a[1], a[2]), (b[0], b[1], b[2])
    c = sp.add(sp.scale(a[3], vb), sp.scale(b[3], va))
    same, opposed = a[3] * b[3], sp.dot(va, vb)
    d = same - opposed
    columns = ((d, c[2], -c[1]), (-c[2], d, c[0]), (c[1], -c[0], d))
    axes = [sp.scale(0.5, sp.add(sp.add(sp.scale(vb[i], va), sp.scale(va[i], vb)), columns[i])) for i in range(3)]
    opposite = abs(same + opposed) <= 0.0
    return [_regularized(vector, i, opposite) for i, vector in enumerate(axes)]


def _regularized(a: Vec3, i: int, opposite: Scalar) -> Vec3:
    x, y, z = (where(opposite, e + EPSILON, e) if i == k else e for k, e in enumerate(a))
    return (x, y, z)
