"""Active edges of meshes: edges and corners of triangles that may make contacts, as in PhysX and Jolt.

The edge cache (`cache_triangle`, `has_edge`, `has_vertex`) prevents a second contact with an edge or corner of another
triangle (GuPCMContactSphereMesh.cpp). `is_internal` tells whether a contact normal on an edge or corner points into
the surface behind it (GuContactConvexCoreMesh.cpp).
"""

from __future__ import annotations

import numpy as np

from physx_runtime.arrays import Array, Integer, Record, Scalar, Vec3
from physx_runtime.collision.meshes.triangle_mesh import FACE, NO_TRIANGLE, Meshes, corner_as_authored, corner_of
from physx_runtime.collision.scalar_math import dot, unit
from physx_runtime.collision.simd_math import (
    ONE,
    cross,
    sub,
)
from physx_runtime.compiling.numba_functions import scalar_code

MAX_CACHED = 128              # of each; later ones count as cached

EDGE_CACHE = np.dtype([("edges", "i4"), ("corners", "i4"), ("edge", "i4", (MAX_CACHED, 2)),
                       ("corner", "i4", MAX_CACHED)], align=True)


@scalar_code
def cache_triangle(edge_cache: Record, triangle: Array, feature: Integer) -> bool:
    """Cache the edges and corners of a triangle; return whether `feature` was new (corners 0 to 2, edges 3 to 5)."""
    # (GuPCMContactSphereMesh.cpp, processTriangleCache)
    new = bool(feature == FACE)
    for k in range(3):
        if cache_edge(edge_cache, triangle[k], triangle[(k + 1) % 3]) and feature == 3 + k:
            new = True
    for k in range(3):
        if cache_vertex(edge_cache, triangle[k]) and feature == k:
            new = True
    return new


@scalar_code
def cache_edge(edge_cache: Record, a: Integer, b: Integer) -> bool:
    """Cache an edge; return whether it was new."""
    low, high = min(a, b), max(a, b)
    if edge_cache.edges == MAX_CACHED or has_edge(edge_cache, a, b):
        return False
    edge_cache.edge[edge_cache.edges, 0], edge_cache.edge[edge_cache.edges, 1] = low, high
    edge_cache.edges += 1
    return True


@scalar_code
def cache_vertex(edge_cache: Record, a: Integer) -> bool:
    """Cache a corner; return whether it was new."""
    if edge_cache.corners == MAX_CACHED or has_vertex(edge_cache, a):
        return False
    edge_cache.corner[edge_cache.corners] = a
    edge_cache.corners += 1
    return True


@scalar_code
def has_edge(edge_cache: Record, a: Integer, b: Integer) -> bool:
    """Whether an edge is cached."""
    low, high = min(a, b), max(a, b)
    i = 0
    while i < edge_cache.edges and not (edge_cache.edge[i, 0] == low and edge_cache.edge[i, 1] == high):
        i += 1
    return bool(i < edge_cache.edges)


@scalar_code
def has_vertex(edge_cache: Record, a: Integer) -> bool:
    """Whether a corner is cached."""
    i = 0
    while i < edge_cache.corners and edge_cache.corner[i] != a:
        i += 1
    return bool(i < edge_cache.corners)


SLACK, PARALLEL_COSINE = np.float32(1e-5), np.float32(0.99)


@scalar_code
def is_internal(meshes: Meshes, row: Integer, triangle: Integer, normal: Vec3, point: Vec3) -> bool:
    """Whether triangles around the edge or corner of a point rise above it along the normal.

    Corners and edges are those of the authored mesh, so that PhysX sees a mirrored mesh from the inside.
    """
    a, b, c = (_position(meshes, row, triangle, 0), _position(meshes, row, triangle, 1),
               _position(meshes, row, triangle, 2))
    # Voronoi test by adjacency: n is internal where a neighbour rises above the triangle along n
    # (GuContactConvexCoreMesh.cpp, validateContact)
    if dot(unit(cross(sub(b, a), sub(c, a))), normal) > PARALLEL_COSINE:
        return False
    # v = (d11 d20 - d01 d21) / (d00 d11 - d01^2), w alike  (GuContactConvexCoreMesh.cpp, computeBarycentric)
    barycentric = _barycentric(a, b, c, point)
    if _is_interior(barycentric[0]) and _is_interior(barycentric[1]) and _is_interior(barycentric[2]):
        return False
    upper = ONE - SLACK
    corner = 0 if barycentric[0] > upper else 1 if barycentric[1] > upper else 2 if barycentric[2] > upper else -1
    if corner >= 0:
        return _is_internal_vertex(meshes, row, triangle, corner, normal)
    edge = 1 if barycentric[0] < SLACK else 2 if barycentric[1] < SLACK else 0 if barycentric[2] < SLACK else -1
    return edge >= 0 and _is_internal_edge(meshes, row, triangle, edge, normal)


@scalar_code
def _is_interior(weight: Scalar) -> bool:
    return bool(SLACK < weight < ONE - SLACK)


@scalar_code
def _barycentric(a: Vec3, b: Vec3, c: Vec3, point: Vec3) -> Vec3:
    """Barycentric coordinates of a point of a triangle."""
    ab, ac, ap = sub(b, a), sub(c, a), sub(point, a)
    d00, d01, d11, d20, d21 = dot(ab, ab), dot(ab, ac), dot(ac, ac), dot(ap, ab), dot(ap, ac)
    determinant = d00 * d11 - d01 * d01
    v, w = (d11 * d20 - d01 * d21) / determinant, (d00 * d21 - d01 * d20) / determinant
    return ONE - v - w, v, w


@scalar_code
def _is_internal_vertex(meshes: Meshes, row: Integer, triangle: Integer, corner: Integer, normal: Vec3) -> bool:
    """Whether a triangle around the corner, up to a border, rises along the normal."""
    # walk around the corner from triangle to triangle  (GuContactConvexCoreMesh.cpp, getAdjacentTriIndex)
    vertex, neighbour = _vertex(meshes, row, triangle, corner), _neighbour(meshes, row, triangle, (corner + 2) % 3)
    for _ in range(len(meshes.adjacencies)):
        if neighbour in (triangle, NO_TRIANGLE):
            return False
        k = 0
        while k < 2 and _vertex(meshes, row, neighbour, (k + 1) % 3) != vertex:
            k += 1
        if (_rises(meshes, row, neighbour, (k + 1) % 3, k, normal)
                or _rises(meshes, row, neighbour, (k + 1) % 3, (k + 2) % 3, normal)):
            return True
        neighbour = _neighbour(meshes, row, neighbour, k)
    return False


@scalar_code
def _is_internal_edge(meshes: Meshes, row: Integer, triangle: Integer, edge: Integer, normal: Vec3) -> bool:
    """Whether the triangle across the edge rises along the normal, if both have consistent winding."""
    # the opposite corner of the neighbour above the tangent plane
    neighbour = _neighbour(meshes, row, triangle, edge)
    if neighbour == NO_TRIANGLE:
        return False
    first, last = _vertex(meshes, row, triangle, edge), _vertex(meshes, row, triangle, (edge + 1) % 3)
    for k in range(3):
        if _vertex(meshes, row, neighbour, k) == last and _vertex(meshes, row, neighbour, (k + 1) % 3) == first:
            return _rises(meshes, row, neighbour, (k + 1) % 3, (k + 2) % 3, normal)
    return False


@scalar_code
def _rises(meshes: Meshes, row: Integer, triangle: Integer, start: Integer, end: Integer, normal: Vec3) -> bool:
    """Whether an edge of a triangle rises along the normal."""
    # n . (p_end - p_start) / |p_end - p_start| > 1e-5
    direction = unit(sub(_position(meshes, row, triangle, end), _position(meshes, row, triangle, start)))
    return bool(dot(normal, direction) > SLACK)


@scalar_code
def _position(meshes: Meshes, row: Integer, triangle: Integer, corner: Integer) -> Vec3:
    return corner_of(meshes, row, triangle, corner_as_authored(meshes, row, corner))


@scalar_code
def _vertex(meshes: Meshes, row: Integer, triangle: Integer, corner: Integer) -> Integer:
    return meshes.triangles[triangle, corner_as_authored(meshes, row, corner)]


@scalar_code
def _neighbour(meshes: Meshes, row: Integer, triangle: Integer, edge: Integer) -> Integer:
    """The triangle across the edge from a corner to the next."""
    return meshes.adjacencies[triangle, 3 - edge if meshes.meshes[row].mirrored and edge > 0 else edge]
