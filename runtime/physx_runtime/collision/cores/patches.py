"""Contacts of a core with many triangles, sorted into patches of one normal as they come, up to four points each."""

from __future__ import annotations

from typing import Any

import numpy as np

from physx_runtime.collision.cores.plain import dot
from physx_runtime.collision.cores.points import widest_four
from physx_runtime.collision.manifold import put_contact
from physx_runtime.collision.vectors import LARGEST, Number, Vector, put_vector, vector_at
from physx_runtime.compiling.numba_functions import scalar_code

MOST_PATCHES, MOST_OF_PATCH = 16, 4
ONE_NORMAL = np.float32(0.999)

PATCHES = np.dtype([
    ("count", "i4"),
    ("normal", "f4", (MOST_PATCHES, 3)),
    ("points", "i4", MOST_PATCHES),
    ("point", "f4", (MOST_PATCHES, MOST_OF_PATCH, 3)),
    ("gap", "f4", (MOST_PATCHES, MOST_OF_PATCH)),
], align=True)


@scalar_code
def add_to_patches(patches: Any, point: Vector, normal: Vector, gap: Number) -> None:
    """Add a contact to the patch of its normal, or as a new patch."""
    for i in range(patches.count):
        if dot(vector_at(patches.normal, i), normal) >= ONE_NORMAL:
            _add_to(patches, i, point, gap)
            return
    place = patches.count
    if place < MOST_PATCHES:
        patches.count += 1
    else:
        place = _place_among(patches, normal)
    if place >= 0:
        put_vector(patches.normal, place, normal)
        patches.points[place] = 1
        put_vector(patches.point[place], 0, point)
        patches.gap[place, 0] = gap


@scalar_code
def put_patches(patches: Any, contacts: Any, at: Any) -> Any:
    """Write the contacts, patch by patch; the row of the next one."""
    for i in range(patches.count):
        normal = vector_at(patches.normal, i)
        for k in range(patches.points[i]):
            at = put_contact(contacts, at, vector_at(patches.point[i], k), normal, patches.gap[i, k])
    return at


@scalar_code
def _add_to(patches: Any, patch: Any, point: Vector, gap: Number) -> None:
    """Keep those four points that span most; the deepest one comes first."""
    count = patches.points[patch]
    points, gaps = np.empty((MOST_OF_PATCH + 1, 3), np.float32), np.empty(MOST_OF_PATCH + 1, np.float32)
    chosen, place = np.empty(MOST_OF_PATCH, np.int64), 0
    while place < count and gap > patches.gap[patch, place]:
        put_vector(points, place, vector_at(patches.point[patch], place))
        gaps[place] = patches.gap[patch, place]
        place += 1
    put_vector(points, place, point)
    gaps[place] = gap
    for k in range(place, count):
        put_vector(points, k + 1, vector_at(patches.point[patch], k))
        gaps[k + 1] = patches.gap[patch, k]
    kept = widest_four(points, count + 1, vector_at(patches.normal, patch), chosen)
    for k in range(kept):
        put_vector(patches.point[patch], k, vector_at(points, chosen[k]))
        patches.gap[patch, k] = gaps[chosen[k]]
    patches.points[patch] = kept


@scalar_code
def _place_among(patches: Any, normal: Vector) -> Any:
    """The shallower of those two patches that are most alike, or -1 where the new normal is more like one of them."""
    own, most, first, second = -LARGEST, -LARGEST, 0, 0
    for i in range(MOST_PATCHES):
        own = max(own, dot(normal, vector_at(patches.normal, i)))
        for k in range(i + 1, MOST_PATCHES):
            alike = dot(vector_at(patches.normal, i), vector_at(patches.normal, k))
            if alike > most:
                most, first, second = alike, i, k
    if own > most:
        return -1
    return first if _deepest(patches, first) > _deepest(patches, second) else second


@scalar_code
def _deepest(patches: Any, patch: Any) -> Number:
    least = patches.gap[patch, 0]
    for k in range(1, patches.points[patch]):
        least = min(least, patches.gap[patch, k])
    return least
