"""Convex hulls and triangles as PhysX cooks them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Singles = npt.NDArray[np.float32]
Indices = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class ConvexHull:
    """A hull of a mesh, in the mesh's units, mirrored as its scale is but not scaled; the order of all is PhysX's."""

    vertices: Singles                       # (vertices, 3)
    planes: Singles                         # (faces, 4): outward normal, and minus the distance along it
    faces: tuple[tuple[int, ...], ...]      # vertices, counterclockwise seen from outside
    edges: tuple[tuple[int, int], ...]      # faces on both sides of each
    center: Singles                         # of mass


@dataclass(frozen=True, slots=True, eq=False)
class TriangleMesh:
    """The triangles of a mesh, in its units, mirrored as its scale is but not scaled; only what faces them touches."""

    vertices: Singles                       # (vertices, 3)
    triangles: Indices                      # (triangles, 3): vertices, counterclockwise seen from outside


@dataclass(frozen=True, slots=True, eq=False)
class Cooked:
    """What PhysX cooks of a mesh to collide with."""

    mesh: ConvexHull | TriangleMesh
    contact_offset: float                   # length, of the collider
