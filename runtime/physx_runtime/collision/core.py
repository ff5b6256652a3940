"""What GJK and EPA see of a shape: corners of a box, of a hull or of a segment, which may have a radius round it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from physx_runtime.collision.climbing import along, furthest_vertex
from physx_runtime.collision.geometry import Hull, hull_at, no_hull
from physx_runtime.collision.shape import BOX, CAPSULE, CONVEX
from physx_runtime.collision.vectors import (
    LARGEST,
    ONE,
    ZERO,
    Frame,
    Number,
    Vector,
    by_matrix,
    dot,
    least,
    negated,
    out_of,
    put_vector,
    sub,
    times,
    transposed,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code

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
