"""Forces and torques on links from outside: those set by row, and those that PhysxForceAPI authors.

They act as gravity does, in every position iteration or once a step, reduced by the link's damping over the step
(DyFeatherstoneForwardDynamic.cpp, computeZ; measured, see docs/physx_semantics.md, forces).
"""

from __future__ import annotations

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.kinematics import Kinematics, Rows, triple
from physx_runtime.dynamics.rnea import LinkForces, world_inertia
from physx_runtime.language.ops import Scalar, maximum
from physx_runtime.model.topology import Topology


def external_forces(t: Topology, rows: Rows, k: Kinematics, weights: LinkForces) -> LinkForces:
    """Force and torque about the centre of mass on every link: its weight, and what pushes it; world axes."""
    if not t.pushed:
        return weights
    forces = applied(t, rows, k)
    return [_sum(weight, _damped(rows, i, forces[i])) for i, weight in enumerate(weights)]


def applied(t: Topology, rows: Rows, k: Kinematics) -> list[tuple[sp.Vec3, sp.Vec3]]:
    """What pushes every link, about its centre of mass; world axes."""
    forces = [applied_force(t, rows, i) for i in range(len(t.links))]
    for i, push in enumerate(t.pushes):
        forces[push.link] = _sum(forces[push.link], pushed(t, rows, k, i))
    return forces


def applied_force(t: Topology, rows: Rows, link: int) -> tuple[sp.Vec3, sp.Vec3]:
    """The rows link_force and link_torque of a link."""
    if not t.link_forces:
        return sp.ZERO3, sp.ZERO3
    return triple(rows, "link_force", link), triple(rows, "link_torque", link)


def pushed(t: Topology, rows: Rows, k: Kinematics, index: int) -> tuple[sp.Vec3, sp.Vec3]:
    """Force and torque of one authored push about its link's centre of mass.

    An acceleration counts times mass and inertia; away from the centre of mass its force turns the link as well.
    """
    push = t.pushes[index]
    link, R = push.link, k.R[push.link]
    force, torque = triple(rows, f"push{index}_force", 0), triple(rows, f"push{index}_torque", 0)
    if not push.world:
        force, torque = sp.mul_mv(R, force), sp.mul_mv(R, torque)
    if push.acceleration:
        force = sp.scale(rows["mass"][link], force)
        torque = sp.mul_sv(world_inertia(t, rows, k, link), torque)
    if not push.central:
        arm = sp.sub(sp.mul_mv(R, triple(rows, f"push{index}_point", 0)), k.com[link])
        torque = sp.add(torque, sp.cross(arm, force))
    return force, torque


def _sum(a: tuple[sp.Vec3, sp.Vec3], b: tuple[sp.Vec3, sp.Vec3]) -> tuple[sp.Vec3, sp.Vec3]:
    return sp.add(a[0], b[0]), sp.add(a[1], b[1])


def _damped(rows: Rows, link: int, force: tuple[sp.Vec3, sp.Vec3]) -> tuple[sp.Vec3, sp.Vec3]:
    """What the link's damping leaves of a force and torque over the step."""
    dt = rows["dt"][0]
    return (sp.scale(left_by(rows["linear_damping"][link], dt), force[0]),
            sp.scale(left_by(rows["angular_damping"][link], dt), force[1]))


def left_by(damping: Scalar, dt: Scalar) -> Scalar:
    """The part that damping leaves over the step; none beyond 1/dt."""
    return maximum(1.0 - damping * dt, 0.0)


def any_force(t: Topology, rows: Rows) -> Scalar:
    """Size of all link forces and pushes together: above 0 where something pushes."""
    total: Scalar = 0.0
    names = [name for name in ("link_force", "link_torque") if t.link_forces]
    names += [f"push{i}_{name}" for i in range(len(t.pushes)) for name in ("force", "torque")]
    for name in names:
        for x in rows[name]:
            total = total + abs(x)
    return total
