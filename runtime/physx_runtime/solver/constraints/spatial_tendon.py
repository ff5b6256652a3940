"""Spatial tendons: springs along line segments between attachments (PhysX PxArticulationSpatialTendon).

`tendon_axes` prepares a sub-tendon, `tendon_length` is its length, `solve_spatial_tendon` applies its impulse. See
docs/reference/physx/tendons.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.inverse_mass import InverseMass
from physx_runtime.dynamics.jacobian import point_jacobian
from physx_runtime.dynamics.kinematics import Kinematics, LinkMotion
from physx_runtime.dynamics.linear import inner
from physx_runtime.dynamics.spatial import Motion, triple
from physx_runtime.language.ops import Rows, Scalar, maximum, where
from physx_runtime.model.topology import Topology
from physx_runtime.solver.constraints.branch_velocities import BranchVelocities
from physx_runtime.solver.constraints.fixed_tendon import limit_violation, spring_impulse

# A segment this short has no direction and no force (DyFeatherstoneArticulation.cpp), length units.
MIN_SEGMENT_LENGTH = 1e-3


def attachment_points(t: Topology, rows: Rows, k: Kinematics, tendon: int) -> list[tuple[sp.Vec3, sp.Vec3]]:
    """Per attachment from root to leaf: (offset from its link's anchor, position from the articulation's root)."""
    points = []
    for i, link in enumerate(t.spatial_tendons[tendon].links):
        local = triple(rows, f"spatial_tendon{tendon}_position", i)
        points.append(attachment_point(k.R[link], k.position[link], local))
    return points


def attachment_point(R: sp.Mat3, anchor: sp.Vec3, local: sp.Vec3) -> tuple[sp.Vec3, sp.Vec3]:
    """Offset from a link's anchor and position of an attachment `local` in the link's F."""
    offset = sp.mul_mv(R, local)
    return offset, sp.add(anchor, offset)


def tendon_length(rows: Rows, tendon: int, points: Sequence[tuple[sp.Vec3, sp.Vec3]]) -> Scalar:
    """Offset plus the segment lengths times gearing; the root's gearing is not used."""
    # L = offset + sum gearing_i |p_i - p_(i-1)|
    # (DyFeatherstoneArticulation.cpp, updateSpatialTendonConstraintsRecursive)
    length = rows[f"spatial_tendon{tendon}_offset"][0]
    gearing = rows[f"spatial_tendon{tendon}_gearing"]
    for i in range(1, len(points)):
        length = length + gearing[i] * sp.norm(sp.sub(points[i][1], points[i - 1][1]))
    return length


def segment_direction(a: sp.Vec3, b: sp.Vec3) -> sp.Vec3:
    """Unit vector from a to b, zero for a segment that is too short."""
    ab = sp.sub(b, a)
    size = sp.norm(ab)
    return sp.scale(where(size > MIN_SEGMENT_LENGTH, 1.0 / maximum(size, MIN_SEGMENT_LENGTH), 0.0), ab)


def tendon_axes(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion], minv: InverseMass,
                tendon: int) -> dict[str, list[Scalar]]:
    """Row, response and velocity bias of a sub-tendon at the step's start.

    J = u_leaf J_leaf - u_root J_root; u_leaf leads to the leaf's parent, u_root from the first child to the root.
    """
    name, links = f"spatial_tendon{tendon}", t.spatial_tendons[tendon].links
    points = attachment_points(t, rows, k, tendon)
    # Ldot = u_leaf . v_leaf - u_root . v_root, not every segment's rate
    # (DyFeatherstoneArticulation.cpp, setupInternalSpatialTendonConstraintsRecursive)
    u_leaf, u_root = segment_direction(points[-1][1], points[-2][1]), segment_direction(points[1][1], points[0][1])
    row: list[Scalar] = [0.0] * t.nv
    bias: Scalar = 0.0
    ends = ((1.0, u_leaf, links[-1], points[-1][0]), (-1.0, u_root, links[0], points[0][0]))
    for sign, u, link, offset in ends:
        for i, column_of_point in point_jacobian(t, k, link, offset).items():
            row[i] = row[i] + sign * sp.dot(u, column_of_point)
        lever = sp.sub(offset, k.com[link])
        bias = bias + sign * end_bias(u, motions[link].acceleration, lever)
    column = minv.times(row)
    length = {f"{name}_length": [tendon_length(rows, tendon, points)]} if t.pgs else {}
    return length | {f"{name}_row": row, f"{name}_column": column, f"{name}_response": [inner(row, column)],
                     f"{name}_bias": [rows["dt"][0] * bias]}


def end_bias(u: sp.Vec3, acceleration: Motion, lever: sp.Vec3) -> Scalar:
    """Jdot v along u, of the point at `lever` from its link's centre of mass."""
    return sp.dot(u, acceleration.at(lever).linear)


def solve_spatial_tendon(t: Topology, rows: Rows, tendon: int, k: Kinematics, velocities: BranchVelocities,
                         out: dict[str, list[Scalar]]) -> None:
    """Change velocities by the tendon's impulse at the link poses `k`.

    With PGS these are those of the step's start, and totals are put into `out`.
    """
    name = f"spatial_tendon{tendon}"
    length = (rows[f"{name}_length"][0] if t.pgs else
              tendon_length(rows, tendon, attachment_points(t, rows, k, tendon)))
    rate = velocities.rate(rows[f"{name}_row"]) + rows[f"{name}_bias"][0]
    F = spatial_tendon_impulse(t, rows, tendon, length, rate, out)
    if t.tendon_impulses:
        out[f"{name}_impulse"] = [rows[f"{name}_impulse"][0] + F]
    velocities.add((rows[f"{name}_column"], F))


def spatial_tendon_impulse(t: Topology, rows: Rows, tendon: int, length: Scalar, rate: Scalar,
                           out: dict[str, list[Scalar]]) -> Scalar:
    """The impulse along a tendon of this length and rate; with PGS totals are put into `out`."""
    name, h = f"spatial_tendon{tendon}", rows["h"][0]
    # F = x (h k (L - L_rest) - a Ldot), x = 1 / (1 + a r), a = h (h k + d)
    # (DyFeatherstoneArticulation.cpp, solveInternalSpatialTendonConstraints)
    stiffness, damping, limit = (rows[f"{name}_{x}"][0] for x in ("stiffness", "damping", "limit_stiffness"))
    r = rows[f"{name}_response"][0]
    a = h * (h * stiffness + damping)
    x, x_limit = 1.0 / (1.0 + a * r), 1.0 / (1.0 + h * (h * limit + damping) * r)
    # F_limit = x_limit h k_limit violation, undamped
    violation = limit_violation(length, rows[f"{name}_lower_limit"][0], rows[f"{name}_upper_limit"][0])
    spring = x * (spring_impulse(stiffness, h, length - rows[f"{name}_rest_length"][0]) - a * rate)
    bound = spring_impulse(x_limit * limit, h, violation)
    if t.pgs:       # both compute their impulse of the whole step again
        total, total_bound = rows[f"{name}_total"][0], rows[f"{name}_limit_total"][0]
        spring, bound = spring - x * total, bound - x_limit * total_bound
        out[f"{name}_total"], out[f"{name}_limit_total"] = [total + spring], [total_bound + bound]
    return spring + bound
