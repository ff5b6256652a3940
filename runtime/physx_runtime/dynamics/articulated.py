"""Articulated bodies: how a tree answers impulses, link by link (RBDA chapter 7; a whole sweep costs O(n)).

Twists (linear at a link's anchor, angular) and wrenches (force, torque about it) are in world axes. A joint of one
degree of freedom has the motion subspace S: its axis as a linear or as an angular velocity. A joint with several is
a series of such joints at one anchor, with nothing in between.
"""

from __future__ import annotations

from dataclasses import dataclass

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.crba import Composite, Matrix, inverse
from physx_runtime.language.ops import Scalar


@dataclass(frozen=True, slots=True)
class Pair:
    """A twist or a wrench: its linear and its angular part."""

    linear: sp.Vec3
    angular: sp.Vec3

    def plus(self, other: Pair) -> Pair:
        """Sum."""
        return Pair(sp.add(self.linear, other.linear), sp.add(self.angular, other.angular))

    def times(self, s: Scalar) -> Pair:
        """Product with a scalar."""
        return Pair(sp.scale(s, self.linear), sp.scale(s, self.angular))

    def dot(self, other: Pair) -> Scalar:
        """Power of a wrench on a twist."""
        return sp.dot(self.linear, other.linear) + sp.dot(self.angular, other.angular)


ZERO = Pair(sp.ZERO3, sp.ZERO3)


@dataclass(frozen=True, slots=True)
class Sym6:
    """A symmetric 6 x 6 matrix [[linear, cross^T], [cross, angular]]: an inertia, or the response to a wrench."""

    linear: sp.Sym3
    cross: sp.Mat3
    angular: sp.Sym3

    def times(self, x: Pair) -> Pair:
        """Matrix times twist or wrench."""
        return Pair(sp.add(sp.mul_sv(self.linear, x.linear), sp.mul_mv(transposed(self.cross), x.angular)),
                    sp.add(sp.mul_mv(self.cross, x.linear), sp.mul_sv(self.angular, x.angular)))

    def rows(self) -> Matrix:
        """All 36 entries."""
        a, b, c = full(self.linear), self.cross, full(self.angular)
        return [[*a[i], *transposed(b)[i]] for i in range(3)] + [[*b[i], *c[i]] for i in range(3)]

    def plus(self, other: Sym6) -> Sym6:
        """Sum."""
        cross = tuple(sp.add(a, b) for a, b in zip(self.cross, other.cross, strict=True))
        return Sym6(sp.add_sym(self.linear, other.linear), (cross[0], cross[1], cross[2]),
                    sp.add_sym(self.angular, other.angular))

    def less(self, a: Pair, b: Pair) -> Sym6:
        """Minus the symmetric product a b^T of two parallel vectors."""
        cross = tuple(sp.sub(row, sp.scale(x, b.linear)) for row, x in zip(self.cross, a.angular, strict=True))
        return Sym6(_less(self.linear, a.linear, b.linear), (cross[0], cross[1], cross[2]),
                    _less(self.angular, a.angular, b.angular))


def transposed(m: sp.Mat3) -> sp.Mat3:
    """m^T."""
    return ((m[0][0], m[1][0], m[2][0]), (m[0][1], m[1][1], m[2][1]), (m[0][2], m[1][2], m[2][2]))


def _less(s: sp.Sym3, a: sp.Vec3, b: sp.Vec3) -> sp.Sym3:
    xx, yy, zz, xy, xz, yz = s
    return (xx - a[0] * b[0], yy - a[1] * b[1], zz - a[2] * b[2],
            xy - a[0] * b[1], xz - a[0] * b[2], yz - a[1] * b[2])


def subspace(turning: bool, axis: sp.Vec3) -> Pair:
    """S of a joint of one degree of freedom."""
    return Pair(sp.ZERO3, axis) if turning else Pair(axis, sp.ZERO3)


def twist_at(x: Pair, d: sp.Vec3) -> Pair:
    """A body's twist at the point `d` from where it is given."""
    return Pair(sp.add(x.linear, sp.cross(x.angular, d)), x.angular)


def wrench_from(x: Pair, d: sp.Vec3) -> Pair:
    """A wrench about the point from which `d` leads to its own."""
    return Pair(x.linear, sp.add(x.angular, sp.cross(d, x.linear)))


def link_inertia(body: Composite) -> Sym6:
    """Inertia of one link about its anchor."""
    m, h = body.mass, body.moment
    cross = ((0.0, -h[2], h[1]), (h[2], 0.0, -h[0]), (-h[1], h[0], 0.0))
    return Sym6((m, m, m, 0.0, 0.0, 0.0), cross, body.inertia)


def inertia_from(x: Sym6, d: sp.Vec3) -> Sym6:
    """An inertia about the point from which `d` leads to its own."""
    a, b = full(x.linear), x.cross
    moved = tuple(sp.add(row, shift) for row, shift in zip(b, cross_times(d, a), strict=True))
    cross = (moved[0], moved[1], moved[2])
    # C - B [d] + [d] B'^T
    left, right = times_cross(b, d), cross_times(d, transposed(cross))
    return Sym6(x.linear, cross, sp.add_sym(x.angular, _upper(right, left)))


def response_at(x: Sym6, d: sp.Vec3) -> Sym6:
    """A body's response to wrenches at the point `d` from where it is given: the twist there."""
    r = full(x.angular)
    moved = tuple(sp.add(row, shift) for row, shift in zip(x.cross, times_cross(r, d), strict=True))
    cross = (moved[0], moved[1], moved[2])
    # P + Q^T [d] - [d] Q'
    left, right = cross_times(d, cross), times_cross(transposed(x.cross), d)
    return Sym6(sp.add_sym(x.linear, _upper(right, left)), cross, x.angular)


def cross_times(d: sp.Vec3, m: sp.Mat3) -> sp.Mat3:
    """[d x] m."""
    columns = [sp.cross(d, column) for column in transposed(m)]
    return transposed((columns[0], columns[1], columns[2]))


def times_cross(m: sp.Mat3, d: sp.Vec3) -> sp.Mat3:
    """m [d x]."""
    return (sp.cross(m[0], d), sp.cross(m[1], d), sp.cross(m[2], d))


def full(s: sp.Sym3) -> sp.Mat3:
    """All nine entries of a symmetric matrix."""
    xx, yy, zz, xy, xz, yz = s
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def _upper(a: sp.Mat3, b: sp.Mat3) -> sp.Sym3:
    """The six entries of the symmetric matrix a - b."""
    return (a[0][0] - b[0][0], a[1][1] - b[1][1], a[2][2] - b[2][2],
            a[0][1] - b[0][1], a[0][2] - b[0][2], a[1][2] - b[1][2])


def free_response(inertia: Sym6) -> Sym6:
    """Response of a floating root: the inverse of its articulated inertia."""
    x = inverse(inertia.rows())
    return Sym6((x[0][0], x[1][1], x[2][2], x[0][1], x[0][2], x[1][2]),
                ((x[3][0], x[3][1], x[3][2]), (x[4][0], x[4][1], x[4][2]), (x[5][0], x[5][1], x[5][2])),
                (x[3][3], x[4][4], x[5][5], x[3][4], x[3][5], x[4][5]))


# --- one joint -----------------------------------------------------------------------------------------------------
# K = I^A S / D and D = S^T I^A S + armature; y = T K, T the parent's response at the joint's anchor.

def eliminated(inertia: Sym6, S: Pair, armature: Scalar) -> tuple[Sym6, Pair, Scalar]:
    """The articulated inertia that the parent feels at the joint's anchor, K and 1/D (RBDA eq. 7.42-7.47)."""
    U = inertia.times(S)
    inverse_d = 1.0 / (S.dot(U) + armature)
    K = U.times(inverse_d)
    return inertia.less(U, K), K, inverse_d


def answered(T: Sym6, S: Pair, K: Pair, inverse_d: Scalar) -> tuple[Sym6, Pair, Scalar]:
    """The link's response, y, and the joint's response r to an impulse of its own.

    (1 - S K^T) T (1 - K S^T) + S S^T / D
    """
    y = T.times(K)
    r = inverse_d + K.dot(y)
    half = S.times(0.5 * r)
    a = Pair(sp.sub(y.linear, half.linear), sp.sub(y.angular, half.angular))
    # - a S^T - S a^T
    cross = tuple(sp.sub(sp.sub(row, sp.scale(p, S.linear)), sp.scale(s, a.linear))
                  for row, p, s in zip(T.cross, a.angular, S.angular, strict=True))
    linear = _less(_less(T.linear, a.linear, S.linear), S.linear, a.linear)
    angular = _less(_less(T.angular, a.angular, S.angular), S.angular, a.angular)
    return Sym6(linear, (cross[0], cross[1], cross[2]), angular), y, r


def passed_up(P: Pair, S: Pair, K: Pair, F: Scalar) -> tuple[Scalar, Pair]:
    """What moves the joint, its own impulse F and the wrench P on its link, and the wrench its parent feels."""
    u = F + S.dot(P)
    return u, P.plus(K.times(-u))
