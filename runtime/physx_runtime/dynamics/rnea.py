"""Inverse dynamics by the recursive Newton-Euler algorithm, and its parts (RBDA table 5.1).

Forces of links are about their centres of mass; the backward pass moves them to anchors. All axes are the world's.
"""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.inertia import central_force, central_inertia
from physx_runtime.dynamics.kinematics import Kinematics, LinkMotion, motion_subspace
from physx_runtime.dynamics.spatial import NO_MOTION, Force, Motion, linear_first, motion_of, triple
from physx_runtime.language.ops import Rows, Scalar, Scalars
from physx_runtime.model.topology import Topology


def inverse_dynamics(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion], a: Scalars) -> list[Scalar]:
    """tau = M a + C(q, v) + g(q), with armature; a as v: root linear, root angular, then qdd."""
    forces = []
    for i, acceleration in enumerate(link_accelerations(t, k, a)):
        # f_i = I_i (J qdd) + f_i at qdd = 0
        inertial = central_force(rows["mass"][i], central_inertia(t, rows, k, i), acceleration)
        forces.append(bias_force(t, rows, k, motions[i], i) + inertial)
    tau = generalized_force(t, k, forces)
    for dof, armature in enumerate(rows["armature"]):
        tau[t.root_size + dof] = tau[t.root_size + dof] + armature * a[t.root_size + dof]
    return tau


def link_accelerations(t: Topology, k: Kinematics, a: Scalars) -> list[Motion]:
    # a_i = a_parent at d_i + S_i qdd  (DyFeatherstoneInverseDynamic.cpp, inverseDynamic)
    """Forward pass: J a of every link at its centre of mass."""
    out: list[Motion] = []
    anchors: list[Motion] = []
    for i, link in enumerate(t.links):
        root = NO_MOTION if t.fixed_base else motion_of(a)
        anchor = anchors[link.parent].at(k.d[i]) if link.parent >= 0 else root
        for dof in t.dofs_of(i):                        # a_i = a_p + S_i qdd
            anchor = anchor + motion_subspace(t, k, dof) * a[t.root_size + dof]
        anchors.append(anchor)
        out.append(anchor.at(k.com[i]))
    return out


def generalized_force(t: Topology, k: Kinematics, forces: Sequence[Force]) -> list[Scalar]:
    """tau = sum J^T f over all links: root force and torque about its centre of mass, then one per dof."""
    f = branch_forces(t, k, forces)
    tau: list[Scalar] = [0.0] * t.nv
    for dof, features in enumerate(t.dofs):             # tau_i = S_i . f_i
        tau[t.root_size + dof] = f[features.link].dot(motion_subspace(t, k, dof))
    if not t.fixed_base:
        tau[0:6] = linear_first(f[0])
    return tau


def branch_forces(t: Topology, k: Kinematics, forces: Sequence[Force]) -> list[Force]:
    """Backward pass: of every link and all behind it together, about its anchor; f_p += f_i."""
    f = [force.about(k.com[i]) for i, force in enumerate(forces)]
    for i in range(len(t.links) - 1, 0, -1):
        parent = t.links[i].parent
        f[parent] = f[parent] + f[i].about(k.d[i])
    return f


def bias_forces(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion]) -> list[Force]:
    """What each link needs at zero generalised acceleration, its weight held."""
    return [bias_force(t, rows, k, motion, i) for i, motion in enumerate(motions)]


def bias_force(t: Topology, rows: Rows, k: Kinematics, motion: LinkMotion, link: int) -> Force:
    """What one link needs at zero generalised acceleration, its weight held."""
    # f = I a + v x* I v - m g  (DyFeatherstoneArticulation.cpp, computeZ)
    f = inertial_force(rows["mass"][link], central_inertia(t, rows, k, link), motion)
    weight = sp.scale(rows["mass"][link] * rows["gravity_enabled"][link], triple(rows, "gravity", 0))
    return Force(f.angular, sp.sub(f.linear, weight))


def inertial_forces(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion]) -> list[Force]:
    """What each link needs at zero generalised acceleration."""
    return [inertial_force(rows["mass"][i], central_inertia(t, rows, k, i), motion) for i, motion in enumerate(motions)]


def inertial_force(mass: Scalar, central: sp.Sym3, motion: LinkMotion) -> Force:
    """f = I a + v x* I v of one link about its centre of mass: m a, I alpha + w x I w (RBDA eq. 2.69-2.70)."""
    w, f = motion.velocity.angular, central_force(mass, central, motion.acceleration)
    return Force(sp.add(f.angular, sp.cross(w, sp.mul_sv(central, w))), f.linear)


def coriolis_force(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion]) -> list[Scalar]:
    """+C(q, v): the generalised force that holds the acceleration at zero without gravity."""
    # tau = sum J_i^T (I_i Jdot v + v x* I_i v)  (DyFeatherstoneInverseDynamic.cpp, getCoriolisAndCentrifugalForce)
    return generalized_force(t, k, inertial_forces(t, rows, k, motions))


def gravity_force(t: Topology, rows: Rows, k: Kinematics) -> list[Scalar]:
    """+dV/dq: the generalised force that holds the articulation still."""
    # tau = -sum J_i^T m_i g  (DyFeatherstoneInverseDynamic.cpp, getGeneralizedGravityForce)
    g = triple(rows, "gravity", 0)
    return generalized_force(t, k, [Force(sp.ZERO3, sp.scale(-(m * enabled), g))
                                    for m, enabled in zip(rows["mass"], rows["gravity_enabled"], strict=True)])
