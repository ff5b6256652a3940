"""The velocity of an articulation before constraints: gravity and efforts, damping, velocity products."""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.inverse_mass import InverseMass
from physx_runtime.dynamics.kinematics import Kinematics, LinkMotion
from physx_runtime.dynamics.linear import Matrix
from physx_runtime.dynamics.rnea import generalized_force, inertial_forces
from physx_runtime.dynamics.spatial import Force, triple
from physx_runtime.language.ops import Rows, Scalar
from physx_runtime.model.topology import Topology
from physx_runtime.solver.articulation.damping import damping_forces
from physx_runtime.solver.articulation.momentum import compound_body, momentum_of, momentum_rows, restored
from physx_runtime.solver.link_forces import external_forces, left_by


def free_acceleration(t: Topology, rows: Rows, k: Kinematics, minv: InverseMass) -> list[Scalar]:
    """M^-1 (gravity + link forces + effort).

    A floating base falls with all its links: only what a link's gravity differs by goes through M^-1, whose rounding
    would make the joints of a falling robot turn.
    """
    common = 0.0 if t.fixed_base else 1.0
    weights = [link_weight(rows, i, common) for i in range(len(t.links))]
    forces = generalized_force(t, k, external_forces(t, rows, k, weights))
    for dof, effort in enumerate(rows["joint_effort"]):
        forces[t.root_size + dof] = forces[t.root_size + dof] + effort
    out = minv.times(forces)
    return out if t.fixed_base else [*sp.add((out[0], out[1], out[2]), triple(rows, "gravity", 0)), *out[3:]]


def link_weight(rows: Rows, link: int, common: Scalar = 0.0) -> Force:
    """Weight of one link, reduced by its linear damping over the step; without `common` parts of it."""
    damped = left_by(rows["linear_damping"][link], rows["dt"][0])
    mass = rows["mass"][link] * (rows["gravity_enabled"][link] * damped - common)
    return Force(sp.ZERO3, sp.scale(mass, triple(rows, "gravity", 0)))


def apply_velocity_forces(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion], v: list[Scalar],
                          M: Matrix, minv: InverseMass) -> tuple[list[Scalar], dict[str, list[Scalar]]]:
    """v after link damping and velocity-product forces over the whole step; rows for the end of a floating step."""
    dt = rows["dt"][0]
    drag = minv.times(generalized_force(t, k, damping_forces(t, rows, k, motions)))
    fall = minv.times(generalized_force(t, k, inertial_forces(t, rows, k, motions)))
    damped = [a + dt * b for a, b in zip(v, drag, strict=True)]
    v = [a - dt * b for a, b in zip(damped, fall, strict=True)]
    if t.fixed_base:
        return v, {}
    floating = momentum_rows(t, rows, k, motions, M)
    before, after = momentum_of(t, floating, damped, biased=False), momentum_of(t, floating, v, biased=True)
    return restored(v, after, before, compound_body(t, rows, k)), floating
