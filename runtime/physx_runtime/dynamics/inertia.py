"""Inertia of rigid bodies: of one link, and of links frozen into one body (RBDA section 2.13)."""

from __future__ import annotations

from dataclasses import dataclass

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.kinematics import Kinematics
from physx_runtime.dynamics.linear import Matrix
from physx_runtime.dynamics.spatial import Force, Motion
from physx_runtime.language.ops import Rows, Scalar
from physx_runtime.model.topology import Topology


@dataclass(slots=True)
class RigidInertia:
    """I = [[I_o, h x], [-h x, m 1]] of a rigid body about a point o, world axes (RBDA eq. 2.63)."""

    mass: Scalar        # m
    moment: sp.Vec3     # h, mass times the way from o to the centre of mass
    rotational: sp.Sym3     # I_o

    def force(self, a: Motion) -> Force:
        """I a: what accelerates the body so; or its momentum at a velocity."""
        return Force(sp.add(sp.mul_sv(self.rotational, a.angular), sp.cross(self.moment, a.linear)),
                     sp.add(sp.scale(self.mass, a.linear), sp.cross(a.angular, self.moment)))

    def combine(self, child: RigidInertia, d: sp.Vec3) -> RigidInertia:
        """Together with another body, whose inertia is about the point `d` away."""
        # h' = h_a + h_b + m d, I_o' = I_a + I_b + 2 (h . d) 1 - h d^T - d h^T + m (d . d 1 - d d^T)
        m = child.mass
        shifted = sp.parallel_axis(sp.add(child.moment, sp.scale(0.5 * m, d)), d)
        return RigidInertia(self.mass + m, sp.add(self.moment, sp.add(child.moment, sp.scale(m, d))),
                            sp.add_sym(self.rotational, sp.add_sym(child.rotational, shifted)))

    def linear_first(self) -> Matrix:
        """The 6 x 6 matrix [[m 1, -h x], [h x, I_o]] in the order of rows."""
        mass, h = self.mass, self.moment
        xx, yy, zz, xy, xz, yz = self.rotational
        return [[mass, 0.0, 0.0, 0.0, h[2], -h[1]],
                [0.0, mass, 0.0, -h[2], 0.0, h[0]],
                [0.0, 0.0, mass, h[1], -h[0], 0.0],
                [0.0, -h[2], h[1], xx, xy, xz],
                [h[2], 0.0, -h[0], xy, yy, yz],
                [-h[1], h[0], 0.0, xz, yz, zz]]


def link_inertia(t: Topology, rows: Rows, k: Kinematics, link: int) -> RigidInertia:
    """Of one link about its anchor."""
    return about_anchor(rows["mass"][link], k.com[link], central_inertia(t, rows, k, link))


def about_anchor(mass: Scalar, com: sp.Vec3, central: sp.Sym3) -> RigidInertia:
    """Of one link about its anchor, from its moment of inertia about its centre of mass."""
    # I_o = I_c + m (c . c 1 - c c^T), h = m c
    moment = sp.scale(mass, com)
    return RigidInertia(mass, moment, sp.add_sym(central, sp.parallel_axis(sp.scale(0.5, moment), com)))


def central_inertia(t: Topology, rows: Rows, k: Kinematics, link: int) -> sp.Sym3:
    """A link's moment of inertia about its centre of mass, in world axes."""
    # I_world = R I R^T  (CmUtils.h, transformInertiaTensor)
    s = rows["inertia"][6 * link:6 * link + 6]
    return sp.rotate_sym(k.R[link], (s[0], s[1], s[2], s[3], s[4], s[5]))


def central_force(mass: Scalar, central: sp.Sym3, motion: Motion) -> Force:
    """I v of a motion given at the centre of mass: momentum of a velocity, force of an acceleration from rest."""
    return Force(sp.mul_sv(central, motion.angular), sp.scale(mass, motion.linear))
