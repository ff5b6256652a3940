"""Rotations of one substep, rounded as PhysX rounds them."""

from __future__ import annotations

from physx_runtime.dynamics import spatial as sp
from physx_runtime.language.ops import Rows, Scalar, Scalars, Single, sincos, where


def turned(turn: sp.Quat, rotation: sp.Quat, single: Scalar) -> sp.Quat:
    """A rotation followed by a short turn; where `single`, every product and sum is rounded to float32.

    PhysX's float32 product of the two errs to the same side substep after substep. Where it is followed it is rounded
    alike in float64, whose motion would part by 5e-5 rad within a second.
    """
    x, y, z, w = (where(single, rounded.value, exact) for rounded, exact in zip(
        sp.mul_quat(_single(turn), _single(rotation)), sp.mul_quat(turn, rotation), strict=True))
    return x, y, z, w


def _single(q: sp.Quat) -> sp.Quat:
    return Single(q[0]), Single(q[1]), Single(q[2]), Single(q[3])


def substep_turn(rows: Rows, v: Scalars) -> sp.Quat:
    """The rotation by h w of a floating root with the generalised velocity v."""
    h, w = rows["h"][0], (v[3], v[4], v[5])
    speed = sp.norm(w)
    s, c = sincos(0.5 * h * speed)
    still = speed > 0.0
    factor = where(still, s / where(still, speed, 1.0), 0.5 * h)
    return (factor * w[0], factor * w[1], factor * w[2], c)
