"""Fixed tendons: a spring on a weighted sum of joint positions (PhysX PxArticulationFixedTendon).

`tendon_rows` prepares a tendon's columns of M^-1 and the rate of its length, and `solve_fixed_tendon` applies its
impulses. The child of an axis is pulled along its own axis, the tendon's base along the root axis. See
docs/reference/physx/tendons.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.inverse_mass import InverseMass, branches_of
from physx_runtime.dynamics.jacobian import angular_jacobian, com_jacobian
from physx_runtime.dynamics.kinematics import Kinematics, LinkMotion
from physx_runtime.dynamics.linear import inner, subtract
from physx_runtime.dynamics.spatial import Force
from physx_runtime.language.ops import Rows, Scalar, Scalars, maximum, minimum
from physx_runtime.model.topology import REVOLUTE, Topology
from physx_runtime.solver.constraints.branch_velocities import BranchVelocities


def limit_violation(length: Scalar, lower: Scalar, upper: Scalar) -> Scalar:
    """Signed distance of `length` outside [lower, upper]."""
    return maximum(length - upper, 0.0) + minimum(length - lower, 0.0)


def spring_impulse(stiffness: Scalar, h: Scalar, stretch: Scalar) -> Scalar:
    """The impulse of a tendon's spring, or of its limits, in a substep h; with h = 1 its force."""
    return stiffness * h * stretch


def fixed_tendon_length(gearing: Scalars, q: Scalars, offset: Scalar) -> Scalar:
    """Joint positions, weighted by gearing, and the offset."""
    return inner(gearing, q) + offset


@dataclass(frozen=True, slots=True)
class LinkRow:
    """Velocity of one link along a joint axis: row v + bias."""

    row: list[Scalar]
    bias: Scalar        # dt Jdot v, part of link velocities inside the solver

    def opposite(self) -> LinkRow:
        """The same along the opposite axis."""
        return LinkRow([-1.0 * x for x in self.row], -1.0 * self.bias)


def axis_links(t: Topology, tendon: int, axis: int) -> tuple[int, int, int]:
    """The links of an axis: its joint's child, the parent of that, and the tendon's base.

    The pull acts on the child along its own axis. The reaction acts on the base, the parent of the root axis' joint,
    along the *root* axis. Likewise the rate of an axis is the velocity of its child along its own axis, less
    that of the parent along the root axis. This is exact for parallel axes, and otherwise follows PhysX.
    """
    dofs = t.fixed_tendons[tendon].dofs
    child, root_link = t.dofs[dofs[axis]].link, t.dofs[dofs[0]].link
    return child, t.links[child].parent, t.links[root_link].parent


def pull_lever(com: sp.Vec3) -> sp.Vec3:
    """From a child link's centre of mass to its anchor, where the pull of its axis acts."""
    return sp.scale(-1.0, com)


def reaction_lever(d: sp.Vec3, base_com: sp.Vec3) -> sp.Vec3:
    """From the base's centre of mass to the anchor of the root axis' child, where the reaction acts."""
    return sp.sub(d, base_com)


def axis_pull(t: Topology, k: Kinematics, link: int) -> Force:
    """The unit force of an axis about its child link's centre of mass."""
    # J = axis . J_w of a revolute joint, axis . J_v + (lever x axis) . J_w of a prismatic one
    return axis_force(t.links[link].kind, k.axis[link], pull_lever(k.com[link]))


def root_axis_pull(t: Topology, k: Kinematics, tendon: int) -> Force:
    """The unit force along the root axis about the centre of mass of the tendon's base."""
    root_link = t.dofs[t.fixed_tendons[tendon].dofs[0]].link
    lever = reaction_lever(k.d[root_link], k.com[t.links[root_link].parent])
    return axis_force(t.links[root_link].kind, k.axis[root_link], lever)


def link_row(t: Topology, k: Kinematics, motions: Sequence[LinkMotion], dt: Scalar, link: int, pull: Force) -> LinkRow:
    """The velocity of `link` along a joint axis, conjugate to a unit force about its centre of mass."""
    row: list[Scalar] = [0.0] * t.nv
    for i, column in com_jacobian(t, k, link).items():
        row[i] = sp.dot(pull.linear, column)
    for i, column in angular_jacobian(t, k, link).items():
        row[i] = row[i] + sp.dot(pull.angular, column)
    return LinkRow(row, dt * pull.dot(motions[link].acceleration))


def axis_force(kind: str, axis: sp.Vec3, lever: sp.Vec3) -> Force:
    """The unit force along a joint axis about a link's centre of mass, at `lever` for a prismatic joint."""
    return Force(axis, sp.ZERO3) if kind == REVOLUTE else Force(sp.cross(lever, axis), axis)


def tendon_rows(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion], minv: InverseMass,
                tendon: int) -> dict[str, list[Scalar]]:
    """Changes of v for a unit of spring and of limit pull, and the row of the length's rate, at the step's start.

    x = 1/(1 + a r) with a = h (h k + d), each axis with its own response r; the force is shared by the number of axes.
    PGS keeps the impulses of all axes apart, each with its x. y: the part of a unit of spring and of limit pull for
    other branches than the tendon's own.
    """
    # x = share / (1 + a r), column = M^-1 sum x J^T, rate row = sum gearing (J_child - J_parent)
    # (DyFeatherstoneArticulation.cpp, setupInternalFixedTendonConstraintsRecursive)
    name, dofs, dt = f"fixed_tendon{tendon}", t.fixed_tendons[tendon].dofs, rows["dt"][0]
    reaction = root_axis_pull(t, k, tendon)
    base_row = link_row(t, k, motions, dt, axis_links(t, tendon, 0)[2], reaction)
    spring: list[Scalar] = [0.0] * t.nv
    limits: list[Scalar] = [0.0] * t.nv
    rate: list[Scalar] = [0.0] * t.nv
    bias: Scalar = 0.0
    b, branch = branches_of(t), tendon_branch(t, tendon)
    y_spring: list[Scalar] = [] if branch is None else [0.0] * len(b.trunks[branch])
    y_limits = list(y_spring)
    per_axis: dict[str, list[Scalar]] = {}
    summed: dict[str, list[Scalar]] = {}
    for axis in range(len(dofs)):
        (child, parent, _), gearing = axis_links(t, tendon, axis), rows[f"{name}_gearing"][axis]
        child_row = link_row(t, k, motions, dt, child, axis_pull(t, k, child))
        parent_row = link_row(t, k, motions, dt, parent, reaction)
        start_row = base_row
        if t.fixed_tendons[tendon].is_opposed(axis):
            parent_row, start_row = parent_row.opposite(), start_row.opposite()
        rate = [total + gearing * x for total, x in zip(rate, subtract(child_row.row, parent_row.row), strict=True)]
        bias = bias + gearing * (child_row.bias - parent_row.bias)
        # J of the axis' reaction: child along its own axis, base along the root axis
        row = subtract(child_row.row, start_row.row)
        column = minv.times(row)
        r = inner(row, column)
        x, x_limit = axis_fractions(rows, tendon, axis, len(dofs), r)
        if t.tendon_impulses and not t.pgs:
            per_axis.setdefault(f"{name}_impulse_fraction", []).extend([x, x_limit])
        spring = [total + x * c for total, c in zip(spring, column, strict=True)]
        limits = [total + x_limit * c for total, c in zip(limits, column, strict=True)]
        if branch is not None:
            y = b.in_trunk(branch, minv.half_solve(row))
            y_spring = [total + x * c for total, c in zip(y_spring, y, strict=True)]
            y_limits = [total + x_limit * c for total, c in zip(y_limits, y, strict=True)]
        if t.tendon_impulses and not t.pgs:
            summed.setdefault(f"{name}_spring_fraction", []).append(x)
            summed.setdefault(f"{name}_limit_fraction", []).append(x_limit)
        for part, values in pgs_axis_rows(rows, tendon, axis, len(dofs), r).items() if t.pgs else ():
            per_axis.setdefault(part, []).extend(values)
        per_axis.setdefault(f"{name}_column", []).extend(column)
    summed |= {f"{name}_spring_column": spring, f"{name}_limit_column": limits}
    summed |= {f"{name}_spring_y": y_spring, f"{name}_limit_y": y_limits}
    return (per_axis if t.pgs else summed) | {f"{name}_rate_row": rate, f"{name}_rate_bias": [bias]}


def tendon_branch(t: Topology, tendon: int) -> int | None:
    """The branch of all axes of a tendon; unused with PGS, whose axes pull one by one."""
    return None if t.pgs else branches_of(t).branch_containing(t.root_size + dof
                                                               for dof in t.fixed_tendons[tendon].dofs)


def axis_fractions(rows: Rows, tendon: int, axis: int, axes: int, r: Scalar) -> tuple[Scalar, Scalar]:
    """The fractions of the spring's and the limit's pull of an axis with response r."""
    # share = forceCoefficient / axes
    fraction = rows[f"fixed_tendon{tendon}_force_coefficient"][axis] / float(axes)
    stiff, stiff_limit = _stiffening(rows, tendon, r)
    return fraction / stiff, fraction / stiff_limit


def pgs_axis_rows(rows: Rows, tendon: int, axis: int, axes: int, r: Scalar) -> dict[str, list[Scalar]]:
    """With PGS: an axis' fraction of the tendon's force, and the x of its spring and of its limit."""
    name = f"fixed_tendon{tendon}"
    stiff, stiff_limit = _stiffening(rows, tendon, r)
    return {f"{name}_fraction": [rows[f"{name}_force_coefficient"][axis] / float(axes)], f"{name}_decay": [1.0 / stiff],
            f"{name}_limit_decay": [1.0 / stiff_limit]}


def _stiffening(rows: Rows, tendon: int, r: Scalar) -> tuple[Scalar, Scalar]:
    """1 + a r of the spring and of the limit."""
    name, h = f"fixed_tendon{tendon}", rows["h"][0]
    stiffness, damping, limit = (rows[f"{name}_{x}"][0] for x in ("stiffness", "damping", "limit_stiffness"))
    # 1 + h (h k + d) r
    return 1.0 + h * (h * stiffness + damping) * r, 1.0 + h * (h * limit + damping) * r


def solve_fixed_tendon(t: Topology, rows: Rows, tendon: int, q: Sequence[Scalar], velocities: BranchVelocities,
                       out: dict[str, list[Scalar]]) -> None:
    """Change velocities by the tendon's impulse; all axes use the v before it. With PGS totals are put into `out`."""
    name, dofs = f"fixed_tendon{tendon}", t.fixed_tendons[tendon].dofs
    # L = sum gearing q + offset  (DyFeatherstoneArticulation.cpp, calculateFixedTendonVelocityAndPositionRecursive)
    length = fixed_tendon_length(rows[f"{name}_gearing"], [q[dof] for dof in dofs], rows[f"{name}_offset"][0])
    rate = velocities.rate(rows[f"{name}_rate_row"]) + rows[f"{name}_rate_bias"][0]
    pull, limit = fixed_tendon_pulls(rows, tendon, length, rate)
    if t.pgs:
        for axis in range(len(dofs)):
            F = axis_impulse(rows, tendon, axis, pull, limit, out)
            if t.tendon_impulses:
                out[f"{name}_impulse"][axis] = rows[f"{name}_impulse"][axis] + F
            velocities.add((rows[f"{name}_column"][axis * t.nv:(axis + 1) * t.nv], F))
        return
    if t.tendon_impulses:
        out[f"{name}_impulse"] = [total - x * pull - x_limit * limit for total, x, x_limit in zip(
            rows[f"{name}_impulse"], rows[f"{name}_spring_fraction"], rows[f"{name}_limit_fraction"], strict=True)]
    branch, pulls = tendon_branch(t, tendon), ((f"{name}_spring", -pull), (f"{name}_limit", -limit))
    if branch is None:
        velocities.add(*((rows[f"{row}_column"], F) for row, F in pulls))
    else:
        velocities.add_within(branch, *((rows[f"{row}_column"], rows[f"{row}_y"], F) for row, F in pulls))


def fixed_tendon_pulls(rows: Rows, tendon: int, length: Scalar, rate: Scalar) -> tuple[Scalar, Scalar]:
    """Impulses of a tendon's spring and of its limits at this length and rate."""
    name, h = f"fixed_tendon{tendon}", rows["h"][0]
    stiffness, damping = rows[f"{name}_stiffness"][0], rows[f"{name}_damping"][0]
    # P = h (h k + d) Ldot + h k (L - L_rest), P_limit = h k_limit violation
    # (DyFeatherstoneArticulation.cpp, solveFixedTendonConstraintsRecursive)
    damper = h * (h * stiffness + damping) * rate
    pull = damper + spring_impulse(stiffness, h, length - rows[f"{name}_rest_length"][0])
    violation = limit_violation(length, rows[f"{name}_lower_limit"][0], rows[f"{name}_upper_limit"][0])
    return pull, spring_impulse(rows[f"{name}_limit_stiffness"][0], h, violation)


def axis_impulse(rows: Rows, tendon: int, axis: int, pull: Scalar, limit: Scalar,
                 out: dict[str, list[Scalar]]) -> Scalar:
    """With PGS: the impulse of one axis, whose spring and limit each compute that of the whole step again."""
    name = f"fixed_tendon{tendon}"
    F: Scalar = 0.0
    # PGS: F = -x (share P + total), total += F
    for prefix, impulse in (("", pull), ("limit_", limit)):
        total = rows[f"{name}_{prefix}total"][axis]
        change = -(rows[f"{name}_{prefix}decay"][axis] * (rows[f"{name}_fraction"][axis] * impulse + total))
        out[f"{name}_{prefix}total"][axis] = total + change
        F = F + change
    return F
