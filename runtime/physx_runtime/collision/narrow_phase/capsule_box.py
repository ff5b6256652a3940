"""A capsule and a box: closest points of its axis and the box, and after a loss what of the axis lies over a face."""

from __future__ import annotations

from typing import Any

import numpy as np

from physx_runtime.collision.core import box_core, segment_core
from physx_runtime.collision.gjk import APART, FOUND, closest_points
from physx_runtime.collision.manifold import (
    BOX_MARGIN,
    add_found,
    add_of_two,
    box_margin,
    keep_two,
    new_points,
    put_points_of_segment,
    refresh,
    remember,
    segment_moved_on,
    world_normal,
)
from physx_runtime.collision.narrow_phase.segment_axes import least_overlap
from physx_runtime.collision.narrow_phase.segment_faces import edges_under_axis, ends_over_face
from physx_runtime.collision.polygons import box_hull, opposed_face, witness_face
from physx_runtime.collision.vectors import (
    ONE,
    UPRIGHT,
    Frame,
    Pose,
    Vector,
    add,
    frame_of,
    into,
    inward,
    least,
    negated,
    relative,
    rotated,
    scaled,
    sub,
)
from physx_runtime.compiling.numba_functions import scalar_code

BOX_BREAKING, BOX_REPLACE = np.float32(0.8), np.float32(0.1)       # shares of the margin
UNSCALED = (ONE, ONE, ONE)


@scalar_code
def capsule_box(pair: Any, size0: Vector, pose0: Pose, size1: Vector, pose1: Pose, hulls: Any, contacts: Any,
                at: Any) -> Any:
    radius, pose = size0[0], relative(pose0, pose1)
    frame, margin, before = frame_of(pose), min(box_margin(size1, pair.tolerance_length), radius), pair.points
    lost = refresh(pair, frame, margin * BOX_BREAKING)
    if not (lost or segment_moved_on(pair, pose, margin)):
        if pair.points == 0:
            return at
        normal = world_normal(pair, pose1)
        return put_points_of_segment(pair, pose0, normal, normal, radius, contacts, at)
    remember(pair, pose)
    half = scaled(frame[1][0], size0[1])
    core0, core1 = segment_core(add(frame[0], half), sub(frame[0], half), radius, hulls), box_core(size1, hulls)
    # PhysX takes the place of the box in the world for that in its own frame here
    start = sub(frame[0], pose1[0])
    end, point0, point1, normal, distance, _ = closest_points(pair, core0, UPRIGHT, core1, start, pair.reach)
    if end == APART:
        return at
    if end == FOUND and before > 0 and not lost:
        add_of_two(pair, inward(pose, point0), point1, normal, distance, margin * BOX_REPLACE)
    else:
        points = new_points()
        if end == FOUND:
            add_found(points, into(frame, point0), point1, normal, distance)
        within, normal = _over_box(pair, core0, core1, frame, normal, point1, end == FOUND, points, hulls)
        if not within:
            return at
        keep_two(pair, points, 1 if end == FOUND and points.count[0] > 1 else 0)
    normal = rotated(pose1[1], normal)
    return put_points_of_segment(pair, pose0, normal, normal, radius, contacts, at)


@scalar_code
def _over_box(pair: Any, core0: Any, core1: Any, frame: Frame, normal: Vector, point1: Vector, known: Any,
              points: Any, hulls: Any) -> Any:
    """Add what of the axis lies over a face: whether the capsule is within reach, and the normal.

    known: whether the normal is; else it is that of the least overlap.
    """
    hull, first, end, radius, reach = box_hull(core1.half, hulls), core0.half, core0.end, core0.radius, pair.reach
    if known:
        margin = least(core1.half) * BOX_MARGIN
        face = witness_face(hull, UNSCALED, negated(normal), point1, margin, pair.tolerance_length)
    else:
        within, normal = least_overlap(core1, hull, first, end, radius, UNSCALED, reach)
        if not within:
            return False, normal
        face = opposed_face(hull, UNSCALED, negated(normal))
    before = points.count[0]
    ends_over_face(hull, face, frame, first, end, normal, radius + reach, points)
    if points.count[0] - before < 2:
        edges_under_axis(hull, face, UNSCALED, frame, first, end, normal, radius + reach, points)
    return True, normal
