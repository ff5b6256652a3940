"""Triangle meshes as PhysX cooks them."""

from __future__ import annotations

import numpy as np

from physx_schema.description.collision.polyhedron import Doubles, Triangles
from physx_schema.description.model import TriangleMesh


def cook_triangles(points: Doubles, triangles: Triangles) -> TriangleMesh | None:
    """The mesh of some triangles, None where none of them has an area.

    Equal points are made one, in the order in which triangles name them; triangles that are there twice, begun at the
    same corner, or have no area are left out.
    """
    used = points[triangles.ravel()].astype(np.float32)
    _, first, inverse = np.unique(used + np.float32(0.0), axis=0, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    vertices, faces = used[np.sort(first)], rank[inverse.ravel()].reshape(-1, 3)
    a, b, c = vertices[faces[:, 0]], vertices[faces[:, 1]], vertices[faces[:, 2]]
    faces = faces[(np.cross(a - b, a - c) ** 2).sum(axis=1) > 0.0]
    faces = faces[np.sort(np.unique(faces, axis=0, return_index=True)[1])]
    return TriangleMesh(vertices, faces) if len(faces) else None
