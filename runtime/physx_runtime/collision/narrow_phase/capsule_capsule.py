"""Two capsules: the closest points of their axes, and where these are parallel the ends that face the other axis.

Products that PhysX takes four at once (aos::V3Dot4) are summed up in another order than a single one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from physx_runtime.collision.cores.plain import dot as plain_dot
from physx_runtime.collision.manifold import put_contact
from physx_runtime.collision.vectors import (
    EPSILON,
    HALF,
    ONE,
    ZERO,
    Number,
    Pose,
    Vector,
    add,
    clamped,
    divided,
    dot,
    scaled,
    sub,
    unit,
    x_axis,
)
from physx_runtime.compiling.numba_functions import scalar_code

PARALLEL = np.float32(0.9998)
SMALL = np.float32(1e-6)            # squares of lengths


@scalar_code
def capsule_capsule(pair: Any, size0: Vector, pose0: Pose, size1: Vector, pose1: Pose, contacts: Any, at: Any) -> Any:
    middle = scaled(add(pose0[0], pose1[0]), HALF)
    start0, along0 = _axis(size0, pose0, middle)
    start1, along1 = _axis(size1, pose1, middle)
    radii = size0[0] + size1[0]
    within = radii + pair.reach
    share0, share1 = closest_shares(start0, along0, start1, along1)
    point0, point1 = add(scaled(along0, share0), start0), add(scaled(along1, share1), start1)
    way = sub(point0, point1)
    square = dot(way, way)
    if not within * within >= square:
        return at
    if abs(dot(_direction(along0), _direction(along1))) > PARALLEL:
        first = at
        ends = (start1, add(start1, along1), start0, add(start0, along0))
        for i in range(4):
            start, along = (start0, along0) if i < 2 else (start1, along1)
            foot, faces = _foot(start, along, ends[i])
            on0, on1 = (foot, ends[i]) if i < 2 else (ends[i], foot)
            way = sub(on0, on1)
            gap = dot(way, way)
            if faces and gap > SMALL and within * within > gap:
                distance = math.sqrt(gap)
                normal = divided(way, distance)
                point = add(sub(on0, scaled(normal, size0[0])), middle)
                at = put_contact(contacts, at, point, normal, distance - radii)
        if at > first:
            return at
    touch = square < SMALL
    normal = unit((along0 if dot(along0, along0) > SMALL else (ONE, ZERO, ZERO)) if touch else sub(point0, point1))
    point = add(sub(point0, scaled(normal, size0[0])), middle)
    return put_contact(contacts, at, point, normal, (ZERO if touch else math.sqrt(square)) - radii)


@scalar_code
def _axis(size: Vector, pose: Pose, middle: Vector) -> Any:
    """A capsule's axis about the middle of both: its +x end, and the way to the other one."""
    centre, half = sub(pose[0], middle), scaled(x_axis(pose[1]), size[1])
    start = add(centre, half)
    return start, sub(sub(centre, half), start)


@scalar_code
def _direction(along: Vector) -> Vector:
    square = dot(along, along)
    return (ZERO, ZERO, ZERO) if square < SMALL else divided(along, math.sqrt(square))


@scalar_code
def _foot(start: Vector, along: Vector, end: Vector) -> Any:
    """Where an end of the other axis projects to, and whether that lies on this one."""
    length = dot(along, along)
    share = plain_dot(sub(end, start), along) / length if length != ZERO else ZERO
    return add(scaled(along, share), start), share >= ZERO and share <= ONE


@scalar_code
def closest_shares(start0: Vector, along0: Vector, start1: Vector, along1: Vector) -> tuple[Number, Number]:
    """The closest points of two segments, as shares of their lengths."""
    way = sub(start0, start1)
    a, e, b, c, f = (plain_dot(along0, along0), plain_dot(along1, along1), plain_dot(along0, along1),
                     plain_dot(along0, way), dot(along1, way))
    determinant = a * e - b * b
    share0 = HALF if determinant < EPSILON else clamped((b * f - c * e) / determinant, ZERO, ONE)
    share1 = clamped((b * share0 + f) * (ONE / e if e > EPSILON else ZERO), ZERO, ONE)
    return clamped((b * share1 - c) * (ONE / a if a > EPSILON else ZERO), ZERO, ONE), share1
