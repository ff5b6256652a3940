"""Rotations of one substep, rounded as PhysX rounds them."""

from __future__ import annotations

from physx_runtime.dynamics import spatial as sp
from physx_runtime.language.ops import Scalar, Single, logical_not, maximum, polynomial, sincos, unlikely, where

# Of sin(x)/x and cos(x) in x^2: below one ulp of float64 up to MAX_SQUARE.
SINE_SERIES = (1.0, -1 / 6, 1 / 120, -1 / 5040, 1 / 362880)
COSINE_SERIES = (1.0, -1 / 2, 1 / 24, -1 / 720, 1 / 40320, -1 / 3628800)
MAX_SQUARE = 0.02      # of half an angle in rad: 16 degrees a substep


def compose(delta: sp.Quat, rotation: sp.Quat, single: Scalar) -> sp.Quat:
    """A rotation followed by a short turn; where `single`, every product and sum is rounded to float32.

    PhysX's float32 product of the two errs to the same side substep after substep. Where it is followed it is rounded
    alike in float64, whose motion would part by 5e-5 rad within a second.
    """
    use_exact = unlikely(logical_not(single))
    x, y, z, w = (where(use_exact, exact, rounded.value) for rounded, exact in zip(
        sp.mul_quat(_single(delta), _single(rotation)), sp.mul_quat(delta, rotation), strict=True))
    return x, y, z, w


def _single(q: sp.Quat) -> sp.Quat:
    return Single(q[0]), Single(q[1]), Single(q[2]), Single(q[3])


def substep_rotation(h: Scalar, w: sp.Vec3) -> sp.Quat:
    """The rotation by h w: of the short turns of a substep by series, without a root or a quotient."""
    # delta = [w sin(h |w| / 2) / |w|; cos(h |w| / 2)]  (DyFeatherstoneArticulation.cpp, propagateTransform)
    square, speed = 0.25 * h * h * sp.dot(w, w), sp.norm(w)
    short, short_cosine = half_angle_series(square)
    sine, cosine = sincos(0.5 * h * speed)
    long = unlikely(square > MAX_SQUARE)
    factor, c = where(long, sine / maximum(speed, 1e-30), 0.5 * h * short), where(long, cosine, short_cosine)
    return (factor * w[0], factor * w[1], factor * w[2], c)


def half_angle_series(square: Scalar) -> tuple[Scalar, Scalar]:
    """(sin(x) / x, cos(x)) of half an angle by its square, up to MAX_SQUARE."""
    return polynomial(SINE_SERIES, square), polynomial(COSINE_SERIES, square)
