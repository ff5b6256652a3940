"""Two hulls, or a box and a hull: closest points, and after a loss what of one's face lies over the other's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from physx_runtime.collision.bounds import scale_of, size_of
from physx_runtime.collision.core import box_core, hull_core
from physx_runtime.collision.gjk import APART, FOUND, STALLED, closest_points
from physx_runtime.collision.manifold import (
    BOX_MARGIN,
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
from physx_runtime.collision.narrow_phase.hull_axes import least_overlap_of_faces, less_overlap_of_edges
from physx_runtime.collision.narrow_phase.hull_faces import Side, change_sides, points_over_face, side_of
from physx_runtime.collision.polygons import WITNESS_MARGIN, box_hull, face_normal, opposed_face, witness_face
from physx_runtime.collision.shape import BOX
from physx_runtime.collision.vectors import (
    Frame,
    Number,
    Pose,
    Vector,
    add,
    by_matrix,
    by_transposed,
    dot,
    frame_of,
    half_rotated,
    into,
    least,
    negated,
    out_of,
    relative,
    sub,
    times,
    unit,
)
from physx_runtime.compiling.numba_functions import scalar_code

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
