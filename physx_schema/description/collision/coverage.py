"""How much of its convex hull a mesh covers: what is left is a hollow or an opening that the hull closes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from physx_schema.description.collision.hull import Doubles
from physx_schema.description.collision.meshes import CookedMeshes, MeshData
from physx_schema.description.model import ConvexHull
from physx_schema.description.records import Vec3

_ON_FACE = 0.02         # of the hull's diagonal: how far a triangle on a face may lie behind it


def open_share(meshes: CookedMeshes, mesh: MeshData, scale: Vec3, vertices: int, thickness: float) -> float:
    """The share of the hull's surface, 0 to 1, that no triangle of a scaled mesh covers; 0 where there is no hull."""
    hull = meshes.hull(mesh, scale, vertices, thickness)
    if hull is None or not len(mesh.triangles):
        return 0.0
    sizes = np.abs(np.asarray(scale, dtype=np.float64))
    signs = np.where(np.asarray(scale) < 0.0, -1.0, 1.0)        # the hull is mirrored as its scale is
    points = mesh.points * signs * sizes
    faces = _nearest_faces(hull, points, mesh.triangles, sizes)
    corners = points[mesh.triangles]
    areas = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    on_face = faces >= 0
    covered = np.bincount(faces[on_face], weights=areas[on_face], minlength=len(hull.faces))
    wanted = _face_areas(hull, sizes)
    total = float(wanted.sum())
    return 1.0 - float(np.minimum(covered, wanted).sum()) / total if total > 0.0 else 0.0


def _nearest_faces(hull: ConvexHull, points: Doubles, triangles: npt.NDArray[np.intp],
                   sizes: Doubles) -> npt.NDArray[np.intp]:
    """The face of the hull on which each triangle lies, -1 for one inside."""
    normals = hull.planes[:, :3].astype(np.float64) / sizes
    lengths = np.linalg.norm(normals, axis=1)
    best = np.full(len(triangles), -_ON_FACE * float(np.linalg.norm(np.ptp(points, axis=0))))
    faces = np.full(len(triangles), -1, dtype=np.intp)
    for index, (normal, offset, length) in enumerate(zip(normals, hull.planes[:, 3].astype(np.float64), lengths,
                                                         strict=True)):
        behind = ((points @ normal + offset) / length)[triangles].min(axis=1)
        nearer = behind > best
        best[nearer], faces[nearer] = behind[nearer], index
    return faces


def _face_areas(hull: ConvexHull, sizes: Doubles) -> Doubles:
    """The areas of the faces of a scaled hull, as fans of triangles."""
    corners = hull.vertices.astype(np.float64) * sizes
    areas = np.zeros(len(hull.faces))
    for index, face in enumerate(hull.faces):
        ring = corners[list(face)]
        areas[index] = 0.5 * np.linalg.norm(np.cross(ring[1:-1] - ring[0], ring[2:] - ring[0]), axis=1).sum()
    return areas
