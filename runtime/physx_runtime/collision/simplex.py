"""The point of a simplex nearest to the origin, as PhysX's GJK finds it: on a segment, a triangle or a tetrahedron."""

from __future__ import annotations

from typing import Any

import numpy as np

from physx_runtime.collision.core import Simplex
from physx_runtime.collision.vectors import (
    EPSILON,
    LARGEST,
    ONE,
    ZERO,
    Number,
    Vector,
    add,
    clamped,
    cross,
    dot,
    negated,
    put_vector,
    scaled,
    sub,
    unit,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code

FLAT = np.float32(1e-4)             # height of a tetrahedron below which it is a triangle; in every unit of length
SLIM = EPSILON * EPSILON            # square of twice the area of a triangle below which it is a segment
ORIGIN = (ZERO, ZERO, ZERO)
SIDES = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]])      # of a tetrahedron


@scalar_code
def nearest_of_simplex(simplex: Simplex, size: Any) -> Any:
    """The point nearest to the origin, and the number of corners it lies among, which move to the front."""
    corners = simplex.corners
    if size == 1:
        return vector_at(corners, 0), 1
    if size == 2:
        return nearest_of_segment(vector_at(corners, 0), vector_at(corners, 1))
    if size == 4:
        a, b, c, d = (vector_at(corners, 0), vector_at(corners, 1), vector_at(corners, 2), vector_at(corners, 3))
        if abs(dot(unit(cross(sub(b, a), sub(c, a))), sub(d, a))) >= FLAT:
            outside = _sides_away(a, b, c, d)
            return _nearest_of_sides(simplex, outside) if outside.any() else (ORIGIN, 4)
    a, b, c = vector_at(corners, 0), vector_at(corners, 1), vector_at(corners, 2)
    area = cross(sub(b, a), sub(c, a))
    if dot(area, area) <= SLIM:
        return nearest_of_segment(vector_at(corners, 0), vector_at(corners, 1))
    point, _, count, first, second = nearest_of_triangle(a, b, c)
    _keep(simplex, (first, second, 2))
    return point, count


@scalar_code
def shares(corners: Any, size: Any, point: Vector) -> Vector:
    """How much each of up to three corners has of a point among them."""
    a, b, c = vector_at(corners, 0), vector_at(corners, 1), vector_at(corners, 2)
    if size == 1:
        return ONE, ZERO, ZERO
    if size == 2:
        start = sub(a, point)
        way = sub(sub(b, point), start)
        square = dot(way, way)
        share = dot(negated(start), way) * (ONE / square) if square > ZERO else ZERO
        return ONE - share, share, ZERO
    normal = cross(sub(b, a), sub(c, a))
    a, b, c = sub(a, point), sub(b, point), sub(c, point)
    over_a, over_b, over_c = dot(normal, cross(b, c)), dot(normal, cross(c, a)), dot(normal, cross(a, b))
    total = over_a + (over_b + over_c)
    whole = ONE / total if total != ZERO else ZERO
    return ONE - over_b * whole - over_c * whole, over_b * whole, over_c * whole


@scalar_code
def among(corners: Any, share: Vector) -> Vector:
    """The point of which the corners have these shares."""
    a = vector_at(corners, 0)
    way0, way1 = sub(vector_at(corners, 1), a), sub(vector_at(corners, 2), a)
    return add(a, add(scaled(way0, share[1]), scaled(way1, share[2])))


@scalar_code
def nearest_of_triangle(a: Vector, b: Vector, c: Vector) -> Any:
    """The point nearest to the origin, its square, how many corners it lies among, and the first two of these."""
    ab, ac = sub(b, a), sub(c, a)
    n = cross(ab, ac)
    nn = dot(n, n)
    if nn == ZERO:
        return ORIGIN, LARGEST, 3, 0, 1
    over_a, over_b, over_c = dot(n, cross(b, c)), dot(n, cross(c, a)), dot(n, cross(a, b))
    if over_a >= ZERO and over_b >= ZERO and over_c >= ZERO:
        point = scaled(n, dot(n, a) / nn)
        return point, dot(point, point), 3, 0, 1
    d1, d2 = dot(ab, negated(a)), dot(ac, negated(a))
    d3, d4 = dot(ab, negated(b)), dot(ac, negated(b))
    d5, d6 = dot(ab, negated(c)), dot(ac, negated(c))
    count, first, second = 2, 0, 1
    if over_c <= ZERO and d1 >= ZERO and d3 <= ZERO:
        point = _part_way(a, ab, d1, d1 - d3)
    elif over_a <= ZERO and d4 >= d3 and d5 >= d6:
        point, first, second = _part_way(b, sub(c, b), d4 - d3, (d4 - d3) + (d5 - d6)), 1, 2
    elif over_b <= ZERO and d2 >= ZERO and d6 <= ZERO:
        point, second = _part_way(a, ac, d2, d2 - d6), 2
    elif d1 <= ZERO and d2 <= ZERO:
        point, count = a, 1
    elif d3 >= ZERO and d3 >= d4:
        point, count, first = b, 1, 1
    else:
        point, count, first = c, 1, 2
    return point, dot(point, point), count, first, second


@scalar_code
def _part_way(start: Vector, way: Vector, part: Number, whole: Number) -> Vector:
    share = part * (ONE / whole) if abs(whole) > EPSILON else ZERO
    return add(scaled(way, share), start)


@scalar_code
def nearest_of_segment(a: Vector, b: Vector) -> Any:
    """The point nearest to the origin, and whether it lies among one corner or two."""
    way = sub(b, a)
    square = dot(way, way)
    if square <= EPSILON:
        return a, 1
    return add(scaled(way, clamped(dot(negated(a), way) / square, ZERO, ONE)), a), 2


@scalar_code
def _sides_away(a: Vector, b: Vector, c: Vector, d: Vector) -> Any:
    """Which sides of a tetrahedron do not have the origin on the side of its fourth corner."""
    ab, ac, ad = sub(b, a), sub(c, a), sub(d, a)
    n0, n1, n2, n3 = cross(ab, ac), cross(ac, ad), cross(ad, ab), cross(sub(d, b), sub(c, b))
    away = np.empty(4, np.bool_)
    away[0] = dot(n0, a) * dot(n0, d) >= ZERO
    away[1] = dot(n1, a) * dot(n1, b) >= ZERO
    away[2] = dot(n2, a) * dot(n2, c) >= ZERO
    away[3] = dot(n3, b) * dot(n3, a) >= ZERO
    return away


@scalar_code
def _nearest_of_sides(simplex: Simplex, outside: Any) -> Any:
    corners = simplex.corners
    nearest, least, size, kept = ORIGIN, LARGEST, 3, (0, 1, 2)
    for side in range(4):
        if outside[side]:
            i, j, k = SIDES[side, 0], SIDES[side, 1], SIDES[side, 2]
            found = nearest_of_triangle(vector_at(corners, i), vector_at(corners, j), vector_at(corners, k))
            point, square, count, first, second = found
            if least > square:
                nearest, least, size, kept = point, square, count, (SIDES[side, first], SIDES[side, second], k)
    _keep(simplex, kept)
    return nearest, size


@scalar_code
def _keep(simplex: Simplex, kept: Any) -> None:
    for rows in (simplex.corners, simplex.corners0, simplex.corners1):
        a, b, c = vector_at(rows, kept[0]), vector_at(rows, kept[1]), vector_at(rows, kept[2])
        put_vector(rows, 0, a)
        put_vector(rows, 1, b)
        put_vector(rows, 2, c)
    names = simplex.names
    for side in range(2):
        i, j, k = names[kept[0], side], names[kept[1], side], names[kept[2], side]
        names[0, side], names[1, side], names[2, side] = i, j, k
