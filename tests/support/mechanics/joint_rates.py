"""How fast errors of joint rows change as a joint's sides move, by differences: what a row's J v must be."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from physx_runtime.model.island import JointTopology
from physx_runtime.solver.maximal_joint.kinds import rows_of
from physx_runtime.solver.maximal_joint.rows import JointRow

from support.chance.outside_joints import moved
from support.chance.packed_trees import Rows
from support.mechanics.rigid_motion import Array

STEP = 1e-4
# Fourth-order differences of errors of size 1 at that step, for rates of size 1.
RATE = 1e-10


def error_rates(t: JointTopology, rows: Rows, velocities: tuple[Array, Array], step: float = STEP) -> Array:
    """Change of every row's error per time; velocities: linear, angular of both sides."""
    def errors(time: float) -> Array:
        there = rows
        for side, velocity in enumerate(velocities):
            if t.solver_bodies[side].kind != "world":
                there = moved(there, side, velocity[:3], velocity[3:], time)
        return np.array([float(row.error) for row in rows_of(t, there).rows])

    near, far = ((errors(h) - errors(-h)) / (2.0 * h) for h in (step, 2.0 * step))
    return (4.0 * near - far) / 3.0


def row_velocity(row: JointRow, velocities: tuple[Array, Array]) -> float:
    """J v."""
    first, second = velocities
    return float(np.dot(row.linear0, first[:3]) + np.dot(row.angular0, first[3:])
                 - np.dot(row.linear1, second[:3]) - np.dot(row.angular1, second[3:]))


def rate_difference(t: JointTopology, rows: Rows, random: Generator, step: float = STEP) -> float:
    """The largest difference between J v and the change of the error, of any row and a few motions."""
    worst = 0.0
    for _ in range(3):
        first, second = random.uniform(-1, 1, (2, 6))
        if t.solver_bodies[0].kind == "world":
            first = np.zeros(6)
        rates = error_rates(t, rows, (first, second), step)
        made = [row_velocity(row, (first, second)) for row in rows_of(t, rows).rows]
        worst = max(worst, float(np.abs(rates - made).max()))
    return worst
