"""Contacts of spheres and capsules with meshes (PhysX GuPCMContactSphereMesh, GuPCMContactCapsuleMesh).

`sphere_mesh` uses the closest point of each triangle nearby; edges and corners count only where no face has them.
`capsule_mesh` uses the ends of the axis over each triangle, and the points where the axis crosses its edges.
"""

from __future__ import annotations

import math

import numpy as np

from physx_runtime.arrays import Frame, Integer, Pose, Record, Records, Scalar, Vec3
from physx_runtime.collision.bounds import size_of
from physx_runtime.collision.manifold.multi import (
    CONTACT_BUFFER,
    ONE_NORMAL,
    add_contact,
    drop_duplicates,
    is_invalidated,
    join_patch,
    open_patch,
    origin,
    refresh_all,
    reset_manifolds,
    world_normal_of,
)
from physx_runtime.collision.manifold.persistent import write_contact
from physx_runtime.collision.manifold.reduction import OF_CAPSULE, OF_SPHERE, process_contacts
from physx_runtime.collision.meshes.active_edges import EDGE_CACHE, cache_triangle
from physx_runtime.collision.meshes.triangle_mesh import (
    FACE,
    Meshes,
    closest_point_on_triangle,
    corner_of,
    triangles_in_bounds,
)
from physx_runtime.collision.narrow_phase.segment import points_over_triangle, segment_triangle, uses_face_normal
from physx_runtime.collision.scalar_math import rotated_back, transform_inv, x_axis
from physx_runtime.collision.simd_math import (
    LARGEST,
    ONE,
    ZERO,
    add,
    cross,
    dot,
    frame_of,
    from_frame,
    relative,
    scaled,
    set_vector,
    sub,
    transform,
    unit,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code

ROUND_INVALIDATE, ROUND_BREAKING, ROUND_REPLACE = np.float32(0.02), np.float32(0.05), np.float32(0.001)  # of the radius
PROCESS_THRESHOLD = 16


@scalar_code
def sphere_mesh(pair: Record, manifolds: Record, shape0: Record, pose0: Pose, shape1: Record, pose1: Pose,
                meshes: Meshes, contacts: Records, at: Integer) -> Integer:
    # invalidate 0.02, breaking 0.05, replace 0.001 of the radius  (GuPCMContactSphereMesh.cpp, pcmContactSphereMesh)
    radius, pose = size_of(shape0)[0], relative(pose0, pose1)
    if is_invalidated(manifolds, pose, radius * ROUND_INVALIDATE):
        reset_manifolds(manifolds, pose)
        _make_sphere_manifolds(np.zeros(1, CONTACT_BUFFER), np.zeros(1, EDGE_CACHE), manifolds,
                               transform_inv(pose1, pose0[0]), radius, pair.contact_distance,
                               meshes, shape1.geometry)
    else:
        refresh_all(manifolds, frame_of(pose), radius * ROUND_BREAKING)
    for m in range(manifolds.count):
        normal = world_normal_of(manifolds, m, pose1)
        for i in range(manifolds.points[m]):
            # point = c - r n, separation = d - r
            point = sub(transform(pose0, vector_at(manifolds.local0[m], i)), scaled(normal, radius))
            at = write_contact(contacts, at, point, normal, manifolds.distance[m, i] - radius)
    return at


@scalar_code
def _make_sphere_manifolds(buffers: Records, edge_caches: Records, manifolds: Record, center: Vec3, radius: Scalar,
                           contact_distance: Scalar,
                           meshes: Meshes,
                           row: Integer) -> None:
    """Rebuild the manifolds, in memory kept by the caller: a record does not keep its array alive."""
    inflated = radius + contact_distance
    buffer, edge_cache = buffers[0], edge_caches[0]
    low = (center[0] - inflated, center[1] - inflated, center[2] - inflated)
    high = (center[0] + inflated, center[1] + inflated, center[2] + inflated)
    candidates = triangles_in_bounds(meshes, row, low, high)
    count, feature_count = len(candidates), 0
    features, squares = np.empty((count, 2), np.int64), np.empty(count, np.float32)
    points, normals = np.empty((count, 3), np.float32), np.empty((count, 3), np.float32)
    limit = (radius * ROUND_REPLACE) * (radius * ROUND_REPLACE)
    # outside of the triangle, closest point within the contact distance  (GuPCMContactSphereMesh.cpp, processTriangle)
    for k in range(count):
        a, b, c = (corner_of(meshes, row, candidates[k], 0), corner_of(meshes, row, candidates[k], 1),
                   corner_of(meshes, row, candidates[k], 2))
        normal = unit(cross(sub(b, a), sub(c, a)))
        if dot(center, normal) - dot(a, normal) < ZERO:
            continue
        feature, point, square = closest_point_on_triangle(center, a, b, c)
        if not inflated * inflated > square:
            continue
        # faces make contacts at once, edges and corners wait for them
        if feature == FACE:
            cache_triangle(edge_cache, meshes.triangles[candidates[k]], feature)
            _add_sphere_point(manifolds, buffer, point, normal, math.sqrt(square), limit)
        else:
            squares[feature_count], features[feature_count, 0], features[feature_count,
                                                                         1] = square, feature, candidates[k]
            set_vector(points, feature_count, point)
            set_vector(normals, feature_count, unit(sub(center, point)))
            feature_count += 1
    # deferred contacts by distance, where no other triangle cached the feature
    # (GuPCMContactSphereMesh.cpp, generateLastContacts)
    for k in np.argsort(squares[:feature_count], kind="mergesort"):
        if cache_triangle(edge_cache, meshes.triangles[features[k, 1]], features[k, 0]):
            _add_sphere_point(manifolds, buffer, vector_at(points, k), vector_at(normals, k), math.sqrt(squares[k]),
                              limit)
    process_contacts(manifolds, buffer, limit, OF_SPHERE)


@scalar_code
def _add_sphere_point(manifolds: Record, buffer: Record, point: Vec3, normal: Vec3, distance: Scalar,
                      limit: Scalar) -> None:
    """Add a point to the last patch, which keeps its deepest one, or as a new patch."""
    last = buffer.patches - 1
    # a patch of the same normal keeps its deepest contact  (GuPCMContactSphereMesh.cpp, addToPatch)
    if last >= 0 and dot(vector_at(buffer.patch_normal, last), normal) > ONE_NORMAL:
        if buffer.deepest[last] > distance:
            at = buffer.first[last]
            set_vector(buffer.local1, at, point)
            set_vector(buffer.normal, at, normal)
            buffer.distance[at] = buffer.deepest[last] = distance
    else:
        add_contact(buffer, origin(), point, normal, distance)
        open_patch(buffer, buffer.contacts - 1, normal, distance)
    if buffer.contacts >= PROCESS_THRESHOLD:
        process_contacts(manifolds, buffer, limit, OF_SPHERE)


@scalar_code
def capsule_mesh(pair: Record, manifolds: Record, shape0: Record, pose0: Pose, shape1: Record, pose1: Pose,
                 meshes: Meshes, contacts: Records, at: Integer) -> Integer:
    # invalidate 0.02, breaking 0.05, replace 0.001 of the radius  (GuPCMContactCapsuleMesh.cpp, pcmContactCapsuleMesh)
    size, pose = size_of(shape0), relative(pose0, pose1)
    radius = size[0]
    if is_invalidated(manifolds, pose, radius * ROUND_INVALIDATE):
        reset_manifolds(manifolds, pose)
        half_axis = rotated_back(pose1[1], scaled(x_axis(pose0[1]), size[1]))
        center = transform_inv(pose1, pose0[0])
        _make_capsule_manifolds(np.zeros(1, CONTACT_BUFFER), manifolds, center, add(center, half_axis),
                                sub(center, half_axis), radius,
                                pair.contact_distance, frame_of(relative(pose1, pose0)), meshes, shape1.geometry)
    else:
        refresh_all(manifolds, frame_of(pose), radius * ROUND_BREAKING)
    for m in range(manifolds.count):
        normal = world_normal_of(manifolds, m, pose1)
        for i in range(manifolds.points[m]):
            point = sub(transform(pose0, vector_at(manifolds.local0[m], i)), scaled(normal, radius))
            at = write_contact(contacts, at, point, normal, manifolds.distance[m, i] - radius)
    return at


@scalar_code
def _make_capsule_manifolds(buffers: Records, manifolds: Record, center: Vec3, start: Vec3, end: Vec3, radius: Scalar,
                            contact_distance: Scalar, frame: Frame,
                            meshes: Meshes, row: Integer) -> None:
    """Rebuild the manifolds, in memory kept by the caller: a record does not keep its array alive.

    frame: of the mesh in the capsule.
    """
    # triangles in the capsule's bounds  (GuPCMContactCapsuleMesh.cpp, processTriangle)
    inflated, limit = radius + contact_distance, (radius * ROUND_REPLACE) * (radius * ROUND_REPLACE)
    low = (min(start[0], end[0]) - inflated, min(start[1], end[1]) - inflated, min(start[2], end[2]) - inflated)
    high = (max(start[0], end[0]) + inflated, max(start[1], end[1]) + inflated, max(start[2], end[2]) + inflated)
    candidates, buffer = triangles_in_bounds(meshes, row, low, high), buffers[0]
    for k in range(len(candidates)):
        a, b, c = (corner_of(meshes, row, candidates[k], 0), corner_of(meshes, row, candidates[k], 1),
                   corner_of(meshes, row, candidates[k], 2))
        face = unit(cross(sub(b, a), sub(c, a)))
        if dot(center, face) - dot(a, face) < ZERO:
            continue
        # squared distance of axis and triangle  (GuPCMContactCapsuleMesh.cpp, pcmDistanceSegmentTriangleSquared)
        square, t, u, v = segment_triangle(start, end, a, b, c)
        if not inflated * inflated > square:
            continue
        normal = face
        # closest feature an active edge: n = (p_axis - p_triangle) / |p_axis - p_triangle|
        if not uses_face_normal(u, v, meshes.flags[candidates[k]]) and square != ZERO:
            on_axis = add(scaled(sub(end, start), t), start)
            on_face = add(scaled(a, ONE - (u + v)), add(scaled(b, u), scaled(c, v)))
            normal = unit(sub(on_axis, on_face))
        first = buffer.contacts
        points_over_triangle(buffer, start, end, a, b, c, face, normal, inflated)
        if buffer.contacts > first:
            _add_capsule_points(buffer, first, normal, frame, limit)
            if buffer.contacts >= PROCESS_THRESHOLD:
                process_contacts(manifolds, buffer, limit, OF_CAPSULE)
    process_contacts(manifolds, buffer, limit, OF_CAPSULE)


@scalar_code
def _add_capsule_points(buffer: Record, first: Integer, normal: Vec3, frame: Frame, limit: Scalar) -> None:
    """Add the contacts from `first` on to the last patch or to a new one, without duplicates."""
    deepest = LARGEST
    # points to the frame of the capsule, one at a place
    for i in range(first, buffer.contacts):
        set_vector(buffer.local0, i, from_frame(frame, vector_at(buffer.local0, i)))
        deepest = min(deepest, buffer.distance[i])
    drop_duplicates(buffer, first, limit)
    join_patch(buffer, first, normal, deepest, limit)
