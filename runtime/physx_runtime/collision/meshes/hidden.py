"""Whether a contact on a triangle's edge or corner points into what lies beyond it, where there is no surface."""

from __future__ import annotations

from typing import Any

import numpy as np

from physx_runtime.collision.cores.plain import dot, unit
from physx_runtime.collision.meshes.edges import NO_TRIANGLE
from physx_runtime.collision.meshes.table import Meshes, corner_as_authored, corner_of
from physx_runtime.collision.vectors import ONE, Number, Vector, cross, sub
from physx_runtime.compiling.numba_functions import scalar_code

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
