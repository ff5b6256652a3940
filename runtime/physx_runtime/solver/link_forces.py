"""Forces and torques on links and bodies from outside: those set by row, and those that PhysxForceAPI authors.

They act as gravity does, in every position iteration or once a step, reduced by the link's damping over the step
(DyFeatherstoneForwardDynamic.cpp, computeZ; measured, see docs/physx_semantics.md, forces).
"""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.inertia import central_inertia
from physx_runtime.dynamics.kinematics import Kinematics
from physx_runtime.dynamics.spatial import NO_FORCE, Force, triple
from physx_runtime.language.ops import Rows, Scalar, maximum
from physx_runtime.model.topology import ActorTopology, PushTopology, Topology


def external_forces(t: Topology, rows: Rows, k: Kinematics, weights: Sequence[Force]) -> Sequence[Force]:
    """The force on every link about its centre of mass: its weight, and what pushes it; world axes."""
    if not t.pushed:
        return weights
    forces = applied(t, rows, k)
    return [weight + _damped(rows, i, forces[i]) for i, weight in enumerate(weights)]


def applied(t: Topology, rows: Rows, k: Kinematics) -> list[Force]:
    """What pushes every link, about its centre of mass; world axes."""
    forces = [applied_force(t, rows, i) for i in range(len(t.links))]
    for i, push in enumerate(t.pushes):
        inertia = central_inertia(t, rows, k, push.link)
        forces[push.link] = forces[push.link] + pushed_by(push, rows, i, k.R[push.link], k.com[push.link], inertia)
    return forces


def applied_force(t: ActorTopology, rows: Rows, link: int) -> Force:
    """The rows link_force and link_torque of a link."""
    return Force(triple(rows, "link_torque", link), triple(rows, "link_force", link)) if t.link_forces else NO_FORCE


def pushed_by(push: PushTopology, rows: Rows, index: int, R: sp.Mat3, com: sp.Vec3, central: sp.Sym3) -> Force:
    """The force of the authored push with this index about its link's centre of mass.

    R, com, central: rotation of the link's F, its centre of mass from the origin of F, and its inertia; world axes. An
    acceleration counts times mass and inertia; away from the centre of mass its force turns the link as well.
    """
    force, torque = triple(rows, f"push{index}_force", 0), triple(rows, f"push{index}_torque", 0)
    if not push.world:
        force, torque = sp.mul_mv(R, force), sp.mul_mv(R, torque)
    if push.acceleration:
        force = sp.scale(rows["mass"][push.link], force)
        torque = sp.mul_sv(central, torque)
    if not push.central:
        arm = sp.sub(sp.mul_mv(R, triple(rows, f"push{index}_point", 0)), com)
        torque = sp.add(torque, sp.cross(arm, force))
    return Force(torque, force)


def _damped(rows: Rows, link: int, force: Force) -> Force:
    """What the link's damping leaves of a force over the step."""
    dt = rows["dt"][0]
    return Force(sp.scale(left_by(rows["angular_damping"][link], dt), force.angular),
                 sp.scale(left_by(rows["linear_damping"][link], dt), force.linear))


def left_by(damping: Scalar, dt: Scalar) -> Scalar:
    """The part that damping leaves over the step; none beyond 1/dt."""
    return maximum(1.0 - damping * dt, 0.0)


def any_force(t: ActorTopology, rows: Rows) -> Scalar:
    """Size of all link forces and pushes together: above 0 where something pushes."""
    total: Scalar = 0.0
    names = [name for name in ("link_force", "link_torque") if t.link_forces]
    names += [f"push{i}_{name}" for i in range(len(t.pushes)) for name in ("force", "torque")]
    for name in names:
        for x in rows[name]:
            total = total + abs(x)
    return total
