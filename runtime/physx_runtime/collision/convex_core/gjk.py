"""Closest points of two convex cores by GJK (PhysX GuRefGjkEpa).

`closest_points` iterates supports of both cores. `reduce_segment`, `reduce_triangle` and `reduce_tetrahedron` find the
vertices of a simplex that are closest to the origin. They write kept vertices to `indices` in their order, and the
coordinates of the closest point to `barycentric`.
"""

from __future__ import annotations

import numpy as np

from physx_runtime.arrays import Array, Integer, Quat, Scalar, Vec3
from physx_runtime.collision.convex_core.support import ConvexCore, local_support
from physx_runtime.collision.scalar_math import dot, length, rotated_back, times_reciprocal, transform, unit
from physx_runtime.collision.simd_math import (
    EPSILON,
    HALF,
    LARGEST,
    ONE,
    ZERO,
    add,
    cross,
    negated,
    scaled,
    set_vector,
    sub,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code


@scalar_code
def _select_one(indices: Array, barycentric: Array, a: Integer) -> Integer:
    indices[0], barycentric[0] = a, ONE
    return 1


@scalar_code
def _select_two(indices: Array, barycentric: Array, a: Integer, b: Integer, weight: Scalar) -> Integer:
    indices[0], indices[1] = a, b
    barycentric[0], barycentric[1] = weight, ONE - weight
    return 2


@scalar_code
def _square(a: Vec3) -> Scalar:
    return dot(a, a)


@scalar_code
def reduce_segment(vertices: Array, indices: Array, barycentric: Array) -> Integer:
    """Reduce a segment to the vertices closest to the origin; return their number."""
    # segment: t = b . (b - a) / |b - a|^2, vertex b where t <= 0  (GuRefGjkEpa.h, computeClosest)
    a, b = vector_at(vertices, 0), vector_at(vertices, 1)
    edge = sub(a, b)
    projection = dot(edge, negated(b))
    if projection <= ZERO:
        return _select_one(indices, barycentric, 1)
    return _select_two(indices, barycentric, 0, 1, projection / _square(edge))


@scalar_code
def reduce_triangle(vertices: Array, indices: Array, barycentric: Array) -> Integer:
    """Reduce a triangle to the vertices closest to the origin; return their number."""
    # triangle: Voronoi regions of c, ca, bc and the face; a and b are older corners, known not to be closest
    # (GuRefGjkEpa.h, computeClosest)
    a, b, c = vector_at(vertices, 0), vector_at(vertices, 1), vector_at(vertices, 2)
    ca, cb = sub(a, c), sub(b, c)
    part_a, part_b = dot(ca, negated(c)), dot(cb, negated(c))
    if part_a <= ZERO and part_b <= ZERO:
        return _select_one(indices, barycentric, 2)
    # foot = n (n . a) / n^2, weights by areas
    normal = cross(sub(b, a), sub(c, a))
    inverse = ONE / _square(normal)
    foot = scaled(scaled(normal, dot(normal, a)), inverse)
    area_ca = dot(normal, cross(sub(c, foot), sub(a, foot)))
    if part_a > ZERO and area_ca <= ZERO:
        return _select_two(indices, barycentric, 0, 2, part_a / _square(ca))
    area_bc = dot(normal, cross(sub(b, foot), sub(c, foot)))
    if part_b > ZERO and area_bc <= ZERO:
        return _select_two(indices, barycentric, 1, 2, part_b / _square(cb))
    first, second = area_bc * inverse, area_ca * inverse
    indices[2], barycentric[2] = 2, ONE - first - second
    # winding so that the origin is in front
    if dot(normal, a) > ZERO:
        indices[0], indices[1], barycentric[0], barycentric[1] = 1, 0, second, first
    else:
        indices[0], indices[1], barycentric[0], barycentric[1] = 0, 1, first, second
    return 3


@scalar_code
def _face_plane(vertices: Array, i: Integer, j: Integer) -> tuple[Vec3, Scalar, Vec3]:
    """The plane of vertices i, j and the last: its normal, 1 / n^2, and the projection of the origin."""
    # n = (v_i - d) x (v_j - d), foot = n (n . d) / n^2
    d = vector_at(vertices, 3)
    normal = cross(sub(vector_at(vertices, i), d), sub(vector_at(vertices, j), d))
    inverse = ONE / _square(normal)
    return normal, inverse, scaled(scaled(normal, dot(normal, d)), inverse)


@scalar_code
def _signed_area(normal: Vec3, foot: Vec3, start: Vec3, end: Vec3) -> Scalar:
    return dot(normal, cross(sub(start, foot), sub(end, foot)))


@scalar_code
def reduce_tetrahedron(vertices: Array, indices: Array, barycentric: Array) -> Integer:
    """Reduce a tetrahedron to the vertices closest to the origin; return their number, 4 if it contains the origin."""
    # tetrahedron: Voronoi regions of d, its edges and its faces, in this order  (GuRefGjkEpa.h, computeClosest)
    a, b, c, d = vector_at(vertices, 0), vector_at(vertices, 1), vector_at(vertices, 2), vector_at(vertices, 3)
    da, db, dc, back = sub(a, d), sub(b, d), sub(c, d), negated(d)
    part_a, part_b, part_c = dot(da, back), dot(db, back), dot(dc, back)
    if part_a <= ZERO and part_b <= ZERO and part_c <= ZERO:
        return _select_one(indices, barycentric, 3)
    dab, inverse_ab, foot_ab = _face_plane(vertices, 0, 1)
    dbc, inverse_bc, foot_bc = _face_plane(vertices, 1, 2)
    dca, inverse_ca, foot_ca = _face_plane(vertices, 2, 0)
    tda, tad = _signed_area(dab, foot_ab, d, a), _signed_area(dca, foot_ca, a, d)
    # edge da: no face beside it has the foot inside
    if part_a > ZERO and tda <= ZERO and tad <= ZERO:
        return _select_two(indices, barycentric, 0, 3, part_a / _square(da))
    tdb, tbd = _signed_area(dbc, foot_bc, d, b), _signed_area(dab, foot_ab, b, d)
    if part_b > ZERO and tdb <= ZERO and tbd <= ZERO:
        return _select_two(indices, barycentric, 1, 3, part_b / _square(db))
    tcd, tdc = _signed_area(dbc, foot_bc, c, d), _signed_area(dca, foot_ca, d, c)
    if part_c > ZERO and tdc <= ZERO and tcd <= ZERO:
        return _select_two(indices, barycentric, 2, 3, part_c / _square(dc))
    base_normal = cross(sub(b, a), sub(c, a))
    # face dab: the foot inside, the origin in front
    if tda > ZERO and tbd > ZERO and dot(dab, d) < ZERO and dot(base_normal, dab) > ZERO:
        return _select_three(indices, barycentric, 0, 1, tbd * inverse_ab, tda * inverse_ab)
    if tdb > ZERO and tcd > ZERO and dot(dbc, d) < ZERO and dot(base_normal, dbc) > ZERO:
        return _select_three(indices, barycentric, 1, 2, tcd * inverse_bc, tdb * inverse_bc)
    if tdc > ZERO and tad > ZERO and dot(dca, d) < ZERO and dot(base_normal, dca) > ZERO:
        first, third = tdc * inverse_ca, tad * inverse_ca
        indices[0], indices[1], indices[2] = 0, 3, 2
        barycentric[0], barycentric[1], barycentric[2] = first, ONE - first - third, third
        return 3
    for i in range(4):
        indices[i], barycentric[i] = i, ZERO
    return 4


@scalar_code
def _select_three(indices: Array, barycentric: Array, a: Integer, b: Integer, first: Scalar, second: Scalar) -> Integer:
    indices[0], indices[1], indices[2] = a, b, 3
    barycentric[0], barycentric[1], barycentric[2] = first, second, ONE - first - second
    return 3


HUNDREDTH = np.float32(0.01)
MAX_POINTS = 32            # known support points of each core
MAX_ITERATIONS = 100


@scalar_code
def accuracy(core: ConvexCore) -> Scalar:
    """A hundredth of a core's greatest extent: points closer than this are one."""
    # accuracy = max(0.01 maxExtent, eps)  (GuRefGjkEpa.h, getAccuracy)
    max_extent = max(max(_extent(core, 0), _extent(core, 1)), _extent(core, 2))
    return max(max_extent * HUNDREDTH, EPSILON)


@scalar_code
def _extent(core: ConvexCore, axis: Integer) -> Scalar:
    direction = (ONE if axis == 0 else ZERO, ONE if axis == 1 else ZERO, ONE if axis == 2 else ZERO)
    return local_support(core, direction)[axis] - local_support(core, negated(direction))[axis]


@scalar_code
def center_direction(core0: ConvexCore, core1: ConvexCore) -> Vec3:
    """The direction from the centre of the bounds of core 0 to that of core 1."""
    # d = center(B) - center(A), of the bounds  (GuRefGjkEpa.h, getBounds)
    offset = sub(_center(core1), _center(core0))
    size = length(offset)
    return (ONE, ZERO, ZERO) if size < EPSILON else times_reciprocal(offset, size)


@scalar_code
def _center(core: ConvexCore) -> Vec3:
    return _center_on_axis(core, 0), _center_on_axis(core, 1), _center_on_axis(core, 2)


@scalar_code
def _center_on_axis(core: ConvexCore, axis: Integer) -> Scalar:
    q = core[3][1]
    direction = _rotation_row(q, axis)
    high = transform(core[3], local_support(core, direction))[axis]
    low = transform(core[3], local_support(core, negated(direction)))[axis]
    return (low + high) * HALF


@scalar_code
def _rotation_row(q: Quat, axis: Integer) -> Vec3:
    """A world axis in a rotated frame."""
    # row of R^T: [1 - 2 (y^2 + z^2), ...] as 2 w^2 - 1 + 2 x^2
    x, y, z, w = q
    two = ONE + ONE
    w2 = w * two
    if axis == 0:
        x2 = x * two
        return (w * w2) - ONE + x * x2, (-z * w2) + y * x2, (y * w2) + z * x2
    if axis == 1:
        y2 = y * two
        return (z * w2) + x * y2, (w * w2) - ONE + y * y2, (-x * w2) + z * y2
    z2 = z * two
    return (-y * w2) + x * z2, (x * w2) + y * z2, (w * w2) - ONE + z * z2


@scalar_code
def find_point(core: ConvexCore, direction: Vec3, points: Array, count: Integer,
               weld: Scalar) -> tuple[Integer, Integer]:
    """The index of the support point among the known points, to which a new one is added; and their number."""
    # vertices nearer than `weld` to a known one are that one  (GuRefGjkEpa.h, supportIndex)
    point = transform(core[3], local_support(core, rotated_back(core[3][1], direction)))
    closest, min_square = 0, LARGEST
    for i in range(count - 1, -1, -1):
        offset = sub(vector_at(points, i), point)
        square = dot(offset, offset)
        if square < weld * weld:
            return i, count
        if min_square > square:
            closest, min_square = i, square
    if count == MAX_POINTS:
        return closest, count
    set_vector(points, count, point)
    return count, count + 1


@scalar_code
def closest_points(core0: ConvexCore, core1: ConvexCore, max_distance: Scalar) -> tuple[Scalar, Vec3, Vec3, Vec3]:
    """The distance of two cores, 0 where they overlap; their closest points and the direction from core 1 to 0.

    The distance is LARGEST where it exceeds `max_distance`.
    """
    points0, points1 = np.empty((MAX_POINTS, 3), np.float32), np.empty((MAX_POINTS, 3), np.float32)
    vertices, weights, which = np.zeros((4, 3), np.float32), np.zeros(4, np.float32), np.zeros((4, 2), np.int64)
    weld0, weld1 = accuracy(core0), accuracy(core1)
    enough = HUNDREDTH * min(weld0, weld1)
    origin = (ZERO, ZERO, ZERO)
    # GJK: v = closest point of the simplex to the origin, next support along -v
    # (GuRefGjkEpa.h, computeGjkDistance)
    direction = center_direction(core0, core1)
    a, count0 = find_point(core0, direction, points0, 0, weld0)
    b, count1 = find_point(core1, negated(direction), points1, 0, weld1)
    set_vector(vertices, 0, sub(vector_at(points0, a), vector_at(points1, b)))
    which[0, 0], which[0, 1] = a, b
    size, closest, distance = 1, origin, np.float32(np.inf)
    for step in range(2, MAX_ITERATIONS + 3):
        closest, size, distance = _reduce_simplex(vertices, weights, which, size, distance, closest)
        if distance < enough:
            return ZERO, origin, origin, origin
        direction = negated(unit(closest))
        ahead = LARGEST
        if step <= MAX_ITERATIONS:
            a, count0 = find_point(core0, direction, points0, count0, weld0)
            b, count1 = find_point(core1, negated(direction), points1, count1, weld1)
            point = sub(vector_at(points0, a), vector_at(points1, b))
            if not _contains(which, size, a, b):
                set_vector(vertices, size, point)
                which[size, 0], which[size, 1] = a, b
                weights[size] = ZERO
                size += 1
                ahead = dot(point, negated(direction))
        # converged: -d . w >= |v| - epsilon
        if ahead >= distance - enough:
            at0, at1 = origin, origin
            for i in range(size):
                at0 = add(at0, scaled(vector_at(points0, which[i, 0]), weights[i]))
                at1 = add(at1, scaled(vector_at(points1, which[i, 1]), weights[i]))
            return distance, at0, at1, negated(direction)
        # separated: a support plane lies beyond maxDistance
        if ahead > max_distance:
            return LARGEST, origin, origin, origin
    return LARGEST, origin, origin, origin


@scalar_code
def _contains(which: Array, size: Integer, a: Integer, b: Integer) -> bool:
    result = False
    for i in range(size):
        result |= which[i, 0] == a and which[i, 1] == b
    return result


@scalar_code
def _reduce_simplex(vertices: Array, weights: Array, which: Array, size: Integer, distance: Scalar,
                    closest: Vec3) -> tuple[Vec3, Integer, Scalar]:
    """Reduce the simplex to the vertices closest to the origin; without progress drop its newest vertex."""
    # v = sum lambda_i w_i  (GuRefGjkEpa.h, computeClosest)
    indices, barycentric = np.zeros(4, np.int64), np.zeros(4, np.float32)
    if size == 1:
        count = 1
        barycentric[0] = ONE
    elif size == 2:
        count = reduce_segment(vertices, indices, barycentric)
    elif size == 3:
        count = reduce_triangle(vertices, indices, barycentric)
    else:
        count = reduce_tetrahedron(vertices, indices, barycentric)
    point = (ZERO, ZERO, ZERO)
    for i in range(count):
        point = add(point, scaled(vector_at(vertices, indices[i]), barycentric[i]))
    so_far = length(point)
    # no progress: the newest vertex is dropped
    if not so_far < distance - EPSILON:
        return closest, size - 1, distance
    old, old_which = vertices.copy(), which.copy()
    for i in range(count):
        set_vector(vertices, i, vector_at(old, indices[i]))
        which[i, 0], which[i, 1] = old_which[indices[i], 0], old_which[indices[i], 1]
        weights[i] = barycentric[i]
    return point, count, so_far
