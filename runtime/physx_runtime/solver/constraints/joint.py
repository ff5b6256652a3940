"""Constraints of an articulation's joints, dof by dof: coefficients at the step's start, and solution in an iteration.

`joint_coefficients` prepares them. `solve_dofs` solves all dofs, branch by branch, and `solve_constraints` those of
one dof: drive, friction, limit, maximum velocity (PhysX DyFeatherstoneArticulation.cpp,
solveInternalJointConstraintRecursive).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from physx_runtime.dynamics.inverse_mass import InverseMass
from physx_runtime.dynamics.kinematics import Kinematics, LinkMotion
from physx_runtime.language.ops import Rows, Scalar
from physx_runtime.model.topology import Topology
from physx_runtime.solver.constraints.branch_velocities import BLOCK_SIZE, BranchVelocities
from physx_runtime.solver.constraints.drive import DRIVE_ROWS, drive_coefficients, solve_drive
from physx_runtime.solver.constraints.limit import (
    SolvedDof,
    limit_trigger,
    solve_friction,
    solve_limit,
    solve_load_friction,
    solve_max_velocity,
)
from physx_runtime.solver.constraints.softening import displacement_start, joint_cfm, joint_displacement, velocity_bias


def joint_coefficients(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion], minv: InverseMass,
                       loads: Sequence[Scalar]) -> dict[str, list[Scalar]]:
    """Coefficients of the constraints of all dofs; loads: of every link's joint, for load-dependent friction."""
    out: dict[str, list[Scalar]] = {}
    for dof, features in enumerate(t.dofs):
        # r = (M^-1)_ii, soft = 1 / (r + cfm)  (DyFeatherstoneArticulation.cpp, setupInternalConstraintsRecursive)
        r = minv.matrix[t.root_size + dof][t.root_size + dof]
        soft = 1.0 / (r + joint_cfm(t, rows, k, minv.matrix, dof)) if features.softened else 0.0
        load = loads[features.link] if features.load_friction else 0.0
        for name, values in dof_coefficients(t, rows, k, motions, dof, r, soft, load).items():
            out.setdefault(name, []).extend(values)
    if t.dofs:
        out["limit_trigger"] = [limit_trigger(rows, start) for start in out["lower_start"]]
    return out


def dof_coefficients(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion], dof: int, r: Scalar,
                     soft: Scalar, load: Scalar) -> dict[str, list[Scalar]]:
    """Coefficients of the constraints of one dof with response r and the load of its joint."""
    out = {"soft": [soft], "bias": [velocity_bias(t, rows, k, motions, dof)]}
    out["load_friction_impulse"] = [rows["load_friction"][dof] * load * rows["h"][0] if t.dofs[dof].load_friction
                                    else 0.0]
    out |= displacement_start(t, rows, k, motions, dof)
    out |= {f"{bound}_start": [rows[f"{bound}_limit"][dof] - rows["q"][dof]] for bound in ("lower", "upper")}
    names = DRIVE_ROWS if t.pgs else DRIVE_ROWS[:-1]
    drive = drive_coefficients(t, rows, dof, r, soft) if t.dofs[dof].drive else dict.fromkeys(names, 0.0)
    return out | {name: [drive[name]] for name in names}


def solve_dofs(t: Topology, rows: Rows, k: Kinematics, velocities: BranchVelocities, out: dict[str, list[Scalar]],
               final: bool) -> None:
    """Change velocities by all constraints of all dofs, in PhysX's order, branch by branch; totals go to `out`."""
    branches = velocities.branches
    # depth first, each dof on the velocities after those before it
    # (DyFeatherstoneArticulation.cpp, solveInternalJointConstraintRecursive)
    for branch, run in itertools.groupby(t.depth_first(), lambda dof: branches.branch_of[t.root_size + dof]):
        velocities.update(branch)
        indices = [t.root_size + dof for dof in run]
        for offset, i in enumerate(indices):
            first = offset - offset % BLOCK_SIZE
            velocities.apply_impulses(indices[first:first + BLOCK_SIZE])
            velocities.add_impulse(i, _solve_dof(t, rows, k, i - t.root_size, velocities.dv[i], out, final))
        velocities.finish_branch(branch)
    for branch in range(len(branches.velocities)):
        velocities.update(branch)


def _solve_dof(t: Topology, rows: Rows, k: Kinematics, dof: int, dv: Scalar, out: dict[str, list[Scalar]],
               final: bool) -> Scalar:
    """The impulse of all constraints of one dof, whose velocity has changed by dv."""
    index = t.root_size + dof
    # v = qd + dqd + bias
    joint = SolvedDof(rows["minv"][index * t.nv + index], rows["soft"][dof], rows["v"][index] + dv + rows["bias"][dof],
                      joint_displacement(t, rows, k, dof))
    solve_constraints(t, rows, dof, joint, out, final)
    return joint.impulse


def solve_constraints(t: Topology, rows: Rows, dof: int, joint: SolvedDof, out: dict[str, list[Scalar]],
                      final: bool) -> None:
    """All constraints of one dof, one after another: drive, friction, limit, maximum velocity."""
    # order of one dof  (DyFeatherstoneArticulation.cpp, solveInternalJointConstraintRecursive)
    features = t.dofs[dof]
    if features.load_friction:
        solve_load_friction(rows, dof, joint)
    if features.drive:
        out["drive_total"][dof] = solve_drive(t, rows, dof, joint, final)
    if features.friction:
        out["friction_total"][dof] = solve_friction(t, rows, dof, joint, final)
    if features.limit:
        solve_limit(rows, dof, joint, out, final)
    if features.max_velocity:
        solve_max_velocity(rows, dof, joint)
