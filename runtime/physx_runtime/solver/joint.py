"""What every joint constraint of the solver needs: how one dof answers an impulse, and its softening."""

from __future__ import annotations

from dataclasses import dataclass

from physx_runtime.algorithms import spatial as sp
from physx_runtime.algorithms.crba import Matrix
from physx_runtime.algorithms.kinematics import Kinematics, Rows, Velocities, com_jacobian
from physx_runtime.model import PRISMATIC, REVOLUTE, Topology
from physx_runtime.tracing.ops import Scalar, maximum


@dataclass(slots=True)
class JointState:
    """One dof as its constraints see it during an iteration; an impulse changes `v` at once."""

    r: Scalar           # response: change of v for a unit impulse
    soft: Scalar        # 1 / (r + cfm)
    v: Scalar           # velocity, with the bias of link velocities
    q: Scalar           # position
    impulse: Scalar = 0.0

    def push(self, F: Scalar) -> None:
        """Apply an impulse."""
        self.v = self.v + self.r * F
        self.impulse = self.impulse + F


def dot_columns(a: dict[int, sp.Vec3], minv: Matrix) -> sp.Vec3:
    """Diagonal of J minv J^T for the three rows of a Jacobian given by its columns."""
    total = sp.ZERO3
    for i, x in a.items():
        for j, y in a.items():
            if j > i:
                continue
            weight = minv[i][j] if i == j else 2.0 * minv[i][j]
            total = sp.add(total, (weight * x[0] * y[0], weight * x[1] * y[1], weight * x[2] * y[2]))
    return total


def link_cfm(t: Topology, rows: Rows, k: Kinematics, minv: Matrix, link: int) -> Scalar:
    """Softening a link brings to its joints: cfmScale times the largest response of its centre of mass.

    DyFeatherstoneArticulation.cpp (setupInternalConstraints); a fixed base brings none.
    """
    if t.fixed_base and not t.path(link):
        return 0.0
    x, y, z = dot_columns(com_jacobian(t, k, link), minv)
    return rows["cfm_scale"][link] * maximum(maximum(x, y), z) / rows["length_scale"][0]


def joint_cfm(t: Topology, rows: Rows, k: Kinematics, minv: Matrix, dof: int) -> Scalar:
    """Softening of a joint: the larger of its child's and parent's."""
    child = t.dofs[dof].link
    return maximum(link_cfm(t, rows, k, minv, child), link_cfm(t, rows, k, minv, t.links[child].parent))


def velocity_bias(t: Topology, rows: Rows, k: Kinematics, velocity: Velocities, dof: int) -> Scalar:
    """What link velocities inside the solver add to a prismatic joint's: dt times Jdot v of both centres of mass."""
    child = t.dofs[dof].link
    if t.links[child].kind == REVOLUTE:
        return 0.0
    relative = sp.sub(velocity.a_com[child], velocity.a_com[t.links[child].parent])
    return rows["dt"][0] * sp.dot(k.axis[child], relative)


def turns(t: Topology, dof: int) -> bool:
    """Whether the axis of a prismatic joint can turn, so that its travel differs from q - q0."""
    child = t.dofs[dof].link
    above = t.path(t.links[child].parent)
    rotating = not t.fixed_base or any(t.links[i].kind == REVOLUTE for i in above)
    return t.links[child].kind == PRISMATIC and rotating


def separation(t: Topology, k: Kinematics, dof: int) -> sp.Vec3:
    """From the parent link's centre of mass to the child's."""
    child = t.dofs[dof].link
    return sp.sub(sp.add(k.d[child], k.com[child]), k.com[t.links[child].parent])
