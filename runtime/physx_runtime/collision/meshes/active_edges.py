"""Edges of meshes that make contacts.

Edges and corners of triangles that contacts were made with: another triangle makes none with them again.

Whether a contact on a triangle's edge or corner points into what lies beyond it, where there is no surface.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from physx_runtime.collision.meshes.triangle_mesh import FACE, NO_TRIANGLE, Meshes, corner_as_authored, corner_of
from physx_runtime.collision.scalar_math import dot, unit
from physx_runtime.collision.simd_math import ONE, Number, Vector, cross, sub
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


SLACK, FACING = np.float32(1e-5), np.float32(0.99)


@scalar_code
def is_hidden(meshes: Meshes, row: Any, triangle: Any, normal: Vector, point: Vector) -> bool:
    """Whether the triangles around the edge or corner that a point is on stand higher along the normal than it does.

    Corners and edges are counted as authored, so that PhysX sees a mirrored mesh from its inside.
    """
    a, b, c = (_place(meshes, row, triangle, 0), _place(meshes, row, triangle, 1), _place(meshes, row, triangle, 2))
    if dot(unit(cross(sub(b, a), sub(c, a))), normal) > FACING:
        return False
    shares = _shares(a, b, c, point)
    if _inside(shares[0]) and _inside(shares[1]) and _inside(shares[2]):
        return False
    most = ONE - SLACK
    corner = 0 if shares[0] > most else 1 if shares[1] > most else 2 if shares[2] > most else -1
    if corner >= 0:
        return _corner_is_hidden(meshes, row, triangle, corner, normal)
    edge = 1 if shares[0] < SLACK else 2 if shares[1] < SLACK else 0 if shares[2] < SLACK else -1
    return edge >= 0 and _edge_is_hidden(meshes, row, triangle, edge, normal)


@scalar_code
def _inside(share: Number) -> bool:
    return bool(SLACK < share < ONE - SLACK)


@scalar_code
def _shares(a: Vector, b: Vector, c: Vector, point: Vector) -> Vector:
    """Of the corners of a triangle in a point of it."""
    ab, ac, ap = sub(b, a), sub(c, a), sub(point, a)
    d00, d01, d11, d20, d21 = dot(ab, ab), dot(ab, ac), dot(ac, ac), dot(ap, ab), dot(ap, ac)
    whole = d00 * d11 - d01 * d01
    v, w = (d11 * d20 - d01 * d21) / whole, (d00 * d21 - d01 * d20) / whole
    return ONE - v - w, v, w


@scalar_code
def _corner_is_hidden(meshes: Meshes, row: Any, triangle: Any, corner: Any, normal: Vector) -> bool:
    """The triangles around the corner are looked at up to a border."""
    vertex, beside = _vertex(meshes, row, triangle, corner), _beyond(meshes, row, triangle, (corner + 2) % 3)
    for _ in range(len(meshes.beside)):
        if beside in (triangle, NO_TRIANGLE):
            return False
        k = 0
        while k < 2 and _vertex(meshes, row, beside, (k + 1) % 3) != vertex:
            k += 1
        if (_rises(meshes, row, beside, (k + 1) % 3, k, normal)
                or _rises(meshes, row, beside, (k + 1) % 3, (k + 2) % 3, normal)):
            return True
        beside = _beyond(meshes, row, beside, k)
    return False


@scalar_code
def _edge_is_hidden(meshes: Meshes, row: Any, triangle: Any, edge: Any, normal: Vector) -> bool:
    """Where the triangle beyond it runs the other way along it, as on a surface."""
    beside = _beyond(meshes, row, triangle, edge)
    if beside == NO_TRIANGLE:
        return False
    first, last = _vertex(meshes, row, triangle, edge), _vertex(meshes, row, triangle, (edge + 1) % 3)
    for k in range(3):
        if _vertex(meshes, row, beside, k) == last and _vertex(meshes, row, beside, (k + 1) % 3) == first:
            return _rises(meshes, row, beside, (k + 1) % 3, (k + 2) % 3, normal)
    return False


@scalar_code
def _rises(meshes: Meshes, row: Any, triangle: Any, start: Any, end: Any, normal: Vector) -> bool:
    """Whether an edge of a triangle leads up along the normal."""
    way = unit(sub(_place(meshes, row, triangle, end), _place(meshes, row, triangle, start)))
    return bool(dot(normal, way) > SLACK)


@scalar_code
def _place(meshes: Meshes, row: Any, triangle: Any, corner: Any) -> Vector:
    return corner_of(meshes, row, triangle, corner_as_authored(meshes, row, corner))


@scalar_code
def _vertex(meshes: Meshes, row: Any, triangle: Any, corner: Any) -> Any:
    return meshes.triangles[triangle, corner_as_authored(meshes, row, corner)]


@scalar_code
def _beyond(meshes: Meshes, row: Any, triangle: Any, edge: Any) -> Any:
    """The triangle beyond the edge from a corner to the next."""
    return meshes.beside[triangle, 3 - edge if meshes.meshes[row].mirrored and edge > 0 else edge]
