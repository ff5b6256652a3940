"""Vectors, rotations and symmetric matrices as small tuples of scalars; spatial vectors of motion and of force.

A scalar is a float, a NumPy array (one value a world) or a traced symbol. Quaternions are (x, y, z, w). A symmetric
3x3 matrix is its six entries (xx, yy, zz, xy, xz, yz). Spatial vectors (RBDA chapter 2) keep their angular part first;
in rows, as in
PhysX's buffers, the linear part is first: `linear_first`, `motion_of` and `force_of` lead from one to the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from physx_runtime.arrays import Mat3 as Mat3
from physx_runtime.arrays import Quat as Quat
from physx_runtime.arrays import Sym3 as Sym3
from physx_runtime.arrays import Vec3 as Vec3
from physx_runtime.language.ops import Rows, Scalar, Scalars, arctan_series, sincos, sqrt, where

ZERO3: Vec3 = (0.0, 0.0, 0.0)
ZERO_SYM: Sym3 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def add(a: Vec3, b: Vec3) -> Vec3:
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def sub(a: Vec3, b: Vec3) -> Vec3:
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scale(s: Scalar, a: Vec3) -> Vec3:
    """s a."""
    return (s * a[0], s * a[1], s * a[2])


def dot(a: Vec3, b: Vec3) -> Scalar:
    """a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vec3, b: Vec3) -> Vec3:
    """a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def norm(a: Vec3) -> Scalar:
    """|a|."""
    return sqrt(dot(a, a))


def mul_mv(m: Mat3, a: Vec3) -> Vec3:
    """m a."""
    return (dot(m[0], a), dot(m[1], a), dot(m[2], a))


def mul_sv(s: Sym3, a: Vec3) -> Vec3:
    """s a for a symmetric matrix."""
    xx, yy, zz, xy, xz, yz = s
    return (xx * a[0] + xy * a[1] + xz * a[2], xy * a[0] + yy * a[1] + yz * a[2], xz * a[0] + yz * a[1] + zz * a[2])


def add_sym(s: Sym3, t: Sym3) -> Sym3:
    """s + t."""
    return (s[0] + t[0], s[1] + t[1], s[2] + t[2], s[3] + t[3], s[4] + t[4], s[5] + t[5])


def rotate_sym(r: Mat3, s: Sym3) -> Sym3:
    """r s r^T."""
    xx, yy, zz, xy, xz, yz = s
    columns = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    rs = tuple(tuple(dot(row, column) for column in columns) for row in r)
    return (dot(rs[0], r[0]), dot(rs[1], r[1]), dot(rs[2], r[2]), dot(rs[0], r[1]), dot(rs[0], r[2]), dot(rs[1], r[2]))


def parallel_axis(a: Vec3, b: Vec3) -> Sym3:
    """2 (a . b) E - a b^T - b a^T: what moving a first moment `a` by `b` adds to a moment of inertia."""
    ab = (a[0] * b[0], a[1] * b[1], a[2] * b[2])
    return (2.0 * (ab[1] + ab[2]), 2.0 * (ab[0] + ab[2]), 2.0 * (ab[0] + ab[1]),
            -(a[0] * b[1] + a[1] * b[0]), -(a[0] * b[2] + a[2] * b[0]), -(a[1] * b[2] + a[2] * b[1]))


def mul_quat(a: Quat, b: Quat) -> Quat:
    """The rotation b followed by a."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz)


def rotate(q: Quat, a: Vec3) -> Vec3:
    """The vector `a` turned by the unit quaternion `q`."""
    axis = (q[0], q[1], q[2])
    # a' = a + w t + v x t, t = 2 v x a with q = [v; w]
    t = scale(2.0, cross(axis, a))
    return add(add(a, scale(q[3], t)), cross(axis, t))


def matrix(q: Quat) -> Mat3:
    """The rotation matrix of a unit quaternion."""
    # R = (w^2 - v . v) 1 + 2 v v^T + 2 w [v x] with q = [v; w], |q| = 1
    x, y, z, w = q
    x2, y2, z2 = x + x, y + y, z + z
    xx, yy, zz, xy, xz, yz = x * x2, y * y2, z * z2, x * y2, x * z2, y * z2
    wx, wy, wz = w * x2, w * y2, w * z2
    return ((1.0 - (yy + zz), xy - wz, xz + wy),
            (xy + wz, 1.0 - (xx + zz), yz - wx),
            (xz - wy, yz + wx, 1.0 - (xx + yy)))


def rotate_x(q: Quat, angle: Scalar) -> Quat:
    """`q` followed by a rotation of `angle` about its own x axis."""
    s, c = sincos(0.5 * angle)
    x, y, z, w = q
    return (x * c + w * s, y * c + z * s, z * c - y * s, w * c - x * s)


def exponential(r: Vec3) -> Quat:
    """The rotation by |r| about r."""
    # exp(r) = [r sin(|r| / 2) / |r|; cos(|r| / 2)]
    angle = norm(r)
    nonzero = angle > 0.0
    s, c = sincos(0.5 * angle)
    factor = where(nonzero, s / where(nonzero, angle, 1.0), 0.5)
    return (factor * r[0], factor * r[1], factor * r[2], c)


def rotation_vector(q: Quat) -> Vec3:
    """The shorter rotation vector of a unit quaternion; its length is at most pi."""
    # log(q) = 2 v atan(|v| / w) / |v|
    x, y, z, w = q
    sign = where(w < 0.0, -1.0, 1.0)
    w = sign * w
    square = x * x + y * y + z * z
    # atan(|xyz| / w) / |xyz| by halving the angle three times; u stays the tangent divided by |xyz|
    u = 1.0 / (w + sqrt(square + w * w))
    for _ in range(2):
        u = u / (1.0 + sqrt(1.0 + square * u * u))
    factor = sign * 16.0 * u * arctan_series(square * u * u)
    return (factor * x, factor * y, factor * z)


def conjugate(q: Quat) -> Quat:
    """The opposite rotation."""
    return (-q[0], -q[1], -q[2], q[3])


def normalized(q: Quat) -> Quat:
    """`q` divided by its length."""
    x, y, z, w = q
    inverse = 1.0 / sqrt(x * x + y * y + z * z + w * w)
    return (x * inverse, y * inverse, z * inverse, w * inverse)


def solve_sym(s: Sym3, b: Vec3) -> Vec3:
    """x with s x = b for a symmetric positive definite matrix, by its adjugate."""
    adjugate, determinant = _adjugate(s)
    return scale(1.0 / determinant, mul_sv(adjugate, b))


def inverse_sym(s: Sym3) -> Sym3:
    """The inverse of a symmetric positive definite matrix, by its adjugate."""
    adjugate, determinant = _adjugate(s)
    factor = 1.0 / determinant
    xx, yy, zz, xy, xz, yz = adjugate
    return (factor * xx, factor * yy, factor * zz, factor * xy, factor * xz, factor * yz)


def _adjugate(s: Sym3) -> tuple[Sym3, Scalar]:
    """The adjugate of a symmetric matrix, and its determinant."""
    xx, yy, zz, xy, xz, yz = s
    adjugate = (yy * zz - yz * yz, xx * zz - xz * xz, xx * yy - xy * xy,
                xz * yz - xy * zz, xy * yz - xz * yy, xy * xz - xx * yz)
    return adjugate, xx * adjugate[0] + xy * adjugate[3] + xz * adjugate[4]


@dataclass(frozen=True, slots=True)
class SpatialVector:
    """The algebra that motions and forces have in common, each with its own kind."""

    angular: Vec3
    linear: Vec3

    def __add__(self, other: Self) -> Self:
        return type(self)(add(self.angular, other.angular), add(self.linear, other.linear))

    def __sub__(self, other: Self) -> Self:
        return type(self)(sub(self.angular, other.angular), sub(self.linear, other.linear))

    def __mul__(self, s: Scalar) -> Self:
        return type(self)(scale(s, self.angular), scale(s, self.linear))


class Motion(SpatialVector):
    """A motion vector (RBDA section 2.2) given at a point: the body's angular velocity, the velocity of that point.

    Or such accelerations, or the unit velocity of a joint.
    """

    __slots__ = ()

    def at(self, d: Vec3) -> Motion:
        """The same motion given at the point `d` further: v + w x d."""
        return Motion(self.angular, add(self.linear, cross(self.angular, d)))


class Force(SpatialVector):
    """A force vector (RBDA section 2.2) given about a point: torque about it, and force; or an impulse, or momentum."""

    __slots__ = ()

    def at(self, d: Vec3) -> Force:
        """The same force about the point `d` further: n - d x f."""
        return Force(sub(self.angular, cross(d, self.linear)), self.linear)

    def about(self, d: Vec3) -> Force:
        """The same force about the point from which `d` leads here: n + d x f."""
        return Force(add(self.angular, cross(d, self.linear)), self.linear)

    def dot(self, motion: Motion) -> Scalar:
        """Its power on a motion given at the same point."""
        return dot(self.linear, motion.linear) + dot(self.angular, motion.angular)


NO_MOTION, NO_FORCE = Motion(ZERO3, ZERO3), Force(ZERO3, ZERO3)


def linear_first(x: Motion | Force) -> list[Scalar]:
    """Its six scalars in the order of rows."""
    return [*x.linear, *x.angular]


def motion_of(x: Scalars) -> Motion:
    """The motion vector whose six scalars begin a row."""
    return Motion((x[3], x[4], x[5]), (x[0], x[1], x[2]))


def force_of(x: Scalars) -> Force:
    """The force vector whose six scalars begin a row."""
    return Force((x[3], x[4], x[5]), (x[0], x[1], x[2]))


def triple(rows: Rows, name: str, i: int) -> Vec3:
    """The i-th vector of a row."""
    x = rows[name][3 * i:3 * i + 3]
    return (x[0], x[1], x[2])


def quaternion(rows: Rows, name: str, i: int) -> Quat:
    """The i-th quaternion of a row."""
    x = rows[name][4 * i:4 * i + 4]
    return (x[0], x[1], x[2], x[3])
