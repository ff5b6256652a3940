"""Fixed tendons: a spring on a weighted sum of joint positions (physx_semantics.md, fixed tendons)."""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.algorithms import spatial as sp
from physx_runtime.algorithms.crba import Matrix
from physx_runtime.algorithms.kinematics import Kinematics, Rows, angular_jacobian, com_jacobian
from physx_runtime.model import REVOLUTE, Topology
from physx_runtime.tracing.ops import Scalar, maximum, minimum


def outside(length: Scalar, lower: Scalar, upper: Scalar) -> Scalar:
    """Signed distance of `length` outside [lower, upper]."""
    return maximum(length - upper, 0.0) + minimum(length - lower, 0.0)


def axis_row(t: Topology, k: Kinematics, dof: int, root_dof: int) -> list[Scalar]:
    """Joint row of a unit effort along an axis' joint on its child link, reacted by the parent link of the root axis' joint."""
    child, base = t.dofs[dof].link, t.links[t.dofs[root_dof].link].parent
    jacobian = angular_jacobian if t.links[child].kind == REVOLUTE else com_jacobian
    row: list[Scalar] = [0.0] * t.nv
    own = jacobian(t, k, child)
    fixed = t.fixed_base and not t.path(base)
    reaction = {} if fixed else jacobian(t, k, base)
    for i, column in own.items():
        if t.links[child].kind == REVOLUTE and i in reaction:
            continue                # the torque and its reaction cancel above the root axis
        row[i] = sp.dot(k.axis[child], column)
    if t.links[child].kind != REVOLUTE:
        for i, column in reaction.items():
            row[i] = row[i] - sp.dot(k.axis[child], column)
    return row


def times(minv: Matrix, row: Sequence[Scalar]) -> list[Scalar]:
    """minv row^T."""
    out: list[Scalar] = []
    for line in minv:
        total: Scalar = 0.0
        for a, b in zip(line, row, strict=True):
            total = total + a * b
        out.append(total)
    return out


def dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """Sum of products."""
    total: Scalar = 0.0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def tendon_columns(t: Topology, rows: Rows, k: Kinematics, minv: Matrix, tendon: int) -> dict[str, list[Scalar]]:
    """Changes of v for a unit of spring and of limit pull, the implicit scaling of every axis included.

    x = 1/(1 + a r) with a = h (h k + d), each axis with its own response r; the force is shared by the number of axes.
    """
    name, dofs, h = f"fixed{tendon}", t.fixed_tendons[tendon].dofs, rows["h"][0]
    stiffness, damping, limit = (rows[f"{name}_{x}"][0] for x in ("stiffness", "damping", "limit_stiffness"))
    spring: list[Scalar] = [0.0] * t.nv
    limits: list[Scalar] = [0.0] * t.nv
    for axis, dof in enumerate(dofs):
        row = axis_row(t, k, dof, dofs[0])
        column = times(minv, row)
        r, share = dot(row, column), rows[f"{name}_force"][axis] / float(len(dofs))
        x = share / (1.0 + h * (h * stiffness + damping) * r)
        x_limit = share / (1.0 + h * (h * limit + damping) * r)
        spring = [total + x * c for total, c in zip(spring, column, strict=True)]
        limits = [total + x_limit * c for total, c in zip(limits, column, strict=True)]
    return {f"{name}_spring_column": spring, f"{name}_limit_column": limits}


def solve_fixed_tendon(t: Topology, rows: Rows, tendon: int, q: Sequence[Scalar], v: list[Scalar]) -> list[Scalar]:
    """v after the tendon's impulse; all axes use the v before it."""
    name, dofs, h = f"fixed{tendon}", t.fixed_tendons[tendon].dofs, rows["h"][0]
    gearing = rows[f"{name}_gearing"]
    stiffness, damping = rows[f"{name}_stiffness"][0], rows[f"{name}_damping"][0]
    length = dot(gearing, [q[dof] for dof in dofs]) + rows[f"{name}_offset"][0]
    rate = dot(gearing, [v[t.root_size + dof] + rows["bias"][dof] for dof in dofs])
    pull = h * (h * stiffness + damping) * rate + stiffness * h * (length - rows[f"{name}_rest_length"][0])
    limit = rows[f"{name}_limit_stiffness"][0] * h * outside(length, rows[f"{name}_lower"][0], rows[f"{name}_upper"][0])
    spring_column, limit_column = rows[f"{name}_spring_column"], rows[f"{name}_limit_column"]
    return [x - spring_column[i] * pull - limit_column[i] * limit for i, x in enumerate(v)]
