"""One step of an articulation: start, position iterations, velocity iterations and end (PhysX TGS or PGS).

`begin`, `solve`, `move` and `finish` map rows (name -> scalars) to the rows that they make or change. Called on floats
they are the float64 reference; traced they become kernels. TGS moves in every position iteration, for its part of the
time. Each PGS iteration covers the whole step, and PGS moves once, with the velocity of the last position iteration.

`joint_loads` is the force of each joint for load-dependent friction in PhysX 5.3.1 (DyFeatherstoneForwardDynamic.cpp,
computeJointTransmittedFrictionForce). There the size of force and torque together is the sum of both sizes.

Sources: DyFeatherstoneArticulation.cpp, DyTGSDynamics.cpp and DySolverCore.cpp; measured against ovphysx, see
docs/reference/physx/step.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.crba import mass_matrix, with_armature
from physx_runtime.dynamics.inertia import central_force, central_inertia
from physx_runtime.dynamics.inverse_mass import InverseMass, branches_of, inverse_mass
from physx_runtime.dynamics.kinematics import (
    Kinematics,
    LinkMotion,
    forward_kinematics,
    link_motions,
    spherical_positions,
    state_kinematics,
)
from physx_runtime.dynamics.linear import plus
from physx_runtime.dynamics.rnea import branch_forces, generalized_force, inertial_forces, link_accelerations
from physx_runtime.dynamics.spatial import Force, quaternion
from physx_runtime.language.ops import Rows, Scalar
from physx_runtime.model.row_specs import accumulated_impulse_rows
from physx_runtime.model.topology import SPHERICAL, Topology
from physx_runtime.solver.articulation.momentum import finish_floating
from physx_runtime.solver.articulation.response import move_root
from physx_runtime.solver.articulation.spherical import move_spherical_links
from physx_runtime.solver.articulation.velocity import (
    apply_velocity_forces,
    clamp_start,
    damping_forces,
    free_acceleration,
    link_weight,
    wrap_position,
)
from physx_runtime.solver.constraints.branch_velocities import BranchVelocities
from physx_runtime.solver.constraints.fixed_tendon import solve_fixed_tendon, tendon_rows
from physx_runtime.solver.constraints.joint import joint_coefficients, solve_dofs
from physx_runtime.solver.constraints.mimic import mimic_column, solve_mimic
from physx_runtime.solver.constraints.spatial_tendon import solve_spatial_tendon, tendon_axes
from physx_runtime.solver.response import external_forces


def joint_loads(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion], acceleration: Sequence[Scalar],
                minv: InverseMass) -> list[Scalar]:
    """Size of the load of every link's joint; acceleration: of `free_acceleration`."""
    # f_i = I a_i + v x* I v - f_ext - f_drag, summed from the leaves
    # (DyFeatherstoneForwardDynamic.cpp, computeJointTransmittedFrictionForce)
    needed, drag = inertial_forces(t, rows, k, motions), damping_forces(t, rows, k, motions)
    velocity_acceleration = minv.times(generalized_force(t, k, [a - b for a, b in zip(drag, needed, strict=True)]))
    free = link_accelerations(t, k, [a + b for a, b in zip(acceleration, velocity_acceleration, strict=True)])
    external = external_forces(t, rows, k, [link_weight(rows, i) for i in range(len(t.links))])
    forces = [need + central_force(rows["mass"][i], central_inertia(t, rows, k, i), free[i]) - external[i] - drag[i]
              for i, need in enumerate(needed)]
    return [load_size(force.at(k.com[i])) for i, force in enumerate(branch_forces(t, k, forces))]


def load_size(force: Force) -> Scalar:
    """Size of a force and of its torque, added."""
    return sp.norm(force.linear) + sp.norm(force.angular)


def begin(t: Topology, rows: Rows) -> dict[str, list[Scalar]]:
    """Everything computed once at the step's start: the free velocity, M^-1 and the constraints' coefficients."""
    # v += dt M^-1 (J^T f + tau), v += dt M^-1 (J^T f_drag - C(q, v))
    # (DyFeatherstoneForwardDynamic.cpp, computeUnconstrainedVelocitiesTGS)
    v = clamp_start(t, rows)
    k = state_kinematics(t, rows)
    motions = link_motions(t, k, v)
    M = with_armature(t, rows, mass_matrix(t, rows, k))
    minv = inverse_mass(t, M)

    acceleration = free_acceleration(t, rows, k, minv)
    if not t.forces_every_iteration:
        v = [a + rows["dt"][0] * b for a, b in zip(v, acceleration, strict=True)]
    loads = joint_loads(t, rows, k, motions, acceleration, minv) if t.has_load_friction else []
    v, momentum = apply_velocity_forces(t, rows, k, motions, v, M, minv)

    out: dict[str, list[Scalar]] = momentum | {"v": v, "q": list(rows["q"]), "root_rotation": list(k.rotation[0]),
                                               "root_position": list(rows["root_position"]), "iteration": [0.0]}
    # h a acts in every position iteration  (DyFeatherstoneArticulation.cpp, applyTgsSubstepForces)
    out["force_delta_v"] = [rows["h"][0] * x for x in acceleration]
    out |= {"minv": [x for line in minv.matrix for x in line], "minv_factor": [x for line in minv.factor for x in line]}
    out |= _constraint_rows(t, rows, k, motions, minv, loads)
    return out | _moving_rows(t, rows, k, motions, v)


def _constraint_rows(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion],
                     minv: InverseMass, loads: Sequence[Scalar]) -> dict[str, list[Scalar]]:
    """Coefficients of all constraints, and their impulses, which are 0."""
    # J, J M^-1 and 1 / (J M^-1 J^T + cfm) of every row
    # (DyFeatherstoneArticulation.cpp, setupInternalConstraintsRecursive)
    out = joint_coefficients(t, rows, k, motions, minv, loads)
    for i in range(len(t.spatial_tendons)):
        out |= tendon_axes(t, rows, k, motions, minv, i)
    for i in range(len(t.fixed_tendons)):
        out |= tendon_rows(t, rows, k, motions, minv, i)
    for i in range(len(t.mimics)):
        out |= mimic_column(t, rows, minv, i)
    return out | {name: [0.0] * size for name, size in accumulated_impulse_rows(t).items()}


def _moving_rows(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion],
                 v: list[Scalar]) -> dict[str, list[Scalar]]:
    """State of substeps besides q: displacements, rotations of the root's axes and of links with spherical joints."""
    out: dict[str, list[Scalar]] = {"displacement": [0.0] * len(t.dofs)}
    if t.pgs:
        out["v_moving"] = v
    if not t.fixed_base:
        out["axes_rotation"] = list(sp.mul_quat(k.rotation[0], quaternion(rows, "root_axes", 0)))
    if t.spherical_links:
        out["spherical_rotation"] = [x for link in t.spherical_links for x in k.rotation[link]]
        # part of link velocities besides J v: dt Jdot v
        out["spherical_spin"] = [rows["dt"][0] * x for link in t.spherical_links
                                 for x in motions[link].acceleration.angular]
    return out


def solve(t: Topology, rows: Rows, final: bool) -> dict[str, list[Scalar]]:
    """The velocity after the forces and constraints of one iteration, with `final` without forces and position bias.

    Constraints add to the change `dv` of this iteration, which reaches v at its end: one rounding, as in PhysX.
    """
    q = list(rows["q"])
    applies_forces = t.forces_every_iteration and not final
    # dv = h a + M^-1 J^T F, F the impulses of this iteration
    dv = list(rows["force_delta_v"]) if applies_forces else [0.0] * t.nv
    spherical = rows["spherical_rotation"] if t.spherical_links else ()
    k = forward_kinematics(t, rows, q, quaternion(rows, "root_rotation", 0), spherical)
    if not t.pgs:
        q, _ = spherical_positions(t, rows, k, q)
    changed = (*accumulated_impulse_rows(t), *(("limit_trigger",) if t.dofs else ()))
    out: dict[str, list[Scalar]] = {name: list(rows[name]) for name in changed}
    velocities = BranchVelocities(branches_of(t), rows, dv)
    # order: spatial tendons, fixed tendons, mimic joints, then drive, friction and limits dof by dof
    # (DyFeatherstoneArticulation.cpp, solveInternalConstraints)
    for i in range(len(t.spatial_tendons)):
        solve_spatial_tendon(t, rows, i, k, velocities, out)
    for i in range(len(t.fixed_tendons)):
        solve_fixed_tendon(t, rows, i, q, velocities, out)
    for i in range(len(t.mimics)):
        solve_mimic(t, rows, i, q, velocities, final)
    solve_dofs(t, rows, k, velocities, out, final)
    return out | {"v": plus(rows["v"], velocities.dv)}


def move(t: Topology, rows: Rows, v: Sequence[Scalar]) -> dict[str, list[Scalar]]:
    """The motion of one position iteration at the velocity v; PGS stores v for the end of the step."""
    if t.pgs:
        return {"v_moving": list(v)}
    return _advance(t, rows, v) | {"iteration": [rows["iteration"][0] + 1.0]}


def _advance(t: Topology, rows: Rows, v: Sequence[Scalar]) -> dict[str, list[Scalar]]:
    """Positions and displacements after the time h at the velocity v."""
    # q += h qd; a spherical joint turns by its link's angular velocity instead
    # (DyFeatherstoneForwardDynamic.cpp, computeAndEnforceJointPositions)
    displacement = [rows["h"][0] * x for x in v[t.root_size:]]
    out = {"q": [x if t.kind_of(dof) == SPHERICAL else x + displacement[dof] for dof, x in enumerate(rows["q"])],
           "displacement": [x + displacement[dof] for dof, x in enumerate(rows["displacement"])]}
    out |= move_spherical_links(t, rows, v) if t.spherical_links else {}
    return out if t.fixed_base else out | move_root(rows, v)


def finish(t: Topology, rows: Rows) -> dict[str, list[Scalar]]:
    """The end of a step: motion with PGS, wrapped joint positions, momentum of a floating base."""
    advanced = _advance(t, rows, list(rows["v_moving"])) if t.pgs else {}
    rows = {**rows, **advanced}
    out = advanced | {"q": [wrap_position(t, rows, dof, x) for dof, x in enumerate(rows["q"])]}
    # q of a spherical joint is read off the poses  (DyFeatherstoneForwardDynamic.cpp, computeSphericalJointPositions)
    if t.spherical_links or not t.fixed_base:
        spherical = [x for i in range(len(t.spherical_links))
                     for x in sp.normalized(quaternion(rows, "spherical_rotation", i))]
        k = state_kinematics(t, rows, spherical)
        out["q"], locked = spherical_positions(t, rows, k, out["q"])
        out |= {"locked": locked} if locked else {}
    if not t.fixed_base:
        out |= finish_floating(t, rows, k)
    return out
