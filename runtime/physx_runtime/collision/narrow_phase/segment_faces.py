"""A capsule over the faces of a hull or a box: what its axis touches there, with a normal that is given."""

from __future__ import annotations

from typing import Any

import numpy as np

from physx_runtime.collision.geometry import Hull
from physx_runtime.collision.manifold import Points, add_found
from physx_runtime.collision.polygons import contains, face_normal, put_corners_of, turn, turned_up
from physx_runtime.collision.vectors import (
    LARGEST,
    ONE,
    ZERO,
    Frame,
    Number,
    Vector,
    add,
    by_matrix,
    cross,
    dot,
    into,
    negated,
    scaled,
    sub,
    times,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code

BESIDE = np.float32(1e-7)       # of a ray's direction along a normal: it runs beside the face
BEYOND = np.float32(0.005)      # of an edge, past its ends, where the axis still touches it


@scalar_code
def ends_over_face(hull: Hull, face: Any, frame: Frame, first: Vector, end: Vector, normal: Vector, within: Number,
                   points: Points) -> None:
    """Add the ends of the axis that lie over one face of a box."""
    up = face_normal(hull, face, (ONE, ONE, ONE))
    corners = np.empty((hull.spans[face, 1], 3), np.float32)
    count = put_corners_of(hull, face, (ONE, ONE, ONE), corners)
    origin, slope = vector_at(corners, 0), dot(up, normal)
    inverse = ONE / slope if slope > ZERO else ZERO
    m = turned_up(up)
    turn(m, corners, count)
    for point in (first, end):
        height = dot(up, sub(point, origin)) * inverse
        if within >= height:
            foot = sub(point, scaled(normal, height))
            seen = by_matrix(m, foot)
            if contains(corners, count, ZERO, seen[0], seen[1]):
                add_found(points, into(frame, point), foot, normal, height)


@scalar_code
def ends_over_hull(hull: Hull, inverse: Vector, frame: Frame, first: Vector, end: Vector, normal: Vector,
                   within: Number, points: Points) -> None:
    """Add the ends of the axis from which the way against the normal meets the hull."""
    back = negated(normal)
    for point in (first, end):
        meets, way = way_to_hull(hull, inverse, point, back)
        if meets and within >= way:
            add_found(points, into(frame, point), add(scaled(back, way), point), normal, way)


@scalar_code
def way_to_hull(hull: Hull, inverse: Vector, point: Vector, direction: Vector) -> Any:
    """Whether a ray meets a hull, and how far away, 0 from inside; inverse: 1 over the hull's scale."""
    start, along = times(point, inverse), times(direction, inverse)
    enters, leaves = ZERO, LARGEST
    for i in range(len(hull.planes)):
        plane = vector_at(hull.planes, i)
        slope, height = dot(plane, along), dot(plane, start) + hull.planes[i, 3]
        if abs(slope) < BESIDE:
            if height > ZERO:
                return False, ZERO
        else:
            way = -(height / slope)
            if slope < ZERO:
                enters = max(enters, way)
            elif leaves > way:
                leaves = way
        if enters > leaves:
            return False, ZERO
    return True, enters


@scalar_code
def edges_under_axis(hull: Hull, face: Any, scale: Vector, frame: Frame, first: Vector, end: Vector, normal: Vector,
                     within: Number, points: Points) -> None:
    """Add the points where the axis crosses edges of a face, as seen along the normal."""
    corners = np.empty((hull.spans[face, 1], 3), np.float32)
    count = put_corners_of(hull, face, scale, corners)
    for i in range(count):
        a, b = vector_at(corners, i), vector_at(corners, i - 1 if i > 0 else count - 1)
        crossed, point, foot, height = _edge_crossing(first, end, normal, a, b)
        if crossed and within >= height:
            add_found(points, into(frame, point), foot, normal, height)


@scalar_code
def _edge_crossing(first: Vector, end: Vector, normal: Vector, a: Vector, b: Vector) -> Any:
    """Whether an axis and an edge cross, the point on the axis, that on the edge, and the gap along the normal."""
    edge, axis = sub(b, a), sub(end, first)
    across = cross(edge, normal)
    level, low, high = dot(across, a), dot(across, first), dot(across, end)
    steep = dot(across, axis)
    if (low - level) * (high - level) > ZERO or steep == ZERO:
        return False, a, a, ZERO
    point = add(scaled(axis, (level - low) / steep), first)
    beside, way = cross(normal, axis), sub(point, a)
    share = dot(beside, way) / dot(beside, edge)
    if share > ONE + BEYOND or share < -BEYOND:
        return False, a, a, ZERO
    gap = sub(way, scaled(edge, share))
    return True, point, sub(point, gap), dot(gap, normal)
