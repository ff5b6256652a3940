"""Mimic joints: q_follower + gearing q_reference + offset = 0, hard or compliant (PhysX PxArticulationMimicJoint).

`mimic_column` and `mimic_coefficients` prepare the constraint, `solve_mimic` and `mimic_impulse` solve it.
"""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.dynamics.inverse_mass import InverseMass, branches_of
from physx_runtime.dynamics.linear import inner
from physx_runtime.language.ops import Rows, Scalar, where
from physx_runtime.model.topology import Topology
from physx_runtime.solver.constraints.branch_velocities import BranchVelocities


def mimic_column(t: Topology, rows: Rows, minv: InverseMass, mimic: int) -> dict[str, list[Scalar]]:
    """Response of a mimic joint, within a branch also its y, and its bias factor and scaling per impulse.

    Hard where naturalFrequency or dampingRatio is not positive; else kp = nf^2/r, kd = 2 nf dr/r,
    erp = h kp/(h kp + kd) and cfm = 1/(h (h kp + kd)).
    """
    # J = e_follower + gearing e_reference, r = J M^-1 J^T
    # (DyArticulationMimicJoint.cpp, setupInternalMimicJointConstraints)
    follower, reference = t.mimics[mimic]
    row: list[Scalar] = [0.0] * t.nv
    row[t.root_size + follower] = 1.0
    row[t.root_size + reference] = rows[f"mimic{mimic}_gearing"][0]
    column = minv.times(row)
    branch = mimic_branch(t, mimic)
    y = [] if branch is None else branches_of(t).in_trunk(branch, minv.half_solve(row))
    return ({f"mimic{mimic}_column": column, f"mimic{mimic}_y": y}
            | mimic_coefficients(rows, mimic, inner(row, column)))


def mimic_branch(t: Topology, mimic: int) -> int | None:
    """The branch that contains both the follower and the reference of a mimic joint."""
    return branches_of(t).branch_containing(t.root_size + dof for dof in t.mimics[mimic])


def mimic_coefficients(rows: Rows, mimic: int, r: Scalar) -> dict[str, list[Scalar]]:
    """Bias factor and scalings per impulse of a mimic joint with response r."""
    h = rows["h"][0]
    frequency, ratio = rows[f"mimic{mimic}_natural_frequency"][0], rows[f"mimic{mimic}_damping_ratio"][0]
    soft = (frequency > 0.0) & (ratio > 0.0)
    frequency, ratio = where(soft, frequency, 1.0), where(soft, ratio, 1.0)
    # kp = nf^2 / r, kd = 2 nf dr / r, cfm = 1 / (h (h kp + kd)), erp = h kp / (h kp + kd)
    # (DyCpuGpuArticulation.h, computeMimicJointImpulses)
    kp, kd = frequency * frequency / r, 2.0 * frequency * ratio / r
    cfm = where(soft, 1.0 / (h * (h * kp + kd)), 0.0)
    erp = where(soft, h * kp / (h * kp + kd), rows["erp"][0])
    return {f"mimic{mimic}_scale": [1.0 / (r + cfm)], f"mimic{mimic}_hard_scale": [1.0 / r],
            f"mimic{mimic}_erp": [erp / h]}


def solve_mimic(t: Topology, rows: Rows, mimic: int, q: Sequence[Scalar], velocities: BranchVelocities,
                final: bool) -> None:
    """Change velocities by the mimic joint's impulse.

    A velocity iteration solves J v = 0 hard, without position error.
    """
    follower, reference = t.mimics[mimic]
    rates = velocities.current(t.root_size + follower), velocities.current(t.root_size + reference)
    impulse = -mimic_impulse(rows, mimic, (q[follower], q[reference]), rates, final)
    branch, column = mimic_branch(t, mimic), rows[f"mimic{mimic}_column"]
    if branch is None:
        velocities.add((column, impulse))
    else:
        velocities.add_within(branch, (column, rows[f"mimic{mimic}_y"], impulse))


def mimic_impulse(rows: Rows, mimic: int, q: tuple[Scalar, Scalar], v: tuple[Scalar, Scalar], final: bool) -> Scalar:
    """The impulse of a mimic joint at the positions and velocities of its follower and reference."""
    name = f"mimic{mimic}"
    # F = -(erp C / h + J v) / (r + cfm), C = q_A + gearing q_B + offset
    # (DyCpuGpuArticulation.h, computeMimicJointImpulses)
    gearing = rows[f"{name}_gearing"][0]
    rate = v[0] + gearing * v[1]
    if final:
        return rate * rows[f"{name}_hard_scale"][0]
    error = q[0] + gearing * q[1] + rows[f"{name}_offset"][0]
    return (rows[f"{name}_erp"][0] * error + rate) * rows[f"{name}_scale"][0]
