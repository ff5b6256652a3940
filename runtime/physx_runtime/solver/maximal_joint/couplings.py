"""Gear and rack joints, and orthogonal rows of a joint (PhysX ExtGearJoint, ExtRackAndPinionJoint, DyConstraintSetup).

`coupling_row` is the single row of a gear or a rack, whose error is the rotation counted by `count_turns`.
`orthogonalize` makes the rows of a joint between rigid bodies independent of each other, by Gram-Schmidt with M^-1
(DyConstraintSetup.cpp, preprocessRows).
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
# A smaller offset of a rack from its pinion, or a slower motion by it, gives the rack no side (PhysX's units).
MIN_OFFSET = 1e-3


def hinge(t: JointTopology, rows: Rows) -> dict[str, list[Scalar]]:
    """The angle of a hinge of a gear or a rack."""
    # angle = 2 atan2(x, w) of B seen from A
    return {"hinge_angle": [twist_angle(joint_frames(t, rows).relative)]}


def slide(t: JointTopology, rows: Rows) -> dict[str, list[Scalar]]:
    """The position of the slider of a rack."""
    return {"slide_position": [joint_frames(t, rows).offset[0]]}


def count_turns(t: JointTopology, rows: Rows) -> dict[str, list[Scalar]]:
    """`turns` of a gear's hinges since the start, the first one negative, and the angles for the next step.

    The second hinge of a rack is a slider and is not counted. An infinite last angle means none yet. Half a turn within
    a step counts in the opposite direction.
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
    """The row of a gear or a rack; without `turns` it has no error."""
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
    """Whether the rack is on the side of its pinion that moves it backwards."""
    # (A_x x (p_B - p_A)) . B_x < 0: the rack is on the pinion's other side
    direction = sp.cross(axis(frames.A, 0), frames.between)
    projection = sp.dot(direction, axis(frames.B, 0))
    is_defined = (_square(frames.between) > MIN_OFFSET * MIN_OFFSET) & (_square(direction) > MIN_OFFSET * MIN_OFFSET)
    return is_defined & (projection < -MIN_OFFSET)


def _square(a: Vec3) -> Scalar:
    return sp.dot(a, a)


# Unit impulse of a row on side 0, and on side 1 with opposite sign, about the centres of mass; changes of velocity.
Forces = tuple[Force, Force]
Motions = tuple[Motion, Motion]
Responses = tuple[LinkResponse, LinkResponse]

GROUPS = ((ROTATION, ROTATION_LIMIT), (TRANSLATION, TRANSLATION_LIMIT))


def forces_of(row: JointRow) -> Forces:
    """The forces of a row at the step's start."""
    return Force(row.angular0, row.linear0), Force(row.angular1, row.linear1)


def delta_velocities(forces: Forces, responses: Responses) -> Motions:
    """The changes of velocity of side 0, and of side 1 with opposite sign, without cross response."""
    # M^-1 J^T
    return responses[0].motion(forces[0]), responses[1].motion(forces[1])


def response_along(forces: Forces, delta_velocity: Motions) -> Scalar:
    """The unit response of a row, J M^-1 J^T, from these changes of velocity."""
    # J M^-1 J^T
    return forces[0].dot(delta_velocity[0]) + forces[1].dot(delta_velocity[1])


def velocity_along(forces: Forces, velocities: Motions) -> Scalar:
    """J v: the velocity of side 0 relative to side 1."""
    # J v = J0 v0 - J1 v1
    return forces[0].dot(velocities[0]) - forces[1].dot(velocities[1])


def reciprocal(x: Scalar) -> Scalar:
    """1/x; 0 where x is not above 0."""
    positive = x > 0.0
    return where(positive, 1.0 / where(positive, x, 1.0), 0.0)


def orthogonalize(rows: list[JointRow], responses: Responses) -> list[JointRow]:
    """The rows in the same order, orthogonal with respect to M^-1.

    In each group equality rows are orthogonal to those before them, and limits to all equality rows.
    """
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
    """row - factor other."""
    def subtract(a: sp.Vec3, b: sp.Vec3) -> sp.Vec3:
        return sp.sub(a, sp.scale(factor, b))
    return replace(row, linear0=subtract(row.linear0, other.linear0), angular0=subtract(row.angular0, other.angular0),
                   linear1=subtract(row.linear1, other.linear1), angular1=subtract(row.angular1, other.angular1),
                   error=row.error - factor * other.error)
