"""Locked axes of a D6 joint (ExtConstraintHelper.h, prepareLockedAxes; ExtD6Joint.cpp)."""

from __future__ import annotations

from dataclasses import replace

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.spatial import Quat, Vec3
from physx_runtime.language.ops import Scalar, where
from physx_runtime.model.island import LOCKED, JointTopology
from physx_runtime.solver.joint.frames import JointFrames, axis
from physx_runtime.solver.joint.row import ROTATION, TRANSLATION, JointRow, angular_row, linear_row

# What keeps the rotational axes independent where both frames are half a turn apart (PX_EPS_F32).
LEAST_TURN = 1.1920929e-07


def locked_rows(t: JointTopology, frames: JointFrames) -> list[JointRow]:
    """Equality rows: translations, then rotations; a swing that is the only locked rotation goes first."""
    turns = [i for i in range(3) if t.axes[3 + i].motion == LOCKED]
    found = []
    if turns in ([1], [2]):
        found.append(_locked_swing(frames, turns[0]))
        turns = []
    arm0 = locked_arm(t, frames)
    for i in _locked_translations(t):
        found.append(_held(linear_row(axis(frames.A, i), arm0, frames.arm1, -frames.offset[i]), TRANSLATION))
    axes = turning_axes(frames.a, frames.b) if turns else []
    return found + [_held(angular_row(axes[i], -frames.relative[i]), ROTATION) for i in turns]


def _held(row: JointRow, hint: int) -> JointRow:
    return replace(row, hint=hint, holds=True)


def locked_arm(t: JointTopology, frames: JointFrames) -> Vec3:
    """From side 0's centre of mass to A's anchor along locked translations, to B's along the others."""
    arm = frames.arm0
    for i in _locked_translations(t):
        arm = sp.sub(arm, sp.scale(frames.offset[i], axis(frames.A, i)))
    return arm


def _locked_translations(t: JointTopology) -> list[int]:
    return [i for i in range(3) if t.axes[i].motion == LOCKED]


def _locked_swing(frames: JointFrames, i: int) -> JointRow:
    """Keeps B's x upright to the other swing axis of A."""
    twist, other = axis(frames.B, 0), axis(frames.A, 3 - i)
    return _held(angular_row(sp.cross(twist, other), -sp.dot(twist, other)), ROTATION)


def turning_axes(a: Quat, b: Quat) -> list[Vec3]:
    """How B's quaternion seen from A changes as A turns against B: half unit axes where they agree."""
    va, vb = (a[0], a[1], a[2]), (b[0], b[1], b[2])
    c = sp.add(sp.scale(a[3], vb), sp.scale(b[3], va))
    same, opposed = a[3] * b[3], sp.dot(va, vb)
    d = same - opposed
    others = ((d, c[2], -c[1]), (-c[2], d, c[0]), (c[1], -c[0], d))
    axes = [sp.scale(0.5, sp.add(sp.add(sp.scale(vb[i], va), sp.scale(va[i], vb)), others[i])) for i in range(3)]
    apart = abs(same + opposed) <= 0.0
    return [_lifted(own, i, apart) for i, own in enumerate(axes)]


def _lifted(a: Vec3, i: int, apart: Scalar) -> Vec3:
    x, y, z = (where(apart, part + LEAST_TURN, part) if i == k else part for k, part in enumerate(a))
    return (x, y, z)
