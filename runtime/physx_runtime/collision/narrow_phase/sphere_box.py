"""A sphere and a box: one contact, on the box; from inside, through the nearest face."""

from __future__ import annotations

import math
from typing import Any

from physx_runtime.collision.manifold import put_contact
from physx_runtime.collision.vectors import (
    ONE,
    ZERO,
    Pose,
    Vector,
    absolute,
    clamped,
    dot,
    inward,
    outward,
    rotated,
    scaled,
    sub,
)
from physx_runtime.compiling.numba_functions import scalar_code


@scalar_code
def sphere_box(pair: Any, size0: Vector, pose0: Pose, size1: Vector, pose1: Pose, contacts: Any, at: Any) -> Any:
    centre = inward(pose1, pose0[0])
    nearest = (clamped(centre[0], -size1[0], size1[0]), clamped(centre[1], -size1[1], size1[1]),
               clamped(centre[2], -size1[2], size1[2]))
    way, within = sub(centre, nearest), size0[0] + pair.reach
    square = dot(way, way)
    if not within * within > square:
        return at
    inside = absolute(centre)
    if size1[0] >= inside[0] and size1[1] >= inside[1] and size1[2] >= inside[2]:
        axis, depth = _way_out(nearest, size1)
        normal = rotated(pose1[1], axis)
        return put_contact(contacts, at, sub(pose0[0], scaled(normal, -depth)), normal, -depth - size0[0])
    inverse = ONE / math.sqrt(square)
    normal = rotated(pose1[1], scaled(way, inverse))
    return put_contact(contacts, at, outward(pose1, nearest), normal, ONE / inverse - size0[0])


@scalar_code
def _way_out(point: Vector, half: Vector) -> Any:
    """Out of a box through the nearest face, at ties through z, then x: the direction, and how far."""
    room = sub(half, absolute(point))
    if room[0] >= room[2] and room[1] >= room[2]:
        return (ZERO, ZERO, ONE if point[2] >= ZERO else -ONE), room[2]
    if room[1] >= room[0] and room[2] >= room[0]:
        return (ONE if point[0] >= ZERO else -ONE, ZERO, ZERO), room[0]
    return (ZERO, ONE if point[1] >= ZERO else -ONE, ZERO), room[1]
