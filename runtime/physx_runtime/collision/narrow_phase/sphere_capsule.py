"""A sphere and a capsule: one contact, on the sphere."""

from __future__ import annotations

import math
from typing import Any

from physx_runtime.collision.manifold import put_contact
from physx_runtime.collision.vectors import (
    EPSILON,
    ONE,
    ZERO,
    Pose,
    Vector,
    add,
    clamped,
    divided,
    dot,
    scaled,
    sub,
    x_axis,
)
from physx_runtime.compiling.numba_functions import scalar_code


@scalar_code
def sphere_capsule(pair: Any, size0: Vector, pose0: Pose, size1: Vector, pose1: Pose, contacts: Any, at: Any) -> Any:
    half = scaled(x_axis(pose1[1]), size1[1])
    start, end = add(pose1[0], half), sub(pose1[0], half)
    radii = size0[0] + size1[0]
    to_sphere, along = sub(pose0[0], start), sub(end, start)
    length = dot(along, along)
    share = clamped(dot(to_sphere, along) / length, ZERO, ONE) if length != ZERO else ZERO
    away = sub(to_sphere, scaled(along, share))
    square, within = dot(away, away), radii + pair.reach
    if not within * within > square:
        return at
    way = sub(pose0[0], add(scaled(along, share), start))
    distance = math.sqrt(dot(way, way))
    normal = divided(way, distance) if distance > EPSILON else (ONE, ZERO, ZERO)
    point = sub(pose0[0], scaled(normal, size0[0]))
    return put_contact(contacts, at, point, normal, math.sqrt(square) - radii)
