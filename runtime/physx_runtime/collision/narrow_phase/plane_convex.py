"""A plane and a hull: the corners of the face most against the plane; four are kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from physx_runtime.collision.bounds import scale_of
from physx_runtime.collision.geometry import hull_at
from physx_runtime.collision.manifold import (
    PLANE_MAY_TURN,
    add_found,
    hull_margin,
    keep_four,
    moved_on,
    new_points,
    put_points_of_1,
    refresh,
    remember,
)
from physx_runtime.collision.polygons import NO_FACE, edge_along
from physx_runtime.collision.vectors import (
    ONE,
    ZERO,
    Frame,
    Number,
    Pose,
    Vector,
    by_transposed,
    dot,
    frame_of,
    negated,
    out_of,
    relative,
    scaled,
    sub,
    times,
    unit,
    vector_at,
    x_axis,
)
from physx_runtime.compiling.numba_functions import scalar_code

CONVEX_BREAKING = CONVEX_INVALIDATE = np.float32(0.2)       # of the margin
EDGES_FIRST = np.float32(5e-4)              # how much less an edge may be against the plane than a face


@scalar_code
def plane_convex(pair: Any, shape0: Any, pose0: Pose, shape1: Any, pose1: Pose, hulls: Any, contacts: Any,
                 at: Any) -> Any:
    # the manifold is kept from the hull's side: local0 and pose are the hull's
    pose, hull, scale = relative(pose1, pose0), hull_at(hulls, shape1.geometry), scale_of(shape1)
    frame, margin = frame_of(pose), hull_margin(hull, scale, pair.tolerance_length)
    lost = refresh(pair, frame, margin * CONVEX_BREAKING)
    if lost or moved_on(pair, pose, margin * CONVEX_INVALIDATE, PLANE_MAY_TURN):
        remember(pair, pose)
        points = new_points()
        face, other = _faces_against(hull, unit(times(by_transposed(frame[1], (ONE, ZERO, ZERO)), scale)))
        _add_corners(hull, face, frame, scale, pair.reach, points)
        if other != NO_FACE:        # PhysX takes the corners of the same face again
            _add_corners(hull, face, frame, scale, pair.reach, points)
        keep_four(pair, points)
    return put_points_of_1(pair, pose0, negated(unit(x_axis(pose0[1]))), contacts, at)


@scalar_code
def _faces_against(hull: Any, normal: Vector) -> Any:
    """The face most against a direction, or where an edge is more so its flatter face, and then the other one."""
    least, found = dot(normal, vector_at(hull.planes, 0)), 0
    for i in range(1, len(hull.planes)):
        height = dot(normal, vector_at(hull.planes, i))
        if least > height:
            least, found = height, i
    back, least = negated(normal), least - EDGES_FIRST
    edge = edge_along(hull, back, least * least)
    if edge == NO_FACE:
        return found, NO_FACE
    face0, face1 = hull.edges[edge, 0], hull.edges[edge, 1]
    if dot(vector_at(hull.planes, face0), back) > dot(vector_at(hull.planes, face1), back):
        return face0, face1
    return face1, face0


@scalar_code
def _add_corners(hull: Any, face: Any, frame: Frame, scale: Vector, reach: Number, points: Any) -> None:
    """Add the corners of a face that are near the plane x = 0."""
    turned = frame[0], (scaled(frame[1][0], scale[0]), scaled(frame[1][1], scale[1]), scaled(frame[1][2], scale[2]))
    up, first = (ONE, ZERO, ZERO), hull.spans[face, 0]
    for k in range(first, first + hull.spans[face, 1]):
        vertex = vector_at(hull.vertices, hull.corners[k])
        seen = out_of(turned, vertex)
        if reach > seen[0]:
            add_found(points, times(vertex, scale), sub(seen, scaled(up, seen[0])), up, seen[0])
