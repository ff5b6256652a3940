"""Contacts of triangles divided among the manifolds of a pair: one a normal, of the deepest and widest points."""

from __future__ import annotations

from typing import Any

import numpy as np

from physx_runtime.collision.meshes.choice import OF_HULL, take_six
from physx_runtime.collision.meshes.manifolds import (
    MOST_MADE,
    MOST_MANIFOLDS,
    NONE,
    ONE_NORMAL,
    append_manifold,
    deepest_of,
    link_patches,
    manifold_normal,
    rows_of,
    start,
    take,
)
from physx_runtime.collision.vectors import LARGEST, Number, dot, sub, unit, vector_at
from physx_runtime.compiling.numba_functions import scalar_code

OF_SPHERE, OF_CAPSULE = 1, 3        # points of a manifold at most


@scalar_code
def divide(kept: Any, made: Any, limit: Number, most: Any) -> None:
    """Move all contacts made so far into manifolds of `most` points at most, and forget them."""
    if made.contacts:
        link_patches(made, limit)
        known = kept.count
        for i in range(made.patches):
            patch = made.order[i]
            if made.root[patch] == patch and not _place(kept, known, made, patch, most):
                break
    start(made)


@scalar_code
def _place(kept: Any, known: Any, made: Any, patch: Any, most: Any) -> bool:
    """Put linked patches into the manifold of their normal, a new one or a shallower one's place.

    known: how many manifolds there were before these patches; where there were none, each gets one.
    """
    before, m, known_normal = kept.count, 0, False
    while m < before and known and not known_normal:
        known_normal = dot(vector_at(made.patch_normal, patch), unit(manifold_normal(kept, m))) >= ONE_NORMAL
        m += not known_normal
    full = not known_normal and before == MOST_MANIFOLDS
    if known_normal:
        append_manifold(made, kept, m, patch)
    elif full:
        m = 0
        for i in range(1, before):
            if kept.deepest[i] > kept.deepest[m]:
                m = i
    else:
        kept.count, m = before + 1, before
    if not full or kept.deepest[m] > made.deepest[patch]:
        _fill(kept, m, made, patch, most)
    return not full


@scalar_code
def _fill(kept: Any, m: Any, made: Any, patch: Any, most: Any) -> None:
    rows, chosen = np.zeros(MOST_MADE, np.int64), np.zeros(MOST_MADE, np.bool_)
    count = rows_of(made, patch, rows)
    kept.points[m] = 0
    if most > 1 and count <= most:      # as the wheel counts; the public source counts dropped ones, too
        for k in range(count):
            take(kept, m, made, rows[k])
        kept.deepest[m] = made.deepest[patch]
        return
    if most == OF_HULL:
        kept.deepest[m] = take_six(kept, m, made, rows, count)
        return
    first = deepest_of(made, rows, count, chosen)
    chosen[first] = True
    take(kept, m, made, rows[first])
    least = made.distance[rows[first]]
    if most > 1:
        least = _widen(kept, m, made, rows, count, chosen, first, least)
    kept.deepest[m] = least


@scalar_code
def _widen(kept: Any, m: Any, made: Any, rows: Any, count: Any, chosen: Any, first: Any, least: Number) -> Number:
    """Add the contact farthest from the deepest one, and the deepest of the others; the least distance of all."""
    far, most = 0, -LARGEST
    for k in range(count):
        way = sub(vector_at(made.local1, rows[k]), vector_at(made.local1, rows[first]))
        square = dot(way, way)
        if square > most:
            far, most = k, square
    chosen[far] = True
    take(kept, m, made, rows[far])
    second = deepest_of(made, rows, count, chosen)
    if second == NONE:
        second = far
    take(kept, m, made, rows[second])
    return min(least, min(made.distance[rows[far]], made.distance[rows[second]]))
