"""Inertia as felt at a link (Khatib's operational-space inertia), and what a free root leaves to the joints."""

from __future__ import annotations

import math
from collections.abc import Sequence

from physx_runtime.algorithms.aba import solve_lower
from physx_runtime.algorithms.crba import Matrix, inverse
from physx_runtime.algorithms.linear import dot, times
from physx_runtime.model import Topology
from physx_runtime.tracing.ops import Scalar, sqrt, where

# A direction in which the link yields to a force by less than this part of all three counts as blocked.
LEAST_MOBILITY = 1e-6


def operational_inertia(M: Matrix, J: Matrix) -> Matrix:
    """(J M^-1 J^T)^-1: force over acceleration of the coordinates with Jacobian `J`, three of a unit each time.

    NaN where a combination of them cannot move.
    """
    minv = inverse(M)
    responses = [times(minv, row) for row in J]
    mobility = [[dot(a, response) for response in responses] for a in J]
    n = len(J)
    L: Matrix = [[0.0] * n for _ in range(n)]
    for i in range(n):                      # Cholesky, the inverse of the diagonal on the diagonal
        for j in range(i):
            L[i][j] = (mobility[i][j] - dot(L[i][:j], L[j][:j])) * L[j][j]
        left = mobility[i][i] - dot(L[i][:i], L[i][:i])
        # compared with all directions of the same unit: a blocked one by itself shows rounding alone
        first = i - i % 3
        whole = mobility[first][first] + mobility[first + 1][first + 1] + mobility[first + 2][first + 2]
        L[i][i] = 1.0 / sqrt(where(left > LEAST_MOBILITY * whole, left, math.nan))
    columns = [solve_lower(L, [1.0 if i == j else 0.0 for j in range(n)]) for i in range(n)]
    return [[dot(a, b) for b in columns] for a in columns]


def without_root(t: Topology, L: Matrix, M: Matrix, force: Sequence[Scalar]) -> tuple[Matrix, list[Scalar]]:
    """Inertia and force of the joints where the root moves freely: M_jj - M_jr M_rr^-1 M_rj, f_j - M_jr M_rr^-1 f_r.

    L: Cholesky factor of M_rr.
    """
    joints = range(6, t.nv)
    moved = {j: solve_lower(L, [M[row][j] for row in range(6)]) for j in joints}
    pushed = solve_lower(L, force[:6])
    inertia = [[M[i][j] - dot(moved[i], moved[j]) for j in joints] for i in joints]
    return inertia, [force[j] - dot(moved[j], pushed) for j in joints]
