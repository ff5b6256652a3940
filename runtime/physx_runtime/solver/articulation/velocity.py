"""Velocities of an articulation: before constraints, damped, clamped, and as PhysX reports them.

`clamp_start` scales joint velocities below their maxima before a step. `free_acceleration` is M^-1 (J^T f + tau).
`damping_forces` and `apply_velocity_forces` apply damping, maximum link velocities and velocity products.
`wrap_position` wraps revolute joints at the end of a step. `solver_link_velocities` are the link velocities that PhysX
reports for a fixed base after a step. Those of a floating base belong to its new pose.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.inertia import central_inertia
from physx_runtime.dynamics.inverse_mass import InverseMass
from physx_runtime.dynamics.kinematics import Kinematics, LinkMotion, link_motions, state_kinematics
from physx_runtime.dynamics.linear import Matrix
from physx_runtime.dynamics.rnea import generalized_force, inertial_forces
from physx_runtime.dynamics.spatial import Force, Motion, triple
from physx_runtime.language.ops import Rows, Scalar, Scalars, clamp, maximum, minimum, where
from physx_runtime.model.topology import REVOLUTE, Topology
from physx_runtime.solver.articulation.momentum import compound_body, momentum_of, momentum_rows, restore_momentum
from physx_runtime.solver.response import damping_factor, external_forces


def clamp_start(t: Topology, rows: Rows) -> list[Scalar]:
    """v with all joint velocities scaled by one ratio, so that none exceeds its start-of-step maximum."""
    v = list(rows["v"])
    # qd *= min(1, min_i max_i / |qd_i|): one ratio for all  (DyFeatherstoneArticulation.cpp, computeLinkStates)
    excess: Scalar = 1.0
    for dof, max_velocity in enumerate(rows["velocity_clamp"]):
        excess = larger_excess(excess, v[t.root_size + dof], max_velocity)
    return v[:t.root_size] + [clamped_velocity(x, excess) for x in v[t.root_size:]]


def larger_excess(excess: Scalar, v: Scalar, max_velocity: Scalar) -> Scalar:
    """The larger of `excess` and a joint velocity's ratio to its maximum."""
    return maximum(excess, abs(v) / max_velocity)


def clamped_velocity(v: Scalar, excess: Scalar) -> Scalar:
    """A joint velocity after the clamp, by the largest ratio of all."""
    return v * (1.0 / excess)


def solver_link_velocities(t: Topology, start: Rows, v: Scalars) -> list[Motion]:
    """J(q0) v + dt Jdot(q0) v0 at the centres of mass: of the state before the step, not of the new pose.

    start: rows of that state, parameters and dt; v: generalised velocity after the step. Measured against recorded link
    velocities to 2e-6, see docs/reference/physx/step.md.
    """
    # v_link = J(q0) v + dt Jdot(q0) v0
    k, dt = state_kinematics(t, start), start["dt"][0]
    first, last = link_motions(t, k, clamp_start(t, start)), link_motions(t, k, v)
    return [after.velocity + before.acceleration * dt for before, after in zip(first, last, strict=True)]


TWO_PI = 2.0 * math.pi
UNLIMITED_RANGE = 1e30      # rad, larger than any range of limits


def wrap_position(t: Topology, rows: Rows, dof: int, q: Scalar) -> Scalar:
    """The position of a joint's dof at the end of a step."""
    if t.kind_of(dof) != REVOLUTE:
        return q
    if not t.dofs[dof].limit:
        return wrap_revolute(q, -math.inf, math.inf)
    return wrap_revolute(q, rows["lower_limit"][dof], rows["upper_limit"][dof])


def wrap_revolute(q: Scalar, lower: Scalar, upper: Scalar) -> Scalar:
    """A revolute joint's position, moved back by two turns once it passes one turn; limited joints keep it."""
    # q -= 4 pi where q > 2 pi, q += 4 pi where q < -2 pi
    # (DyFeatherstoneForwardDynamic.cpp, computeAndEnforceJointPositions)
    two_turns = 2.0 * TWO_PI
    result = clamp(where(q > TWO_PI, q - two_turns, where(q < -TWO_PI, q + two_turns, q)), -two_turns, two_turns)
    return where(upper - lower < UNLIMITED_RANGE, q, result)


def damping_forces(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion]) -> list[Force]:
    """Link damping; its rates are capped at 1/dt."""
    return [damping_force(rows, i, central_inertia(t, rows, k, i), motion.velocity) for i, motion in enumerate(motions)]


def damping_force(rows: Rows, link: int, central: sp.Sym3, velocity: Motion) -> Force:
    """The damping force on one link, about its centre of mass."""
    # f = -c m v, n = -c I w  (DyFeatherstoneArticulation.cpp, computeLinkStates)
    v, w = velocity.linear, velocity.angular
    inverse_dt = 1.0 / rows["dt"][0]
    linear = _damping_rate(rows["linear_damping"][link], v, rows["max_linear_velocity"][link], inverse_dt)
    angular = _damping_rate(rows["angular_damping"][link], w, rows["max_angular_velocity"][link], inverse_dt)
    return Force(sp.scale(-angular, sp.mul_sv(central, w)), sp.scale(-(linear * rows["mass"][link]), v))


def _damping_rate(damping: Scalar, velocity: sp.Vec3, max_velocity: Scalar, inverse_dt: Scalar) -> Scalar:
    """Damping rate of a link; above its maximum velocity it is raised to return to that within the step."""
    speed = sp.norm(velocity)
    # c = min(damping, 1 / dt) + (1 - v_max / |v|) / dt
    excess = where(speed > max_velocity, (1.0 - max_velocity / maximum(speed, 1e-30)) * inverse_dt, 0.0)
    return minimum(damping, inverse_dt) + excess


def free_acceleration(t: Topology, rows: Rows, k: Kinematics, minv: InverseMass) -> list[Scalar]:
    """M^-1 (gravity + link forces + effort).

    A floating base falls with all its links. Only differences of gravity go through M^-1, whose rounding would turn the
    joints of a falling robot.
    """
    # a = g + M^-1 (J^T (f + m (g_i - g)) + tau) of a floating base, M^-1 (J^T (f + m g_i) + tau) of a fixed one
    # (DyFeatherstoneForwardDynamic.cpp, computeUnconstrainedVelocitiesTGS)
    common = 0.0 if t.fixed_base else 1.0
    weights = [link_weight(rows, i, common) for i in range(len(t.links))]
    forces = generalized_force(t, k, external_forces(t, rows, k, weights))
    for dof, effort in enumerate(rows["joint_effort"]):
        forces[t.root_size + dof] = forces[t.root_size + dof] + effort
    out = minv.times(forces)
    return out if t.fixed_base else [*sp.add((out[0], out[1], out[2]), triple(rows, "gravity", 0)), *out[3:]]


def link_weight(rows: Rows, link: int, common: Scalar = 0.0) -> Force:
    """Weight of one link, reduced by its linear damping over the step; without `common` parts of it."""
    # f = m (enabled max(1 - damping dt, 0) - common) g
    factor = damping_factor(rows["linear_damping"][link], rows["dt"][0])
    mass = rows["mass"][link] * (rows["gravity_enabled"][link] * factor - common)
    return Force(sp.ZERO3, sp.scale(mass, triple(rows, "gravity", 0)))


def apply_velocity_forces(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion], v: list[Scalar],
                          M: Matrix, minv: InverseMass) -> tuple[list[Scalar], dict[str, list[Scalar]]]:
    """v after link damping and velocity-product forces over the whole step; rows for the end of a floating step."""
    # v += dt M^-1 J^T f_drag - dt M^-1 C(q, v)
    # (DyFeatherstoneForwardDynamic.cpp, computeLinkInternalAcceleration)
    dt = rows["dt"][0]
    drag = minv.times(generalized_force(t, k, damping_forces(t, rows, k, motions)))
    coriolis = minv.times(generalized_force(t, k, inertial_forces(t, rows, k, motions)))
    damped = [a + dt * b for a, b in zip(v, drag, strict=True)]
    v = [a - dt * b for a, b in zip(damped, coriolis, strict=True)]
    if t.fixed_base:
        return v, {}
    # the change of momentum by C(q, v) is taken back
    floating = momentum_rows(t, rows, k, motions, M)
    before, after = momentum_of(t, floating, damped, biased=False), momentum_of(t, floating, v, biased=True)
    return restore_momentum(v, after, before, compound_body(t, rows, k)), floating
