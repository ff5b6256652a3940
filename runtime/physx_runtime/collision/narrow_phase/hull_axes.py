"""The axis along which two hulls overlap least: normals of faces, and products of the edges that face each other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from physx_runtime.collision.climbing import along
from physx_runtime.collision.core import corner, corner_along, interval
from physx_runtime.collision.narrow_phase.hull_faces import Side
from physx_runtime.collision.polygons import put_corners_of
from physx_runtime.collision.vectors import (
    EPSILON,
    LARGEST,
    ONE,
    ZERO,
    Frame,
    Number,
    Vector,
    by_matrix,
    cross,
    dot,
    negated,
    out_of,
    put_vector,
    scaled,
    sub,
    times,
    unit,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code

SAME_AXIS = np.float32(0.9999)
MOST_AXES = 256
NOWHERE = (ZERO, ZERO, ZERO)


@scalar_code
def least_overlap_of_faces(side0: Side, side1: Side, into1: Frame, into0: Frame, reach: Number) -> Any:
    """Whether the hulls are within reach along the normals of side 0; the least overlap, its face and its normal.

    into1: the frame of side 0 in side 1; into0: the other way round.
    """
    least, found, axis = LARGEST, 0, NOWHERE
    center = out_of(into0, side1.center)
    for i in range(len(side0.hull.planes)):
        plane = vector_at(side0.hull.planes, i)
        stretched = times(plane, side0.inverse)
        size = ONE / math.sqrt(dot(stretched, stretched))
        low0 = dot(plane, vector_at(side0.hull.vertices, side0.hull.spans[i, 2])) * size
        high0 = -side0.hull.planes[i, 3] * size
        normal = scaled(stretched, size)
        seen = by_matrix(into1[1], normal)
        radius, middle = _inner_reach(side1, seen), dot(center, normal)
        if min(high0, middle + radius) - max(low0, middle - radius) > least:
            continue
        low1, high1 = interval(side1.core, seen)
        offset = dot(into0[0], normal)
        low1, high1 = offset + low1, offset + high1
        if low1 > high0 + reach or low0 > high1 + reach:
            return False, least, found, axis
        if least > high0 - low1:
            least, found, axis = high0 - low1, i, normal
    return True, least, found, axis


@scalar_code
def less_overlap_of_edges(side0: Side, side1: Side, into1: Frame, into0: Frame, reach: Number, least: Number) -> Any:
    """Whether the hulls are within reach along all products of edges; whether they overlap less there, and the axis."""
    way = sub(out_of(into0, side1.center), side0.center)
    back = by_matrix(into1[1], negated(way))
    end0 = corner(side0.core, corner_along(side0.core, way))
    end1 = corner(side1.core, corner_along(side1.core, back))
    axes0, axes1 = np.empty((MOST_AXES, 3), np.float32), np.empty((MOST_AXES, 3), np.float32)
    count0 = _edges_facing(side0, out_of(into0, end1), way, axes0)
    count1 = _edges_facing(side1, out_of(into1, end0), back, axes1)
    less, axis = False, NOWHERE
    for i in range(count0):
        for j in range(count1):
            across = cross(vector_at(axes0, i), by_matrix(into0[1], vector_at(axes1, j)))
            square = dot(across, across)
            if square < EPSILON:
                continue
            normal = scaled(across, ONE / math.sqrt(square))
            seen = by_matrix(into1[1], normal)
            radius0, radius1, middle = _inner_reach(side0, normal), _inner_reach(side1, seen), dot(way, normal)
            if min(radius0, middle + radius1) - max(-radius0, middle - radius1) > least:
                continue
            low0, high0 = interval(side0.core, normal)
            low1, high1 = interval(side1.core, seen)
            offset = dot(into0[0], normal)
            low1, high1 = offset + low1, offset + high1
            if low1 > high0 + reach or low0 > high1 + reach:
                return False, less, axis
            if least > high0 - low1:
                least, less, axis = high0 - low1, True, normal
    return True, less, axis


@scalar_code
def _inner_reach(side: Side, direction: Vector) -> Number:
    """How far what lies inside a hull for certain reaches along a direction from its centre."""
    half = side.inner_half
    corner = (half[0] if direction[0] > ZERO else -half[0], half[1] if direction[1] > ZERO else -half[1],
              half[2] if direction[2] > ZERO else -half[2])
    return max(dot(direction, corner), side.inner_radius)


@scalar_code
def _edges_facing(side: Side, point: Vector, way: Vector, axes: Any) -> Any:
    """Write the directions of edges that reach beyond a point along a way: how many, alike ones once."""
    direction, count = unit(way), 0
    for face in range(len(side.hull.spans)):
        corners = np.empty((side.hull.spans[face, 1], 3), np.float32)
        size = put_corners_of(side.hull, face, side.core.scale, corners)
        for k in range(size):
            a, b = vector_at(corners, k - 1 if k > 0 else size - 1), vector_at(corners, k)
            if dot(direction, sub(a, point)) > ZERO or dot(direction, sub(b, point)) > ZERO:
                edge = sub(a, b)
                length = math.sqrt(along(edge, edge))
                edge = scaled(edge, ONE / length) if length > ZERO else NOWHERE
                known = count == MOST_AXES
                for i in range(count):
                    known = known or abs(along(edge, vector_at(axes, i))) > SAME_AXIS
                if not known:
                    put_vector(axes, count, edge)
                    count += 1
    return count
