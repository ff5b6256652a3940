"""Which edges of triangles are active: borders and ridges, where a contact may point away from the normal.

And which triangles lie beyond them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

EDGE_01, EDGE_12, EDGE_20 = 1, 2, 4         # bits of a triangle's flags
RIDGE = 0.1                                 # rad between the normals of both sides
FOLDED = -0.999                             # cosine between the normals of a sheet's two sides
NO_TRIANGLE = -1


def edge_flags(points: Array, triangles: Array) -> Array:
    """The bits of the active edges of each triangle. points: (n, 3) float32; triangles: (m, 3)."""
    count = len(triangles)
    which, shared, order, starts = _edges(triangles)
    active = shared == 1
    pairs = np.flatnonzero(shared == 2)
    first, second = order[starts[pairs]], order[starts[pairs] + 1]
    corners = points[triangles].astype(np.float64)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    normals /= np.where(lengths > 0.0, lengths, 1.0)[:, None]
    opposite = corners[first // 3, (first + 2) % 3]
    face0, face1 = first // 3, second // 3
    height = ((opposite - corners[face1, 0]) * normals[face1]).sum(axis=1)
    cosine = np.clip((normals[face0] * normals[face1]).sum(axis=1), -1.0, 1.0)
    active[pairs] = np.where(height < 0.0, np.arccos(cosine) > RIDGE, cosine < FOLDED)
    bits = active[which].reshape(count, 3) @ np.array([EDGE_01, EDGE_12, EDGE_20])
    return np.asarray(bits, np.int8)


def neighbours(triangles: Array) -> Array:
    """(m, 3) the triangle beyond the edge from each corner to the next, NO_TRIANGLE at a border.

    Of an edge of more than two triangles the first two have each other.
    """
    _, shared, order, starts = _edges(triangles)
    beside = np.full(3 * len(triangles), NO_TRIANGLE, np.int32)
    pairs = np.flatnonzero(shared > 1)
    first, second = order[starts[pairs]], order[starts[pairs] + 1]
    beside[first], beside[second] = second // 3, first // 3
    return beside.reshape(-1, 3)


def _edges(triangles: Array) -> tuple[Array, Array, Array, Array]:
    """Of the edges 01, 12 and 20 of each triangle: which they are, how many each one is, those in order, and starts."""
    edges = np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=-1).reshape(-1, 2)
    _, which, shared = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True, return_counts=True)
    which = which.ravel()
    return which, shared, np.argsort(which, kind="stable"), np.cumsum(shared) - shared
