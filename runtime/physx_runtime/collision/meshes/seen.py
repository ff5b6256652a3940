"""Edges and corners of triangles that contacts were made with: another triangle makes none with them again."""

from __future__ import annotations

from typing import Any

import numpy as np

from physx_runtime.collision.meshes.triangle import FACE
from physx_runtime.compiling.scalar_code import scalar_code

MOST = 128              # of either; what comes after those counts as seen

SEEN = np.dtype([("edges", "i4"), ("corners", "i4"), ("edge", "i4", (MOST, 2)), ("corner", "i4", MOST)], align=True)


@scalar_code
def see_triangle(seen: Any, triangle: Any, feature: Any) -> bool:
    """Note the edges and corners of a triangle; whether `feature` was new (0 to 2 corners, 3 to 5 edges 01 12 20)."""
    new = bool(feature == FACE)
    for k in range(3):
        if _see_edge(seen, triangle[k], triangle[(k + 1) % 3]) and feature == 3 + k:
            new = True
    for k in range(3):
        if _see_corner(seen, triangle[k]) and feature == k:
            new = True
    return new


@scalar_code
def _see_edge(seen: Any, a: Any, b: Any) -> bool:
    low, high = min(a, b), max(a, b)
    for i in range(seen.edges):
        if seen.edge[i, 0] == low and seen.edge[i, 1] == high:
            return False
    if seen.edges == MOST:
        return False
    seen.edge[seen.edges, 0], seen.edge[seen.edges, 1] = low, high
    seen.edges += 1
    return True


@scalar_code
def _see_corner(seen: Any, a: Any) -> bool:
    for i in range(seen.corners):
        if seen.corner[i] == a:
            return False
    if seen.corners == MOST:
        return False
    seen.corner[seen.corners] = a
    seen.corners += 1
    return True
