"""Articulated body algorithm (Featherstone 2008, chapter 7).

Forward dynamics by the articulated-body algorithm (RBDA table 7.1).

The velocity-product accelerations are taken out beforehand: each link's force at zero generalised acceleration is
known, and what is left is M a = tau - h, solved along the tree as impulses are (articulated.py).

Articulated bodies: how a tree answers impulses, link by link (RBDA chapter 7; a whole sweep costs O(n)).

Motions are given at a link's anchor, forces about it, in world axes. A joint with several degrees of freedom is a
series of joints with one each at one anchor, with nothing in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.inertia import RigidInertia, link_inertia
from physx_runtime.dynamics.kinematics import Kinematics, LinkMotion, motion_subspace
from physx_runtime.dynamics.linear import Matrix, inverse, solve_symmetric
from physx_runtime.dynamics.rnea import bias_force
from physx_runtime.dynamics.spatial import NO_MOTION, Force, Motion, force_of, linear_first, motion_of
from physx_runtime.language.ops import Rows, Scalar, Scalars
from physx_runtime.model.topology import Topology


@dataclass(frozen=True, slots=True)
class ArticulatedInertia:
    """I^A = [[angular, cross], [cross^T, linear]], symmetric: the force a motion of the articulated body needs."""

    angular: sp.Sym3
    cross: sp.Mat3
    linear: sp.Sym3

    @staticmethod
    def of(body: RigidInertia) -> ArticulatedInertia:
        """Of one link alone."""
        m, h = body.mass, body.moment
        cross = ((0.0, -h[2], h[1]), (h[2], 0.0, -h[0]), (-h[1], h[0], 0.0))
        return ArticulatedInertia(body.rotational, cross, (m, m, m, 0.0, 0.0, 0.0))

    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia:
        cross = tuple(sp.add(a, b) for a, b in zip(self.cross, other.cross, strict=True))
        return ArticulatedInertia(sp.add_sym(self.angular, other.angular), (cross[0], cross[1], cross[2]),
                                  sp.add_sym(self.linear, other.linear))

    def force(self, a: Motion) -> Force:
        """I^A a."""
        return Force(sp.add(sp.mul_mv(self.cross, a.linear), sp.mul_sv(self.angular, a.angular)),
                     sp.add(sp.mul_sv(self.linear, a.linear), sp.mul_mv(transpose(self.cross), a.angular)))

    def minus_outer(self, U: Force, K: Force) -> ArticulatedInertia:
        """I^A - U K^T of two parallel forces."""
        cross = tuple(sp.sub(row, sp.scale(n, K.linear)) for row, n in zip(self.cross, U.angular, strict=True))
        return ArticulatedInertia(_minus_outer(self.angular, U.angular, K.angular), (cross[0], cross[1], cross[2]),
                                  _minus_outer(self.linear, U.linear, K.linear))

    def about(self, d: sp.Vec3) -> ArticulatedInertia:
        """About the point from which `d` leads here."""
        # I' = X^T I X, X = [[1, 0], [-[d x], 1]]: C' = C + [d x] M  (DyFeatherstoneArticulation.cpp, translateInertia)
        shifted = tuple(sp.add(row, shift)
                        for row, shift in zip(self.cross, cross_times(d, full_matrix(self.linear)), strict=True))
        cross = (shifted[0], shifted[1], shifted[2])
        # angular - cross [d] + [d] cross'^T
        left, right = times_cross(self.cross, d), cross_times(d, transpose(cross))
        return ArticulatedInertia(sp.add_sym(self.angular, _difference_sym(right, left)), cross, self.linear)

    def linear_first(self) -> Matrix:
        """All 36 entries in the order of rows."""
        a, b, c = full_matrix(self.linear), self.cross, full_matrix(self.angular)
        return [[*a[i], *transpose(b)[i]] for i in range(3)] + [[*b[i], *c[i]] for i in range(3)]


@dataclass(frozen=True, slots=True)
class LinkResponse:
    """T = [[angular, cross], [cross^T, linear]], symmetric: the motion that a force, or an impulse, gives a link."""

    angular: sp.Sym3
    cross: sp.Mat3
    linear: sp.Sym3

    def motion(self, f: Force) -> Motion:
        """T f."""
        return Motion(sp.add(sp.mul_mv(self.cross, f.linear), sp.mul_sv(self.angular, f.angular)),
                      sp.add(sp.mul_sv(self.linear, f.linear), sp.mul_mv(transpose(self.cross), f.angular)))

    def at(self, d: sp.Vec3) -> LinkResponse:
        """To forces at the point `d` further: the motion there."""
        # T' = X T X^T of the motion at a point d further: C' = C + Omega [d x]
        shifted = tuple(sp.add(row, shift)
                        for row, shift in zip(self.cross, times_cross(full_matrix(self.angular), d), strict=True))
        cross = (shifted[0], shifted[1], shifted[2])
        # linear + cross^T [d] - [d] cross'
        left, right = cross_times(d, cross), times_cross(transpose(self.cross), d)
        return LinkResponse(self.angular, cross, sp.add_sym(self.linear, _difference_sym(right, left)))


NO_LINK_RESPONSE = LinkResponse(sp.ZERO_SYM, (sp.ZERO3, sp.ZERO3, sp.ZERO3), sp.ZERO_SYM)


def response_of(x: Scalars) -> LinkResponse:
    """The response whose 21 scalars make a row: linear, cross line by line, angular."""
    return LinkResponse((x[15], x[16], x[17], x[18], x[19], x[20]),
                        ((x[6], x[7], x[8]), (x[9], x[10], x[11]), (x[12], x[13], x[14])),
                        (x[0], x[1], x[2], x[3], x[4], x[5]))


def transpose(m: sp.Mat3) -> sp.Mat3:
    """m^T."""
    return ((m[0][0], m[1][0], m[2][0]), (m[0][1], m[1][1], m[2][1]), (m[0][2], m[1][2], m[2][2]))


def _minus_outer(s: sp.Sym3, a: sp.Vec3, b: sp.Vec3) -> sp.Sym3:
    xx, yy, zz, xy, xz, yz = s
    return (xx - a[0] * b[0], yy - a[1] * b[1], zz - a[2] * b[2],
            xy - a[0] * b[1], xz - a[0] * b[2], yz - a[1] * b[2])


def cross_times(d: sp.Vec3, m: sp.Mat3) -> sp.Mat3:
    """[d x] m."""
    columns = [sp.cross(d, column) for column in transpose(m)]
    return transpose((columns[0], columns[1], columns[2]))


def times_cross(m: sp.Mat3, d: sp.Vec3) -> sp.Mat3:
    """m [d x]."""
    return (sp.cross(m[0], d), sp.cross(m[1], d), sp.cross(m[2], d))


def full_matrix(s: sp.Sym3) -> sp.Mat3:
    """All nine entries of a symmetric matrix."""
    xx, yy, zz, xy, xz, yz = s
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def _difference_sym(a: sp.Mat3, b: sp.Mat3) -> sp.Sym3:
    """The six entries of the symmetric matrix a - b."""
    return (a[0][0] - b[0][0], a[1][1] - b[1][1], a[2][2] - b[2][2],
            a[0][1] - b[0][1], a[0][2] - b[0][2], a[1][2] - b[1][2])


def free_response(inertia: ArticulatedInertia) -> LinkResponse:
    """Of a floating root: the inverse of its articulated inertia."""
    # T_0 = (I^A_0)^-1  (DyFeatherstoneArticulationUtils.h, invertInertia)
    x = inverse(inertia.linear_first())
    return LinkResponse((x[3][3], x[4][4], x[5][5], x[3][4], x[3][5], x[4][5]),
                    ((x[3][0], x[3][1], x[3][2]), (x[4][0], x[4][1], x[4][2]), (x[5][0], x[5][1], x[5][2])),
                    (x[0][0], x[1][1], x[2][2], x[0][1], x[0][2], x[1][2]))


# --- one joint -----------------------------------------------------------------------------------------------------
# U = I^A S, D = S^T U + armature, K = U / D; y = T K, T the parent's response at the joint's anchor.

def eliminate(inertia: ArticulatedInertia, S: Motion, armature: Scalar) -> tuple[ArticulatedInertia, Force, Scalar]:
    """The articulated inertia that the parent feels at the joint's anchor, K and 1/D (RBDA eq. 7.42-7.47)."""
    # U = I^A S, D = S^T U + armature, K = U / D, I^a = I^A - U K^T
    # (DyFeatherstoneForwardDynamic.cpp, computePropagateSpatialInertia_ZA_ZIc)
    U = inertia.force(S)
    inverse_d = 1.0 / (U.dot(S) + armature)
    K = U * inverse_d
    return inertia.minus_outer(U, K), K, inverse_d


def propagate_response(T: LinkResponse, S: Motion, K: Force, inverse_d: Scalar) -> tuple[LinkResponse, Motion, Scalar]:
    """The link's response (1 - S K^T) T (1 - K S^T) + S S^T / D, y, and r: the joint's to an impulse of its own."""
    # r = e^T M^-1 e = 1 / D + K^T T K  (DyFeatherstoneForwardDynamic.cpp, computeArticulatedResponseMatrix)
    y = T.motion(K)
    r = inverse_d + K.dot(y)
    a = y - S * (0.5 * r)
    # T - a S^T - S a^T
    cross = tuple(sp.sub(sp.sub(row, sp.scale(p, S.linear)), sp.scale(s, a.linear))
                  for row, p, s in zip(T.cross, a.angular, S.angular, strict=True))
    linear = _minus_outer(_minus_outer(T.linear, a.linear, S.linear), S.linear, a.linear)
    angular = _minus_outer(_minus_outer(T.angular, a.angular, S.angular), S.angular, a.angular)
    return LinkResponse(angular, (cross[0], cross[1], cross[2]), linear), y, r


def propagate_impulse(p: Force, S: Motion, K: Force, F: Scalar) -> tuple[Scalar, Force]:
    """u = F + S . p that moves the joint, of its own impulse F and the force p on its link; p - K u of its parent."""
    # u = F + S^T p, p_parent = p - K u  (DyFeatherstoneArticulation.cpp, propagateImpulseW)
    u = F + p.dot(S)
    return u, p + K * -u


def forward_dynamics(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion],
                     tau: Scalars) -> list[Scalar]:
    """a with M a + C(q, v) + g(q) = tau, armature in M; a and tau as v: root linear, root angular, then dofs."""
    # what hangs on a link is added when its turn comes: a compiler keeps few numbers at a time
    IA: dict[int, ArticulatedInertia] = {}
    pA: dict[int, Force] = {}       # with the sign of a push: less what the link needs
    joints: dict[int, tuple[Motion, Force, Scalar]] = {}
    for i in range(len(t.links) - 1, -1, -1):           # backward pass: articulated inertias
        IA[i] = ArticulatedInertia.of(link_inertia(t, rows, k, i))
        pA[i] = bias_force(t, rows, k, motions[i], i).about(k.com[i]) * -1.0
        for j in reversed(t.children(i)):
            IA[i] = IA[i] + IA[j].about(k.d[j])
            pA[i] = pA[i] + pA[j].about(k.d[j])
        for dof in t.dofs_of(i):
            S = motion_subspace(t, k, dof)
            IA[i], K, inverse_d = eliminate(IA[i], S, rows["armature"][dof])
            u, pA[i] = propagate_impulse(pA[i], S, K, tau[t.root_size + dof])
            joints[dof] = S, K, u * inverse_d
    out: list[Scalar] = [0.0] * t.nv
    a = [NO_MOTION]
    if not t.fixed_base:                                # a_0 = (I^A_0)^-1 p^A_0
        out[0:6] = solve_symmetric(IA[0].linear_first(), linear_first(pA[0] + force_of(tau)))
        a[0] = motion_of(out)
    for i in range(1, len(t.links)):                    # forward pass: accelerations
        a_i = a[t.links[i].parent].at(k.d[i])
        for dof in reversed(t.dofs_of(i)):              # qdd = u / D - K . a, a += S qdd
            S, K, u_over_d = joints[dof]
            qdd = out[t.root_size + dof] = u_over_d - K.dot(a_i)
            a_i = a_i + S * qdd
        a.append(a_i)
    return out
