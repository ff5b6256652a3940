"""Penetration depth by expanding polytopes (PhysX GuEPA).

The shortest way out of each other of two shapes that overlap, by growing a polytope, as PhysX's EPA finds it.

The polytope that EPA grows about the origin: its facets, which lies nearest, and what a new corner hides of it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from physx_runtime.collision.pcm.simplex import ORIGIN, GjkConvex, Simplex, new_simplex, precision, put_support
from physx_runtime.collision.simd_math import (
    EPSILON,
    LARGEST,
    ONE,
    ZERO,
    Frame,
    Number,
    Vector,
    absolute,
    add,
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

MOST_FACETS = 64            # and as many corners, as in PhysX, whose search gives up beyond
MOST_EDGES = 32

POLYTOPE = np.dtype([
    ("corner", "i4", (MOST_FACETS, 3)),     # by facet: rows of the corners
    ("neighbour", "i4", (MOST_FACETS, 3)),  # the facet beyond each edge; edge k runs from corner k to the next
    ("edge", "i4", (MOST_FACETS, 3)),       # and which of its edges that is
    ("normal", "f4", (MOST_FACETS, 3)),
    ("height", "f4", MOST_FACETS),          # of the facet's plane over the origin
    ("hidden", "i4", MOST_FACETS),
    ("queued", "i4", MOST_FACETS),
    ("heap", "i4", MOST_FACETS),
    ("heap_size", "i4"),
    ("free", "i4", MOST_FACETS),
    ("free_count", "i4"),
    ("leaving", "i4", MOST_FACETS),         # freed before the next round
    ("leaving_count", "i4"),
    ("rim", "i4", (MOST_EDGES, 2)),         # edges (facet, edge) about what a new corner hides
    ("rim_size", "i4"),
], align=True)


@scalar_code
def begin(polytope: Any) -> None:
    """Take all facets away."""
    polytope.heap_size = polytope.leaving_count = 0
    polytope.free_count = MOST_FACETS
    for i in range(MOST_FACETS):
        polytope.free[i] = MOST_FACETS - 1 - i


@scalar_code
def free_hidden(polytope: Any) -> None:
    """Let go of facets that were hidden and are not in the queue."""
    for i in range(polytope.leaving_count):
        free(polytope, polytope.leaving[i])
    polytope.leaving_count = 0


@scalar_code
def free(polytope: Any, facet: Any) -> None:
    """Let go of a facet."""
    polytope.free[polytope.free_count] = facet
    polytope.free_count += 1


@scalar_code
def put_facet(polytope: Any, corners: Any, i: Any, j: Any, k: Any, highest: Number) -> Any:
    """Add a facet, and queue it if it is neither slim nor higher than `highest`."""
    polytope.free_count -= 1
    facet = polytope.free[polytope.free_count]
    polytope.corner[facet, 0], polytope.corner[facet, 1], polytope.corner[facet, 2] = i, j, k
    a = vector_at(corners, i)
    across = cross(sub(vector_at(corners, j), a), sub(vector_at(corners, k), a))
    square = dot(across, across)
    sound = square > EPSILON
    normal = scaled(across, ONE / math.sqrt(square if sound else ONE))
    height = dot(normal, a)
    put_vector(polytope.normal, facet, normal)
    polytope.height[facet] = height
    polytope.hidden[facet] = polytope.queued[facet] = 0
    if sound and highest >= height:
        _queue(polytope, facet)
    return facet


@scalar_code
def _queue(polytope: Any, facet: Any) -> None:
    polytope.queued[facet] = 1
    at = polytope.heap_size
    while at > 0 and polytope.height[facet] < polytope.height[polytope.heap[(at - 1) >> 1]]:
        polytope.heap[at] = polytope.heap[(at - 1) >> 1]
        at = (at - 1) >> 1
    polytope.heap[at] = facet
    polytope.heap_size += 1


@scalar_code
def take_lowest(polytope: Any) -> Any:
    """The queued facet nearest to the origin, out of the queue."""
    polytope.heap_size -= 1
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
def link(polytope: Any, facet: Any, edge: Any, other: Any, other_edge: Any) -> None:
    """Join two facets by an edge."""
    polytope.neighbour[facet, edge], polytope.edge[facet, edge] = other, other_edge
    polytope.neighbour[other, other_edge], polytope.edge[other, other_edge] = facet, edge


@scalar_code
def hide(polytope: Any, corners: Any, facet: Any, point: Vector) -> bool:
    """Hide all facets that a point lies over, from one on, and find their rim; False if that has too many edges."""
    polytope.rim_size, polytope.hidden[facet] = 0, 1
    for k in range(3):
        if not _hide_beyond(polytope, corners, polytope.neighbour[facet, k], polytope.edge[facet, k], point):
            return False
    return bool(polytope.rim_size > 0)


@scalar_code
def _hide_beyond(polytope: Any, corners: Any, facet: Any, edge: Any, point: Vector) -> bool:
    waiting, size = np.empty((2 * MOST_FACETS, 2), np.int32), 1
    waiting[0, 0], waiting[0, 1] = facet, edge
    while size > 0:
        size -= 1
        facet, edge = waiting[size, 0], waiting[size, 1]
        if polytope.hidden[facet]:
            continue
        a = vector_at(corners, polytope.corner[facet, 0])
        if dot(vector_at(polytope.normal, facet), sub(point, a)) < ZERO:
            if polytope.rim_size == MOST_EDGES:
                return False
            polytope.rim[polytope.rim_size, 0], polytope.rim[polytope.rim_size, 1] = facet, edge
            polytope.rim_size += 1
            continue
        polytope.hidden[facet] = 1
        for k in ((edge + 2) % 3, (edge + 1) % 3):
            waiting[size, 0], waiting[size, 1] = polytope.neighbour[facet, k], polytope.edge[facet, k]
            size += 1
        if not polytope.queued[facet]:
            polytope.leaving[polytope.leaving_count] = facet
            polytope.leaving_count += 1
    return True


@scalar_code
def cover(polytope: Any, corners: Any, top: Any, highest: Number) -> bool:
    """Join a new corner to the rim by facets; False where there are not as many left."""
    if polytope.rim_size > polytope.free_count:
        return False
    first = last = 0
    for i in range(polytope.rim_size):
        beyond, edge = polytope.rim[i, 0], polytope.rim[i, 1]
        source, target = polytope.corner[beyond, edge], polytope.corner[beyond, (edge + 1) % 3]
        facet = put_facet(polytope, corners, target, source, top, highest)
        link(polytope, facet, 0, beyond, edge)
        if i == 0:
            first = facet
        else:
            link(polytope, facet, 2, last, 1)
        last = facet
    link(polytope, first, 2, last, 1)
    return True


@scalar_code
def shares_of_facet(polytope: Any, corners: Any, facet: Any) -> Vector:
    """How much each corner of a facet has of the point of its plane nearest to the origin."""
    a = vector_at(corners, polytope.corner[facet, 0])
    ab = sub(vector_at(corners, polytope.corner[facet, 1]), a)
    ac = sub(vector_at(corners, polytope.corner[facet, 2]), a)
    way = sub(scaled(vector_at(polytope.normal, facet), polytope.height[facet]), a)
    d00, d01, d11, d20, d21 = dot(ab, ab), dot(ab, ac), dot(ac, ac), dot(way, ab), dot(way, ac)
    size = d00 * d11 - d01 * d01
    whole = ONE / size if size > EPSILON else ZERO
    second, third = (d11 * d20 - d01 * d21) * whole, (d00 * d21 - d01 * d20) * whole
    return ONE - (second + third), second, third


ASTRAY = np.float32(1e-3)       # of the tolerance length: a depth that the points miss by as much is none


@scalar_code
def least_way_out(core0: GjkConvex, frame: Frame, core1: GjkConvex, ended: Simplex, size: Any,
                  tolerance_length: Number) -> Any:
    """Whether one was found; the points of shape 0 and 1, the normal towards shape 0, and minus the depth.

    frame: of shape 0 in shape 1, in which all is given. ended: corners at which GJK ended.
    """
    return _least_way_out(np.zeros(1, POLYTOPE), core0, frame, core1, ended, size, tolerance_length * ASTRAY)


@scalar_code
def _least_way_out(room: Any, core0: GjkConvex, frame: Frame, core1: GjkConvex, ended: Simplex, size: Any,
                   astray: Number) -> Any:
    """The same with room for a polytope, which the caller keeps: a record does not keep its array alive."""
    simplex = new_simplex(MOST_FACETS)
    for i in range(size):
        put_vector(simplex.corners0, i, vector_at(ended.corners0, i))
        put_vector(simplex.corners1, i, vector_at(ended.corners1, i))
        put_vector(simplex.corners, i, vector_at(ended.corners, i))
    corners = simplex.corners
    polytope = room[0]
    count = _first_facets(polytope, core0, frame, core1, simplex, size)
    near, highest = precision(core0, core1), LARGEST
    while polytope.heap_size > 0 and count < MOST_FACETS and highest > polytope.height[polytope.heap[0]]:
        free_hidden(polytope)
        facet = take_lowest(polytope)
        if not polytope.hidden[facet]:
            normal = vector_at(polytope.normal, facet)
            point = put_support(core0, frame, core1, normal, negated(normal), simplex, count)
            distance = dot(point, normal)
            if near >= abs(distance - polytope.height[facet]):
                return _found(polytope, facet, simplex, astray)
            highest = min(highest, distance)
            count += 1
            if not (hide(polytope, corners, facet, point) and cover(polytope, corners, count - 1, highest)):
                break
        free(polytope, facet)
    return False, ORIGIN, ORIGIN, ORIGIN, ZERO


@scalar_code
def _found(polytope: Any, facet: Any, simplex: Simplex, astray: Number) -> Any:
    share = shares_of_facet(polytope, simplex.corners, facet)
    point0 = _among(simplex.corners0, polytope, facet, share)
    point1 = _among(simplex.corners1, polytope, facet, share)
    depth, way = abs(polytope.height[facet]), sub(point0, point1)
    allowed = depth + astray
    return (dot(way, way) <= allowed * allowed, point0, point1, negated(vector_at(polytope.normal, facet)), -depth)


@scalar_code
def _among(corners: Any, polytope: Any, facet: Any, share: Vector) -> Vector:
    a, b, c = (vector_at(corners, polytope.corner[facet, 0]), vector_at(corners, polytope.corner[facet, 1]),
               vector_at(corners, polytope.corner[facet, 2]))
    return add(scaled(a, share[0]), add(scaled(b, share[1]), scaled(c, share[2])))


@scalar_code
def _first_facets(polytope: Any, core0: GjkConvex, frame: Frame, core1: GjkConvex, simplex: Simplex, size: Any) -> Any:
    """Begin with a tetrahedron, or with both sides of a triangle made of what there is: how many corners."""
    begin(polytope)
    corners = simplex.corners
    if size == 1:
        along = (ONE, ZERO, ZERO)
        put_support(core0, frame, core1, negated(along), along, simplex, 1)
        if vector_at(corners, 0) == vector_at(corners, 1):
            return 1
    if size <= 2:
        along = _beside(sub(vector_at(corners, 1), vector_at(corners, 0)))
        put_support(core0, frame, core1, negated(along), along, simplex, 2)
    if size <= 3:
        f0 = put_facet(polytope, corners, 0, 1, 2, LARGEST)
        f1 = put_facet(polytope, corners, 1, 0, 2, LARGEST)
        link(polytope, f0, 0, f1, 0)
        link(polytope, f0, 1, f1, 2)
        link(polytope, f0, 2, f1, 1)
        return 3
    _turn_outward(simplex)
    f0, f1 = put_facet(polytope, corners, 0, 1, 2, LARGEST), put_facet(polytope, corners, 0, 3, 1, LARGEST)
    f2, f3 = put_facet(polytope, corners, 0, 2, 3, LARGEST), put_facet(polytope, corners, 1, 3, 2, LARGEST)
    link(polytope, f0, 0, f1, 2)
    link(polytope, f0, 1, f3, 2)
    link(polytope, f0, 2, f2, 0)
    link(polytope, f1, 0, f2, 2)
    link(polytope, f1, 1, f3, 0)
    link(polytope, f2, 1, f3, 1)
    return 4


@scalar_code
def _turn_outward(simplex: Simplex) -> None:
    corners = simplex.corners
    a = vector_at(corners, 0)
    normal = unit(cross(sub(vector_at(corners, 1), a), sub(vector_at(corners, 2), a)))
    if dot(normal, sub(vector_at(corners, 3), a)) > ZERO:
        for rows in (simplex.corners0, simplex.corners1, corners):
            b, c = vector_at(rows, 1), vector_at(rows, 2)
            put_vector(rows, 1, c)
            put_vector(rows, 2, b)


@scalar_code
def _beside(way: Vector) -> Vector:
    """A direction across a segment."""
    x, y, z = absolute(way)
    if x > y and z > y:
        return unit(cross((ZERO, ONE, ZERO), way))
    if x > z:
        return unit(cross((ZERO, ZERO, ONE), way))
    return unit(cross((ONE, ZERO, ZERO), way))
