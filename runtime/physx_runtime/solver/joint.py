"""What every joint constraint of the solver needs: how one dof answers an impulse, and its softening."""

from __future__ import annotations

from dataclasses import dataclass

from physx_runtime.algorithms import spatial as sp
from physx_runtime.algorithms.crba import Matrix
from physx_runtime.algorithms.kinematics import Kinematics, Rows, Velocities, com_jacobian, quaternion, triple
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
    """What link velocities inside the solver add to a prismatic joint's: dt times Jdot v, along the joint's row."""
    child = t.dofs[dof].link
    if t.links[child].kind == REVOLUTE:
        return 0.0
    parent, axis = t.links[child].parent, k.axis[child]
    relative = sp.sub(velocity.a_com[child], velocity.a_com[parent])
    turning = sp.cross(velocity.alpha[parent], separation(t, k, dof))
    return rows["dt"][0] * sp.dot(axis, sp.sub(relative, turning))


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


def travel_start(t: Topology, k: Kinematics, dof: int) -> dict[str, list[Scalar]]:
    """What a turning prismatic joint's travel is measured against; empty numbers for other joints."""
    if not turns(t, dof):
        sizes = {"travel_axis": 3, "travel_moment": 3, "travel_offset": 1, "travel_rotation": 4}
        return {name: [0.0] * size for name, size in sizes.items()}
    child = t.dofs[dof].link
    axis, apart = k.axis[child], separation(t, k, dof)
    return {"travel_axis": [*axis], "travel_moment": [*sp.cross(apart, axis)], "travel_offset": [sp.dot(axis, apart)],
            "travel_rotation": [*k.rotation[t.links[child].parent]]}


def travelled(t: Topology, rows: Rows, k: Kinematics, dof: int) -> Scalar:
    """Displacement of a turning prismatic joint since the step's start, as the solver sees it.

    Displacements of both centres of mass along the axis at the start, less what the parent's rotation accounts for.
    """
    now = sp.dot(triple(rows, "travel_axis", dof), separation(t, k, dof)) - rows["travel_offset"][dof]
    x, y, z, w = quaternion(rows, "travel_rotation", dof)
    turn = sp.mul_quat(k.rotation[t.links[t.dofs[dof].link].parent], (-x, -y, -z, w))
    return now - 2.0 * sp.dot(triple(rows, "travel_moment", dof), (turn[0], turn[1], turn[2]))
