"""Vectors and rotations in the order of operations and with the roundings of PhysX.

Rotations by PhysX's operations in PhysX's order, every product rounded by itself.

In float32 an anchor half a metre from its body moves by some 3e-8 m with the order, and a joint takes that back within
a substep: 1e-5 m/s (measured, see docs/reference/physx/maximal_joints.md).

Sine and cosine in float32 as the C library has them, by which PhysX turns joints.

`language.ops.sincos` is off by up to two units of the last place, which shows in the poses that collision is handed.
The polynomials are those of glibc's sinf and cosf (sysdeps/ieee754/flt-32/s_sincosf_data.c), which it sums in float64.
Here every number is float32, and what an operation rounds off is added at the end: T. J. Dekker, A floating-point
technique for extending the available precision, 1971.
"""

from __future__ import annotations

from physx_runtime.dynamics import spatial as sp
from physx_runtime.language.ops import (
    HALF_PI_HIGH,
    HALF_PI_LOW,
    HALF_PI_MIDDLE,
    TWO_OVER_PI,
    Scalars,
    Single,
    floor,
    logical_not,
    plain,
    sqrt,
    unfused,
    where,
)


def rotate(q: sp.Quat, a: sp.Vec3) -> sp.Vec3:
    """The vector turned by q (PxQuat::rotate, aos::QuatRotate)."""
    a0, a1, a2 = plain(rotate_generic(unfused(q), unfused(a)))
    return (a0, a1, a2)


def product(a: sp.Quat, b: sp.Quat) -> sp.Quat:
    """The rotation b followed by a (PxQuat)."""
    c0, c1, c2, c3 = plain(multiply_generic(unfused(a), unfused(b)))
    return (c0, c1, c2, c3)


def rotate_generic(q: Scalars, a: Scalars) -> sp.Vec3:
    """As `turned`, of numbers that round every product by themselves."""
    x, y, z, w = q
    # 2 (a (w^2 - 1/2) + w (v x a) + v (v . a)) with q = [v; w]  (PxQuat.h, rotate)
    u, v, s = (2.0 * component for component in a)
    dot2, w2 = x * u + y * v + z * s, w * w - 0.5
    return (u * w2 + (y * s - z * v) * w + x * dot2, v * w2 + (z * u - x * s) * w + y * dot2,
            s * w2 + (x * v - y * u) * w + z * dot2)


def multiply_generic(a: Scalars, b: Scalars) -> sp.Quat:
    """As `product`, of such numbers."""
    # [w_a v_b + w_b v_a + v_a x v_b; w_a w_b - v_a . v_b]  (PxQuat.h)
    (x, y, z, w), (i, j, k, r) = a, b
    return (w * i + r * x + y * k - j * z, w * j + r * y + z * i - k * x, w * k + r * z + x * j - i * y,
            w * r - x * i - y * j - z * k)


def normalize(q: Scalars) -> sp.Quat:
    """The rotation of length 1, of such numbers (PxQuat::getNormalized)."""
    x, y, z, w = q
    factor = 1.0 / sqrt(x * x + y * y + z * z + w * w)
    return x * factor, y * factor, z * factor, w * factor


def transform_product(a: sp.Quat, b: sp.Quat) -> sp.Quat:
    """The same where poses are joined (aos::transformMultiply), which sums up from the other end."""
    (x, y, z, w), (i, j, k, r) = unfused(a), unfused(b)
    c0, c1, c2, c3 = plain((x * r + (i * w + (y * k - z * j)), y * r + (j * w + (z * i - x * k)),
                            z * r + (k * w + (x * j - y * i)), w * r - (x * i + y * j + z * k)))
    return (c0, c1, c2, c3)


# Splits a float32 number into two of 12 bits, products of which are exact.
SPLITTER = 4097.0
# Of x^3, x^5 and x^7 in the sine, of x^2, x^4, x^6 and x^8 in the cosine; the first of each in two parts.
SINE, SINE_LOW = (-0.16666655242443085, 0.008332177996635437, -0.0001951729936990887), 2.9874200058177536e-09
COSINE = -0.5, 0.04166662320494652, -0.0013886763481423259, 2.4390450562350452e-05
COSINE_LOW = 2.7489177600870107e-09


def sincos(x: Single) -> tuple[Single, Single]:
    """(sin x, cos x) for |x| up to 100."""
    # x = n pi / 2 + r, pi / 2 in three parts (W. J. Cody and W. Waite, Software manual, 1980)
    quarter_turns = Single(floor((x * TWO_OVER_PI + 0.5).value))
    first = x - quarter_turns * HALF_PI_HIGH
    second, low = _sum(first, -(quarter_turns * HALF_PI_MIDDLE))
    r, lower = _sum(second, -(quarter_turns * HALF_PI_LOW))
    sine, cosine = _quarter_sincos(r, low + lower)
    half = floor((quarter_turns * 0.5).value)
    odd = half < (quarter_turns * 0.5).value                    # a quarter turn more: sine and cosine change places
    half_odd = floor(0.5 * half) < 0.5 * half             # a half turn more: the sine's sign changes
    s, c = (Single(where(odd, a.value, b.value)) for a, b in ((cosine, sine), (sine, cosine)))
    return (Single(where(half_odd, (-s).value, s.value)),
            Single(where((odd & logical_not(half_odd)) | (logical_not(odd) & half_odd), (-c).value, c.value)))


def _quarter_sincos(r: Single, tail: Single) -> tuple[Single, Single]:
    """Sine and cosine of r + tail, |r| up to pi/4 and the tail below its last place."""
    square, low = _product(r, r)
    # sin r = r + r (S1 r^2 + r^4 (S2 + S3 r^2))
    first, first_low = _product(square, Single(SINE[0]))
    series = square * square * (square * SINE[2] + SINE[1])
    bracket = first + series
    bracket_low = (first - bracket) + series + first_low + low * SINE[0] + square * SINE_LOW
    small, small_low = _product(r, bracket)
    small_low = small_low + r * bracket_low + tail * (1.0 - square * 0.5)
    sine = r + small
    sine = sine + ((r - sine) + small + small_low)
    # cos r = 1 - r^2 / 2 + r^4 (C2 + r^2 (C3 + C4 r^2))
    head = 1.0 - square * 0.5
    series = square * square * ((square * COSINE[3] + COSINE[2]) * square + COSINE[1])
    series = series + square * COSINE_LOW - low * 0.5 - tail * r
    return sine, head + ((1.0 - head) - square * 0.5 + series)


def _sum(a: Single, b: Single) -> tuple[Single, Single]:
    """a + b, and what it rounds off."""
    # two-sum (D. E. Knuth, The art of computer programming, volume 2)
    total = a + b
    back = total - a
    return total, (a - (total - back)) + (b - back)


def _product(a: Single, b: Single) -> tuple[Single, Single]:
    """a b, and what it rounds off."""
    # a b - fl(a b) by the halves of a and b (Dekker 1971)
    total = a * b
    (a0, a1), (b0, b1) = _halves(a), _halves(b)
    return total, ((a0 * b0 - total) + a0 * b1 + a1 * b0) + a1 * b1


def _halves(x: Single) -> tuple[Single, Single]:
    # Veltkamp's splitting
    wide = x * SPLITTER
    high = wide - (wide - x)
    return high, x - high
