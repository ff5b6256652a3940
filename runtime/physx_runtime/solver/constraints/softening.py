"""Softening (cfm) of a link's joint constraints, and joint velocity and displacement as the solver sees them.

`joint_cfm` is the constraint force mixing of a joint, from the responses of its links (DyFeatherstoneArticulation.cpp,
setupInternalConstraints). Link velocities inside the solver contain dt Jdot v of the step's start besides J v.
`velocity_bias` is this part along a joint. `joint_displacement` is the integrated velocity, which drives and limits
use (measured, see docs/reference/physx/limits_and_friction.md).
"""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.jacobian import com_jacobian
from physx_runtime.dynamics.kinematics import Kinematics, LinkMotion
from physx_runtime.dynamics.linear import Matrix
from physx_runtime.dynamics.spatial import triple
from physx_runtime.language.ops import Rows, Scalar, Scalars, maximum
from physx_runtime.model.topology import PRISMATIC, REVOLUTE, ROTARY_JOINTS, SPHERICAL, Topology


def joint_cfm(t: Topology, rows: Rows, k: Kinematics, minv: Matrix, dof: int) -> Scalar:
    """cfm of a joint: the larger of its child's and its parent's."""
    child = t.dofs[dof].link
    # cfm = max(cfm_child, cfm_parent)  (DyFeatherstoneArticulation.cpp, setupInternalConstraintsRecursive)
    return maximum(link_cfm(t, rows, k, minv, child), link_cfm(t, rows, k, minv, t.links[child].parent))


def link_cfm(t: Topology, rows: Rows, k: Kinematics, minv: Matrix, link: int) -> Scalar:
    """cfm of a link for its joints: cfmScale times the largest response of its centre of mass.

    DyFeatherstoneArticulation.cpp (setupInternalConstraints); it is 0 for a fixed base.
    """
    if t.fixed_base and not t.path(link):
        return 0.0
    return softening(rows, link, diagonal_response(com_jacobian(t, k, link), minv))


def softening(rows: Rows, link: int, response: sp.Vec3) -> Scalar:
    """cfm of a link whose centre of mass has the response `response` to unit impulses along x, y, z."""
    # cfm = cfmScale max_i (J M^-1 J^T)_ii / length_scale
    x, y, z = response
    return rows["cfm_scale"][link] * maximum(maximum(x, y), z) / rows["length_scale"][0]


def diagonal_response(a: dict[int, sp.Vec3], minv: Matrix) -> sp.Vec3:
    """Diagonal of J M^-1 J^T for the three rows of a Jacobian given by its columns."""
    # (J M^-1 J^T)_kk = 2 sum_i x_ik (1/2 (M^-1)_ii x_ik + sum_(j < i) (M^-1)_ij x_jk)
    half = sp.ZERO3
    for i, x in a.items():
        column = sp.scale(0.5 * minv[i][i], x)
        for j, y in a.items():
            if j < i:
                column = sp.add(column, sp.scale(minv[i][j], y))
        half = sp.add(half, (column[0] * x[0], column[1] * x[1], column[2] * x[2]))
    return sp.scale(2.0, half)


def velocity_bias(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion], dof: int) -> Scalar:
    """The part of a joint's velocity from link velocities inside the solver: dt Jdot v along its axis."""
    child = t.dofs[dof].link
    if t.links[child].kind == REVOLUTE:
        return 0.0
    # bias = dt axis . (Jdot v)_w of a spherical joint
    axis, parent = k.axes[dof], motions[t.links[child].parent].acceleration
    relative = motions[child].acceleration - parent
    if t.links[child].kind == SPHERICAL:
        return rows["dt"][0] * sp.dot(axis, relative.angular)
    # bias = dt axis . ((a_child - a_parent) - alpha_parent x r) of a prismatic one
    rotational = sp.cross(parent.angular, separation(t, k, dof))
    return rows["dt"][0] * sp.dot(axis, sp.sub(relative.linear, rotational))


def axis_can_rotate(t: Topology, dof: int) -> bool:
    """Whether the axis of a prismatic joint can rotate, so that its displacement differs from q - q0."""
    child = t.dofs[dof].link
    ancestors = t.path(t.links[child].parent)
    rotating = not t.fixed_base or any(t.links[i].kind in ROTARY_JOINTS for i in ancestors)
    return t.links[child].kind == PRISMATIC and rotating


def separation(t: Topology, k: Kinematics, dof: int) -> sp.Vec3:
    """The vector from the parent link's centre of mass to the child's."""
    child = t.dofs[dof].link
    return sp.sub(sp.add(k.d[child], k.com[child]), k.com[t.links[child].parent])


def displacement_start(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion],
                       dof: int) -> dict[str, list[Scalar]]:
    """Rows for the displacement of a prismatic joint whose axis rotates; the axis of a rotary joint."""
    child = t.dofs[dof].link
    axis = k.axes[dof]
    if not axis_can_rotate(t, dof):
        rotary = axis if t.links[child].kind in ROTARY_JOINTS else sp.ZERO3
        return {"displacement_axis": [*rotary], "displacement_moment": [0.0] * 3, "displacement_offset": [0.0],
                "displacement_spin": [0.0] * 3}
    offset = separation(t, k, dof)
    return {"displacement_axis": [*axis], "displacement_moment": [*sp.cross(offset, axis)],
            "displacement_offset": [sp.dot(axis, offset)],
            "displacement_spin": [*sp.scale(rows["dt"][0], motions[t.links[child].parent].acceleration.angular)]}


def parent_rotation(t: Topology, rows: Rows, dof: int) -> sp.Vec3:
    """Rotation of the parent link since the step's start: its angular velocity inside the solver, integrated.

    It is the sum of rotations of the joints above about their initial axes, and of dt Jdot v over the elapsed time.
    """
    # theta = theta_root + sum axis_i (q_i - q0_i) + t dt (Jdot v)_w
    rotation = sp.ZERO3 if t.fixed_base else triple(rows, "root_angular_displacement", 0)
    for link in t.path(t.links[t.dofs[dof].link].parent):
        rotation = link_rotation(t, rows, rows["displacement"], link, rotation)
    elapsed = rows["iteration"][0] * rows["h"][0]
    return sp.add(rotation, sp.scale(elapsed, triple(rows, "displacement_spin", dof)))


def link_rotation(t: Topology, rows: Rows, amounts: Scalars, link: int, rotation: sp.Vec3) -> sp.Vec3:
    """The rotation of a link: that of its parent, plus the amount of each of its dofs about its axis."""
    for dof in t.dofs_of(link) if t.links[link].kind in ROTARY_JOINTS else ():
        rotation = sp.add(rotation, sp.scale(amounts[dof], triple(rows, "displacement_axis", dof)))
    return rotation


def joint_displacement(t: Topology, rows: Rows, k: Kinematics, dof: int) -> Scalar:
    """Change of a joint's position since the step's start as drives and limits see it.

    Prismatic joint with a rotating axis: displacement of both centres of mass along the initial axis, less the part of
    the parent's rotation. Spherical joint: its integrated velocity inside the solver. Any other joint: its
    integrated velocity, which has more digits than a difference of positions. With PGS it is 0 before the step's end.
    """
    if t.pgs:
        return 0.0
    if t.kind_of(dof) == SPHERICAL:
        return rows["displacement"][dof] + rows["iteration"][0] * rows["h"][0] * rows["bias"][dof]
    if not axis_can_rotate(t, dof):
        return rows["displacement"][dof]
    along_axis = sp.dot(triple(rows, "displacement_axis", dof), separation(t, k, dof))
    # displacement = axis . (r - r_start) - (r_start x axis) . theta_parent
    displacement = along_axis - rows["displacement_offset"][dof]
    return displacement - sp.dot(triple(rows, "displacement_moment", dof), parent_rotation(t, rows, dof))
