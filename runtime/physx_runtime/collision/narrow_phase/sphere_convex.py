"""A sphere and a hull: one contact, on the sphere."""

from __future__ import annotations

from typing import Any

import numpy as np

from physx_runtime.collision.bounds import scale_of, size_of
from physx_runtime.collision.core import hull_core, segment_core
from physx_runtime.collision.gjk import APART, FOUND, closest_points
from physx_runtime.collision.manifold import (
    hull_margin,
    put_contact,
    put_point,
    refresh,
    remember,
    segment_moved_on,
)
from physx_runtime.collision.narrow_phase.segment_axes import least_overlap_of_faces
from physx_runtime.collision.narrow_phase.segment_faces import way_to_hull
from physx_runtime.collision.vectors import (
    ONE,
    UPRIGHT,
    ZERO,
    Pose,
    add,
    frame_of,
    negated,
    over,
    relative,
    rotated,
    scaled,
    sub,
    times,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code

BREAKING = np.float32(0.05)     # of the margin


@scalar_code
def sphere_convex(pair: Any, shape0: Any, pose0: Pose, shape1: Any, pose1: Pose, hulls: Any, contacts: Any,
                  at: Any) -> Any:
    radius, pose = size_of(shape0)[0], relative(pose0, pose1)
    core1 = hull_core(hulls, shape1.geometry, scale_of(shape1))
    margin = min(hull_margin(core1.hull, core1.scale, pair.tolerance_length), radius)
    lost = refresh(pair, frame_of(pose), margin * BREAKING)
    if lost or segment_moved_on(pair, pose, margin):
        remember(pair, pose)
        if not _make(pair, radius, pose, core1, hulls):
            return at
    elif pair.points == 0:
        return at
    normal = rotated(pose1[1], vector_at(pair.normal, 0))
    return put_contact(contacts, at, sub(pose0[0], scaled(normal, radius)), normal, pair.distance[0] - radius)


@scalar_code
def _make(pair: Any, radius: Any, pose: Pose, core1: Any, hulls: Any) -> bool:
    """Make the point anew; whether there is one now. Where none is found the pair keeps the one it had."""
    center, inverse = pose[0], over(ONE, core1.scale)
    core0 = segment_core(center, center, radius, hulls)
    start = sub(center, times(core1.hull.center, core1.scale))
    end, _, point1, normal, distance, _ = closest_points(pair, core0, UPRIGHT, core1, start, pair.reach)
    if end == APART:
        return False
    if end != FOUND:
        within, _, normal = least_overlap_of_faces(core1.hull, center, center, radius, inverse, pair.reach)
        if not within:
            return False
        back = negated(normal)
        meets, distance = way_to_hull(core1.hull, inverse, center, back)
        if not (meets and radius + pair.reach >= distance):
            return False
        point1 = add(scaled(back, distance), center)
    put_point(pair, 0, (ZERO, ZERO, ZERO), point1, normal, distance)
    pair.points = 1
    return True
