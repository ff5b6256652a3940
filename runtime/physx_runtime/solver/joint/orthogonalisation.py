"""Rows of a joint between rigid bodies made independent of each other (DyConstraintSetup.cpp, preprocessRows)."""

from __future__ import annotations

from dataclasses import replace

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.articulated import LinkResponse
from physx_runtime.dynamics.spatial import Force, Motion
from physx_runtime.language.ops import Scalar, where
from physx_runtime.solver.joint.row import ROTATION, ROTATION_LIMIT, TRANSLATION, TRANSLATION_LIMIT, JointRow

# What a unit impulse of a row gives side 0 and takes from side 1, about their centres of mass; what the sides answer.
Forces = tuple[Force, Force]
Motions = tuple[Motion, Motion]
Responses = tuple[LinkResponse, LinkResponse]

GROUPS = ((ROTATION, ROTATION_LIMIT), (TRANSLATION, TRANSLATION_LIMIT))


def forces_of(row: JointRow) -> Forces:
    """At the step's start."""
    return Force(row.angular0, row.linear0), Force(row.angular1, row.linear1)


def answers_to(forces: Forces, responses: Responses) -> Motions:
    """What side 0 gains and side 1 loses, each for itself."""
    return responses[0].motion(forces[0]), responses[1].motion(forces[1])


def answer_along(forces: Forces, answers: Motions) -> Scalar:
    """How far a row feels such answers."""
    return forces[0].dot(answers[0]) + forces[1].dot(answers[1])


def speed_along(forces: Forces, velocities: Motions) -> Scalar:
    """J v: how fast side 0 moves against side 1."""
    return forces[0].dot(velocities[0]) - forces[1].dot(velocities[1])


def reciprocal(x: Scalar) -> Scalar:
    """1/x; 0 where x is not above 0."""
    some = x > 0.0
    return where(some, 1.0 / where(some, x, 1.0), 0.0)


def orthogonalised(rows: list[JointRow], responses: Responses) -> list[JointRow]:
    """The rows, in the same order: of a group every equality row upright to those before it, every limit to all
    equality rows, in the measure of how the sides answer."""
    made = []
    equalities: dict[tuple[int, int], list[tuple[JointRow, Motions]]] = {group: [] for group in GROUPS}
    for row in rows:
        group = next((group for group in GROUPS if row.hint in group), None)
        for other, answers in equalities[group] if group else []:
            row = _less(row, answer_along(forces_of(row), answers), other)
        if group and row.hint == group[0]:
            forces = forces_of(row)
            answers = answers_to(forces, responses)
            r = reciprocal(answer_along(forces, answers))
            equalities[group].append((row, (answers[0] * r, answers[1] * r)))
        made.append(row)
    return made


def _less(row: JointRow, share: Scalar, other: JointRow) -> JointRow:
    """row - share other."""
    def less(a: sp.Vec3, b: sp.Vec3) -> sp.Vec3:
        return sp.sub(a, sp.scale(share, b))
    return replace(row, linear0=less(row.linear0, other.linear0), angular0=less(row.angular0, other.angular0),
                   linear1=less(row.linear1, other.linear1), angular1=less(row.angular1, other.angular1),
                   error=row.error - share * other.error)
