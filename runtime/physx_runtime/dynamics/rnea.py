"""Generalised forces of forces on links, and the Coriolis and gravity forces built from them (RBDA table 5.1)."""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.kinematics import Kinematics, Rows, Velocities, triple
from physx_runtime.language.ops import Scalar
from physx_runtime.model.topology import TURNING, Topology

# Force and torque about the centre of mass on each link.
LinkForces = Sequence[tuple[sp.Vec3, sp.Vec3]]


def generalized_force(t: Topology, k: Kinematics, forces: LinkForces) -> list[Scalar]:
    """tau = sum J^T f over all links: root force and torque about its centre of mass, then one per dof.

    The backward pass of RBDA table 5.1, every link's wrench moved to its parent's anchor.
    """
    f = [force for force, _ in forces]
    n = [sp.add(torque, sp.cross(k.com[i], force)) for i, (force, torque) in enumerate(forces)]
    tau: list[Scalar] = [0.0] * t.nv
    for i in range(len(t.links) - 1, 0, -1):
        parent = t.links[i].parent
        for dof in t.dofs_of(i):
            tau[t.root_size + dof] = sp.dot(k.axes[dof], n[i] if t.links[i].kind in TURNING else f[i])
        f[parent] = sp.add(f[parent], f[i])
        n[parent] = sp.add(n[parent], moved_torque(f[i], n[i], k.d[i]))
    if not t.fixed_base:
        tau[0:6] = [*f[0], *n[0]]
    return tau


def moved_torque(f: sp.Vec3, n: sp.Vec3, d: sp.Vec3) -> sp.Vec3:
    """The torque of a wrench about the point from which `d` leads to its own."""
    return sp.add(n, sp.cross(d, f))


def world_inertia(t: Topology, rows: Rows, k: Kinematics, link: int) -> sp.Sym3:
    """A link's moment of inertia about its centre of mass, in world axes."""
    s = rows["inertia"][6 * link:6 * link + 6]
    return sp.rotate_sym(k.R[link], (s[0], s[1], s[2], s[3], s[4], s[5]))


def inertial_forces(t: Topology, rows: Rows, k: Kinematics, velocity: Velocities) -> LinkForces:
    """Force and torque each link needs at zero generalised acceleration."""
    return [link_inertial_force(t, rows, k, velocity, i) for i in range(len(t.links))]


def link_inertial_force(t: Topology, rows: Rows, k: Kinematics, velocity: Velocities,
                        link: int) -> tuple[sp.Vec3, sp.Vec3]:
    """Force and torque one link needs at zero generalised acceleration: m a_com, I alpha + w x I w."""
    return inertial_force(rows["mass"][link], world_inertia(t, rows, k, link), velocity.w[link], velocity.alpha[link],
                          velocity.a_com[link])


def inertial_force(mass: Scalar, inertia: sp.Sym3, w: sp.Vec3, alpha: sp.Vec3,
                   a_com: sp.Vec3) -> tuple[sp.Vec3, sp.Vec3]:
    """Force and torque about its centre of mass that one link needs (RBDA eq. 2.69-2.70)."""
    return sp.scale(mass, a_com), sp.add(sp.mul_sv(inertia, alpha), sp.cross(w, sp.mul_sv(inertia, w)))


def coriolis_force(t: Topology, rows: Rows, k: Kinematics, velocity: Velocities) -> list[Scalar]:
    """+C(q, v): the generalised force that holds the acceleration at zero without gravity."""
    return generalized_force(t, k, inertial_forces(t, rows, k, velocity))


def gravity_force(t: Topology, rows: Rows, k: Kinematics) -> list[Scalar]:
    """+dV/dq: the generalised force that holds the articulation still."""
    g = triple(rows, "gravity", 0)
    return generalized_force(t, k, [(sp.scale(-(m * on), g), sp.ZERO3)
                                    for m, on in zip(rows["mass"], rows["gravity_enabled"], strict=True)])
