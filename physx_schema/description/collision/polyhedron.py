"""Closed polyhedra as solids of density 1: volume, centre and inertia, also under a scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Singles = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
Triangles = npt.NDArray[np.intp]


class FirstFace(NamedTuple):
    """The face of a hull that was made first."""

    edges: int
    alive: bool         # whether it still is one


@dataclass(frozen=True, slots=True)
class Polyhedron:
    """Corners, and faces as loops of corner indices, counterclockwise seen from outside."""

    points: Doubles
    faces: tuple[tuple[int, ...], ...]
    planes: Singles             # (faces, 4): outward normal, and minus the distance along it
    first: FirstFace | None     # None of a hull that was cut out of a box

    def triangles(self) -> Triangles:
        """Every face as a fan from its first corner."""
        fans = [(loop[0], loop[i], loop[i + 1]) for loop in self.faces for i in range(1, len(loop) - 1)]
        return np.array(fans, dtype=np.intp).reshape(-1, 3)


@dataclass(frozen=True, slots=True)
class Solid:
    """A solid of density 1: its volume, its centre, its inertia about that centre in the axes of the shape."""

    volume: float
    center: Doubles
    inertia: Doubles      # 3 x 3

    def inertia_at_origin(self) -> Doubles:
        """The inertia about the origin of the shape's coordinates."""
        return self.inertia + self.volume * (self.center @ self.center * np.eye(3) - np.outer(self.center, self.center))


def solid_of(points: Doubles, triangles: Triangles) -> Solid:
    """The solid inside a closed surface of triangles; an inside-out surface counts as its mirror image."""
    if not len(triangles):
        return Solid(0.0, np.zeros(3), np.zeros((3, 3)))
    origin = points[np.unique(triangles)].mean(axis=0)
    corners = points[triangles] - origin
    volumes = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    volume = float(volumes.sum())
    if volume == 0.0:
        return Solid(0.0, origin, np.zeros((3, 3)))
    sums = corners.sum(axis=1)
    center = (volumes[:, None] * sums).sum(axis=0) / (4.0 * volume)
    # The second moments of a tetrahedron with one corner in the origin, summed over all.
    second = np.einsum("i,ij,ik->jk", volumes, sums, sums) + np.einsum("i,inj,ink->jk", volumes, corners, corners)
    second /= 20.0
    second -= volume * np.outer(center, center)
    if volume < 0.0:
        volume, second = -volume, -second
    return Solid(volume, origin + center, np.trace(second) * np.eye(3) - second)


def scaled_solid(solid: Solid, scale: Sequence[float]) -> Solid:
    """The solid stretched along the axes of the shape; a mirrored one keeps a positive volume."""
    factors = np.array(scale, dtype=float)
    stretch = float(abs(np.prod(factors)))
    second = 0.5 * np.trace(solid.inertia) * np.eye(3) - solid.inertia
    second = second * np.outer(factors, factors) * stretch
    return Solid(solid.volume * stretch, solid.center * factors, np.trace(second) * np.eye(3) - second)
