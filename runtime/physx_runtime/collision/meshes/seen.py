"""Edges and corners of triangles that contacts were made with: another triangle makes none with them again."""

from __future__ import annotations

from typing import Any

import numpy as np

from physx_runtime.collision.meshes.triangle import FACE
from physx_runtime.compiling.numba_functions import scalar_code

MOST = 128              # of either; what comes after those counts as seen

SEEN = np.dtype([("edges", "i4"), ("corners", "i4"), ("edge", "i4", (MOST, 2)), ("corner", "i4", MOST)], align=True)


@scalar_code
def see_triangle(seen: Any, triangle: Any, feature: Any) -> bool:
    """Note the edges and corners of a triangle; whether `feature` was new (0 to 2 corners, 3 to 5 edges 01 12 20)."""
    new = bool(feature == FACE)
    for k in range(3):
        if see_edge(seen, triangle[k], triangle[(k + 1) % 3]) and feature == 3 + k:
            new = True
    for k in range(3):
        if see_corner(seen, triangle[k]) and feature == k:
            new = True
    return new


@scalar_code
def see_edge(seen: Any, a: Any, b: Any) -> bool:
    """Note an edge; whether it was new."""
    low, high = min(a, b), max(a, b)
    if seen.edges == MOST or knows_edge(seen, a, b):
        return False
    seen.edge[seen.edges, 0], seen.edge[seen.edges, 1] = low, high
    seen.edges += 1
    return True


@scalar_code
def see_corner(seen: Any, a: Any) -> bool:
    """Note a corner; whether it was new."""
    if seen.corners == MOST or knows_corner(seen, a):
        return False
    seen.corner[seen.corners] = a
    seen.corners += 1
    return True


@scalar_code
def knows_edge(seen: Any, a: Any, b: Any) -> bool:
    """Whether an edge was noted."""
    low, high = min(a, b), max(a, b)
    i = 0
    while i < seen.edges and not (seen.edge[i, 0] == low and seen.edge[i, 1] == high):
        i += 1
    return bool(i < seen.edges)


@scalar_code
def knows_corner(seen: Any, a: Any) -> bool:
    """Whether a corner was noted."""
    i = 0
    while i < seen.corners and seen.corner[i] != a:
        i += 1
    return bool(i < seen.corners)
