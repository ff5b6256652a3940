"""Convex hulls as PhysX cooks them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Singles = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class ConvexHull:
    """A hull of a mesh, in the mesh's units, mirrored as its scale is but not scaled; the order of all is PhysX's."""

    vertices: Singles                       # (vertices, 3)
    planes: Singles                         # (faces, 4): outward normal, and minus the distance along it
    faces: tuple[tuple[int, ...], ...]      # vertices, counterclockwise seen from outside
    edges: tuple[tuple[int, int], ...]      # faces on both sides of each
    center: Singles                         # of mass


@dataclass(frozen=True, slots=True, eq=False)
class Cooked:
    """What PhysX cooks of a mesh to collide with."""

    hull: ConvexHull
    contact_offset: float                   # length, of the collider
