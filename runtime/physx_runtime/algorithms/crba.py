"""Mass matrix by the composite-rigid-body algorithm, and its inverse (RBDA tables 6.2 and 6.3)."""

from __future__ import annotations

from physx_runtime.algorithms import spatial as sp
from physx_runtime.algorithms.kinematics import Kinematics, Rows
from physx_runtime.algorithms.rnea import world_inertia
from physx_runtime.model import TURNING, Topology
from physx_runtime.tracing.ops import Scalar, sqrt

Matrix = list[list[Scalar]]


def mass_matrix(t: Topology, rows: Rows, k: Kinematics) -> Matrix:
    """M(q), nv x nv, without armature; the root's 6 rows first (linear at its centre of mass, angular).

    Composite inertias stay about their own anchors, in world axes: about the world's origin a small wrist inertia
    would drown in float32.
    """
    links, root = len(t.links), t.root_size
    mass = list(rows["mass"])
    moment = [sp.scale(mass[i], k.com[i]) for i in range(links)]      # m c
    inertia = [sp.add_sym(world_inertia(t, rows, k, i), sp.parallel_axis(sp.scale(0.5, moment[i]), k.com[i]))
               for i in range(links)]
    M: Matrix = [[0.0] * t.nv for _ in range(t.nv)]
    for i in range(links - 1, -1, -1):
        parent = t.links[i].parent
        for dof in t.dofs_of(i):
            # force and torque about the anchor that accelerate the composite at unit qdd
            if t.links[i].kind in TURNING:
                f, n = sp.cross(k.axes[dof], moment[i]), sp.mul_sv(inertia[i], k.axes[dof])
            else:
                f, n = sp.scale(mass[i], k.axes[dof]), sp.cross(moment[i], k.axes[dof])
            _fill_column(t, k, M, i, root + dof, f, n)
        if parent >= 0:
            d, m = k.d[i], mass[i]
            shifted = sp.parallel_axis(sp.add(moment[i], sp.scale(0.5 * m, d)), d)
            inertia[parent] = sp.add_sym(inertia[parent], sp.add_sym(inertia[i], shifted))
            moment[parent] = sp.add(moment[parent], sp.add(moment[i], sp.scale(m, d)))
            mass[parent] = mass[parent] + m
    if not t.fixed_base:
        _fill_root(M, mass[0], moment[0], inertia[0])
    return M


def _fill_column(t: Topology, k: Kinematics, M: Matrix, link: int, column: int, f: sp.Vec3, n: sp.Vec3) -> None:
    """M[j][column] for every dof j between `link` and the root: the wrench moved upwards and projected."""
    j = link
    while t.links[j].parent >= 0:
        for dof in t.dofs_of(j):
            row = t.root_size + dof
            M[row][column] = M[column][row] = sp.dot(k.axes[dof], n if t.links[j].kind in TURNING else f)
        n, j = sp.add(n, sp.cross(k.d[j], f)), t.links[j].parent
    if not t.fixed_base:
        for row, value in enumerate((*f, *n)):
            M[row][column] = M[column][row] = value


def _fill_root(M: Matrix, mass: Scalar, h: sp.Vec3, inertia: sp.Sym3) -> None:
    """The floating root's 6 x 6 block [[m E, -h x], [h x, I]]."""
    xx, yy, zz, xy, xz, yz = inertia
    blocks = ((mass, 0.0, 0.0, 0.0, h[2], -h[1]),
              (0.0, mass, 0.0, -h[2], 0.0, h[0]),
              (0.0, 0.0, mass, h[1], -h[0], 0.0),
              (0.0, -h[2], h[1], xx, xy, xz),
              (h[2], 0.0, -h[0], xy, yy, yz),
              (-h[1], h[0], 0.0, xz, yz, zz))
    for i, row in enumerate(blocks):
        M[i][0:6] = list(row)


def inverse(M: Matrix) -> Matrix:
    """M^-1 of a symmetric positive definite matrix.

    M = L^T L with rows eliminated from the last, which keeps the zeros of a branching tree (RBDA table 6.3), then
    M^-1 = L^-1 L^-T.
    """
    n = len(M)
    L = [list(row) for row in M]
    for k in range(n - 1, -1, -1):
        pivot = 1.0 / sqrt(L[k][k])
        L[k] = [x * pivot for x in L[k][:k]] + [pivot]           # the inverse of the diagonal is kept
        for i in range(k):
            for j in range(i + 1):
                L[i][j] = L[i][j] - L[k][i] * L[k][j]
    X = _inverse_of_lower(L)
    return [[_sum(X[i][k] * X[j][k] for k in range(min(i, j) + 1)) for j in range(n)] for i in range(n)]


def _inverse_of_lower(L: Matrix) -> Matrix:
    """L^-1, where L[i][i] already holds the inverse of the diagonal."""
    n = len(L)
    X: Matrix = [[0.0] * n for _ in range(n)]
    for j in range(n):
        X[j][j] = L[j][j]
        for i in range(j + 1, n):
            X[i][j] = -(L[i][i] * _sum(L[i][k] * X[k][j] for k in range(j, i)))
    return X


def _sum(values: object) -> Scalar:
    total: Scalar = 0.0
    for value in values:    # type: ignore[attr-defined]
        total = total + value
    return total
