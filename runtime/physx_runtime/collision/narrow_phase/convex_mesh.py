"""A box or a hull and a mesh: what of a face lies over each triangle in reach, or of the triangle over a face."""

from __future__ import annotations

from typing import Any

import numpy as np

from physx_runtime.collision.bounds import scale_of, size_of
from physx_runtime.collision.core import box_core, hull_core
from physx_runtime.collision.geometry import Hulls
from physx_runtime.collision.manifold import BOX_MARGIN, MOST_HULL_MARGIN, hull_margin, put_contact
from physx_runtime.collision.meshes.choice import BEFORE_CHOICE, OF_FACE, OF_HULL, keep_few
from physx_runtime.collision.meshes.division import divide
from physx_runtime.collision.meshes.faces import points_of_faces, shares_of
from physx_runtime.collision.meshes.manifolds import (
    MADE,
    begin_anew,
    copy_made,
    drop_alike,
    join_patch,
    moved_on,
    refresh_all,
    world_normal_of,
)
from physx_runtime.collision.meshes.reach import triangles_in_box
from physx_runtime.collision.meshes.seen import SEEN, knows_corner, knows_edge, see_corner, see_edge
from physx_runtime.collision.meshes.separation import (
    EDGE,
    FACE,
    LATE,
    NO_AXIS,
    TRIANGLE,
    Triangle,
    least_overlap,
    triangle_of,
)
from physx_runtime.collision.meshes.table import Meshes, corner_of
from physx_runtime.collision.narrow_phase.hull_faces import Side, side_of
from physx_runtime.collision.polygons import NO_FACE, box_hull, face_normal, opposed_faces
from physx_runtime.collision.shape import BOX
from physx_runtime.collision.vectors import (
    HALF,
    LARGEST,
    ONE,
    ZERO,
    Frame,
    Number,
    Pose,
    Vector,
    by_transposed,
    cross,
    dot,
    frame_of,
    into,
    least,
    negated,
    out_of,
    outward,
    put_vector,
    relative,
    scaled,
    sub,
    times,
    unit,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code

MAY_MOVE, BREAKING, NEAR = np.float32(0.2), np.float32(0.8), np.float32(0.05)       # of the margin
FACE_ON = np.float32(0.70710677)        # cosine between a face and a triangle, which then has the normal
AT_CORNER = np.float32(0.97)            # share of a corner in a point that counts as that corner
BEFORE_DIVISION = 16


@scalar_code
def convex_mesh(pair: Any, kept: Any, shape0: Any, pose0: Pose, shape1: Any, pose1: Pose, hulls: Hulls,
                meshes: Meshes, contacts: Any, at: Any) -> Any:
    pose = relative(pose0, pose1)
    side, margin, center, half = _side(shape0, hulls, pair.tolerance_length)
    if moved_on(kept, pose, margin * MAY_MOVE):
        begin_anew(kept, pose)
        grown = half[0] + pair.reach, half[1] + pair.reach, half[2] + pair.reach
        near = triangles_in_box(meshes, shape1.geometry, frame_of(pose), center, grown)
        _make(np.zeros(1, MADE), np.zeros(1, SEEN), kept, side, frame_of(relative(pose1, pose0)), meshes,
              shape1.geometry, near, pair.reach, margin * NEAR)
    else:
        refresh_all(kept, frame_of(pose), margin * BREAKING)
    for m in range(kept.count):
        normal = world_normal_of(kept, m, pose1)
        for i in range(kept.points[m]):
            at = put_contact(contacts, at, outward(pose1, vector_at(kept.local1[m], i)), normal, kept.distance[m, i])
    return at


@scalar_code
def _side(shape: Any, hulls: Hulls, tolerance_length: Number) -> tuple[Side, Number, Vector, Vector]:
    """The hull, how far points on it may stray, and the middle and half sides of its bounds."""
    if shape.kind == BOX:
        size = size_of(shape)
        margin = min(least(size) * BOX_MARGIN, tolerance_length * MOST_HULL_MARGIN)
        return side_of(box_core(size, hulls), box_hull(size, hulls)), margin, (ZERO, ZERO, ZERO), size
    core, row = hull_core(hulls, shape.geometry, scale_of(shape)), hulls.hulls[shape.geometry]
    low, high = times((row.low[0], row.low[1], row.low[2]), core.scale), times(
        (row.high[0], row.high[1], row.high[2]), core.scale)
    middle = (low[0] + high[0]) * HALF, (low[1] + high[1]) * HALF, (low[2] + high[2]) * HALF
    margin = hull_margin(core.hull, core.scale, tolerance_length)
    return side_of(core, core.hull), margin, middle, scaled(sub(high, low), HALF)


@scalar_code
def _make(made_room: Any, seen_room: Any, kept: Any, side: Side, frame: Frame, meshes: Meshes, row: Any, near: Any,
          reach: Number, close: Number) -> None:
    """Make the manifolds anew, in rooms that the caller keeps: a record does not keep its array alive.

    frame: of the mesh in the hull. near: triangles. close: contacts of less distance are one.
    """
    made, seen, limit, count, i = made_room[0], seen_room[0], close * close, len(near), 0
    center, put_off, waiting = into(frame, side.center), np.empty((count, 2), np.int64), 0
    while i < count + waiting:
        late, first = i >= count, made.contacts
        k = put_off[i - count, 0] if late else near[i]
        corners, flags = meshes.triangles[k], meshes.flags[k]
        triangle, kind, face, axis = _in_hull(meshes, row, k, frame), NO_AXIS, 0, center
        if late:
            if _is_new(seen, corners, flags):
                kind, face = LATE, put_off[i - count, 1]
        elif _faces(meshes, row, k, center):
            kind, face, axis = least_overlap(side, triangle, flags, reach)
            if kind == FACE and not dot(negated(axis), triangle.normal) > FACE_ON:
                kind, put_off[waiting, 0], put_off[waiting, 1] = NO_AXIS, k, face
                waiting += 1
        if kind != NO_AXIS:
            normal = _touch_triangle(made, side, triangle, kind, face, axis, reach)
            if late:
                _drop_known_corners(made, first, seen, corners, triangle)
            elif made.contacts > first:
                _see(seen, corners, flags)
            if made.contacts > first:
                _add(made, first, normal, frame, limit)
        i += 1
        if made.contacts >= BEFORE_DIVISION or i == count + waiting:
            divide(kept, made, limit, OF_HULL)


@scalar_code
def _faces(meshes: Meshes, row: Any, k: Any, center: Vector) -> bool:
    """Whether a point lies on the outside of a triangle."""
    a, b, c = corner_of(meshes, row, k, 0), corner_of(meshes, row, k, 1), corner_of(meshes, row, k, 2)
    normal = unit(cross(sub(b, a), sub(c, a)))
    return bool(dot(center, normal) - dot(a, normal) >= ZERO)


@scalar_code
def _in_hull(meshes: Meshes, row: Any, k: Any, frame: Frame) -> Triangle:
    return triangle_of(out_of(frame, corner_of(meshes, row, k, 0)), out_of(frame, corner_of(meshes, row, k, 1)),
                       out_of(frame, corner_of(meshes, row, k, 2)))


@scalar_code
def _touch_triangle(made: Any, side: Side, triangle: Triangle, kind: Any, face: Any, axis: Vector,
                    reach: Number) -> Vector:
    """Add the contacts of a triangle by what its axis of least overlap belongs to; their normal."""
    beside, over, normal = NO_FACE, kind in (TRIANGLE, FACE), triangle.normal
    if kind in (TRIANGLE, EDGE):
        face, beside = opposed_faces(side.hull, side.core.scale, axis)
    if not over:
        beside, normal = NO_FACE, face_normal(side.hull, face, side.inverse)
    while face != NO_FACE:
        first = made.contacts
        points_of_faces(made, side, face, triangle, normal, over, reach)
        keep_few(made, first, BEFORE_CHOICE)
        face, beside = beside, NO_FACE
    return normal if over else negated(normal)


@scalar_code
def _see(seen: Any, corners: Any, flags: Any) -> None:
    """Note the corners and the edges that are not active of a triangle."""
    for k in range(3):
        if not flags & (1 << k):
            see_edge(seen, corners[k], corners[(k + 1) % 3])
    for k in range(3):
        see_corner(seen, corners[k])


@scalar_code
def _is_new(seen: Any, corners: Any, flags: Any) -> bool:
    """Whether all edges of a triangle are active or were not noted."""
    known = False
    for k in range(3):
        known = known or (not flags & (1 << k) and knows_edge(seen, corners[k], corners[(k + 1) % 3]))
    return not known


@scalar_code
def _drop_known_corners(made: Any, first: Any, seen: Any, corners: Any, triangle: Triangle) -> None:
    """Drop contacts at corners of a triangle that were noted."""
    for i in range(made.contacts - 1, first - 1, -1):
        v, w = shares_of(vector_at(made.local1, i), triangle)
        corner = 1 if v > AT_CORNER else 2 if w > AT_CORNER else 0 if v + w <= ONE - AT_CORNER else -1
        if corner >= 0 and knows_corner(seen, corners[corner]):
            made.contacts -= 1
            for k in range(i, made.contacts):
                copy_made(made, k + 1, k)


@scalar_code
def _add(made: Any, first: Any, normal: Vector, frame: Frame, limit: Number) -> None:
    """Add the contacts from `first` on, of one normal in the hull, to the last patch or to a new one."""
    keep_few(made, first, OF_FACE + 1)
    drop_alike(made, first, limit)
    turned, deepest = by_transposed(frame[1], normal), LARGEST
    for i in range(first, made.contacts):
        put_vector(made.normal, i, turned)
        put_vector(made.local1, i, into(frame, vector_at(made.local1, i)))
        deepest = min(deepest, made.distance[i])
    join_patch(made, first, turned, deepest, limit)
