"""The axis along which a capsule overlaps a hull or a box least: the separating axis test."""

from __future__ import annotations

import math
from typing import Any

from physx_runtime.collision.core import GjkConvex, interval
from physx_runtime.collision.geometry import Hull
from physx_runtime.collision.vectors import (
    EPSILON,
    LARGEST,
    ONE,
    ZERO,
    Number,
    Vector,
    cross,
    divided,
    dot,
    scaled,
    sub,
    times,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code


@scalar_code
def least_overlap(core: GjkConvex, hull: Hull, first: Vector, end: Vector, radius: Number, inverse: Vector,
                  reach: Number) -> Any:
    """Whether the capsule is within reach along all axes, and the one of least overlap, towards the capsule."""
    within, least, axis = least_overlap_of_faces(hull, first, end, radius, inverse, reach)
    if not within:
        return False, axis
    way = sub(end, first)
    for face in range(len(hull.spans)):
        start, count = hull.spans[face, 0], hull.spans[face, 1]
        for k in range(count):
            a = vector_at(hull.vertices, hull.corners[start + k])
            b = vector_at(hull.vertices, hull.corners[start + (k if k > 0 else count) - 1])
            across = cross(way, times(sub(b, a), inverse))
            square = dot(across, across)
            if square < EPSILON:
                continue
            normal = divided(across, math.sqrt(square))
            low, high = interval(core, normal)
            within, overlap = _overlap(normal, first, end, radius, low, high, reach)
            if not within:
                return False, axis
            if least > overlap:
                least, axis = overlap, normal
    return True, axis


@scalar_code
def least_overlap_of_faces(hull: Hull, first: Vector, end: Vector, radius: Number, inverse: Vector,
                           reach: Number) -> Any:
    """Whether the capsule is within reach along all normals of faces; the least overlap, and its normal."""
    least, axis = LARGEST, (ZERO, ONE, ZERO)
    for face in range(len(hull.planes)):
        plane = vector_at(hull.planes, face)
        stretched = times(plane, inverse)
        size = ONE / math.sqrt(dot(stretched, stretched))
        normal = scaled(stretched, size)
        low = dot(plane, vector_at(hull.vertices, hull.spans[face, 2])) * size
        within, overlap = _overlap(normal, first, end, radius, low, -hull.planes[face, 3] * size, reach)
        if not within:
            return False, least, axis
        if least > overlap:
            least, axis = overlap, normal
    return True, least, axis


@scalar_code
def _overlap(normal: Vector, first: Vector, end: Vector, radius: Number, low: Number, high: Number,
             reach: Number) -> Any:
    a, b = dot(first, normal), dot(end, normal)
    below, above = min(a, b) - radius, max(a, b) + radius
    return not (below > high + reach or low > above + reach), high - below
