"""Inertia as felt at a link (Khatib's operational-space inertia), and what a free root leaves to the joints."""

from __future__ import annotations

import math

from physx_runtime.dynamics.linear import Matrix, cholesky, inner, inverse, solve_lower, times
from physx_runtime.language.ops import Scalar, Scalars, where
from physx_runtime.model.topology import Topology

# A direction in which the link yields to a force by less than this part of all three counts as blocked.
LEAST_MOBILITY = 1e-6


def operational_inertia(M: Matrix, J: Matrix) -> Matrix:
    """(J M^-1 J^T)^-1: force over acceleration of the coordinates with Jacobian `J`, three of a unit each time.

    NaN where a combination of them cannot move.
    """
    minv = inverse(M)
    responses = [times(minv, row) for row in J]
    mobility = [[inner(a, response) for response in responses] for a in J]

    def moving(i: int, square: Scalar) -> Scalar:
        # compared with all directions of the same unit: a blocked one by itself shows rounding alone
        first = i - i % 3
        whole = mobility[first][first] + mobility[first + 1][first + 1] + mobility[first + 2][first + 2]
        return where(square > LEAST_MOBILITY * whole, square, math.nan)

    n, L = len(J), cholesky(mobility, moving)
    columns = [solve_lower(L, [1.0 if i == j else 0.0 for j in range(n)]) for i in range(n)]
    return [[inner(a, b) for b in columns] for a in columns]


def without_root(t: Topology, M: Matrix, force: Scalars) -> tuple[Matrix, list[Scalar]]:
    """Inertia and force of the joints where the root moves freely: M_jj - M_jr M_rr^-1 M_rj, f_j - M_jr M_rr^-1 f_r."""
    joints, L = range(6, t.nv), cholesky([row[:6] for row in M[:6]])
    moved = {j: solve_lower(L, [M[row][j] for row in range(6)]) for j in joints}
    pushed = solve_lower(L, force[:6])
    inertia = [[M[i][j] - inner(moved[i], moved[j]) for j in joints] for i in joints]
    return inertia, [force[j] - inner(moved[j], pushed) for j in joints]
