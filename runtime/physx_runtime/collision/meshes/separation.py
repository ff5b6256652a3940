"""A hull and a triangle: the axis along which they overlap least, of the normals of faces and products of edges."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from physx_runtime.collision.core import interval
from physx_runtime.collision.meshes.edges import EDGE_01, EDGE_12, EDGE_20
from physx_runtime.collision.narrow_phase.hull_faces import Side
from physx_runtime.collision.reciprocal import reciprocal_root
from physx_runtime.collision.vectors import (
    EPSILON,
    LARGEST,
    ZERO,
    Number,
    Vector,
    cross,
    dot,
    negated,
    put_vector,
    scaled,
    sub,
    times,
    unit,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code

TRIANGLE, FACE, EDGE, LATE, NO_AXIS = 0, 1, 2, 3, -1        # what the axis belongs to; LATE: a face put off
PARALLEL = np.float32(1e-6)


class Triangle(NamedTuple):
    """A triangle in the frame of a hull."""

    a: Vector
    b: Vector
    c: Vector
    normal: Vector


@scalar_code
def triangle_of(a: Vector, b: Vector, c: Vector) -> Triangle:
    """A triangle from its corners."""
    return Triangle(a, b, c, unit(cross(sub(b, a), sub(c, a))))


@scalar_code
def least_overlap(side: Side, triangle: Triangle, flags: Any, reach: Number) -> tuple[Any, Any, Vector]:
    """What the axis of least overlap belongs to, which face of the hull, and the axis; NO_AXIS where they are apart."""
    height = dot(triangle.normal, triangle.a)
    low, high = interval(side.core, triangle.normal)
    if low > height + reach or height > high + reach:
        return NO_AXIS, 0, triangle.normal
    least, kind, axis = (height - low) - EPSILON, TRIANGLE, triangle.normal
    within, overlap, face, normal = _of_faces(side, triangle, reach)
    if not within:
        return NO_AXIS, 0, axis
    if least > overlap + EPSILON:
        least, kind, axis = overlap, FACE, normal
    within, less, across = _of_edges(side, triangle, flags, reach, least)
    if not within:
        return NO_AXIS, 0, axis
    if less:
        return EDGE, face, across
    return kind, face, axis


@scalar_code
def _of_faces(side: Side, triangle: Triangle, reach: Number) -> tuple[bool, Number, Any, Vector]:
    """Whether both are within reach along the normals of faces; the least overlap, its face and normal."""
    least, found, axis = LARGEST, 0, triangle.normal
    plain = side.core.scale == (1.0, 1.0, 1.0)
    for i in range(len(side.hull.planes)):
        normal = vector_at(side.hull.planes, i)
        low, high = dot(normal, vector_at(side.hull.vertices, side.hull.spans[i, 2])), -side.hull.planes[i, 3]
        if not plain:
            stretched = times(normal, side.inverse)
            size = reciprocal_root(dot(stretched, stretched))
            low, high, normal = low * size, high * size, scaled(stretched, size)
        lowest, highest = _span(triangle, normal)
        if lowest > high + reach or low > highest + reach:
            return False, least, found, axis
        if least > high - lowest:
            least, found, axis = high - lowest, i, normal
    return True, least, found, axis


@scalar_code
def _span(triangle: Triangle, direction: Vector) -> tuple[Number, Number]:
    """How far a triangle reaches along a direction: the least and the most."""
    a, b, c = dot(triangle.a, direction), dot(triangle.b, direction), dot(triangle.c, direction)
    return min(a, min(b, c)), max(a, max(b, c))


@scalar_code
def _of_edges(side: Side, triangle: Triangle, flags: Any, reach: Number, least: Number) -> tuple[bool, bool, Vector]:
    """Whether both are within reach along products of edges; whether they overlap less there, and along which axis."""
    axes, axis, less = np.empty((3, 3), np.float32), triangle.normal, False
    a, b, c = times(triangle.a, side.inverse), times(triangle.b, side.inverse), times(triangle.c, side.inverse)
    count = _active_edges(a, b, c, flags, axes)
    if count == 0:
        return True, False, axis
    facing, hull = unit(cross(sub(b, a), sub(c, a))), side.hull
    for face in range(len(hull.spans)):
        if dot(vector_at(hull.planes, face), facing) > ZERO:
            continue
        first, corners = hull.spans[face, 0], hull.spans[face, 1]
        for k in range(corners):
            before = hull.corners[first + (k - 1 if k > 0 else corners - 1)]
            edge = sub(vector_at(hull.vertices, before), vector_at(hull.vertices, hull.corners[first + k]))
            for j in range(count):
                product = cross(edge, vector_at(axes, j))
                flat = abs(product[0]) < PARALLEL and abs(product[1]) < PARALLEL and abs(product[2]) < PARALLEL
                if flat or not dot(product, facing) > ZERO:
                    continue
                normal = unit(times(product, side.inverse))
                lowest, highest = _span(triangle, normal)
                low, high = interval(side.core, normal)
                if low > highest + reach or lowest > high + reach:
                    return False, less, axis
                if least > highest - low:
                    least, axis, less = highest - low, normal, True
                if least > high - lowest:
                    least, axis, less = high - lowest, negated(normal), True
    return True, less, axis


@scalar_code
def _active_edges(a: Vector, b: Vector, c: Vector, flags: Any, axes: Any) -> Any:
    """Write the active edges of a triangle: how many."""
    count = 0
    if flags & EDGE_20:
        put_vector(axes, count, sub(c, a))
        count += 1
    if flags & EDGE_01:
        put_vector(axes, count, sub(a, b))
        count += 1
    if flags & EDGE_12:
        put_vector(axes, count, sub(b, c))
        count += 1
    return count
