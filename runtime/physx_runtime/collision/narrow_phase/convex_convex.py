"""Contacts of two hulls: separating axes, then faces.

Two hulls, or a box and a hull: closest points, and after a loss what of one's face lies over the other's.

The axis along which two hulls overlap least: normals of faces, and products of the edges that face each other.

What of a face of one hull lies over a face of another: corners of either, and crossings of their edges.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from physx_runtime.collision.bounds import scale_of, size_of
from physx_runtime.collision.manifold.persistent import (
    BOX_MARGIN,
    Points,
    add_found,
    add_of_four,
    box_margin,
    boxes_moved_on,
    hull_margin,
    keep_four,
    local_normal,
    new_points,
    put_points_of_1,
    refresh,
    remember,
    remember_rotations,
    world_normal,
)
from physx_runtime.collision.narrow_phase.polygons import (
    WITNESS_MARGIN,
    area,
    box_hull,
    contains,
    face_normal,
    opposed_face,
    put_corners_of,
    turn,
    turned_up,
    witness_face,
)
from physx_runtime.collision.pcm.closest_points import APART, FOUND, STALLED, closest_points
from physx_runtime.collision.pcm.simplex import GjkConvex, along, box_core, corner, corner_along, hull_core, interval
from physx_runtime.collision.shapes import BOX, Hull
from physx_runtime.collision.simd_math import (
    EPSILON,
    LARGEST,
    ONE,
    ZERO,
    Frame,
    Matrix,
    Number,
    Pose,
    Vector,
    add,
    by_matrix,
    by_transposed,
    cross,
    dot,
    frame_of,
    half_rotated,
    into,
    least,
    negated,
    out_of,
    over,
    put_vector,
    relative,
    scaled,
    sub,
    times,
    unit,
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


BREAKING, NEAR = np.float32(0.8), np.float32(0.05)      # of the smaller margin
LIKE = np.float32(0.70710677)           # cosine: points of another normal are given up
STRAIGHT = np.float32(0.9999)           # between where a stalled search was and went, for its points to count
OUTWARD = np.float32(0.707)             # and between its normal and the way between the centres


@scalar_code
def convex_convex(pair: Any, shape0: Any, pose0: Pose, shape1: Any, pose1: Pose, hulls: Any, contacts: Any,
                  at: Any) -> Any:
    side0, margin0 = _side(shape0, hulls, pair.tolerance_length)
    side1, margin1 = _side(shape1, hulls, pair.tolerance_length)
    pose, margin, before = relative(pose0, pose1), min(margin0, margin1), pair.points
    frame = frame_of(pose)
    lost = refresh(pair, frame, margin * BREAKING)
    if not (lost or boxes_moved_on(pair, pose, pose0[1], pose1[1], margin, _radius(shape0, side0),
                                   _radius(shape1, side1))):
        if pair.points == 0:
            return at
        return put_points_of_1(pair, pose1, world_normal(pair, pose1), contacts, at)
    remember(pair, pose)
    remember_rotations(pair, pose0[1], pose1[1])
    end, point0, point1, normal, distance, last = closest_points(pair, side0.core, frame, side1.core, frame[0],
                                                                 pair.reach)
    if end == APART:
        return at
    mean = local_normal(pair)
    known = end == FOUND or (end == STALLED and _trusted(side0, frame, side1, normal, last))
    if known:
        add_of_four(pair, into(frame, point0), point1, normal, distance, margin * NEAR)
        # measured: PhysX adds to one point; with more it makes all anew
        if before == 1 and dot(mean, normal) >= LIKE:
            return put_points_of_1(pair, pose1, unit(half_rotated(pose1[1], add(mean, normal))), contacts, at)
    back, points = frame_of(relative(pose1, pose0)), new_points()
    if known:
        _over_witnesses(pair, side0, side1, frame, back, normal, point0, point1, points)
    elif not _over_least_overlap(side0, side1, frame, back, pair.reach, points):
        return at
    if points.count[0] > 0:
        keep_four(pair, points)
    elif not known:
        return at
    return put_points_of_1(pair, pose1, world_normal(pair, pose1), contacts, at)


@scalar_code
def _side(shape: Any, hulls: Any, tolerance_length: Number) -> Any:
    """A side, and how far points on it may stray."""
    if shape.kind == BOX:
        size = size_of(shape)
        return side_of(box_core(size, hulls), box_hull(size, hulls)), box_margin(size, tolerance_length)
    core = hull_core(hulls, shape.geometry, scale_of(shape))
    return side_of(core, core.hull), hull_margin(core.hull, core.scale, tolerance_length)


@scalar_code
def _radius(shape: Any, side: Side) -> Number:
    """From the centre of a shape to a corner of the box inside it."""
    half = size_of(shape) if shape.kind == BOX else times(side.hull.inner_half, side.core.scale)
    return math.sqrt(dot(half, half))


@scalar_code
def _trusted(side0: Side, frame: Frame, side1: Side, normal: Vector, last: Vector) -> bool:
    """Whether points of a stalled search count."""
    way = unit(sub(out_of(frame, side0.center), side1.center))
    return bool(dot(last, normal) > STRAIGHT and dot(way, normal) > OUTWARD)


@scalar_code
def _witness_margin(side: Side) -> Number:
    if side.core.kind == BOX:
        return least(side.core.half) * BOX_MARGIN
    return least(times(side.hull.inner_half, side.core.scale)) * WITNESS_MARGIN


@scalar_code
def _over_witnesses(pair: Any, side0: Side, side1: Side, frame: Frame, back: Frame, normal: Vector, point0: Vector,
                    point1: Vector, points: Any) -> None:
    """Add points of the faces that two closest points belong to, over the one that lies straighter to the normal."""
    away, normal0 = negated(normal), by_transposed(frame[1], normal)
    length, reach = pair.tolerance_length, pair.reach
    face1 = witness_face(side1.hull, side1.inverse, away, point1, _witness_margin(side1), length)
    face0 = witness_face(side0.hull, side0.inverse, normal0, into(frame, point0), _witness_margin(side0), length)
    up1, up0 = face_normal(side1.hull, face1, side1.inverse), face_normal(side0.hull, face0, side0.inverse)
    if abs(dot(up1, away)) >= abs(dot(up0, normal0)):
        points_over_face(side1, face1, side0, face0, back, reach, points)
    else:
        points_over_face(side0, face0, side1, face1, frame, reach, points)
        change_sides(points, negated(by_matrix(frame[1], up0)))


@scalar_code
def _over_least_overlap(side0: Side, side1: Side, frame: Frame, back: Frame, reach: Number, points: Any) -> bool:
    """Add points of the faces of least overlap, or where these have none of the edges; False if hulls are apart."""
    within, least0, face0, axis0 = least_overlap_of_faces(side0, side1, frame, back, reach)
    if not within:
        return False
    within, least1, face1, axis1 = least_overlap_of_faces(side1, side0, back, frame, reach)
    if not within:
        return False
    if least0 > least1:
        other = opposed_face(side0.hull, side0.core.scale, by_matrix(back[1], axis1))
        points_over_face(side1, face1, side0, other, back, reach, points)
    else:
        axis = by_matrix(frame[1], axis0)
        other = opposed_face(side1.hull, side1.core.scale, axis)
        points_over_face(side0, face0, side1, other, frame, reach, points)
        change_sides(points, negated(axis))
    if points.count[0] > 0:
        return True
    within, less, axis = less_overlap_of_edges(side0, side1, frame, back, reach, min(least0, least1))
    if within and less:
        face0 = opposed_face(side0.hull, side0.core.scale, negated(axis))
        face1 = opposed_face(side1.hull, side1.core.scale, by_matrix(frame[1], axis))
        points_over_face(side1, face1, side0, face0, back, reach, points)
    return bool(within)
