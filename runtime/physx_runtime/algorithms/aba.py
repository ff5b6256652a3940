"""Forward dynamics by articulated bodies (RBDA table 7.1).

The velocity-product accelerations are taken out beforehand: each link's force at zero generalised acceleration is
known, and what is left is M a = tau - h, solved along the tree. Quantities stay about the links' own anchors, in world
axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from physx_runtime.algorithms import spatial as sp
from physx_runtime.algorithms.inverse_dynamics import held_forces
from physx_runtime.algorithms.kinematics import Kinematics, Row, Rows, Velocities
from physx_runtime.algorithms.linear import dot
from physx_runtime.algorithms.rnea import world_inertia
from physx_runtime.model import TURNING, Topology
from physx_runtime.tracing.ops import Scalar, sqrt

Spatial = tuple[sp.Vec3, sp.Vec3]       # angular part first
# Entries (row, column), row <= column, of a symmetric 6 x 6 matrix.
UPPER = tuple((i, j) for i in range(6) for j in range(i, 6))


@dataclass(slots=True)
class Body:
    """An articulated body: [n; f] = inertia [alpha; a] + bias, about its anchor."""

    inertia: list[list[Scalar]]         # 6 x 6, symmetric
    bias: list[Scalar]                  # 6


@dataclass(slots=True)
class Eliminated:
    """One dof's line of the elimination: qdd = (u - U . a) / d."""

    axis: list[Scalar]                  # 6
    force: list[Scalar]                 # U = inertia axis
    per_d: Scalar
    u: Scalar


def forward_dynamics(t: Topology, rows: Rows, k: Kinematics, velocity: Velocities, tau: Row) -> list[Scalar]:
    """a with M a + C(q, v) + g(q) = tau, armature in M; a and tau as v: root linear, root angular, then dofs."""
    forces = held_forces(t, rows, k, velocity)
    bodies = [_rigid_body(t, rows, k, i, *forces[i]) for i in range(len(t.links))]
    lines: dict[int, Eliminated] = {}
    for i in range(len(t.links) - 1, 0, -1):            # backward pass: articulated inertias
        for dof in t.dofs_of(i):
            lines[dof] = _eliminate(t, rows, k, bodies[i], dof, tau[t.root_size + dof])
        _add_to_parent(bodies[t.links[i].parent], bodies[i], k.d[i])
    out: list[Scalar] = [0.0] * t.nv
    moved: list[list[Scalar]] = [[0.0] * 6]
    if not t.fixed_base:
        pushed = [tau[3], tau[4], tau[5], tau[0], tau[1], tau[2]]
        moved[0] = solve_symmetric(bodies[0].inertia, [p - b for p, b in zip(pushed, bodies[0].bias, strict=True)])
        out[0:6] = [*moved[0][3:6], *moved[0][0:3]]
    for i in range(1, len(t.links)):                    # forward pass: accelerations
        a = _shifted(moved[t.links[i].parent], k.d[i])
        for dof in reversed(t.dofs_of(i)):
            line = lines[dof]
            qdd = out[t.root_size + dof] = (line.u - dot(line.force, a)) * line.per_d
            a = [x + s * qdd for x, s in zip(a, line.axis, strict=True)]
        moved.append(a)
    return out


def _rigid_body(t: Topology, rows: Rows, k: Kinematics, i: int, force: sp.Vec3, torque: sp.Vec3) -> Body:
    """A link alone: [[I, m c x], [-m c x, m E]] about its anchor, and the force it needs."""
    m, c = rows["mass"][i], k.com[i]
    h = sp.scale(m, c)
    xx, yy, zz, xy, xz, yz = sp.add_sym(world_inertia(t, rows, k, i), sp.parallel_axis(sp.scale(0.5, h), c))
    inertia = [[xx, xy, xz, 0.0, -h[2], h[1]],
               [xy, yy, yz, h[2], 0.0, -h[0]],
               [xz, yz, zz, -h[1], h[0], 0.0],
               [0.0, h[2], -h[1], m, 0.0, 0.0],
               [-h[2], 0.0, h[0], 0.0, m, 0.0],
               [h[1], -h[0], 0.0, 0.0, 0.0, m]]
    return Body(inertia, [*sp.add(torque, sp.cross(c, force)), *force])


def _eliminate(t: Topology, rows: Rows, k: Kinematics, body: Body, dof: int, tau: Scalar) -> Eliminated:
    """Take one dof out of a body: inertia - U U^T / d, bias + U u / d."""
    turning = t.kind_of(dof) in TURNING
    axis = [*k.axes[dof], 0.0, 0.0, 0.0] if turning else [0.0, 0.0, 0.0, *k.axes[dof]]
    U = [dot(row, axis) for row in body.inertia]
    per_d = 1.0 / (dot(U, axis) + rows["armature"][dof])
    u = tau - dot(body.bias, axis)
    scaled = [x * per_d for x in U]
    for i, j in UPPER:
        body.inertia[i][j] = body.inertia[j][i] = body.inertia[i][j] - scaled[i] * U[j]
    body.bias = [b + x * u for b, x in zip(body.bias, scaled, strict=True)]
    return Eliminated(axis, U, per_d, u)


def _add_to_parent(parent: Body, body: Body, d: sp.Vec3) -> None:
    """Move a body's inertia and bias from its anchor, d away, to its parent's and add them there."""
    # columns: what unit accelerations of the parent's anchor need here; rows: those forces about the parent's anchor
    unit = [_shifted([1.0 if i == j else 0.0 for j in range(6)], d) for i in range(6)]
    columns = [[dot(row, e) for row in body.inertia] for e in unit]
    for j, column in enumerate(columns):
        for i, value in enumerate(_wrench_moved(column, d)):
            if i <= j:
                parent.inertia[i][j] = parent.inertia[j][i] = parent.inertia[i][j] + value
    parent.bias = [a + b for a, b in zip(parent.bias, _wrench_moved(body.bias, d), strict=True)]


def _shifted(a: Sequence[Scalar], d: sp.Vec3) -> list[Scalar]:
    """Acceleration [alpha; a] at a point d further."""
    turned = sp.cross((a[0], a[1], a[2]), d)
    return [a[0], a[1], a[2], a[3] + turned[0], a[4] + turned[1], a[5] + turned[2]]


def _wrench_moved(wrench: Sequence[Scalar], d: sp.Vec3) -> list[Scalar]:
    """[n; f] acting d away, about the parent's anchor."""
    lever = sp.cross(d, (wrench[3], wrench[4], wrench[5]))
    return [wrench[0] + lever[0], wrench[1] + lever[1], wrench[2] + lever[2], *wrench[3:6]]


def solve_symmetric(A: Sequence[Sequence[Scalar]], b: Sequence[Scalar]) -> list[Scalar]:
    """x with A x = b for a symmetric positive definite matrix, by Cholesky's factors."""
    n = len(b)
    L = cholesky(A)
    y = solve_lower(L, b)
    x: list[Scalar] = [0.0] * n
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - dot([L[j][i] for j in range(i + 1, n)], x[i + 1:])) * L[i][i]
    return x


def solve_lower(L: Sequence[Sequence[Scalar]], b: Sequence[Scalar]) -> list[Scalar]:
    """y with L y = b, the inverse of L's diagonal on its diagonal."""
    y: list[Scalar] = []
    for i, value in enumerate(b):
        y.append((value - dot(L[i][:i], y)) * L[i][i])
    return y


def cholesky(A: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
    """L of A = L L^T, with the inverse of its diagonal on the diagonal."""
    n = len(A)
    L: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            L[i][j] = (A[i][j] - dot(L[i][:j], L[j][:j])) * L[j][j]
        L[i][i] = 1.0 / sqrt(A[i][i] - dot(L[i][:i], L[i][:i]))
    return L
