"""Gears and racks, and rows made orthogonal.

Gears and racks: one row between two bodies, whose error is what their hinges have turned.

ExtGearJoint.cpp, ExtRackAndPinionJoint.cpp.

Rows of a joint between rigid bodies made independent of each other (DyConstraintSetup.cpp, preprocessRows).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.aba import LinkResponse
from physx_runtime.dynamics.spatial import ZERO3, Force, Motion, Vec3
from physx_runtime.language.ops import Rows, Scalar, floor, where
from physx_runtime.model.island import GEAR, RACK, JointTopology
from physx_runtime.solver.maximal_joint.limits import twist_angle
from physx_runtime.solver.maximal_joint.rows import (
    NO_HINT,
    ROTATION,
    ROTATION_LIMIT,
    TRANSLATION,
    TRANSLATION_LIMIT,
    JointFrames,
    JointRow,
    axis,
    joint_frames,
)

TWO_PI = 2.0 * math.pi
# A rack beside its pinion by no more than this, or moved by it no faster, has no side of it (PhysX's units).
MIN_OFFSET = 1e-3


def hinge(t: JointTopology, rows: Rows) -> dict[str, list[Scalar]]:
    """The angle of a hinge that a gear or a rack counts."""
    # angle = 2 atan2(x, w) of B seen from A
    return {"hinge_angle": [twist_angle(joint_frames(t, rows).relative)]}


def slide(t: JointTopology, rows: Rows) -> dict[str, list[Scalar]]:
    """Where the slider of a rack is."""
    return {"slide_position": [joint_frames(t, rows).offset[0]]}


def count_turns(t: JointTopology, rows: Rows) -> dict[str, list[Scalar]]:
    """`turns` of a gear's hinges since the start, the first's counted backwards, with what to count from next.

    A rack's second hinge slides and is not counted. An infinite last angle is none yet; half a turn within a step
    counts the other way round.
    """
    # turns_i += angleDiff(angle, last)  (ExtGearJoint.cpp, angleDiff; ExtRackAndPinionJoint.cpp, angleDiff)
    now = [rows["hinge0_coordinate"][0], -rows["hinge1_coordinate"][0]]
    turns, last = list(rows["turns"]), list(rows["last_angle"])
    for i in range(1 if t.kind == RACK else 2):
        turns[i] = turns[i] + _wrapped(where(last[i] < math.inf, last[i] - now[i], 0.0))
        last[i] = now[i]
    return {"turns": turns, "last_angle": last}


def _wrapped(angle: Scalar) -> Scalar:
    """The same angle in [-pi, pi)."""
    # x - 2 pi floor((x + pi) / 2 pi)
    return angle - TWO_PI * floor((angle + math.pi) / TWO_PI)


def coupling_row(t: JointTopology, rows: Rows, frames: JointFrames, turns: Sequence[Scalar]) -> JointRow:
    """The row of a gear or of a rack; without `turns` nothing has been counted and it has no error."""
    # C = s1 turns1 - s0 ratio turns0, J = [0, ratio A_x, 0, -B_x]  (ExtGearJoint.cpp, GearJointSolverPrep)
    first, second = (axis(frames.A, 0), axis(frames.B, 0))
    signs = [-1.0 if topology.holds_first else 1.0 for topology in t.hinges]
    if t.kind == GEAR:
        ratio = rows["ratio"][0]
        error = signs[1] * turns[1] - signs[0] * ratio * turns[0] if turns else 0.0
        return JointRow(ZERO3, sp.scale(ratio, first), ZERO3, sp.scale(-1.0, second), error, NO_HINT, True, holds=True)
    # C = -(s1 ratio x1 + s0 turns0), J = [0, A_x, ratio B_x, 0]
    # (ExtRackAndPinionJoint.cpp, RackAndPinionJointSolverPrep)
    ratio = where(_opposed(frames), -rows["ratio"][0], rows["ratio"][0])
    error = -(signs[1] * ratio * rows["hinge1_coordinate"][0] + signs[0] * turns[0]) if turns else 0.0
    return JointRow(ZERO3, first, sp.scale(ratio, second), ZERO3, error, NO_HINT, True, holds=True)


def _opposed(frames: JointFrames) -> Scalar:
    """Whether the rack lies at the side of its pinion that moves it backwards."""
    # (A_x x (p_B - p_A)) . B_x < 0: the rack is on the pinion's other side
    direction = sp.cross(axis(frames.A, 0), frames.between)
    projection = sp.dot(direction, axis(frames.B, 0))
    is_defined = (_square(frames.between) > MIN_OFFSET * MIN_OFFSET) & (_square(direction) > MIN_OFFSET * MIN_OFFSET)
    return is_defined & (projection < -MIN_OFFSET)


def _square(a: Vec3) -> Scalar:
    return sp.dot(a, a)


# What a unit impulse of a row gives side 0 and takes from side 1, about their centres of mass; what the sides answer.
Forces = tuple[Force, Force]
Motions = tuple[Motion, Motion]
Responses = tuple[LinkResponse, LinkResponse]

GROUPS = ((ROTATION, ROTATION_LIMIT), (TRANSLATION, TRANSLATION_LIMIT))


def forces_of(row: JointRow) -> Forces:
    """At the step's start."""
    return Force(row.angular0, row.linear0), Force(row.angular1, row.linear1)


def delta_velocities(forces: Forces, responses: Responses) -> Motions:
    """What side 0 gains and side 1 loses, each for itself."""
    # M^-1 J^T
    return responses[0].motion(forces[0]), responses[1].motion(forces[1])


def response_along(forces: Forces, delta_velocity: Motions) -> Scalar:
    """How far a row feels such answers."""
    # J M^-1 J^T
    return forces[0].dot(delta_velocity[0]) + forces[1].dot(delta_velocity[1])


def velocity_along(forces: Forces, velocities: Motions) -> Scalar:
    """J v: how fast side 0 moves against side 1."""
    # J v = J0 v0 - J1 v1
    return forces[0].dot(velocities[0]) - forces[1].dot(velocities[1])


def reciprocal(x: Scalar) -> Scalar:
    """1/x; 0 where x is not above 0."""
    positive = x > 0.0
    return where(positive, 1.0 / where(positive, x, 1.0), 0.0)


def orthogonalize(rows: list[JointRow], responses: Responses) -> list[JointRow]:
    """The rows, in the same order: of a group every equality row upright to those before it, every limit to all
    equality rows, in the measure of how the sides answer."""
    result = []
    equalities: dict[tuple[int, int], list[tuple[JointRow, Motions]]] = {group: [] for group in GROUPS}
    for row in rows:
        # Gram-Schmidt in the measure of M^-1: J -= (J M^-1 J_k^T) / (J_k M^-1 J_k^T) J_k
        # (DyConstraintSetup.cpp, orthogonalize)
        group = next((group for group in GROUPS if row.hint in group), None)
        for other, delta_velocity in equalities[group] if group else []:
            row = _subtract_row(row, response_along(forces_of(row), delta_velocity), other)
        if group and row.hint == group[0]:
            forces = forces_of(row)
            delta_velocity = delta_velocities(forces, responses)
            r = reciprocal(response_along(forces, delta_velocity))
            equalities[group].append((row, (delta_velocity[0] * r, delta_velocity[1] * r)))
        result.append(row)
    return result


def _subtract_row(row: JointRow, factor: Scalar, other: JointRow) -> JointRow:
    """row - share other."""
    def subtract(a: sp.Vec3, b: sp.Vec3) -> sp.Vec3:
        return sp.sub(a, sp.scale(factor, b))
    return replace(row, linear0=subtract(row.linear0, other.linear0), angular0=subtract(row.angular0, other.angular0),
                   linear1=subtract(row.linear1, other.linear1), angular1=subtract(row.angular1, other.angular1),
                   error=row.error - factor * other.error)
