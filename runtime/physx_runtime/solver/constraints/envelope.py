"""The performance envelope around a drive: what its motor can give at a velocity."""

from __future__ import annotations

import math

from physx_runtime.language.ops import Rows, Scalar, maximum, minimum, where


def inside_envelope(rows: Rows, dof: int, P: Scalar, w: Scalar, r: Scalar, period: Scalar) -> Scalar:
    """The part of the impulse P over `period` that the envelope allows; w is the velocity without P.

    |P| <= maxForce t - resistance t |w + r P|   and   |w + r P| <= maxVelocity - gradient / t |P|
    """
    limit, resistance = rows["max_force"][dof], rows["velocity_dependent_resistance"][dof]
    least = rows["least_response"][0]
    sign = where(P < 0.0, -1.0, 1.0)
    p, w = abs(P), sign * w
    guarded = where(resistance > 0.0, resistance, 1.0)
    resisted = _between(0.0, p, limit / guarded, 1.0 / (guarded * period), w, r, least)
    low = where(resistance > 0.0, resisted[0], 0.0)
    high = where(resistance > 0.0, resisted[1], minimum(p, limit * period))
    fastest, gradient = rows["max_actuator_velocity"][dof], rows["speed_effort_gradient"][dof]
    low, high = _between(low, high, fastest, gradient / period, w, r, least)
    return where(high < low, 0.0, sign * maximum(low, minimum(p, high)))


def _between(low: Scalar, high: Scalar, most: Scalar, slope: Scalar, w: Scalar, r: Scalar,
             least: Scalar) -> tuple[Scalar, Scalar]:
    """The impulses p in [low, high] with |w + r p| <= most - slope p.

    As PhysX takes them: with r + slope below `least` any p will do, and with |r - slope| below it those up to the first
    bound, if |w| alone keeps to `most` (DyCpuGpuArticulation.h, computeBoundsForPositiveImpulse).
    """
    difference = r - slope
    alike = (abs(difference) < least) | ~(abs(difference) > 0.0)
    edge = -(most + w) / where(alike, 1.0, difference)
    lower = where(alike, where(most + w < -least, math.inf, low), where(difference > 0.0, maximum(low, edge), low))
    upper = minimum(high, (most - w) / (r + slope))
    upper = where(difference < 0.0, where(alike, upper, minimum(upper, edge)), upper)
    unbounded = r + slope < least
    return where(unbounded, low, lower), where(unbounded, high, upper)
