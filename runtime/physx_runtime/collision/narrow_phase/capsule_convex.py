"""A capsule and a hull: closest points of its axis and the hull, and after a loss what of the axis lies over it."""

from __future__ import annotations

from typing import Any

import numpy as np

from physx_runtime.collision.bounds import scale_of, size_of
from physx_runtime.collision.core import hull_core, segment_core
from physx_runtime.collision.gjk import APART, FOUND, closest_points
from physx_runtime.collision.manifold import (
    add_of_two,
    hull_margin,
    keep_two,
    new_points,
    put_points_of_segment,
    refresh,
    remember,
    segment_moved_on,
    world_normal,
)
from physx_runtime.collision.narrow_phase.segment_axes import least_overlap
from physx_runtime.collision.narrow_phase.segment_faces import edges_under_axis, ends_over_hull
from physx_runtime.collision.polygons import WITNESS_MARGIN, opposed_face, witness_face
from physx_runtime.collision.vectors import (
    ONE,
    UPRIGHT,
    Frame,
    Pose,
    Vector,
    add,
    frame_of,
    into,
    least,
    negated,
    over,
    relative,
    rotated,
    scaled,
    sub,
    times,
)
from physx_runtime.compiling.numba_functions import scalar_code

SEGMENT_MARGIN = np.float32(0.05)                   # of the radius
CONVEX_BREAKING, CONVEX_REPLACE = np.float32(1.25), np.float32(0.05)     # shares of the margin


@scalar_code
def capsule_convex(pair: Any, shape0: Any, pose0: Pose, shape1: Any, pose1: Pose, hulls: Any, contacts: Any,
                   at: Any) -> Any:
    size, pose = size_of(shape0), relative(pose0, pose1)
    frame, radius, before = frame_of(pose), size[0], pair.points
    core1 = hull_core(hulls, shape1.geometry, scale_of(shape1))
    margin = min(hull_margin(core1.hull, core1.scale, pair.tolerance_length), radius * SEGMENT_MARGIN)
    lost = refresh(pair, frame, margin * CONVEX_BREAKING)
    if not (lost or segment_moved_on(pair, pose, margin)):
        if pair.points == 0:
            return at
        normal = world_normal(pair, pose1)
        return put_points_of_segment(pair, pose0, normal, normal, radius, contacts, at)
    remember(pair, pose)
    half = scaled(frame[1][0], size[1])
    core0 = segment_core(add(frame[0], half), sub(frame[0], half), radius, hulls)
    start = sub(frame[0], times(core1.hull.center, core1.scale))
    end, point0, point1, normal, distance, _ = closest_points(pair, core0, UPRIGHT, core1, start, pair.reach)
    if end == APART:
        return at
    if end == FOUND:
        add_of_two(pair, into(frame, point0), point1, normal, distance, margin * CONVEX_REPLACE)
    if end != FOUND or before == 0 or lost:
        within, normal = _over_hull(pair, core0, core1, frame, normal, point1, end == FOUND)
        if not within:
            return at
    normal = rotated(pose1[1], normal)
    return put_points_of_segment(pair, pose0, normal, normal, radius, contacts, at)


@scalar_code
def _over_hull(pair: Any, core0: Any, core1: Any, frame: Frame, normal: Vector, point1: Vector, known: Any) -> Any:
    """Make the points anew from what of the axis lies over the hull: whether there are any, and the normal.

    known: whether the normal is; else it is that of the least overlap.
    """
    hull, first, end, inverse = core1.hull, core0.half, core0.end, over(ONE, core1.scale)
    within, points = core0.radius + pair.reach, new_points()
    if not known:
        meets, normal = least_overlap(core1, hull, first, end, core0.radius, inverse, pair.reach)
        if not meets:
            return False, normal
    ends_over_hull(hull, inverse, frame, first, end, normal, within, points)
    if points.count[0] < 2:
        if known:
            margin = least(times(hull.inner_half, core1.scale)) * WITNESS_MARGIN
            face = witness_face(hull, inverse, negated(normal), point1, margin, pair.tolerance_length)
        else:
            face = opposed_face(hull, core1.scale, negated(normal))
        edges_under_axis(hull, face, core1.scale, frame, first, end, normal, within, points)
    if points.count[0] > 0:
        keep_two(pair, points, 0)
    return known or points.count[0] > 0, normal
