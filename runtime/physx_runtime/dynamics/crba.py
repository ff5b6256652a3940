"""Mass matrix by the composite-rigid-body algorithm, and its inverse (RBDA tables 6.2 and 6.3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.kinematics import Kinematics, Rows
from physx_runtime.dynamics.rnea import world_inertia
from physx_runtime.language.ops import Scalar, sqrt
from physx_runtime.model.topology import TURNING, Topology

Matrix = list[list[Scalar]]


def mass_matrix(t: Topology, rows: Rows, k: Kinematics) -> Matrix:
    """M(q), nv x nv, without armature; the root's 6 rows first (linear at its centre of mass, angular).

    Composite inertias stay about their own anchors, in world axes: about the world's origin a small wrist inertia
    would drown in float32.
    """
    links, root = len(t.links), t.root_size
    bodies: dict[int, Composite] = {}           # each made when its turn comes: a compiler keeps few numbers at a time
    M: Matrix = [[0.0] * t.nv for _ in range(t.nv)]
    for i in range(links - 1, -1, -1):
        bodies[i] = composite_of(rows["mass"][i], k.com[i], world_inertia(t, rows, k, i))
        for j in reversed(t.children(i)):
            bodies[i] = bodies[i].joined(bodies[j], k.d[j])
        for dof in t.dofs_of(i):
            f, n = bodies[i].wrench(t.links[i].kind in TURNING, k.axes[dof])
            _fill_column(t, k, M, i, root + dof, f, n)
    if not t.fixed_base:
        for i, row in enumerate(bodies[0].matrix()):
            M[i][0:6] = row
    return M


@dataclass(slots=True)
class Composite:
    """Links frozen into one body: mass, first moment and moment of inertia about an anchor, world axes."""

    mass: Scalar
    moment: sp.Vec3
    inertia: sp.Sym3

    def wrench(self, turning: bool, axis: sp.Vec3) -> tuple[sp.Vec3, sp.Vec3]:
        """Force and torque about the anchor that accelerate the body at unit qdd of a joint there."""
        if turning:
            return sp.cross(axis, self.moment), sp.mul_sv(self.inertia, axis)
        return sp.scale(self.mass, axis), sp.cross(self.moment, axis)

    def joined(self, child: Composite, d: sp.Vec3) -> Composite:
        """Together with the composite of a child, whose anchor is at `d`."""
        m = child.mass
        shifted = sp.parallel_axis(sp.add(child.moment, sp.scale(0.5 * m, d)), d)
        return Composite(self.mass + m, sp.add(self.moment, sp.add(child.moment, sp.scale(m, d))),
                         sp.add_sym(self.inertia, sp.add_sym(child.inertia, shifted)))

    def matrix(self) -> Matrix:
        """The 6 x 6 inertia [[m E, -h x], [h x, I]], linear part first."""
        mass, h = self.mass, self.moment
        xx, yy, zz, xy, xz, yz = self.inertia
        return [[mass, 0.0, 0.0, 0.0, h[2], -h[1]],
                [0.0, mass, 0.0, -h[2], 0.0, h[0]],
                [0.0, 0.0, mass, h[1], -h[0], 0.0],
                [0.0, -h[2], h[1], xx, xy, xz],
                [h[2], 0.0, -h[0], xy, yy, yz],
                [-h[1], h[0], 0.0, xz, yz, zz]]


def composite_of(mass: Scalar, com: sp.Vec3, inertia: sp.Sym3) -> Composite:
    """One link about its anchor; its own inertia is about its centre of mass."""
    moment = sp.scale(mass, com)
    return Composite(mass, moment, sp.add_sym(inertia, sp.parallel_axis(sp.scale(0.5, moment), com)))


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


def _sum(values: Iterable[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for value in values:
        total = total + value
    return total
