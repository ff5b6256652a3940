"""Penetration depth of two overlapping convex shapes by the expanding polytope algorithm (PhysX GuEPA).

`penetration_depth` expands a polytope about the origin, from the simplex of GJK. `add_facet`, `pop_closest`,
`find_silhouette` and `connect` work on its facets: a heap by distance, the facets visible from a new vertex, and the
fan that replaces them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from physx_runtime.arrays import Array, Condition, Frame, Integer, Record, Records, Scalar, Vec3
from physx_runtime.collision.pcm.simplex import ORIGIN, GjkConvex, Simplex, add_support, new_simplex, precision
from physx_runtime.collision.simd_math import (
    EPSILON,
    LARGEST,
    ONE,
    ZERO,
    absolute,
    add,
    cross,
    dot,
    negated,
    scaled,
    set_vector,
    sub,
    unit,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code

MAX_FACETS = 64            # limit of vertices and edges, as in PhysX, whose search stops there
MAX_EDGES = 32

POLYTOPE = np.dtype([
    ("vertex", "i4", (MAX_FACETS, 3)),     # by facet: indices of the vertices
    ("neighbour", "i4", (MAX_FACETS, 3)),  # the facet across each edge; edge k runs from vertex k to the next
    ("edge", "i4", (MAX_FACETS, 3)),       # and which of its edges that is
    ("normal", "f4", (MAX_FACETS, 3)),
    ("height", "f4", MAX_FACETS),          # of the facet's plane over the origin
    ("obsolete", "i4", MAX_FACETS),
    ("queued", "i4", MAX_FACETS),
    ("heap", "i4", MAX_FACETS),
    ("heap_size", "i4"),
    ("free", "i4", MAX_FACETS),
    ("free_count", "i4"),
    ("deferred", "i4", MAX_FACETS),        # to be freed before the next iteration
    ("deferred_count", "i4"),
    ("silhouette", "i4", (MAX_EDGES, 2)),  # horizon edges (facet, edge) of the facets visible from a new vertex
    ("silhouette_size", "i4"),
], align=True)


@scalar_code
def reset(polytope: Record) -> None:
    """Remove all facets."""
    polytope.heap_size = polytope.deferred_count = 0
    polytope.free_count = MAX_FACETS
    for i in range(MAX_FACETS):
        polytope.free[i] = MAX_FACETS - 1 - i


@scalar_code
def free_obsolete(polytope: Record) -> None:
    """Free the obsolete facets that are not in the queue."""
    for i in range(polytope.deferred_count):
        free(polytope, polytope.deferred[i])
    polytope.deferred_count = 0


@scalar_code
def free(polytope: Record, facet: Integer) -> None:
    """Free a facet."""
    polytope.free[polytope.free_count] = facet
    polytope.free_count += 1


@scalar_code
def add_facet(polytope: Record, vertices: Array, i: Integer, j: Integer, k: Integer, highest: Scalar) -> Integer:
    """Add a facet, and queue it if it is neither degenerate nor farther than `highest`."""
    polytope.free_count -= 1
    facet = polytope.free[polytope.free_count]
    polytope.vertex[facet, 0], polytope.vertex[facet, 1], polytope.vertex[facet, 2] = i, j, k
    a = vector_at(vertices, i)
    # n = (b - a) x (c - a) / |...|, height = n . a  (GuEPA.cpp, addFacet)
    area_normal = cross(sub(vector_at(vertices, j), a), sub(vector_at(vertices, k), a))
    square = dot(area_normal, area_normal)
    is_valid = square > EPSILON
    normal = scaled(area_normal, ONE / math.sqrt(square if is_valid else ONE))
    height = dot(normal, a)
    set_vector(polytope.normal, facet, normal)
    polytope.height[facet] = height
    polytope.obsolete[facet] = polytope.queued[facet] = 0
    # only facets below the best upper bound can be closest
    if is_valid and highest >= height:
        _queue(polytope, facet)
    return facet


@scalar_code
def _queue(polytope: Record, facet: Integer) -> None:
    # binary heap by height, the closest facet first
    polytope.queued[facet] = 1
    at = polytope.heap_size
    while at > 0 and polytope.height[facet] < polytope.height[polytope.heap[(at - 1) >> 1]]:
        polytope.heap[at] = polytope.heap[(at - 1) >> 1]
        at = (at - 1) >> 1
    polytope.heap[at] = facet
    polytope.heap_size += 1


@scalar_code
def pop_closest(polytope: Record) -> Integer:
    """Remove the facet closest to the origin from the queue, and return it."""
    polytope.heap_size -= 1
    # sift down
    size, heap = polytope.heap_size, polytope.heap
    first, last, at, child = heap[0], heap[size], 0, 1
    while child < size:
        if child + 1 < size and polytope.height[heap[child + 1]] < polytope.height[heap[child]]:
            child += 1
        if polytope.height[last] < polytope.height[heap[child]]:
            break
        heap[at] = heap[child]
        at, child = child, 2 * child + 1
    heap[at] = last
    polytope.queued[first] = 0
    return first


@scalar_code
def link(polytope: Record, facet: Integer, edge: Integer, other: Integer, other_edge: Integer) -> None:
    """Link two facets at an edge."""
    polytope.neighbour[facet, edge], polytope.edge[facet, edge] = other, other_edge
    polytope.neighbour[other, other_edge], polytope.edge[other, other_edge] = facet, edge


@scalar_code
def find_silhouette(polytope: Record, vertices: Array, facet: Integer, point: Vec3) -> bool:
    """Mark the facets visible from a point, and find their silhouette; return False if it has too many edges."""
    # facets visible from the new vertex, depth first; their horizon  (GuEPA.cpp, silhouette)
    polytope.silhouette_size, polytope.obsolete[facet] = 0, 1
    for k in range(3):
        if not _expand_silhouette(polytope, vertices, polytope.neighbour[facet, k], polytope.edge[facet, k], point):
            return False
    return bool(polytope.silhouette_size > 0)


@scalar_code
def _expand_silhouette(polytope: Record, vertices: Array, facet: Integer, edge: Integer, point: Vec3) -> bool:
    waiting, size = np.empty((2 * MAX_FACETS, 2), np.int32), 1
    waiting[0, 0], waiting[0, 1] = facet, edge
    while size > 0:
        size -= 1
        facet, edge = waiting[size, 0], waiting[size, 1]
        if polytope.obsolete[facet]:
            continue
        a = vector_at(vertices, polytope.vertex[facet, 0])
        # not visible from the point: n . (p - a) < 0, an edge of the silhouette
        if dot(vector_at(polytope.normal, facet), sub(point, a)) < ZERO:
            if polytope.silhouette_size == MAX_EDGES:
                return False
            polytope.silhouette[polytope.silhouette_size, 0] = facet
            polytope.silhouette[polytope.silhouette_size, 1] = edge
            polytope.silhouette_size += 1
            continue
        polytope.obsolete[facet] = 1
        for k in ((edge + 2) % 3, (edge + 1) % 3):
            waiting[size, 0], waiting[size, 1] = polytope.neighbour[facet, k], polytope.edge[facet, k]
            size += 1
        if not polytope.queued[facet]:
            polytope.deferred[polytope.deferred_count] = facet
            polytope.deferred_count += 1
    return True


@scalar_code
def connect(polytope: Record, vertices: Array, top: Integer, highest: Scalar) -> bool:
    """Connect the new vertex to the silhouette by facets; return False if there are not enough facets left."""
    # fan of facets from the silhouette to the new vertex  (GuEPA.cpp, PenetrationDepth)
    if polytope.silhouette_size > polytope.free_count:
        return False
    first = last = 0
    for i in range(polytope.silhouette_size):
        beyond, edge = polytope.silhouette[i, 0], polytope.silhouette[i, 1]
        source, target = polytope.vertex[beyond, edge], polytope.vertex[beyond, (edge + 1) % 3]
        facet = add_facet(polytope, vertices, target, source, top, highest)
        link(polytope, facet, 0, beyond, edge)
        if i == 0:
            first = facet
        else:
            link(polytope, facet, 2, last, 1)
        last = facet
    link(polytope, first, 2, last, 1)
    return True


@scalar_code
def facet_barycentric(polytope: Record, vertices: Array, facet: Integer) -> Vec3:
    """Barycentric coordinates of the origin's projection onto a facet."""
    # lambda of the origin's projection height n: Cramer's rule on ab, ac
    a = vector_at(vertices, polytope.vertex[facet, 0])
    ab = sub(vector_at(vertices, polytope.vertex[facet, 1]), a)
    ac = sub(vector_at(vertices, polytope.vertex[facet, 2]), a)
    offset = sub(scaled(vector_at(polytope.normal, facet), polytope.height[facet]), a)
    d00, d01, d11, d20, d21 = dot(ab, ab), dot(ab, ac), dot(ac, ac), dot(offset, ab), dot(offset, ac)
    size = d00 * d11 - d01 * d01
    inverse = ONE / size if size > EPSILON else ZERO
    second, third = (d11 * d20 - d01 * d21) * inverse, (d00 * d21 - d01 * d20) * inverse
    return ONE - (second + third), second, third


class PenetrationDepth(NamedTuple):
    """The penetration depth of two shapes and its witness points, in the frame of shape 1."""

    converged: Condition
    point0: Vec3
    point1: Vec3
    normal: Vec3            # towards shape 0
    distance: Scalar        # minus the depth


MAX_POINT_ERROR = np.float32(1e-3)       # of the tolerance length, between depth and distance of the witness points


@scalar_code
def penetration_depth(core0: GjkConvex, frame: Frame, core1: GjkConvex, initial: Simplex, size: Integer,
                      tolerance_length: Scalar) -> PenetrationDepth:
    """The penetration depth of two shapes that overlap.

    frame: of shape 0 in shape 1, the frame of all results. initial: the last simplex of GJK.
    """
    return _expand(np.zeros(1, POLYTOPE), core0, frame, core1, initial, size, tolerance_length * MAX_POINT_ERROR)


@scalar_code
def _expand(storage: Records, core0: GjkConvex, frame: Frame, core1: GjkConvex, initial: Simplex, size: Integer,
            max_error: Scalar) -> PenetrationDepth:
    """The same with memory for a polytope, kept by the caller: a record does not keep its array alive."""
    simplex = new_simplex(MAX_FACETS)
    # simplex of GJK as first polytope  (GuEPA.cpp, PenetrationDepth)
    for i in range(size):
        set_vector(simplex.vertices0, i, vector_at(initial.vertices0, i))
        set_vector(simplex.vertices1, i, vector_at(initial.vertices1, i))
        set_vector(simplex.vertices, i, vector_at(initial.vertices, i))
    vertices = simplex.vertices
    polytope = storage[0]
    count = _first_facets(polytope, core0, frame, core1, simplex, size)
    near, highest = precision(core0, core1), LARGEST
    # upper bound: distance of the best support plane so far
    while polytope.heap_size > 0 and count < MAX_FACETS and highest > polytope.height[polytope.heap[0]]:
        free_obsolete(polytope)
        facet = pop_closest(polytope)
        if not polytope.obsolete[facet]:
            normal = vector_at(polytope.normal, facet)
            point = add_support(core0, frame, core1, normal, negated(normal), simplex, count)
            distance = dot(point, normal)
            # converged: |w . n - height| <= precision
            if near >= abs(distance - polytope.height[facet]):
                return _witness_result(polytope, facet, simplex, max_error)
            highest = min(highest, distance)
            count += 1
            if not (find_silhouette(polytope, vertices, facet, point)
                    and connect(polytope, vertices, count - 1, highest)):
                break
        free(polytope, facet)
    return PenetrationDepth(False, ORIGIN, ORIGIN, ORIGIN, ZERO)


@scalar_code
def _witness_result(polytope: Record, facet: Integer, simplex: Simplex,
                    max_error: Scalar) -> PenetrationDepth:
    # witness points, refused where |p0 - p1| > depth + 1e-3 toleranceLength
    # (GuEPA.cpp, calculateContactInformation)
    barycentric = facet_barycentric(polytope, simplex.vertices, facet)
    point0 = _interpolate(simplex.vertices0, polytope, facet, barycentric)
    point1 = _interpolate(simplex.vertices1, polytope, facet, barycentric)
    depth, offset = abs(polytope.height[facet]), sub(point0, point1)
    allowed = depth + max_error
    return PenetrationDepth(dot(offset, offset) <= allowed * allowed, point0, point1,
                            negated(vector_at(polytope.normal, facet)), -depth)


@scalar_code
def _interpolate(vertices: Array, polytope: Record, facet: Integer, barycentric: Vec3) -> Vec3:
    a, b, c = (vector_at(vertices, polytope.vertex[facet, 0]), vector_at(vertices, polytope.vertex[facet, 1]),
               vector_at(vertices, polytope.vertex[facet, 2]))
    return add(scaled(a, barycentric[0]), add(scaled(b, barycentric[1]), scaled(c, barycentric[2])))


@scalar_code
def _first_facets(polytope: Record, core0: GjkConvex, frame: Frame, core1: GjkConvex, simplex: Simplex,
                  size: Integer) -> Integer:
    """Build a tetrahedron, or both sides of a triangle, from the simplex; return the number of vertices."""
    reset(polytope)
    vertices = simplex.vertices
    # point, segment, triangle or tetrahedron  (GuEPA.cpp, expandPoint, expandSegment, expandTriangle)
    if size == 1:
        direction = (ONE, ZERO, ZERO)
        add_support(core0, frame, core1, negated(direction), direction, simplex, 1)
        if vector_at(vertices, 0) == vector_at(vertices, 1):
            return 1
    if size <= 2:
        direction = _perpendicular(sub(vector_at(vertices, 1), vector_at(vertices, 0)))
        add_support(core0, frame, core1, negated(direction), direction, simplex, 2)
    if size <= 3:
        f0 = add_facet(polytope, vertices, 0, 1, 2, LARGEST)
        f1 = add_facet(polytope, vertices, 1, 0, 2, LARGEST)
        link(polytope, f0, 0, f1, 0)
        link(polytope, f0, 1, f1, 2)
        link(polytope, f0, 2, f1, 1)
        return 3
    # tetrahedron with outward normals  (GuEPA.cpp, originInTetrahedron)
    _orient_outward(simplex)
    f0, f1 = add_facet(polytope, vertices, 0, 1, 2, LARGEST), add_facet(polytope, vertices, 0, 3, 1, LARGEST)
    f2, f3 = add_facet(polytope, vertices, 0, 2, 3, LARGEST), add_facet(polytope, vertices, 1, 3, 2, LARGEST)
    link(polytope, f0, 0, f1, 2)
    link(polytope, f0, 1, f3, 2)
    link(polytope, f0, 2, f2, 0)
    link(polytope, f1, 0, f2, 2)
    link(polytope, f1, 1, f3, 0)
    link(polytope, f2, 1, f3, 1)
    return 4


@scalar_code
def _orient_outward(simplex: Simplex) -> None:
    vertices = simplex.vertices
    a = vector_at(vertices, 0)
    # the fourth vertex lies behind face 012
    normal = unit(cross(sub(vector_at(vertices, 1), a), sub(vector_at(vertices, 2), a)))
    if dot(normal, sub(vector_at(vertices, 3), a)) > ZERO:
        for rows in (simplex.vertices0, simplex.vertices1, vertices):
            b, c = vector_at(rows, 1), vector_at(rows, 2)
            set_vector(rows, 1, c)
            set_vector(rows, 2, b)


@scalar_code
def _perpendicular(direction: Vec3) -> Vec3:
    """A direction perpendicular to a segment."""
    # axis of the least component, across the segment
    x, y, z = absolute(direction)
    if x > y and z > y:
        return unit(cross((ZERO, ONE, ZERO), direction))
    if x > z:
        return unit(cross((ZERO, ZERO, ONE), direction))
    return unit(cross((ONE, ZERO, ZERO), direction))
