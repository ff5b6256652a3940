"""Jacobians, and what follows from them in operational space.

Jacobians: how generalised velocities move points of links and turn them (RBDA section 2.11, in world axes).

Inertia as felt at a link (Khatib's operational-space inertia), and what a free root leaves to the joints.
"""

from __future__ import annotations

import math

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.kinematics import Kinematics, motion_subspace
from physx_runtime.dynamics.linear import Matrix, cholesky, inner, inverse, solve_lower, times
from physx_runtime.language.ops import Scalar, Scalars, where
from physx_runtime.model.topology import ROTARY_JOINTS, Topology


def com_jacobian(t: Topology, k: Kinematics, link: int) -> dict[int, sp.Vec3]:
    """Columns of d(velocity of the link's centre of mass)/dv, by generalised velocity; zero columns left out."""
    return point_jacobian(t, k, link, k.com[link])


def point_jacobian(t: Topology, k: Kinematics, link: int, offset: sp.Vec3) -> dict[int, sp.Vec3]:
    """Columns of d(velocity of a point)/dv; `offset` leads from the link's anchor to the point, in world axes."""
    columns: dict[int, sp.Vec3] = {}
    # J_i = S_i at the point: axis x r of a rotary joint, the axis of a sliding one
    r, i = offset, link
    while t.links[i].parent >= 0:
        for dof in t.dofs_of(i):
            columns[t.root_size + dof] = motion_subspace(t, k, dof).at(r).linear
        r, i = sp.add(r, k.d[i]), t.links[i].parent
    if not t.fixed_base:
        for axis, e in enumerate(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))):
            columns[axis] = e
            columns[3 + axis] = sp.cross(e, r)
    return columns


def angular_jacobian(t: Topology, k: Kinematics, link: int) -> dict[int, sp.Vec3]:
    """Columns of d(angular velocity of a link)/dv, by generalised velocity; zero columns left out."""
    columns: dict[int, sp.Vec3] = {}
    for i in t.path(link):
        if t.links[i].kind in ROTARY_JOINTS:
            columns |= {t.root_size + dof: k.axes[dof] for dof in t.dofs_of(i)}
    if not t.fixed_base:
        columns |= {3: (1.0, 0.0, 0.0), 4: (0.0, 1.0, 0.0), 5: (0.0, 0.0, 1.0)}
    return columns


def dense_jacobian(t: Topology, k: Kinematics) -> Matrix:
    """J with [v_com; w] of every link = J v, world axes; six rows a link, those of a fixed root left out."""
    J: Matrix = []
    for link in range(1 if t.fixed_base else 0, len(t.links)):
        J += link_jacobian(t, k, link)
    return J


def link_jacobian(t: Topology, k: Kinematics, link: int) -> Matrix:
    """Six rows of nv: velocity of the link's centre of mass, then its angular velocity."""
    rows: Matrix = [[0.0] * t.nv for _ in range(6)]
    for first, columns in ((0, com_jacobian(t, k, link)), (3, angular_jacobian(t, k, link))):
        for column, vector in columns.items():
            for axis, value in enumerate(vector):
                rows[first + axis][column] = value
    return rows


# A direction in which the link yields to a force by less than this part of all three counts as blocked.
MIN_MOBILITY = 1e-6


def operational_inertia(M: Matrix, J: Matrix) -> Matrix:
    """(J M^-1 J^T)^-1: force over acceleration of the coordinates with Jacobian `J`, three of a unit each time.

    NaN where a combination of them cannot move.
    """
    # Lambda = (J M^-1 J^T)^-1  (O. Khatib, A unified approach for motion and force control, 1987)
    minv = inverse(M)
    responses = [times(minv, row) for row in J]
    mobility = [[inner(a, response) for response in responses] for a in J]

    def pivot(i: int, square: Scalar) -> Scalar:
        # compared with all directions of the same unit: a blocked one by itself shows rounding alone
        first = i - i % 3
        total = mobility[first][first] + mobility[first + 1][first + 1] + mobility[first + 2][first + 2]
        return where(square > MIN_MOBILITY * total, square, math.nan)

    n, L = len(J), cholesky(mobility, pivot)
    columns = [solve_lower(L, [1.0 if i == j else 0.0 for j in range(n)]) for i in range(n)]
    return [[inner(a, b) for b in columns] for a in columns]


def eliminate_root(t: Topology, M: Matrix, force: Scalars) -> tuple[Matrix, list[Scalar]]:
    """Inertia and force of the joints where the root moves freely: M_jj - M_jr M_rr^-1 M_rj, f_j - M_jr M_rr^-1 f_r."""
    # Schur complement by M_rr = L L^T: with Y = L^-1 M_rj it is M_jj - Y^T Y
    joints, L = range(6, t.nv), cholesky([row[:6] for row in M[:6]])
    root_coupling = {j: solve_lower(L, [M[row][j] for row in range(6)]) for j in joints}
    root_force = solve_lower(L, force[:6])
    inertia = [[M[i][j] - inner(root_coupling[i], root_coupling[j]) for j in joints] for i in joints]
    return inertia, [force[j] - inner(root_coupling[j], root_force) for j in joints]
