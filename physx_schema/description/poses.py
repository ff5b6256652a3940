"""Positions and rotations as plain numbers: quaternions are (x, y, z, w), poses (position, quaternion)."""

from __future__ import annotations

import math

Vec3 = tuple[float, float, float]
Quat = tuple[float, float, float, float]
Pose = tuple[Vec3, Quat]

IDENTITY_POSE: Pose = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))


def between(start: Pose, end: Pose, share: float) -> Pose:
    """The pose at a share of the way from one pose to another: straight on, turning evenly the shorter way round."""
    (px, py, pz), a = start
    (qx, qy, qz), b = end
    cosine = sum(x * y for x, y in zip(a, b, strict=True))
    side = -1.0 if cosine < 0.0 else 1.0
    angle = math.acos(min(1.0, abs(cosine)))
    sine = math.sin(angle)
    first, second = ((math.sin((1.0 - share) * angle) / sine, side * math.sin(share * angle) / sine) if sine > 1e-9 else
                     (1.0 - share, side * share))
    x, y, z, w = (first * u + second * v for u, v in zip(a, b, strict=True))
    return (px + share * (qx - px), py + share * (qy - py), pz + share * (qz - pz)), (x, y, z, w)
