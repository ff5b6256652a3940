"""Simplexes of GJK, and support vertices by hill climbing.

The point of a simplex nearest to the origin, as PhysX's GJK finds it: on a segment, a triangle or a tetrahedron.

What GJK and EPA see of a shape: corners of a box, of a hull or of a segment, which may have a radius round it.

The vertex of a hull furthest along a direction: of all, or of many by climbing from neighbour to neighbour.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from physx_runtime.collision.shapes import BOX, CAPSULE, CONVEX, Hull, hull_at, no_hull
from physx_runtime.collision.simd_math import (
    EPSILON,
    HALF,
    LARGEST,
    ONE,
    ZERO,
    Frame,
    Number,
    Vector,
    absolute,
    add,
    by_matrix,
    clamped,
    cross,
    dot,
    least,
    negated,
    out_of,
    put_vector,
    scaled,
    sub,
    times,
    transposed,
    unit,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code

ACROSS = 16                         # directions to a side of a cube are a square of so many rows
TO_ROW = np.float32(7.5)            # half the rows but one
MOST_VERTICES = 256


@scalar_code
def along(a: Vector, b: Vector) -> Any:
    """The dot product in the order that PhysX has outside its SSE code."""
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]


@scalar_code
def furthest_vertex(hull: Hull, direction: Vector) -> Any:
    """The first of those furthest along a direction, which is one of the vertices' space."""
    if len(hull.samples) > 0:
        return _climbed(hull, direction)
    most, best = along(vector_at(hull.vertices, 0), direction), 0
    for i in range(1, len(hull.vertices)):
        height = along(vector_at(hull.vertices, i), direction)
        if height > most:
            most, best = height, i
    return best


@scalar_code
def _climbed(hull: Hull, direction: Vector) -> Any:
    at = hull.samples[_sample(direction)]
    most = dot(vector_at(hull.vertices, at), direction)
    visited = np.zeros(MOST_VERTICES, np.bool_)
    while True:
        before = at
        first, count = hull.valencies[before, 0], hull.valencies[before, 1]
        for k in range(first, first + count):
            neighbour = hull.neighbours[k]
            height = dot(vector_at(hull.vertices, neighbour), direction)
            if height > most and not visited[neighbour]:
                visited[neighbour] = True
                most, at = height, neighbour
        if at == before:
            return at


@scalar_code
def _sample(direction: Vector) -> Any:
    """The sample nearest to a direction: of the side of the cube that it points to."""
    x, y, z = absolute(direction)
    if y > x and y > z:
        axis, out, u, v = 1, direction[1], direction[2], direction[0]
    elif z > x:
        axis, out, u, v = 2, direction[2], direction[0], direction[1]
    else:
        axis, out, u, v = 0, direction[0], direction[1], direction[2]
    inverse = ONE / abs(out)
    row, column = (u * inverse + ONE) * TO_ROW, (v * inverse + ONE) * TO_ROW
    side = 2 * axis + (1 if out < 0 else 0)
    return (side * ACROSS + int(row + HALF)) * ACROSS + int(column + HALF)


SMALL_MARGIN = np.float32(0.05)     # of the smallest half side
PRECISION = np.float32(0.1)         # of the smaller small margin
UNSCALED = (ONE, ONE, ONE)
NOWHERE = (ZERO, ZERO, ZERO)


class GjkConvex(NamedTuple):
    """One side of GJK."""

    kind: Any           # BOX, CAPSULE (a segment or a point) or CONVEX
    half: Vector        # of a box; of a segment its end at +x
    end: Vector         # of a segment the other end
    scale: Vector       # of a hull
    hull: Hull          # of a hull
    radius: Number      # round a segment or a point
    small: Number       # a length that is small for the shape


class Simplex(NamedTuple):
    """Corners of the difference of two shapes, and the corners of either that they are made of."""

    corners: Any        # (n, 3) f4
    corners0: Any
    corners1: Any
    names: Any          # (n, 2) i8: what the corners of either side are called


@scalar_code
def box_core(half: Vector, hulls: Any) -> GjkConvex:
    """A box about the origin."""
    return GjkConvex(np.int64(BOX), half, NOWHERE, UNSCALED, no_hull(hulls), ZERO, least(half) * SMALL_MARGIN)


@scalar_code
def segment_core(first: Vector, end: Vector, radius: Number, hulls: Any) -> GjkConvex:
    """A segment, or a point as its both ends, with a radius round it."""
    return GjkConvex(np.int64(CAPSULE), first, end, UNSCALED, no_hull(hulls), radius, radius)


@scalar_code
def hull_core(hulls: Any, row: Any, scale: Vector) -> GjkConvex:
    """A hull of the table, scaled."""
    hull = hull_at(hulls, row)
    small = least(times(hull.inner_half, scale)) * SMALL_MARGIN
    return GjkConvex(np.int64(CONVEX), NOWHERE, NOWHERE, scale, hull, ZERO, small)


@scalar_code
def precision(core0: GjkConvex, core1: GjkConvex) -> Number:
    """The distance up to which two shapes overlap as far as a search can tell."""
    return min(core0.small, core1.small) * PRECISION


@scalar_code
def corner(core: GjkConvex, name: Any) -> Vector:
    """A corner by its name."""
    if core.kind == BOX:
        half = core.half
        return (half[0] if name & 1 else -half[0], half[1] if name & 2 else -half[1], half[2] if name & 4 else -half[2])
    if core.kind == CAPSULE:
        return core.half if name == 1 else core.end
    return times(vector_at(core.hull.vertices, name), core.scale)


@scalar_code
def corner_along(core: GjkConvex, direction: Vector) -> Any:
    """The name of the corner furthest along a direction."""
    if core.kind == BOX:
        return ((1 if direction[0] > ZERO else 0) | (2 if direction[1] > ZERO else 0)
                | (4 if direction[2] > ZERO else 0))
    if core.kind == CAPSULE:
        return 1 if dot(core.half, direction) > dot(core.end, direction) else 0
    return furthest_vertex(core.hull, times(direction, core.scale))


@scalar_code
def new_simplex(most: Any) -> Simplex:
    """Room for so many corners."""
    return Simplex(np.zeros((most, 3), np.float32), np.zeros((most, 3), np.float32), np.zeros((most, 3), np.float32),
                   np.zeros((most, 2), np.int64))


@scalar_code
def put_corners(core0: GjkConvex, frame: Frame, core1: GjkConvex, name0: Any, name1: Any, simplex: Simplex,
                i: Any) -> Vector:
    """Write a corner of shape 0, at `frame` in shape 1, and one of shape 1, and their difference, which is given."""
    corner0, corner1 = out_of(frame, corner(core0, name0)), corner(core1, name1)
    difference = sub(corner0, corner1)
    put_vector(simplex.corners, i, difference)
    put_vector(simplex.corners0, i, corner0)
    put_vector(simplex.corners1, i, corner1)
    simplex.names[i, 0], simplex.names[i, 1] = name0, name1
    return difference


@scalar_code
def put_support(core0: GjkConvex, frame: Frame, core1: GjkConvex, along0: Vector, along1: Vector, simplex: Simplex,
                i: Any) -> Vector:
    """Write the corners furthest along directions, both as shape 1 sees them."""
    name0 = corner_along(core0, by_matrix(transposed(frame[1]), along0))
    return put_corners(core0, frame, core1, name0, corner_along(core1, along1), simplex, i)


@scalar_code
def interval(core: GjkConvex, direction: Vector) -> Any:
    """How far a box or a hull reaches along a direction: the least and the most."""
    if core.kind == BOX:
        most = dot(direction, corner(core, corner_along(core, direction)))
        return -most, most
    back = times(direction, core.scale)
    if len(core.hull.samples) > 0:
        high, low = furthest_vertex(core.hull, back), furthest_vertex(core.hull, negated(back))
        return dot(direction, corner(core, low)), dot(direction, corner(core, high))
    return _brute_interval(core, direction, back)


@scalar_code
def _brute_interval(core: GjkConvex, direction: Vector, back: Vector) -> Any:
    """Of all vertices; PhysX adds in another order where the hull is scaled."""
    low, high = LARGEST, -LARGEST
    plain = core.scale == UNSCALED
    for i in range(len(core.hull.vertices)):
        vertex = vector_at(core.hull.vertices, i)
        height = dot(vertex, direction) if plain else along(vertex, back)
        low, high = min(low, height), max(high, height)
    return low, high


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
