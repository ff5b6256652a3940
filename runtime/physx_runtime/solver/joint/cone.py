"""The cone limit of a D6 joint's swings, an ellipse of angles (CmConeLimitHelper.h, PxMathUtils.h)."""

from __future__ import annotations

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.spatial import Vec3
from physx_runtime.language.ops import Scalar, maximum, sincos, where

# How PhysX ends its search for the nearest point: the end shows in motions.
CLOSE_ENOUGH, MOST_EVALUATIONS = 1e-4, 20
# A point this near to the major axis goes to the axis' end.
ON_MAJOR_AXIS = 1e-6


def cone_limit(angles: tuple[Scalar, Scalar], half_angles: tuple[Scalar, Scalar],
               twist: Vec3) -> tuple[Vec3, Scalar]:
    """The axis about which these swing angles leave the cone, in A's axes, and what is left to its rim.

    twist: the twist axis of B in A's axes; `line` is where it would be at the nearest point of the rim. With the
    tangents r of a quarter of the angles there it is v1 v2 - e_x; dv1 and dv2 are the changes across the rim.
    """
    (y, z), (ay, az) = angles, half_angles
    cy, cz = nearest_on_ellipse(y, z, ay, az)
    ry, rz = _tangent(0.25 * cy), _tangent(0.25 * cz)
    dy, dz = cy / (ay * ay), cz / (az * az)
    square, product = ry * ry + rz * rz, ry * dy + rz * dz
    a, b = 1.0 - square, 1.0 / (1.0 + square)
    v1, v2 = 2.0 * a * b * b, (a, 2.0 * rz, -2.0 * ry)
    dv1, dv2 = -4.0 * product * (3.0 - square) * b * b * b, (-2.0 * product, 2.0 * dz, -2.0 * dy)
    line = sp.sub(sp.scale(v1, v2), (1.0, 0.0, 0.0))
    normal = sp.add(sp.scale(v1, dv2), sp.scale(dv1, v2))
    about = sp.scale(1.0 / sp.norm(normal), sp.cross(line, normal))
    return about, sp.dot(sp.cross(line, about), twist)


def nearest_on_ellipse(y: Scalar, z: Scalar, ry: Scalar, rz: Scalar) -> tuple[Scalar, Scalar]:
    """The point of (y / ry)^2 + (z / rz)^2 = 1 nearest to (y, z), as closely as PhysX looks for it.

    Newton's method on the factor t of the normal: (ry^2 y / (t + ry^2), rz^2 z / (t + rz^2)).
    """
    wide = rz <= ry
    at_end = where(wide, abs(z), abs(y)) < ON_MAJOR_AXIS
    across, up = where(at_end, ry, abs(y)), where(at_end, rz, abs(z))      # the search must find something
    ey, ez, ay, az = ry * ry, rz * rz, ry * across, rz * up
    t = maximum(ay - ey, az - ez)
    for _ in range(MOST_EVALUATIONS - 1):
        dy, dz = 1.0 / (t + ey), 1.0 / (t + ez)
        fy, fz = (ay * dy) * (ay * dy), (az * dz) * (az * dz)
        f = fy + fz - 1.0
        t = where(f < CLOSE_ENOUGH, t, t + f / (2.0 * (fy * dy + fz * dz)))
    end_y, end_z = where(y > 0.0, ry, -ry), where(z > 0.0, rz, -rz)
    return (where(at_end, where(wide, end_y, 0.0), ey * y / (t + ey)),
            where(at_end, where(wide, 0.0, end_z), ez * z / (t + ez)))


def _tangent(angle: Scalar) -> Scalar:
    s, c = sincos(angle)
    return s / c
