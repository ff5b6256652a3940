"""Composite rigid body algorithm, and momentum (Featherstone 2008, chapter 6).

Mass matrix by the composite-rigid-body algorithm (RBDA table 6.2).

Centre of mass and centroidal momentum of an articulation.
"""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.inertia import RigidInertia, link_inertia
from physx_runtime.dynamics.kinematics import Kinematics, motion_subspace
from physx_runtime.dynamics.linear import Matrix
from physx_runtime.dynamics.spatial import Force, force_of, linear_first
from physx_runtime.language.ops import Rows, Scalar, Scalars
from physx_runtime.model.topology import Topology


def mass_matrix(t: Topology, rows: Rows, k: Kinematics) -> Matrix:
    """M(q), nv x nv, without armature; the root's 6 rows first (linear at its centre of mass, angular).

    Composite inertias stay about their own anchors, in world axes: about the world's origin a small wrist inertia
    would drown in float32.
    """
    composite: dict[int, RigidInertia] = {}     # each made when its turn comes: a compiler keeps few numbers at a time
    M: Matrix = [[0.0] * t.nv for _ in range(t.nv)]
    for i in range(len(t.links) - 1, -1, -1):
        # I^c_i = I_i + sum of the children's I^c_j
        composite[i] = link_inertia(t, rows, k, i)
        for j in reversed(t.children(i)):
            composite[i] = composite[i].combine(composite[j], k.d[j])
        # F = I^c_i S_i, what its joint needs at unit acceleration
        for dof in t.dofs_of(i):
            F = composite[i].force(motion_subspace(t, k, dof))
            _fill_column(t, k, M, i, t.root_size + dof, F)
    if not t.fixed_base:
        for i, row in enumerate(composite[0].linear_first()):
            # M_00 = I^c_0: composite inertia of all links at the root
            M[i][0:6] = row
    return M


def with_armature(t: Topology, rows: Rows, M: Matrix) -> Matrix:
    """M with the joints' armature on its diagonal."""
    out = [list(row) for row in M]
    for dof, armature in enumerate(rows["armature"]):
        out[t.root_size + dof][t.root_size + dof] = out[t.root_size + dof][t.root_size + dof] + armature
    return out


def _fill_column(t: Topology, k: Kinematics, M: Matrix, link: int, column: int, F: Force) -> None:
    """M[j][column] = S_j . F for every dof j between `link` and the root, with F moved towards it."""
    # M_ij = S_j^T F, F_parent = X^T F  (DyFeatherstoneInverseDynamic.cpp, getGeneralizedMassMatrixCRB)
    j = link
    while t.links[j].parent >= 0:
        for dof in t.dofs_of(j):
            row = t.root_size + dof
            M[row][column] = M[column][row] = F.dot(motion_subspace(t, k, dof))
        F, j = F.about(k.d[j]), t.links[j].parent
    if not t.fixed_base:
        for row, value in enumerate(linear_first(F)):
            M[row][column] = M[column][row] = value


def center_of_mass(t: Topology, rows: Rows, k: Kinematics) -> sp.Vec3:
    """sum m_i c_i / M from the root's anchor, in world axes."""
    return mass_and_center(t, rows, k)[1]


def mass_and_center(t: Topology, rows: Rows, k: Kinematics) -> tuple[Scalar, sp.Vec3]:
    """Mass of all links together, and their centre of mass from the root's anchor, in world axes."""
    # c = sum m_i c_i / sum m_i  (DyFeatherstoneInverseDynamic.cpp, getArticulationCOM)
    mass: Scalar = 0.0
    moment = sp.ZERO3
    for i in range(len(t.links)):
        mass, moment = add_mass(mass, moment, rows["mass"][i], sp.add(k.position[i], k.com[i]))
    return mass, sp.scale(1.0 / mass, moment)


def add_mass(mass: Scalar, moment: sp.Vec3, m: Scalar, center: sp.Vec3) -> tuple[Scalar, sp.Vec3]:
    """Mass and first moment with those of one more link."""
    return mass + m, sp.add(moment, sp.scale(m, center))


def centroidal_momentum(t: Topology, M: Sequence[Sequence[Scalar]],
                        coriolis: Scalars) -> tuple[list[list[Scalar]], list[Scalar]]:
    """(A, b) of a floating base: momentum A v and its rate A a + b, [linear; angular] at the centre of mass.

    A = X M[0:6], b = X C[0:6] with X = [[E, 0], [-[c]x, E]]; c, from the root's centre of mass to that of the whole,
    stands in M itself (PxArticulationReducedCoordinate.h, computeCentroidalMomentumMatrix).
    """
    # M[0:3, 3:6] = -m [c x], from which c is read
    inverse_mass = 1.0 / M[0][0]
    c = (-M[2][4] * inverse_mass, -M[0][5] * inverse_mass, -M[1][3] * inverse_mass)
    columns = [linear_first(force_of([M[row][column] for row in range(6)]).at(c)) for column in range(t.nv)]
    return [[column[row] for column in columns] for row in range(6)], linear_first(force_of(coriolis).at(c))
