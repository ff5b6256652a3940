"""Mass matrix by the composite-rigid-body algorithm (RBDA table 6.2)."""

from __future__ import annotations

from physx_runtime.dynamics.inertia import RigidInertia, link_inertia
from physx_runtime.dynamics.kinematics import Kinematics, motion_subspace
from physx_runtime.dynamics.linear import Matrix
from physx_runtime.dynamics.spatial import Force, linear_first
from physx_runtime.language.ops import Rows
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
            composite[i] = composite[i].joined(composite[j], k.d[j])
        # F = I^c_i S_i, what its joint needs at unit acceleration
        for dof in t.dofs_of(i):
            F = composite[i].force(motion_subspace(t, k, dof))
            _fill_column(t, k, M, i, t.root_size + dof, F)
    if not t.fixed_base:
        for i, row in enumerate(composite[0].linear_first()):
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
    j = link
    while t.links[j].parent >= 0:
        for dof in t.dofs_of(j):
            row = t.root_size + dof
            M[row][column] = M[column][row] = F.dot(motion_subspace(t, k, dof))
        F, j = F.about(k.d[j]), t.links[j].parent
    if not t.fixed_base:
        for row, value in enumerate(linear_first(F)):
            M[row][column] = M[column][row] = value
