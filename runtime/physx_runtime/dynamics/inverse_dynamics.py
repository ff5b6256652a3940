"""Inverse dynamics: the generalised force of a given acceleration (RBDA table 5.1)."""

from __future__ import annotations

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.kinematics import Kinematics, Row, Rows, Velocities, triple
from physx_runtime.dynamics.rnea import LinkForces, generalized_force, link_inertial_force, world_inertia
from physx_runtime.language.ops import Scalar
from physx_runtime.model.topology import TURNING, Topology


def inverse_dynamics(t: Topology, rows: Rows, k: Kinematics, velocity: Velocities, a: Row) -> list[Scalar]:
    """tau = M a + C(q, v) + g(q), with armature; a as v: root linear, root angular, then qdd."""
    extra = accelerations(t, k, a)
    forces = []
    for i, (force, torque) in enumerate(held_forces(t, rows, k, velocity)):
        alpha, linear = extra[i]
        forces.append((sp.add(force, sp.scale(rows["mass"][i], linear)),
                       sp.add(torque, sp.mul_sv(world_inertia(t, rows, k, i), alpha))))
    tau = generalized_force(t, k, forces)
    for dof, armature in enumerate(rows["armature"]):
        tau[t.root_size + dof] = tau[t.root_size + dof] + armature * a[t.root_size + dof]
    return tau


def held_forces(t: Topology, rows: Rows, k: Kinematics, velocity: Velocities) -> LinkForces:
    """Force and torque each link needs at zero generalised acceleration, its weight held."""
    return [held_force(t, rows, k, velocity, i) for i in range(len(t.links))]


def held_force(t: Topology, rows: Rows, k: Kinematics, velocity: Velocities, link: int) -> tuple[sp.Vec3, sp.Vec3]:
    """Force and torque one link needs at zero generalised acceleration, its weight held."""
    force, torque = link_inertial_force(t, rows, k, velocity, link)
    weight = sp.scale(rows["mass"][link] * rows["gravity_enabled"][link], triple(rows, "gravity", 0))
    return sp.sub(force, weight), torque


def accelerations(t: Topology, k: Kinematics, a: Row) -> list[tuple[sp.Vec3, sp.Vec3]]:
    """J a of every link: angular, and linear of the centre of mass."""
    out: list[tuple[sp.Vec3, sp.Vec3]] = []
    anchors: list[sp.Vec3] = []
    for i, link in enumerate(t.links):
        alpha, linear = sp.ZERO3, sp.ZERO3
        if link.parent >= 0:
            alpha = out[link.parent][0]
            linear = sp.add(anchors[link.parent], sp.cross(alpha, k.d[i]))
        elif not t.fixed_base:
            linear, alpha = (a[0], a[1], a[2]), (a[3], a[4], a[5])
        for dof in t.dofs_of(i):
            moved = sp.scale(a[t.root_size + dof], k.axes[dof])
            alpha, linear = (sp.add(alpha, moved), linear) if link.kind in TURNING else (alpha, sp.add(linear, moved))
        anchors.append(linear)
        out.append((alpha, sp.add(linear, sp.cross(alpha, k.com[i]))))
    return out
