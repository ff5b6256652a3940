"""Persistent manifolds of a pair with a mesh: up to six, each of one normal and up to six points.

Follows PhysX's MultiplePersistentContactManifold (GuPersistentContactManifold.cpp). `refresh_all` updates the points.
Contacts of triangles are collected in a buffer (`add_contact`) and grouped into patches (`join_patch`,
`link_patches`). `append_manifold` adds the points of a manifold to the buffer.
"""

from __future__ import annotations

import numpy as np

from physx_runtime.arrays import Array, Condition, Frame, Integer, Pose, Record, Scalar, Vec3
from physx_runtime.collision.simd_math import (
    LARGEST,
    ZERO,
    add,
    dot,
    from_frame,
    quat_dot,
    rotated,
    scaled,
    set_vector,
    sub,
    unit,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code

MAX_MANIFOLDS = 6
MAX_MULTI_POINTS = 6
MAX_MESH_CONTACTS = 64         # contacts of a pair with a mesh
MAX_BUFFERED = 96              # contacts of triangles before they are divided among manifolds, old points included
MAX_PATCHES = 32
ONE_NORMAL = np.float32(0.996)      # cosine of some 5 degrees: patches of such normals share a manifold
MESH_ROTATION_THRESHOLD = np.float32(0.9998)

MANIFOLDS = np.dtype([
    ("known", "i4"),                # 1 once the pose of the last rebuild is
    ("count", "i4"),
    ("position", "f4", 3),          # of shape 0 in the mesh, at that time
    ("rotation", "f4", 4),
    ("deepest", "f4", MAX_MANIFOLDS),
    ("points", "i4", MAX_MANIFOLDS),
    ("local0", "f4", (MAX_MANIFOLDS, MAX_MULTI_POINTS, 3)),
    ("local1", "f4", (MAX_MANIFOLDS, MAX_MULTI_POINTS, 3)),
    ("normal", "f4", (MAX_MANIFOLDS, MAX_MULTI_POINTS, 3)),     # in the mesh, towards shape 0
    ("distance", "f4", (MAX_MANIFOLDS, MAX_MULTI_POINTS)),
], align=True)

# Contacts of triangles, and patches of them: runs of contacts with nearly one normal.
CONTACT_BUFFER = np.dtype([
    ("contacts", "i4"),
    ("local0", "f4", (MAX_BUFFERED, 3)),
    ("local1", "f4", (MAX_BUFFERED, 3)),
    ("normal", "f4", (MAX_BUFFERED, 3)),
    ("distance", "f4", MAX_BUFFERED),
    ("patches", "i4"),
    ("first", "i4", MAX_PATCHES),
    ("end", "i4", MAX_PATCHES),
    ("patch_normal", "f4", (MAX_PATCHES, 3)),
    ("deepest", "f4", MAX_PATCHES),
    ("order", "i4", MAX_PATCHES),          # patches, the deepest first
    ("root", "i4", MAX_PATCHES),           # the first of the patches that are linked
    ("following", "i4", MAX_PATCHES),      # the next one of those, or NONE
    ("size", "i4", MAX_PATCHES),           # contacts of all that are linked, of a root
], align=True)
NONE = -1


@scalar_code
def is_invalidated(manifolds: Record, pose: Pose, max_displacement: Scalar) -> bool:
    """Whether shape 0 has moved or turned too far in the mesh for the manifolds to be kept."""
    # rebuilt where |dp|_inf > maxDisplacement or q . q_old < cos  (GuPersistentContactManifold.h, invalidate)
    if not manifolds.known:
        return True
    p, old = pose[0], manifolds.position
    displacement = max(max(abs(p[0] - old[0]), abs(p[1] - old[1])), abs(p[2] - old[2]))
    q = manifolds.rotation
    return bool(displacement > max_displacement or quat_dot(pose[1], (q[0], q[1], q[2], q[3]))
                < MESH_ROTATION_THRESHOLD)


@scalar_code
def reset_manifolds(manifolds: Record, pose: Pose) -> None:
    """Drop all manifolds, and store the pose at which they are rebuilt."""
    manifolds.known, manifolds.count = 1, 0
    for k in range(3):
        manifolds.position[k] = pose[0][k]
    for k in range(4):
        manifolds.rotation[k] = pose[1][k]


@scalar_code
def refresh_all(manifolds: Record, frame: Frame, breaking: Scalar) -> None:
    """Update distances, with shape 0 at `frame` in the mesh; points that slid and empty manifolds are dropped."""
    # d = (T p0 - p1) . n, dropped where |p1 - (p0 - d n)| > breaking
    # (GuPersistentContactManifold.cpp, refreshContactPoints)
    limit, m = breaking * breaking, 0
    while m < manifolds.count:
        for i in range(manifolds.points[m] - 1, -1, -1):
            normal, point1 = vector_at(manifolds.normal[m], i), vector_at(manifolds.local1[m], i)
            point0 = from_frame(frame, vector_at(manifolds.local0[m], i))
            distance = dot(sub(point0, point1), normal)
            slid = sub(point1, sub(point0, scaled(normal, distance)))
            if dot(slid, slid) > limit:
                manifolds.points[m] -= 1
                _copy_point(manifolds, m, manifolds.points[m], m, i)
            else:
                manifolds.distance[m, i] = distance
        # empty manifolds are replaced by the last one  (GuPersistentContactManifold.h, refreshManifold)
        if manifolds.points[m]:
            m += 1
        else:
            manifolds.count -= 1
            for i in range(manifolds.points[manifolds.count]):
                _copy_point(manifolds, manifolds.count, i, m, i)
            manifolds.points[m] = manifolds.points[manifolds.count]


@scalar_code
def _copy_point(manifolds: Record, m: Integer, i: Integer, n: Integer, j: Integer) -> None:
    set_vector(manifolds.local0[n], j, vector_at(manifolds.local0[m], i))
    set_vector(manifolds.local1[n], j, vector_at(manifolds.local1[m], i))
    set_vector(manifolds.normal[n], j, vector_at(manifolds.normal[m], i))
    manifolds.distance[n, j] = manifolds.distance[m, i]


@scalar_code
def manifold_normal(manifolds: Record, m: Integer) -> Vec3:
    """The sum of the normals of a manifold, in the mesh."""
    # n = sum n_i  (GuPersistentContactManifold.h, getLocalNormal)
    total = vector_at(manifolds.normal[m], 0)
    for i in range(1, manifolds.points[m]):
        total = add(total, vector_at(manifolds.normal[m], i))
    return total


@scalar_code
def world_normal_of(manifolds: Record, m: Integer, pose1: Pose) -> Vec3:
    """The normal of a manifold in the world."""
    # R n / |R n|  (GuPersistentContactManifold.h, getWorldNormal)
    return unit(rotated(pose1[1], manifold_normal(manifolds, m)))


@scalar_code
def add_contact(buffer: Record, local0: Vec3, local1: Vec3, normal: Vec3, distance: Scalar) -> None:
    """Add a contact."""
    at = buffer.contacts
    set_vector(buffer.local0, at, local0)
    set_vector(buffer.local1, at, local1)
    set_vector(buffer.normal, at, normal)
    buffer.distance[at] = distance
    buffer.contacts += 1


@scalar_code
def copy_contact(buffer: Record, source: Integer, target: Integer) -> None:
    """Overwrite one contact with another."""
    set_vector(buffer.local0, target, vector_at(buffer.local0, source))
    set_vector(buffer.local1, target, vector_at(buffer.local1, source))
    set_vector(buffer.normal, target, vector_at(buffer.normal, source))
    buffer.distance[target] = buffer.distance[source]


@scalar_code
def open_patch(buffer: Record, first: Integer, normal: Vec3, deepest: Scalar) -> None:
    """Make a patch of the contacts from `first` on."""
    patch = buffer.patches
    buffer.first[patch], buffer.end[patch], buffer.deepest[patch] = first, buffer.contacts, deepest
    set_vector(buffer.patch_normal, patch, normal)
    buffer.patches += 1


@scalar_code
def is_close(buffer: Record, a: Integer, b: Integer, limit: Scalar) -> bool:
    """Whether two contacts are nearer on the mesh than the root of `limit`."""
    # |p_a - p_b|^2 < limit, on the mesh
    offset = sub(vector_at(buffer.local1, b), vector_at(buffer.local1, a))
    return bool(limit > dot(offset, offset))


@scalar_code
def drop_duplicates(buffer: Record, first: Integer, limit: Scalar) -> None:
    """Keep one of several close contacts, from `first` on."""
    # contacts of one triangle at one place are one
    for i in range(first, buffer.contacts):
        _drop_close_to(buffer, i, i + 1, limit, False)


@scalar_code
def join_patch(buffer: Record, first: Integer, normal: Vec3, deepest: Scalar, limit: Scalar) -> None:
    """Add the contacts from `first` on to the last patch if it has their normal, otherwise to a new patch."""
    # last patch with n . n_patch > 0.996 takes the contacts  (GuPCMContactConvexCommon.cpp, addContactsToPatch)
    last = buffer.patches - 1
    if last < 0 or not dot(vector_at(buffer.patch_normal, last), normal) > ONE_NORMAL:
        open_patch(buffer, first, normal, deepest)
        return
    for i in range(buffer.first[last], buffer.end[last]):
        _drop_close_to(buffer, i, first, limit, True)
    buffer.end[last] = buffer.contacts
    buffer.deepest[last] = min(buffer.deepest[last], deepest)


@scalar_code
def _drop_close_to(buffer: Record, reference: Integer, first: Integer, limit: Scalar, deeper: Condition) -> None:
    """Drop the contacts from `first` on that are close to one; if `deeper`, a deeper contact replaces it."""
    # of two close contacts the deeper one stays
    at = first
    while at < buffer.contacts:
        if not is_close(buffer, reference, at, limit):
            at += 1
            continue
        if deeper and buffer.distance[reference] > buffer.distance[at]:
            copy_contact(buffer, at, reference)
        buffer.contacts -= 1
        copy_contact(buffer, buffer.contacts, at)


@scalar_code
def link_patches(buffer: Record, limit: Scalar) -> None:
    """Sort patches by depth, link those of nearly one normal, and drop contacts that two of them share."""
    # patches by depth, the deepest first  (GuPersistentContactManifold.h, refineContactPatchConnective)
    for i in range(buffer.patches):
        buffer.order[i] = i
        for k in range(i, 0, -1):
            if not buffer.deepest[buffer.order[k - 1]] > buffer.deepest[buffer.order[k]]:
                break
            buffer.order[k - 1], buffer.order[k] = buffer.order[k], buffer.order[k - 1]
    # linked to the first deeper patch with n . n_root >= 0.996
    for i in range(buffer.patches):
        patch = buffer.order[i]
        buffer.root[patch], buffer.following[patch] = patch, NONE
        buffer.size[patch] = buffer.end[patch] - buffer.first[patch]
        for k in range(i - 1, -1, -1):
            other = buffer.order[k]
            root = buffer.root[other]
            if dot(vector_at(buffer.patch_normal, patch), vector_at(buffer.patch_normal, root)) >= ONE_NORMAL:
                buffer.following[other], buffer.root[patch] = patch, root
                buffer.size[root] += buffer.size[patch]
                break
    # contacts that linked patches share are dropped
    # (GuPersistentContactManifold.h, reduceManifoldContactsInDifferentPatches)
    for i in range(buffer.patches):
        patch = buffer.order[i]
        if buffer.root[patch] == patch:
            while buffer.following[patch] != NONE:
                _drop_common(buffer, patch, buffer.following[patch], limit)
                patch = buffer.following[patch]


@scalar_code
def _drop_common(buffer: Record, patch: Integer, other: Integer, limit: Scalar) -> None:
    for k in range(buffer.first[patch], buffer.end[patch]):
        at = buffer.first[other]
        while at < buffer.end[other]:
            if is_close(buffer, k, at, limit):
                buffer.end[other] -= 1
                copy_contact(buffer, buffer.end[other], at)
            else:
                at += 1


@scalar_code
def rows_of(buffer: Record, root: Integer, rows: Array) -> Integer:
    """Fill in the contacts of linked patches, in their order; return their number."""
    count, patch = 0, root
    while patch != NONE:
        for i in range(buffer.first[patch], buffer.end[patch]):
            rows[count] = i
            count += 1
        patch = buffer.following[patch]
    return count


@scalar_code
def deepest_index(buffer: Record, rows: Array, count: Integer, selected: Array) -> Integer:
    """The index in `rows` of the deepest contact that is not selected yet, NONE if there is none."""
    # argmin distance of contacts not chosen yet
    best, min_distance = NONE, LARGEST
    for k in range(count):
        if not selected[k] and min_distance > buffer.distance[rows[k]]:
            best, min_distance = k, buffer.distance[rows[k]]
    return best


@scalar_code
def append_point(manifolds: Record, m: Integer, buffer: Record, row: Integer) -> None:
    """Add a contact to a manifold."""
    i = manifolds.points[m]
    set_vector(manifolds.local0[m], i, vector_at(buffer.local0, row))
    set_vector(manifolds.local1[m], i, vector_at(buffer.local1, row))
    set_vector(manifolds.normal[m], i, vector_at(buffer.normal, row))
    manifolds.distance[m, i] = buffer.distance[row]
    manifolds.points[m] += 1


@scalar_code
def append_manifold(buffer: Record, manifolds: Record, m: Integer, root: Integer) -> None:
    """Add the points of a manifold to linked patches, as contacts after all others and as their last patch."""
    # points that the manifold already has take part in the reduction
    # (GuPersistentContactManifold.cpp, addManifoldContactPoints)
    at, last = buffer.contacts, root
    while buffer.following[last] != NONE:
        last = buffer.following[last]
    for i in range(manifolds.points[m]):
        set_vector(buffer.local0, at + i, vector_at(manifolds.local0[m], i))
        set_vector(buffer.local1, at + i, vector_at(manifolds.local1[m], i))
        set_vector(buffer.normal, at + i, vector_at(manifolds.normal[m], i))
        buffer.distance[at + i] = manifolds.distance[m, i]
    old = MAX_PATCHES - 1
    buffer.first[old], buffer.end[old], buffer.following[old] = at, at + manifolds.points[m], NONE
    buffer.following[last] = old
    buffer.size[root] += manifolds.points[m]
    buffer.deepest[root] = min(buffer.deepest[root], manifolds.deepest[m])


@scalar_code
def clear_buffer(buffer: Record) -> None:
    """Clear all contacts and patches."""
    buffer.contacts, buffer.patches = 0, 0


@scalar_code
def origin() -> Vec3:
    return ZERO, ZERO, ZERO
