"""What a pair with a mesh keeps between steps: up to six manifolds, each of one normal and up to six points."""

from __future__ import annotations

from typing import Any

import numpy as np

from physx_runtime.collision.simd_math import (
    LARGEST,
    ZERO,
    Frame,
    Number,
    Pose,
    Vector,
    add,
    alike,
    dot,
    out_of,
    put_vector,
    rotated,
    scaled,
    sub,
    unit,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code

MOST_MANIFOLDS = 6
MOST_OF_MANIFOLD = 6
MOST_WITH_MESH = 64         # contacts of a pair with a mesh
MOST_MADE = 96              # contacts made of triangles before they are divided among manifolds, and old ones added
MOST_PATCHES = 32
ONE_NORMAL = np.float32(0.996)      # cosine of some 5 degrees: patches of such normals share a manifold
MAY_TURN = np.float32(0.9998)

MANIFOLDS = np.dtype([
    ("known", "i4"),                # 1 once the pose of the last rebuilding is
    ("count", "i4"),
    ("position", "f4", 3),          # of shape 0 in the mesh, at that time
    ("rotation", "f4", 4),
    ("deepest", "f4", MOST_MANIFOLDS),
    ("points", "i4", MOST_MANIFOLDS),
    ("local0", "f4", (MOST_MANIFOLDS, MOST_OF_MANIFOLD, 3)),
    ("local1", "f4", (MOST_MANIFOLDS, MOST_OF_MANIFOLD, 3)),
    ("normal", "f4", (MOST_MANIFOLDS, MOST_OF_MANIFOLD, 3)),     # in the mesh, towards shape 0
    ("distance", "f4", (MOST_MANIFOLDS, MOST_OF_MANIFOLD)),
], align=True)

# Contacts as they are made of triangles, and patches of them: runs of neighbours of nearly one normal.
MADE = np.dtype([
    ("contacts", "i4"),
    ("local0", "f4", (MOST_MADE, 3)),
    ("local1", "f4", (MOST_MADE, 3)),
    ("normal", "f4", (MOST_MADE, 3)),
    ("distance", "f4", MOST_MADE),
    ("patches", "i4"),
    ("first", "i4", MOST_PATCHES),
    ("end", "i4", MOST_PATCHES),
    ("patch_normal", "f4", (MOST_PATCHES, 3)),
    ("deepest", "f4", MOST_PATCHES),
    ("order", "i4", MOST_PATCHES),          # patches, the deepest first
    ("root", "i4", MOST_PATCHES),           # the first of the patches that are linked
    ("following", "i4", MOST_PATCHES),      # the next one of those, or NONE
    ("size", "i4", MOST_PATCHES),           # contacts of all that are linked, of a root
], align=True)
NONE = -1


@scalar_code
def moved_on(kept: Any, pose: Pose, may_move: Number) -> bool:
    """Whether shape 0 has moved or turned too far in the mesh for the manifolds to be kept."""
    if not kept.known:
        return True
    p, old = pose[0], kept.position
    way = max(max(abs(p[0] - old[0]), abs(p[1] - old[1])), abs(p[2] - old[2]))
    q = kept.rotation
    return bool(way > may_move or alike(pose[1], (q[0], q[1], q[2], q[3])) < MAY_TURN)


@scalar_code
def begin_anew(kept: Any, pose: Pose) -> None:
    """Drop all manifolds, and keep the pose at which they are made anew."""
    kept.known, kept.count = 1, 0
    for k in range(3):
        kept.position[k] = pose[0][k]
    for k in range(4):
        kept.rotation[k] = pose[1][k]


@scalar_code
def refresh_all(kept: Any, frame: Frame, breaking: Number) -> None:
    """Renew distances, shape 0 being at `frame` in the mesh; points that slid and empty manifolds are dropped."""
    limit, m = breaking * breaking, 0
    while m < kept.count:
        for i in range(kept.points[m] - 1, -1, -1):
            normal, point1 = vector_at(kept.normal[m], i), vector_at(kept.local1[m], i)
            point0 = out_of(frame, vector_at(kept.local0[m], i))
            distance = dot(sub(point0, point1), normal)
            slid = sub(point1, sub(point0, scaled(normal, distance)))
            if dot(slid, slid) > limit:
                kept.points[m] -= 1
                _copy_point(kept, m, kept.points[m], m, i)
            else:
                kept.distance[m, i] = distance
        if kept.points[m]:
            m += 1
        else:
            kept.count -= 1
            for i in range(kept.points[kept.count]):
                _copy_point(kept, kept.count, i, m, i)
            kept.points[m] = kept.points[kept.count]


@scalar_code
def _copy_point(kept: Any, m: Any, i: Any, n: Any, j: Any) -> None:
    put_vector(kept.local0[n], j, vector_at(kept.local0[m], i))
    put_vector(kept.local1[n], j, vector_at(kept.local1[m], i))
    put_vector(kept.normal[n], j, vector_at(kept.normal[m], i))
    kept.distance[n, j] = kept.distance[m, i]


@scalar_code
def manifold_normal(kept: Any, m: Any) -> Vector:
    """The sum of the normals of a manifold, in the mesh."""
    total = vector_at(kept.normal[m], 0)
    for i in range(1, kept.points[m]):
        total = add(total, vector_at(kept.normal[m], i))
    return total


@scalar_code
def world_normal_of(kept: Any, m: Any, pose1: Pose) -> Vector:
    """The normal of a manifold in the world."""
    return unit(rotated(pose1[1], manifold_normal(kept, m)))


@scalar_code
def put_made(made: Any, local0: Vector, local1: Vector, normal: Vector, distance: Number) -> None:
    """Add a contact."""
    at = made.contacts
    put_vector(made.local0, at, local0)
    put_vector(made.local1, at, local1)
    put_vector(made.normal, at, normal)
    made.distance[at] = distance
    made.contacts += 1


@scalar_code
def copy_made(made: Any, source: Any, target: Any) -> None:
    """Put one contact in the place of another."""
    put_vector(made.local0, target, vector_at(made.local0, source))
    put_vector(made.local1, target, vector_at(made.local1, source))
    put_vector(made.normal, target, vector_at(made.normal, source))
    made.distance[target] = made.distance[source]


@scalar_code
def open_patch(made: Any, first: Any, normal: Vector, deepest: Number) -> None:
    """Make a patch of the contacts from `first` on."""
    patch = made.patches
    made.first[patch], made.end[patch], made.deepest[patch] = first, made.contacts, deepest
    put_vector(made.patch_normal, patch, normal)
    made.patches += 1


@scalar_code
def close(made: Any, a: Any, b: Any, limit: Number) -> bool:
    """Whether two contacts are nearer on the mesh than the root of `limit`."""
    way = sub(vector_at(made.local1, b), vector_at(made.local1, a))
    return bool(limit > dot(way, way))


@scalar_code
def drop_alike(made: Any, first: Any, limit: Number) -> None:
    """Of the contacts from `first` on, keep one of those that are close."""
    for i in range(first, made.contacts):
        _drop_close_to(made, i, i + 1, limit, False)


@scalar_code
def join_patch(made: Any, first: Any, normal: Vector, deepest: Number, limit: Number) -> None:
    """Make the contacts from `first` on part of the last patch, where it has their normal, or a new one."""
    last = made.patches - 1
    if last < 0 or not dot(vector_at(made.patch_normal, last), normal) > ONE_NORMAL:
        open_patch(made, first, normal, deepest)
        return
    for i in range(made.first[last], made.end[last]):
        _drop_close_to(made, i, first, limit, True)
    made.end[last] = made.contacts
    made.deepest[last] = min(made.deepest[last], deepest)


@scalar_code
def _drop_close_to(made: Any, one: Any, first: Any, limit: Number, deeper: Any) -> None:
    """Drop the contacts from `first` on that are close to one; where they are `deeper`, they take its place."""
    at = first
    while at < made.contacts:
        if not close(made, one, at, limit):
            at += 1
            continue
        if deeper and made.distance[one] > made.distance[at]:
            copy_made(made, at, one)
        made.contacts -= 1
        copy_made(made, made.contacts, at)


@scalar_code
def link_patches(made: Any, limit: Number) -> None:
    """Sort patches, the deepest first, link those of nearly one normal, and drop what two of them have in common."""
    for i in range(made.patches):
        made.order[i] = i
        for k in range(i, 0, -1):
            if not made.deepest[made.order[k - 1]] > made.deepest[made.order[k]]:
                break
            made.order[k - 1], made.order[k] = made.order[k], made.order[k - 1]
    for i in range(made.patches):
        patch = made.order[i]
        made.root[patch], made.following[patch] = patch, NONE
        made.size[patch] = made.end[patch] - made.first[patch]
        for k in range(i - 1, -1, -1):
            other = made.order[k]
            root = made.root[other]
            if dot(vector_at(made.patch_normal, patch), vector_at(made.patch_normal, root)) >= ONE_NORMAL:
                made.following[other], made.root[patch] = patch, root
                made.size[root] += made.size[patch]
                break
    for i in range(made.patches):
        patch = made.order[i]
        if made.root[patch] == patch:
            while made.following[patch] != NONE:
                _drop_common(made, patch, made.following[patch], limit)
                patch = made.following[patch]


@scalar_code
def _drop_common(made: Any, patch: Any, other: Any, limit: Number) -> None:
    for k in range(made.first[patch], made.end[patch]):
        at = made.first[other]
        while at < made.end[other]:
            if close(made, k, at, limit):
                made.end[other] -= 1
                copy_made(made, made.end[other], at)
            else:
                at += 1


@scalar_code
def rows_of(made: Any, root: Any, rows: Any) -> Any:
    """Fill in the contacts of linked patches, in their order; how many."""
    count, patch = 0, root
    while patch != NONE:
        for i in range(made.first[patch], made.end[patch]):
            rows[count] = i
            count += 1
        patch = made.following[patch]
    return count


@scalar_code
def deepest_of(made: Any, rows: Any, count: Any, chosen: Any) -> Any:
    """The place in rows of the deepest contact that is not chosen yet, NONE without any."""
    best, least = NONE, LARGEST
    for k in range(count):
        if not chosen[k] and least > made.distance[rows[k]]:
            best, least = k, made.distance[rows[k]]
    return best


@scalar_code
def take(kept: Any, m: Any, made: Any, row: Any) -> None:
    """Add a contact to a manifold."""
    i = kept.points[m]
    put_vector(kept.local0[m], i, vector_at(made.local0, row))
    put_vector(kept.local1[m], i, vector_at(made.local1, row))
    put_vector(kept.normal[m], i, vector_at(made.normal, row))
    kept.distance[m, i] = made.distance[row]
    kept.points[m] += 1


@scalar_code
def append_manifold(made: Any, kept: Any, m: Any, root: Any) -> None:
    """Add the points of a manifold to linked patches, as contacts behind all others and a last patch of theirs."""
    at, last = made.contacts, root
    while made.following[last] != NONE:
        last = made.following[last]
    for i in range(kept.points[m]):
        put_vector(made.local0, at + i, vector_at(kept.local0[m], i))
        put_vector(made.local1, at + i, vector_at(kept.local1[m], i))
        put_vector(made.normal, at + i, vector_at(kept.normal[m], i))
        made.distance[at + i] = kept.distance[m, i]
    old = MOST_PATCHES - 1
    made.first[old], made.end[old], made.following[old] = at, at + kept.points[m], NONE
    made.following[last] = old
    made.size[root] += kept.points[m]
    made.deepest[root] = min(made.deepest[root], kept.deepest[m])


@scalar_code
def start(made: Any) -> None:
    """Forget all contacts and patches."""
    made.contacts, made.patches = 0, 0


@scalar_code
def origin() -> Vector:
    return ZERO, ZERO, ZERO
