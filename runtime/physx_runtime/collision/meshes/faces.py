"""What of a face of a hull and a triangle lies over the other: corners of either, and crossings of their edges."""

from __future__ import annotations

from typing import Any

import numpy as np

from physx_runtime.collision.meshes.manifolds import put_made
from physx_runtime.collision.meshes.separation import Triangle
from physx_runtime.collision.narrow_phase.hull_faces import Side
from physx_runtime.collision.polygons import area, contains, face_normal, put_corners_of, turn, turned_up
from physx_runtime.collision.vectors import (
    EPSILON,
    ONE,
    ZERO,
    Matrix,
    Number,
    Vector,
    by_matrix,
    by_transposed,
    cross,
    dot,
    negated,
    put_vector,
    scaled,
    sub,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code


@scalar_code
def points_of_faces(made: Any, side: Side, face: Any, triangle: Triangle, normal: Vector, over: Any,
                    reach: Number) -> None:
    """Add contacts along a normal: `over` the triangle and of its normal, else over the face and of that one's.

    They are in the frame of the hull: local0 on the hull, local1 on the triangle.
    """
    m, polygon, corners = turned_up(normal), np.empty((side.hull.spans[face, 1], 3), np.float32), _corners(triangle)
    count = put_corners_of(side.hull, face, side.core.scale, polygon)
    facing, start = (face_normal(side.hull, face, side.inverse), vector_at(polygon, 0)) if over else (
        triangle.normal, triangle.a)
    below, above = (corners, polygon) if over else (polygon, corners)
    count_below, count_above = (3, count) if over else (count, 3)
    origin = vector_at(below, 0)
    turn(m, below, count_below)
    level, inside = below[0, 2], 0
    heights, near = np.empty(count_above, np.float32), np.empty(count_above, np.bool_)
    for i in range(count_above):
        corner = vector_at(above, i)
        x, y, z = by_matrix(m, corner)
        heights[i], near[i] = z - level, level + reach > z
        put_vector(above, i, (x, y, level))
        if near[i] and contains(below, count_below, EPSILON, x, y):
            inside += 1
            gap = dot(normal, sub(corner, origin))
            _put(made, over, sub(corner, scaled(normal, gap)), corner, normal, gap)
    if inside == count_above:
        return
    inside = 0
    for i in range(count_below):
        if contains(above, count_above, EPSILON, below[i, 0], below[i, 1]):
            point = by_transposed(m, vector_at(below, i))
            height = dot(facing, point) - dot(facing, start)
            upper = sub(point, scaled(facing, height))
            on_triangle = over or (not height > reach and _is_on(upper, triangle))
            inside += on_triangle
            if on_triangle and not height > reach:
                _put(made, over, point, upper, normal, dot(sub(upper, point), normal))
    if inside == count_below:
        return
    for e in range(3):
        for f in range(count):
            k, i = (e, f) if over else (f, e)
            h, j = k - 1 if k > 0 else count_below - 1, i - 1 if i > 0 else count_above - 1
            if near[i] or near[j]:
                _put_crossing(made, over, below, k, h, above, i, j, heights, level, m, normal, reach)


@scalar_code
def _put(made: Any, over: Any, lower: Vector, upper: Vector, normal: Vector, gap: Number) -> None:
    """Add a contact of a point below and one above; over: the upper one is the hull's."""
    if over:
        put_made(made, upper, lower, normal, gap)
    else:
        put_made(made, lower, upper, negated(normal), gap)


@scalar_code
def _corners(triangle: Triangle) -> Any:
    rows = np.empty((3, 3), np.float32)
    put_vector(rows, 0, triangle.a)
    put_vector(rows, 1, triangle.b)
    put_vector(rows, 2, triangle.c)
    return rows


@scalar_code
def _is_on(p: Vector, triangle: Triangle) -> bool:
    v, w = shares_of(p, triangle)
    return bool(v >= ZERO and w >= ZERO and v + w <= ONE)


@scalar_code
def shares_of(p: Vector, triangle: Triangle) -> tuple[Number, Number]:
    """The shares of corners b and c of which a point of a triangle is made."""
    a, b, c = triangle.a, triangle.b, triangle.c
    n, pa, pb, pc = cross(sub(b, a), sub(c, a)), sub(a, p), sub(b, p), sub(c, p)
    va, vb, vc = dot(n, cross(pb, pc)), dot(n, cross(pc, pa)), dot(n, cross(pa, pb))
    total = va + (vb + vc)
    inverse = ZERO if total == ZERO else ONE / total
    return vb * inverse, vc * inverse


@scalar_code
def _put_crossing(made: Any, over: Any, below: Any, k: Any, h: Any, above: Any, i: Any, j: Any, heights: Any,
                  level: Number, m: Matrix, normal: Vector, reach: Number) -> None:
    """Add where edge i-j of what is above crosses edge k-h of what is below, as seen along the normal."""
    for axis in range(2):
        if min(above[i, axis], above[j, axis]) > max(below[k, axis], below[h, axis]) or (
                min(below[k, axis], below[h, axis]) > max(above[i, axis], above[j, axis])):
            return
    a1, a2 = area(below, k, below, h, above, i), area(below, k, below, h, above, j)
    if not a1 * a2 < ZERO or not area(above, i, above, j, below, k) * area(above, i, above, j, below, h) < ZERO:
        return
    start = (above[i, 0], above[i, 1], heights[i] + level)
    end = (above[j, 0], above[j, 1], heights[j] + level)
    x, y, z = sub(start, scaled(sub(end, start), a1 * (ONE / (a2 - a1))))
    if not z - level > reach:
        _put(made, over, by_transposed(m, (x, y, level)), by_transposed(m, (x, y, z)), normal, z - level)
