"""What of a face of one hull lies over a face of another: corners of either, and crossings of their edges."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from physx_runtime.collision.core import GjkConvex
from physx_runtime.collision.geometry import Hull
from physx_runtime.collision.manifold import Points, add_found
from physx_runtime.collision.polygons import area, contains, face_normal, put_corners_of, turn, turned_up
from physx_runtime.collision.vectors import (
    EPSILON,
    ONE,
    ZERO,
    Frame,
    Matrix,
    Number,
    Vector,
    add,
    by_matrix,
    by_transposed,
    dot,
    into,
    out_of,
    over,
    put_vector,
    scaled,
    sub,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code


class Side(NamedTuple):
    """One of two hulls; a box is one, too."""

    core: GjkConvex
    hull: Hull          # of a box its faces
    inverse: Vector     # 1 over the scale
    center: Vector      # of mass
    inner_half: Vector  # half sides of a box, and radius of a ball, about it and inside; 0 of a scaled hull
    inner_radius: Number


@scalar_code
def points_over_face(side0: Side, face0: Any, side1: Side, face1: Any, frame: Frame, reach: Number,
                     points: Points) -> None:
    """Add points of face 1 over face 0: local0 on side 1, local1 on side 0, and the normal of face 0.

    frame: of side 0 in side 1. Distances are along that normal.
    """
    normal = face_normal(side0.hull, face0, side0.inverse)
    m = turned_up(normal)
    corners0 = np.empty((side0.hull.spans[face0, 1], 3), np.float32)
    count0 = put_corners_of(side0.hull, face0, side0.core.scale, corners0)
    turn(m, corners0, count0)
    level = corners0[0, 2]
    corners1 = np.empty((side1.hull.spans[face1, 1], 3), np.float32)
    count1 = put_corners_of(side1.hull, face1, side1.core.scale, corners1)
    on_plane = vector_at(corners1, 0)
    heights, near = np.empty(count1, np.float32), np.empty(count1, np.bool_)
    inside = 0
    for i in range(count1):
        corner = vector_at(corners1, i)
        x, y, z = by_matrix(m, into(frame, corner))
        heights[i], near[i] = z - level, level + reach > z
        put_vector(corners1, i, (x, y, level))
        if near[i] and contains(corners0, count0, EPSILON, x, y):
            inside += 1
            add_found(points, corner, by_transposed(m, (x, y, level)), normal, heights[i])
    if inside == count1:
        return
    if _add_covered(corners0, count0, corners1, count1, m, normal, on_plane,
                    face_normal(side1.hull, face1, side1.inverse), frame, reach, points):
        return
    for i in range(count1):
        j = i - 1 if i > 0 else count1 - 1
        if near[i] or near[j]:
            for k in range(count0):
                _add_crossing(corners0, k, k - 1 if k > 0 else count0 - 1, corners1, i, j, heights, level, m, normal,
                              frame, reach, points)


@scalar_code
def _add_covered(corners0: Any, count0: Any, corners1: Any, count1: Any, m: Matrix, normal: Vector, on_plane: Vector,
                 facing: Vector, frame: Frame, reach: Number, points: Points) -> bool:
    """Add the corners of face 0 that face 1 covers; whether that is all of them."""
    seen, inside = by_matrix(frame[1], normal), 0
    for i in range(count0):
        if contains(corners1, count1, EPSILON, corners0[i, 0], corners0[i, 1]):
            corner = by_transposed(m, vector_at(corners0, i))
            at = out_of(frame, corner)
            gap = dot(facing, sub(on_plane, at)) / dot(facing, seen)
            if not gap > reach:
                inside += 1
                add_found(points, add(scaled(seen, gap), at), corner, normal, gap)
    return bool(inside == count0)


@scalar_code
def _add_crossing(corners0: Any, k: Any, h: Any, corners1: Any, i: Any, j: Any, heights: Any, level: Number, m: Matrix,
                  normal: Vector, frame: Frame, reach: Number, points: Points) -> None:
    """Add the point where edge i-j of face 1 crosses edge k-h of face 0, as seen along the normal."""
    for axis in range(2):
        if min(corners1[i, axis], corners1[j, axis]) > max(corners0[k, axis], corners0[h, axis]) or (
                min(corners0[k, axis], corners0[h, axis]) > max(corners1[i, axis], corners1[j, axis])):
            return
    a1, a2 = area(corners0, k, corners0, h, corners1, i), area(corners0, k, corners0, h, corners1, j)
    if not a1 * a2 < ZERO:
        return
    a3, a4 = area(corners1, i, corners1, j, corners0, k), area(corners1, i, corners1, j, corners0, h)
    if not a3 * a4 < ZERO:
        return
    start = (corners1[i, 0], corners1[i, 1], heights[i] + level)
    end = (corners1[j, 0], corners1[j, 1], heights[j] + level)
    x, y, z = sub(start, scaled(sub(end, start), a1 / (a2 - a1)))
    gap = z - level
    if not gap > reach:
        add_found(points, out_of(frame, by_transposed(m, (x, y, z))), by_transposed(m, (x, y, level)), normal, gap)


@scalar_code
def change_sides(points: Points, normal: Vector) -> None:
    """Exchange the points of both sides, and give them all a normal."""
    for i in range(points.count[0]):
        a, b = vector_at(points.local0, i), vector_at(points.local1, i)
        put_vector(points.local0, i, b)
        put_vector(points.local1, i, a)
        put_vector(points.normal, i, normal)


@scalar_code
def side_of(core: GjkConvex, hull: Hull) -> Side:
    """A side from its core and its faces; hull: of a box its faces."""
    inverse = over(ONE, core.scale)
    center = hull.center[0] * core.scale[0], hull.center[1] * core.scale[1], hull.center[2] * core.scale[2]
    plain = core.scale == (ONE, ONE, ONE)
    inner = hull.inner_half if plain else (ZERO, ZERO, ZERO)
    return Side(core, hull, inverse, center, inner, hull.inner_radius if plain else ZERO)
