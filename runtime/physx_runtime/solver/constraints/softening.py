"""cfm: how a link softens the constraints of its joints."""

from __future__ import annotations

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.jacobian import com_jacobian
from physx_runtime.dynamics.kinematics import Kinematics
from physx_runtime.dynamics.linear import Matrix
from physx_runtime.language.ops import Rows, Scalar, maximum
from physx_runtime.model.topology import Topology


def joint_cfm(t: Topology, rows: Rows, k: Kinematics, minv: Matrix, dof: int) -> Scalar:
    """Softening of a joint: the larger of its child's and parent's."""
    child = t.dofs[dof].link
    return maximum(link_cfm(t, rows, k, minv, child), link_cfm(t, rows, k, minv, t.links[child].parent))


def link_cfm(t: Topology, rows: Rows, k: Kinematics, minv: Matrix, link: int) -> Scalar:
    """Softening a link brings to its joints: cfmScale times the largest response of its centre of mass.

    DyFeatherstoneArticulation.cpp (setupInternalConstraints); a fixed base brings none.
    """
    if t.fixed_base and not t.path(link):
        return 0.0
    return softening(rows, link, diagonal_response(com_jacobian(t, k, link), minv))


def softening(rows: Rows, link: int, response: sp.Vec3) -> Scalar:
    """cfm of a link whose centre of mass answers unit impulses along x, y, z by `response`."""
    x, y, z = response
    return rows["cfm_scale"][link] * maximum(maximum(x, y), z) / rows["length_scale"][0]


def diagonal_response(a: dict[int, sp.Vec3], minv: Matrix) -> sp.Vec3:
    """Diagonal of J M^-1 J^T for the three rows of a Jacobian given by its columns."""
    half = sp.ZERO3
    for i, x in a.items():
        answer = sp.scale(0.5 * minv[i][i], x)
        for j, y in a.items():
            if j < i:
                answer = sp.add(answer, sp.scale(minv[i][j], y))
        half = sp.add(half, (answer[0] * x[0], answer[1] * x[1], answer[2] * x[2]))
    return sp.scale(2.0, half)
