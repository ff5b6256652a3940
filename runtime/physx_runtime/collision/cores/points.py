"""Hulls as cores: the farthest of their corners, the corners of the face they turn somewhere, four of many points."""

from __future__ import annotations

from typing import Any

import numpy as np

from physx_runtime.collision.cores.plain import dot, length, unit
from physx_runtime.collision.vectors import (
    EPSILON,
    LARGEST,
    ZERO,
    Vector,
    cross,
    negated,
    put_vector,
    sub,
    times,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code

FACE_COSINE = np.float32(0.99)
IN_FACE = np.float32(1e-4)          # of the face's height, for a corner to be one of its own
NOWHERE = (ZERO, ZERO, ZERO)


@scalar_code
def farthest_corner(corners: Any, scale: Vector, direction: Vector) -> Vector:
    """The first corner that is farthest along a direction, of corners that are scaled."""
    way = times(scale, direction)
    if len(corners) == 0 or length(way) < EPSILON:
        return NOWHERE
    best, most = 0, -LARGEST
    for i in range(len(corners)):
        along = dot(way, vector_at(corners, i))
        if along > most:
            best, most = i, along
    return times(scale, vector_at(corners, best))


@scalar_code
def corner_face(corners: Any, scale: Vector, direction: Vector, points: Any) -> tuple[Any, Vector]:
    """Fill in up to four corners of the face or edge towards a direction; their number, 0 for a corner alone."""
    a, b, c = _three_farthest(corners, scale, direction)
    if b < 0:
        return 0, NOWHERE
    first = times(scale, vector_at(corners, a))
    edge0 = sub(times(scale, vector_at(corners, b)), first)
    edge1 = sub(times(scale, vector_at(corners, c)), first) if c >= 0 else NOWHERE
    found, normal = _face_normal(direction, edge0, edge1, c >= 0)
    if not found:
        return 0, NOWHERE
    height, count = dot(normal, first), 0
    held, chosen = np.empty((5, 3), np.float32), np.empty(4, np.int64)
    for i in range(len(corners)):
        corner = times(scale, vector_at(corners, i))
        if not abs(dot(normal, corner) - height) < IN_FACE:
            continue
        put_vector(held, 0, corner)
        for k in range(count):
            put_vector(held, k + 1, vector_at(points, k))
        for k in range(1, count + 1):
            if dot(vector_at(held, 0), direction) < dot(vector_at(held, k), direction):
                first, other = vector_at(held, 0), vector_at(held, k)
                put_vector(held, 0, other)
                put_vector(held, k, first)
        count = widest_four(held, count + 1, direction, chosen)
        for k in range(count):
            put_vector(points, k, vector_at(held, chosen[k]))
    return (count if count > 1 else 0), normal


@scalar_code
def _three_farthest(corners: Any, scale: Vector, direction: Vector) -> tuple[Any, Any, Any]:
    best, most = np.full(3, -1, np.int64), np.full(3, -LARGEST, np.float32)
    for i in range(len(corners)):
        along, which = dot(direction, times(scale, vector_at(corners, i))), i
        for k in range(3):
            if along > most[k]:
                most[k], along = along, most[k]
                best[k], which = which, best[k]
    return best[0], best[1], best[2]


@scalar_code
def _face_normal(direction: Vector, first: Vector, second: Vector, spanned: Any) -> tuple[bool, Vector]:
    """The normal of the face of two edges, or of one through an edge, that faces the direction."""
    if not spanned:
        normal = unit(cross(cross(direction, first), first))
        return bool(dot(direction, normal) > FACE_COSINE), normal
    normal = unit(cross(first, second))
    along = dot(direction, normal)
    if along > FACE_COSINE:
        return True, normal
    if along < -FACE_COSINE:
        return True, negated(normal)
    normal = unit(cross(cross(first, direction), first))
    if dot(direction, normal) > FACE_COSINE:
        return True, normal
    normal = unit(cross(cross(second, direction), second))
    return bool(dot(direction, normal) > FACE_COSINE), normal


@scalar_code
def widest_four(points: Any, count: Any, normal: Vector, chosen: Any) -> Any:
    """Choose up to four points that span most, the first and the one farthest from it among them; how many."""
    chosen[0], other, most = 0, 0, -LARGEST
    first = vector_at(points, 0)
    for i in range(count):
        way = sub(vector_at(points, i), first)
        square = dot(way, way)
        if square > most + EPSILON:
            other, most = i, square
    if other == 0:
        return 1
    chosen[1] = other
    across = cross(normal, sub(vector_at(points, other), first))
    low, high, lowest, highest = -1, -1, ZERO, ZERO
    for i in range(count):
        off = dot(across, sub(vector_at(points, i), first))
        if off < lowest - EPSILON:
            low, lowest = i, off
        if off > highest + EPSILON:
            high, highest = i, off
    found = 2
    for i in (low, high):
        if i > 0 and i != other:
            chosen[found] = i
            found += 1
    return found
