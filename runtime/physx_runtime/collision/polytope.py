"""The polytope that EPA grows about the origin: its facets, which lies nearest, and what a new corner hides of it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from physx_runtime.collision.vectors import (
    EPSILON,
    ONE,
    ZERO,
    Number,
    Vector,
    cross,
    dot,
    put_vector,
    scaled,
    sub,
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
