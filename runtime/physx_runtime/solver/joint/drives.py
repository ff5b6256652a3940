"""Drives of a D6 joint: springs of the joint's offset and rotation (ExtD6Joint.cpp, D6JointSolverPrep)."""

from __future__ import annotations

from dataclasses import replace

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.spatial import Quat
from physx_runtime.language.ops import Rows, Scalar, sincos, where
from physx_runtime.model.island import LOCKED, JointTopology
from physx_runtime.solver.joint.frames import JointFrames, axis, quaternion_product
from physx_runtime.solver.joint.row import JointRow, Spring, angular_row, linear_row


def drive_rows(t: JointTopology, rows: Rows, frames: JointFrames) -> list[JointRow]:
    """One row per drive of an axis that is not locked: translations, then rotations."""
    driven = [i for i, own in enumerate(t.axes) if own.drive and own.motion != LOCKED]
    errors = _turns_left(t, rows, frames.relative) if any(i >= 3 for i in driven) else []
    found = []
    for i in driven:
        along = axis(frames.A, i % 3)
        if i < 3:
            row = linear_row(along, frames.arm0, frames.arm1, rows["target_position"][i] - frames.offset[i])
        else:
            row = angular_row(along, errors[i - 3])
        found.append(_driven(row, t, rows, i))
    return found


def _driven(row: JointRow, t: JointTopology, rows: Rows, i: int) -> JointRow:
    """A row that pulls as the drive of the axis, whose velocity is B's against A's, the opposite of J v.

    SAPIEN's PhysX 5.3.1 takes the target velocities of turns the other way round (ExtD6Joint.cpp of that version).
    """
    target = rows["target_velocity"][i]
    spring = Spring(rows["stiffness"][i], rows["damping"][i], target if t.sapien and i >= 3 else -target,
                    t.axes[i].drive == "acceleration")
    return replace(row, lower=-rows["max_force"][i], upper=rows["max_force"][i], spring=spring, drive=True)


def _turns_left(t: JointTopology, rows: Rows, relative: Quat) -> list[Scalar]:
    """Errors of the rotational drives: the turn from the target, then where it takes the x axis.

    The turn is relative conj(target), as measured; PhysX's source, SAPIEN's too, has conj(target) relative.
    """
    target = target_rotation(rows)
    back = sp.conjugate(target)
    delta = sp.mul_quat(back, relative) if t.sapien else sp.mul_quat(relative, back)
    twist = where(quaternion_product(relative, target) <= 0.0, 2.0 * delta[0], -2.0 * delta[0])
    D = sp.matrix(delta)            # the same of either sign
    return [twist, D[2][0], -D[1][0]]


def target_rotation(rows: Rows) -> Quat:
    """The turn by the target angles of all axes, locked ones too: about x, then y, then z of A."""
    target: Quat = (0.0, 0.0, 0.0, 1.0)
    for i in range(3):
        s, c = sincos(0.5 * rows["target_position"][3 + i])
        target = sp.mul_quat((s if i == 0 else 0.0, s if i == 1 else 0.0, s if i == 2 else 0.0, c), target)
    return target
