"""Gears and racks: one row between two bodies, whose error is what their hinges have turned.

ExtGearJoint.cpp, ExtRackAndPinionJoint.cpp.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.spatial import ZERO3, Vec3
from physx_runtime.language.ops import Rows, Scalar, floor, where
from physx_runtime.model.island import GEAR, RACK, JointTopology
from physx_runtime.solver.joint.frames import JointFrames, axis, joint_frames
from physx_runtime.solver.joint.limits import twist_angle
from physx_runtime.solver.joint.row import NO_HINT, JointRow

FULL_TURN = 2.0 * math.pi
# A rack beside its pinion by no more than this, or moved by it no faster, has no side of it (PhysX's units).
NO_SIDE = 1e-3


def hinge(t: JointTopology, rows: Rows) -> dict[str, list[Scalar]]:
    """The angle of a hinge that a gear or a rack counts."""
    return {"hinge_angle": [twist_angle(joint_frames(t, rows).relative)]}


def slide(t: JointTopology, rows: Rows) -> dict[str, list[Scalar]]:
    """Where the slider of a rack is."""
    return {"slide_position": [joint_frames(t, rows).offset[0]]}


def counted(t: JointTopology, rows: Rows) -> dict[str, list[Scalar]]:
    """`turns` of a gear's hinges since the start, the first's counted backwards, with what to count from next.

    A rack's second hinge slides and is not counted. An infinite last angle is none yet; half a turn within a step
    counts the other way round.
    """
    now = [rows["hinge0_coordinate"][0], -rows["hinge1_coordinate"][0]]
    turns, last = list(rows["turns"]), list(rows["last_angle"])
    for i in range(1 if t.kind == RACK else 2):
        turns[i] = turns[i] + _wrapped(where(last[i] < math.inf, last[i] - now[i], 0.0))
        last[i] = now[i]
    return {"turns": turns, "last_angle": last}


def _wrapped(angle: Scalar) -> Scalar:
    """The same angle in [-pi, pi)."""
    return angle - FULL_TURN * floor((angle + math.pi) / FULL_TURN)


def coupling_row(t: JointTopology, rows: Rows, frames: JointFrames, turns: Sequence[Scalar]) -> JointRow:
    """The row of a gear or of a rack; without `turns` nothing has been counted and it has no error."""
    first, second = (axis(frames.A, 0), axis(frames.B, 0))
    signs = [-1.0 if own.holds_first else 1.0 for own in t.hinges]
    if t.kind == GEAR:
        ratio = rows["ratio"][0]
        error = signs[1] * turns[1] - signs[0] * ratio * turns[0] if turns else 0.0
        return JointRow(ZERO3, sp.scale(ratio, first), ZERO3, sp.scale(-1.0, second), error, NO_HINT, True, holds=True)
    ratio = where(_opposed(frames), -rows["ratio"][0], rows["ratio"][0])
    error = -(signs[1] * ratio * rows["hinge1_coordinate"][0] + signs[0] * turns[0]) if turns else 0.0
    return JointRow(ZERO3, first, sp.scale(ratio, second), ZERO3, error, NO_HINT, True, holds=True)


def _opposed(frames: JointFrames) -> Scalar:
    """Whether the rack lies at the side of its pinion that moves it backwards."""
    moved = sp.cross(axis(frames.A, 0), frames.between)
    along = sp.dot(moved, axis(frames.B, 0))
    beside = (_square(frames.between) > NO_SIDE * NO_SIDE) & (_square(moved) > NO_SIDE * NO_SIDE)
    return beside & (along < -NO_SIDE)


def _square(a: Vec3) -> Scalar:
    return sp.dot(a, a)
