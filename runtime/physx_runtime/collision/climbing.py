"""The vertex of a hull furthest along a direction: of all, or of many by climbing from neighbour to neighbour."""

from __future__ import annotations

from typing import Any

import numpy as np

from physx_runtime.collision.geometry import Hull
from physx_runtime.collision.vectors import HALF, ONE, Vector, absolute, dot, vector_at
from physx_runtime.compiling.numba_functions import scalar_code

ACROSS = 16                         # directions to a side of a cube are a square of so many rows
TO_ROW = np.float32(7.5)            # half the rows but one
MOST_VERTICES = 256


@scalar_code
def along(a: Vector, b: Vector) -> Any:
    """The dot product in the order that PhysX has outside its SSE code."""
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]


@scalar_code
def furthest_vertex(hull: Hull, direction: Vector) -> Any:
    """The first of those furthest along a direction, which is one of the vertices' space."""
    if len(hull.samples) > 0:
        return _climbed(hull, direction)
    most, best = along(vector_at(hull.vertices, 0), direction), 0
    for i in range(1, len(hull.vertices)):
        height = along(vector_at(hull.vertices, i), direction)
        if height > most:
            most, best = height, i
    return best


@scalar_code
def _climbed(hull: Hull, direction: Vector) -> Any:
    at = hull.samples[_sample(direction)]
    most = dot(vector_at(hull.vertices, at), direction)
    visited = np.zeros(MOST_VERTICES, np.bool_)
    while True:
        before = at
        first, count = hull.valencies[before, 0], hull.valencies[before, 1]
        for k in range(first, first + count):
            neighbour = hull.neighbours[k]
            height = dot(vector_at(hull.vertices, neighbour), direction)
            if height > most and not visited[neighbour]:
                visited[neighbour] = True
                most, at = height, neighbour
        if at == before:
            return at


@scalar_code
def _sample(direction: Vector) -> Any:
    """The sample nearest to a direction: of the side of the cube that it points to."""
    x, y, z = absolute(direction)
    if y > x and y > z:
        axis, out, u, v = 1, direction[1], direction[2], direction[0]
    elif z > x:
        axis, out, u, v = 2, direction[2], direction[0], direction[1]
    else:
        axis, out, u, v = 0, direction[0], direction[1], direction[2]
    inverse = ONE / abs(out)
    row, column = (u * inverse + ONE) * TO_ROW, (v * inverse + ONE) * TO_ROW
    side = 2 * axis + (1 if out < 0 else 0)
    return (side * ACROSS + int(row + HALF)) * ACROSS + int(column + HALF)
