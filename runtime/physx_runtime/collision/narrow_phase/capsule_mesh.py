"""A capsule and a mesh: the ends of its axis over each triangle in reach, and where the axis crosses edges."""

from __future__ import annotations

from typing import Any

import numpy as np

from physx_runtime.collision.bounds import size_of
from physx_runtime.collision.cores.plain import inward, rotated_back, x_axis
from physx_runtime.collision.manifold import put_contact
from physx_runtime.collision.meshes.division import OF_CAPSULE, divide
from physx_runtime.collision.meshes.manifolds import (
    MADE,
    begin_anew,
    drop_alike,
    join_patch,
    moved_on,
    refresh_all,
    world_normal_of,
)
from physx_runtime.collision.meshes.segment import nearest_of_segment, points_over_triangle, seen_face_on
from physx_runtime.collision.meshes.table import Meshes, corner_of, triangles_near
from physx_runtime.collision.vectors import (
    LARGEST,
    ONE,
    ZERO,
    Frame,
    Number,
    Pose,
    Vector,
    add,
    cross,
    dot,
    frame_of,
    out_of,
    outward,
    put_vector,
    relative,
    scaled,
    sub,
    unit,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code

MAY_MOVE, BREAKING, ONE_POINT = np.float32(0.02), np.float32(0.05), np.float32(0.001)    # of the radius
BEFORE_DIVISION = 16


@scalar_code
def capsule_mesh(pair: Any, kept: Any, shape0: Any, pose0: Pose, shape1: Any, pose1: Pose, meshes: Meshes,
                 contacts: Any, at: Any) -> Any:
    size, pose = size_of(shape0), relative(pose0, pose1)
    radius = size[0]
    if moved_on(kept, pose, radius * MAY_MOVE):
        begin_anew(kept, pose)
        along = rotated_back(pose1[1], scaled(x_axis(pose0[1]), size[1]))
        center = inward(pose1, pose0[0])
        _make_capsule_manifolds(np.zeros(1, MADE), kept, center, add(center, along), sub(center, along), radius,
                                pair.reach, frame_of(relative(pose1, pose0)), meshes, shape1.geometry)
    else:
        refresh_all(kept, frame_of(pose), radius * BREAKING)
    for m in range(kept.count):
        normal = world_normal_of(kept, m, pose1)
        for i in range(kept.points[m]):
            point = sub(outward(pose0, vector_at(kept.local0[m], i)), scaled(normal, radius))
            at = put_contact(contacts, at, point, normal, kept.distance[m, i] - radius)
    return at


@scalar_code
def _make_capsule_manifolds(room: Any, kept: Any, center: Vector, start: Vector, end: Vector, radius: Number,
                            reach: Number, frame: Frame,
                            meshes: Meshes, row: Any) -> None:
    """Make the manifolds anew, in room that the caller keeps: a record does not keep its array alive.

    frame: of the mesh in the capsule.
    """
    grown, limit = radius + reach, (radius * ONE_POINT) * (radius * ONE_POINT)
    low = (min(start[0], end[0]) - grown, min(start[1], end[1]) - grown, min(start[2], end[2]) - grown)
    high = (max(start[0], end[0]) + grown, max(start[1], end[1]) + grown, max(start[2], end[2]) + grown)
    near, made = triangles_near(meshes, row, low, high), room[0]
    for k in range(len(near)):
        a, b, c = (corner_of(meshes, row, near[k], 0), corner_of(meshes, row, near[k], 1),
                   corner_of(meshes, row, near[k], 2))
        face = unit(cross(sub(b, a), sub(c, a)))
        if dot(center, face) - dot(a, face) < ZERO:
            continue
        square, t, u, v = nearest_of_segment(start, end, a, b, c)
        if not grown * grown > square:
            continue
        normal = face
        if not seen_face_on(u, v, meshes.flags[near[k]]) and square != ZERO:
            on_axis = add(scaled(sub(end, start), t), start)
            on_face = add(scaled(a, ONE - (u + v)), add(scaled(b, u), scaled(c, v)))
            normal = unit(sub(on_axis, on_face))
        first = made.contacts
        points_over_triangle(made, start, end, a, b, c, face, normal, grown)
        if made.contacts > first:
            _add_capsule_points(made, first, normal, frame, limit)
            if made.contacts >= BEFORE_DIVISION:
                divide(kept, made, limit, OF_CAPSULE)
    divide(kept, made, limit, OF_CAPSULE)


@scalar_code
def _add_capsule_points(made: Any, first: Any, normal: Vector, frame: Frame, limit: Number) -> None:
    """Add the contacts from `first` on to the last patch or to a new one, each place once."""
    deepest = LARGEST
    for i in range(first, made.contacts):
        put_vector(made.local0, i, out_of(frame, vector_at(made.local0, i)))
        deepest = min(deepest, made.distance[i])
    drop_alike(made, first, limit)
    join_patch(made, first, normal, deepest, limit)
