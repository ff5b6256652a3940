"""Simplexes of GJK, support vertices of boxes, segments and hulls, and hill climbing (PhysX GuGJKSimplex).

`GjkConvex` is a shape in GJK and EPA: a box, a hull, or a segment or point with a radius. `furthest_vertex` finds the
support vertex of a hull, by hill climbing on large hulls (GuHillClimbing.cpp). `add_support` adds a vertex of the
Minkowski difference. `closest_on_simplex` finds the point closest to the origin and reduces the simplex.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from physx_runtime.arrays import Array, Frame, Integer, Scalar, Vec3
from physx_runtime.collision.shapes import BOX, CAPSULE, CONVEX, Hull, Hulls, hull_at, no_hull
from physx_runtime.collision.simd_math import (
    EPSILON,
    HALF,
    LARGEST,
    ONE,
    ZERO,
    absolute,
    add,
    by_matrix,
    clamped,
    cross,
    dot,
    from_frame,
    min_component,
    negated,
    scaled,
    set_vector,
    sub,
    times,
    transposed,
    unit,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code

SAMPLES_PER_SIDE = 16                         # samples along a side of a cube map of directions
TO_ROW = np.float32(7.5)            # (SAMPLES_PER_SIDE - 1) / 2
MAX_VERTICES = 256


@scalar_code
def dot_scalar(a: Vec3, b: Vec3) -> Scalar:
    """The dot product in the order of PhysX's scalar code."""
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]


@scalar_code
def furthest_vertex(hull: Hull, direction: Vec3) -> Integer:
    """The first support vertex along a direction in the space of the vertices."""
    # hill climbing for hulls with samples, brute force otherwise  (GuVecConvexHull.h, supportVertexIndex)
    if len(hull.samples) > 0:
        return _hill_climbing(hull, direction)
    max_height, best = dot_scalar(vector_at(hull.vertices, 0), direction), 0
    for i in range(1, len(hull.vertices)):
        height = dot_scalar(vector_at(hull.vertices, i), direction)
        if height > max_height:
            max_height, best = height, i
    return best


@scalar_code
def _hill_climbing(hull: Hull, direction: Vec3) -> Integer:
    # from the sample up along neighbours while the height grows  (GuHillClimbing.cpp)
    at = hull.samples[_sample(direction)]
    max_height = dot(vector_at(hull.vertices, at), direction)
    visited = np.zeros(MAX_VERTICES, np.bool_)
    while True:
        before = at
        first, count = hull.valencies[before, 0], hull.valencies[before, 1]
        for k in range(first, first + count):
            neighbour = hull.neighbours[k]
            height = dot(vector_at(hull.vertices, neighbour), direction)
            if height > max_height and not visited[neighbour]:
                visited[neighbour] = True
                max_height, at = height, neighbour
        if at == before:
            return at


@scalar_code
def _sample(direction: Vec3) -> Integer:
    """The index of the cube map's sample closest to a direction."""
    # cube map: side by the greatest component, 16 by 16 samples  (GuCubeIndex.h)
    x, y, z = absolute(direction)
    if y > x and y > z:
        axis, out, u, v = 1, direction[1], direction[2], direction[0]
    elif z > x:
        axis, out, u, v = 2, direction[2], direction[0], direction[1]
    else:
        axis, out, u, v = 0, direction[0], direction[1], direction[2]
    inverse = ONE / abs(out)
    row, column = (u * inverse + ONE) * TO_ROW, (v * inverse + ONE) * TO_ROW
    cube_face = 2 * axis + (1 if out < 0 else 0)
    return (cube_face * SAMPLES_PER_SIDE + int(row + HALF)) * SAMPLES_PER_SIDE + int(column + HALF)


SMALL_MARGIN = np.float32(0.05)     # of the smallest half side
PRECISION = np.float32(0.1)         # of the smaller small margin
UNSCALED = (ONE, ONE, ONE)
ZERO_VECTOR = (ZERO, ZERO, ZERO)


class GjkConvex(NamedTuple):
    """One shape in GJK and EPA."""

    kind: Integer       # BOX, CAPSULE (a segment or a point) or CONVEX
    half: Vec3        # half extents of a box; +x end of a segment
    end: Vec3         # other end of a segment
    scale: Vec3       # of a hull
    hull: Hull          # of a hull
    radius: Scalar      # radius of a segment or a point
    small: Scalar       # margin: a small length for the shape


class Simplex(NamedTuple):
    """Vertices of the Minkowski difference of two shapes, and the vertices of both that they are made of."""

    vertices: Array      # (n, 3) f4
    vertices0: Array
    vertices1: Array
    vertex_indices: Array        # (n, 2) i8: indices of the vertices of both shapes


@scalar_code
def box_core(half: Vec3, hulls: Hulls) -> GjkConvex:
    """A box about the origin."""
    # margin: 0.05 of the least half extent  (GuVecBox.h)
    return GjkConvex(np.int64(BOX), half, ZERO_VECTOR, UNSCALED, no_hull(hulls), ZERO,
                     min_component(half) * SMALL_MARGIN)


@scalar_code
def segment_core(first: Vec3, end: Vec3, radius: Scalar, hulls: Hulls) -> GjkConvex:
    """A segment with a radius; a point has two equal ends."""
    return GjkConvex(np.int64(CAPSULE), first, end, UNSCALED, no_hull(hulls), radius, radius)


@scalar_code
def hull_core(hulls: Hulls, row: Integer, scale: Vec3) -> GjkConvex:
    """A hull of the table, scaled."""
    hull = hull_at(hulls, row)
    # margin: 0.05 of the least inner half extent  (GuVecConvexHull.h)
    small = min_component(times(hull.inner_half, scale)) * SMALL_MARGIN
    return GjkConvex(np.int64(CONVEX), ZERO_VECTOR, ZERO_VECTOR, scale, hull, ZERO, small)


@scalar_code
def precision(core0: GjkConvex, core1: GjkConvex) -> Scalar:
    """The distance below which a search takes two shapes as overlapping."""
    # eps = 0.1 of the smaller margin  (GuGJKPenetration.h, gjkPenetration)
    return min(core0.small, core1.small) * PRECISION


@scalar_code
def vertex_of(core: GjkConvex, index: Integer) -> Vec3:
    """A vertex by its index."""
    # bit k: positive along axis k
    if core.kind == BOX:
        half = core.half
        return (half[0] if index & 1 else -half[0], half[1] if index & 2 else -half[1],
                half[2] if index & 4 else -half[2])
    if core.kind == CAPSULE:
        return core.half if index == 1 else core.end
    return times(vector_at(core.hull.vertices, index), core.scale)


@scalar_code
def support_vertex(core: GjkConvex, direction: Vec3) -> Integer:
    """The index of the support vertex along a direction."""
    # argmax v . d
    if core.kind == BOX:
        return ((1 if direction[0] > ZERO else 0) | (2 if direction[1] > ZERO else 0)
                | (4 if direction[2] > ZERO else 0))
    if core.kind == CAPSULE:
        return 1 if dot(core.half, direction) > dot(core.end, direction) else 0
    return furthest_vertex(core.hull, times(direction, core.scale))


@scalar_code
def new_simplex(capacity: Integer) -> Simplex:
    """A simplex with capacity for so many vertices."""
    return Simplex(np.zeros((capacity, 3), np.float32), np.zeros((capacity, 3), np.float32),
                   np.zeros((capacity, 3), np.float32),
                   np.zeros((capacity, 2), np.int64))


@scalar_code
def set_vertex(core0: GjkConvex, frame: Frame, core1: GjkConvex, index0: Integer, index1: Integer, simplex: Simplex,
               i: Integer) -> Vec3:
    """Write a vertex of shape 0, at `frame` in shape 1, one of shape 1, and their difference, which is returned."""
    # w = T a - b
    vertex0, vertex1 = from_frame(frame, vertex_of(core0, index0)), vertex_of(core1, index1)
    difference = sub(vertex0, vertex1)
    set_vector(simplex.vertices, i, difference)
    set_vector(simplex.vertices0, i, vertex0)
    set_vector(simplex.vertices1, i, vertex1)
    simplex.vertex_indices[i, 0], simplex.vertex_indices[i, 1] = index0, index1
    return difference


@scalar_code
def add_support(core0: GjkConvex, frame: Frame, core1: GjkConvex, direction0: Vec3, direction1: Vec3,
                simplex: Simplex,
                i: Integer) -> Vec3:
    """Write the support vertices of both shapes along directions in the frame of shape 1; return their difference."""
    # s0(R^T d), s1(-d) in the frame of shape 1
    index0 = support_vertex(core0, by_matrix(transposed(frame[1]), direction0))
    return set_vertex(core0, frame, core1, index0, support_vertex(core1, direction1), simplex, i)


@scalar_code
def interval(core: GjkConvex, direction: Vec3) -> tuple[Scalar, Scalar]:
    """The interval of a box or a hull along a direction."""
    # [min v . d, max v . d]  (GuVecConvexHull.h, bruteForceSearchMinMax)
    if core.kind == BOX:
        max_height = dot(direction, vertex_of(core, support_vertex(core, direction)))
        return -max_height, max_height
    back = times(direction, core.scale)
    if len(core.hull.samples) > 0:
        high, low = furthest_vertex(core.hull, back), furthest_vertex(core.hull, negated(back))
        return dot(direction, vertex_of(core, low)), dot(direction, vertex_of(core, high))
    return _interval_of_all(core, direction, back)


@scalar_code
def _interval_of_all(core: GjkConvex, direction: Vec3, back: Vec3) -> tuple[Scalar, Scalar]:
    """The interval by brute force; PhysX sums in another order where the hull is scaled."""
    low, high = LARGEST, -LARGEST
    plain = core.scale == UNSCALED
    for i in range(len(core.hull.vertices)):
        vertex = vector_at(core.hull.vertices, i)
        height = dot(vertex, direction) if plain else dot_scalar(vertex, back)
        low, high = min(low, height), max(high, height)
    return low, high


FLAT = np.float32(1e-4)             # height of a tetrahedron below which it is a triangle; in every unit of length
SLIM = EPSILON * EPSILON            # square of twice the area of a triangle below which it is a segment
ORIGIN = (ZERO, ZERO, ZERO)
TETRAHEDRON_FACES = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]])      # of a tetrahedron


@scalar_code
def closest_on_simplex(simplex: Simplex, size: Integer) -> tuple[Vec3, Integer]:
    """The point closest to the origin, and the number of vertices that it depends on, which move to the front."""
    # closest point by the size of the simplex  (GuGJKSimplex.h, GJKCPairDoSimplex)
    vertices = simplex.vertices
    if size == 1:
        return vector_at(vertices, 0), 1
    if size == 2:
        return closest_on_segment(vector_at(vertices, 0), vector_at(vertices, 1))
    if size == 4:
        a, b, c, d = (vector_at(vertices, 0), vector_at(vertices, 1), vector_at(vertices, 2), vector_at(vertices, 3))
        # tetrahedron of height >= 1e-4, otherwise a triangle  (GuGJKSimplex.cpp, closestPtPointTetrahedron)
        if abs(dot(unit(cross(sub(b, a), sub(c, a))), sub(d, a))) >= FLAT:
            separating = _separating_faces(a, b, c, d)
            return _closest_on_faces(simplex, separating) if separating.any() else (ORIGIN, 4)
    a, b, c = vector_at(vertices, 0), vector_at(vertices, 1), vector_at(vertices, 2)
    area = cross(sub(b, a), sub(c, a))
    if dot(area, area) <= SLIM:
        return closest_on_segment(vector_at(vertices, 0), vector_at(vertices, 1))
    point, _, count, first, second = closest_on_triangle(a, b, c)
    _select_vertices(simplex, (first, second, 2))
    return point, count


@scalar_code
def barycentric(vertices: Array, size: Integer, point: Vec3) -> Vec3:
    """Barycentric coordinates of a point in a simplex of up to three vertices."""
    # segment: t = -a . (b - a) / |b - a|^2; triangle: areas opposite to the corners
    # (GuGJKSimplex.h, closestPtPointTriangleBaryCentric)
    a, b, c = vector_at(vertices, 0), vector_at(vertices, 1), vector_at(vertices, 2)
    if size == 1:
        return ONE, ZERO, ZERO
    if size == 2:
        start = sub(a, point)
        edge = sub(sub(b, point), start)
        square = dot(edge, edge)
        t = dot(negated(start), edge) * (ONE / square) if square > ZERO else ZERO
        return ONE - t, t, ZERO
    normal = cross(sub(b, a), sub(c, a))
    a, b, c = sub(a, point), sub(b, point), sub(c, point)
    over_a, over_b, over_c = dot(normal, cross(b, c)), dot(normal, cross(c, a)), dot(normal, cross(a, b))
    total = over_a + (over_b + over_c)
    inverse = ONE / total if total != ZERO else ZERO
    return ONE - over_b * inverse - over_c * inverse, over_b * inverse, over_c * inverse


@scalar_code
def interpolate(vertices: Array, weights: Vec3) -> Vec3:
    """The point with these barycentric coordinates."""
    a = vector_at(vertices, 0)
    edge0, edge1 = sub(vector_at(vertices, 1), a), sub(vector_at(vertices, 2), a)
    return add(a, add(scaled(edge0, weights[1]), scaled(edge1, weights[2])))


@scalar_code
def closest_on_triangle(a: Vec3, b: Vec3, c: Vec3) -> tuple[Vec3, Scalar, Integer, Integer, Integer]:
    """The point closest to the origin, its square, the number of vertices that it depends on, and two of these."""
    # Voronoi regions: face, edges, corners  (GuGJKSimplex.cpp, getClosestPtPointTriangle)
    ab, ac = sub(b, a), sub(c, a)
    n = cross(ab, ac)
    nn = dot(n, n)
    if nn == ZERO:
        return ORIGIN, LARGEST, 3, 0, 1
    over_a, over_b, over_c = dot(n, cross(b, c)), dot(n, cross(c, a)), dot(n, cross(a, b))
    if over_a >= ZERO and over_b >= ZERO and over_c >= ZERO:
        point = scaled(n, dot(n, a) / nn)
        return point, dot(point, point), 3, 0, 1
    # d1 to d6 of Ericson, Real-time collision detection, 5.1.5
    d1, d2 = dot(ab, negated(a)), dot(ac, negated(a))
    d3, d4 = dot(ab, negated(b)), dot(ac, negated(b))
    d5, d6 = dot(ab, negated(c)), dot(ac, negated(c))
    count, first, second = 2, 0, 1
    if over_c <= ZERO and d1 >= ZERO and d3 <= ZERO:
        point = _point_on_edge(a, ab, d1, d1 - d3)
    elif over_a <= ZERO and d4 >= d3 and d5 >= d6:
        point, first, second = _point_on_edge(b, sub(c, b), d4 - d3, (d4 - d3) + (d5 - d6)), 1, 2
    elif over_b <= ZERO and d2 >= ZERO and d6 <= ZERO:
        point, second = _point_on_edge(a, ac, d2, d2 - d6), 2
    elif d1 <= ZERO and d2 <= ZERO:
        point, count = a, 1
    elif d3 >= ZERO and d3 >= d4:
        point, count, first = b, 1, 1
    else:
        point, count, first = c, 1, 2
    return point, dot(point, point), count, first, second


@scalar_code
def _point_on_edge(start: Vec3, edge: Vec3, numerator: Scalar, denominator: Scalar) -> Vec3:
    t = numerator * (ONE / denominator) if abs(denominator) > EPSILON else ZERO
    return add(scaled(edge, t), start)


@scalar_code
def closest_on_segment(a: Vec3, b: Vec3) -> tuple[Vec3, Integer]:
    """The point closest to the origin, and the number of vertices that it depends on, 1 or 2."""
    # t = clamp(-a . (b - a) / |b - a|^2, 0, 1)  (GuGJKSimplex.h, closestPtPointSegment)
    edge = sub(b, a)
    square = dot(edge, edge)
    if square <= EPSILON:
        return a, 1
    return add(scaled(edge, clamped(dot(negated(a), edge) / square, ZERO, ONE)), a), 2


@scalar_code
def _separating_faces(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> Array:
    """Mask of the faces of a tetrahedron that separate the origin from the fourth vertex."""
    # origin and fourth corner on opposite sides of a face  (GuGJKSimplex.h, PointOutsideOfPlane4)
    ab, ac, ad = sub(b, a), sub(c, a), sub(d, a)
    n0, n1, n2, n3 = cross(ab, ac), cross(ac, ad), cross(ad, ab), cross(sub(d, b), sub(c, b))
    separating = np.empty(4, np.bool_)
    separating[0] = dot(n0, a) * dot(n0, d) >= ZERO
    separating[1] = dot(n1, a) * dot(n1, b) >= ZERO
    separating[2] = dot(n2, a) * dot(n2, c) >= ZERO
    separating[3] = dot(n3, b) * dot(n3, a) >= ZERO
    return separating


@scalar_code
def _closest_on_faces(simplex: Simplex, separating: Array) -> tuple[Vec3, Integer]:
    # nearest of the faces that separate  (GuGJKSimplex.cpp, closestPtPointTetrahedron)
    vertices = simplex.vertices
    closest, min_square, size, selected = ORIGIN, LARGEST, 3, (0, 1, 2)
    for face in range(4):
        if separating[face]:
            i, j, k = TETRAHEDRON_FACES[face, 0], TETRAHEDRON_FACES[face, 1], TETRAHEDRON_FACES[face, 2]
            result = closest_on_triangle(vector_at(vertices, i), vector_at(vertices, j), vector_at(vertices, k))
            point, square, count, first, second = result
            if min_square > square:
                closest, min_square, size, selected = point, square, count, (TETRAHEDRON_FACES[face, first],
                                                                             TETRAHEDRON_FACES[face, second], k)
    _select_vertices(simplex, selected)
    return closest, size


@scalar_code
def _select_vertices(simplex: Simplex, selected: tuple[Integer, Integer, Integer]) -> None:
    for rows in (simplex.vertices, simplex.vertices0, simplex.vertices1):
        a, b, c = vector_at(rows, selected[0]), vector_at(rows, selected[1]), vector_at(rows, selected[2])
        set_vector(rows, 0, a)
        set_vector(rows, 1, b)
        set_vector(rows, 2, c)
    indices = simplex.vertex_indices
    for shape in range(2):
        i, j, k = indices[selected[0], shape], indices[selected[1], shape], indices[selected[2], shape]
        indices[0, shape], indices[1, shape], indices[2, shape] = i, j, k
