"""Contacts of spheres and capsules with meshes.

A sphere and a mesh: the nearest point of each triangle in reach; edges and corners only where no face has them.

A capsule and a mesh: the ends of its axis over each triangle in reach, and where the axis crosses edges.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from physx_runtime.collision.bounds import size_of
from physx_runtime.collision.manifold.multi import (
    MADE,
    ONE_NORMAL,
    begin_anew,
    drop_alike,
    join_patch,
    moved_on,
    open_patch,
    origin,
    put_made,
    refresh_all,
    world_normal_of,
)
from physx_runtime.collision.manifold.persistent import put_contact
from physx_runtime.collision.manifold.reduction import OF_CAPSULE, OF_SPHERE, divide
from physx_runtime.collision.meshes.active_edges import SEEN, see_triangle
from physx_runtime.collision.meshes.triangle_mesh import FACE, Meshes, corner_of, nearest_on_triangle, triangles_near
from physx_runtime.collision.narrow_phase.segment import nearest_of_segment, points_over_triangle, seen_face_on
from physx_runtime.collision.scalar_math import inward, rotated_back, x_axis
from physx_runtime.collision.simd_math import (
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
def sphere_mesh(pair: Any, kept: Any, shape0: Any, pose0: Pose, shape1: Any, pose1: Pose, meshes: Meshes,
                contacts: Any, at: Any) -> Any:
    radius, pose = size_of(shape0)[0], relative(pose0, pose1)
    if moved_on(kept, pose, radius * MAY_MOVE):
        begin_anew(kept, pose)
        _make_sphere_manifolds(np.zeros(1, MADE), np.zeros(1, SEEN), kept, inward(pose1, pose0[0]), radius, pair.reach,
                               meshes, shape1.geometry)
    else:
        refresh_all(kept, frame_of(pose), radius * BREAKING)
    for m in range(kept.count):
        normal = world_normal_of(kept, m, pose1)
        for i in range(kept.points[m]):
            point = sub(outward(pose0, vector_at(kept.local0[m], i)), scaled(normal, radius))
            at = put_contact(contacts, at, point, normal, kept.distance[m, i] - radius)
    return at


@scalar_code
def _make_sphere_manifolds(made_room: Any, seen_room: Any, kept: Any, center: Vector, radius: Number, reach: Number,
                           meshes: Meshes,
                           row: Any) -> None:
    """Make the manifolds anew, in rooms that the caller keeps: a record does not keep its array alive."""
    grown = radius + reach
    made, seen = made_room[0], seen_room[0]
    low = (center[0] - grown, center[1] - grown, center[2] - grown)
    high = (center[0] + grown, center[1] + grown, center[2] + grown)
    near = triangles_near(meshes, row, low, high)
    count, waiting = len(near), 0
    features, squares = np.empty((count, 2), np.int64), np.empty(count, np.float32)
    points, normals = np.empty((count, 3), np.float32), np.empty((count, 3), np.float32)
    limit = (radius * ONE_POINT) * (radius * ONE_POINT)
    for k in range(count):
        a, b, c = (corner_of(meshes, row, near[k], 0), corner_of(meshes, row, near[k], 1),
                   corner_of(meshes, row, near[k], 2))
        normal = unit(cross(sub(b, a), sub(c, a)))
        if dot(center, normal) - dot(a, normal) < ZERO:
            continue
        feature, point, square = nearest_on_triangle(center, a, b, c)
        if not grown * grown > square:
            continue
        if feature == FACE:
            see_triangle(seen, meshes.triangles[near[k]], feature)
            _add_sphere_point(kept, made, point, normal, math.sqrt(square), limit)
        else:
            squares[waiting], features[waiting, 0], features[waiting, 1] = square, feature, near[k]
            put_vector(points, waiting, point)
            put_vector(normals, waiting, unit(sub(center, point)))
            waiting += 1
    for k in np.argsort(squares[:waiting], kind="mergesort"):
        if see_triangle(seen, meshes.triangles[features[k, 1]], features[k, 0]):
            _add_sphere_point(kept, made, vector_at(points, k), vector_at(normals, k), math.sqrt(squares[k]), limit)
    divide(kept, made, limit, OF_SPHERE)


@scalar_code
def _add_sphere_point(kept: Any, made: Any, point: Vector, normal: Vector, distance: Number, limit: Number) -> None:
    """Add a point to the last patch, which keeps its deepest one, or as a new patch."""
    last = made.patches - 1
    if last >= 0 and dot(vector_at(made.patch_normal, last), normal) > ONE_NORMAL:
        if made.deepest[last] > distance:
            at = made.first[last]
            put_vector(made.local1, at, point)
            put_vector(made.normal, at, normal)
            made.distance[at] = made.deepest[last] = distance
    else:
        put_made(made, origin(), point, normal, distance)
        open_patch(made, made.contacts - 1, normal, distance)
    if made.contacts >= BEFORE_DIVISION:
        divide(kept, made, limit, OF_SPHERE)


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
