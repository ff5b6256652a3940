"""The shortest way out of each other of two shapes that overlap, by growing a polytope, as PhysX's EPA finds it."""

from __future__ import annotations

from typing import Any

import numpy as np

from physx_runtime.collision.core import GjkConvex, Simplex, new_simplex, precision, put_support
from physx_runtime.collision.polytope import (
    MOST_FACETS,
    POLYTOPE,
    begin,
    cover,
    free,
    free_hidden,
    hide,
    link,
    put_facet,
    shares_of_facet,
    take_lowest,
)
from physx_runtime.collision.simplex import ORIGIN
from physx_runtime.collision.vectors import (
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
