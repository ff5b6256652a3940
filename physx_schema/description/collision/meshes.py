"""Meshes as triangles.

Mesh prims as PhysX cooks them for collision, and the solids that their approximations weigh as.

Triangle meshes as PhysX cooks them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from pxr import UsdGeom

from physx_schema.description.collision.cropped_hull import HullLimits, cook_hull, hull_solid
from physx_schema.description.collision.hull import (
    Doubles,
    Polyhedron,
    Solid,
    Triangles,
    hull_in_order,
    scaled_solid,
    solid_of,
)
from physx_schema.description.collision.shape_kinds import Bulk
from physx_schema.description.frames import vector
from physx_schema.description.model import ConvexHull, TriangleMesh
from physx_schema.description.records import Vec3, record


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


# physics:approximation to the kind of a collider that may not move by forces; a dynamic one falls back to its hull.
KINDS = {
    "none": "triangle-mesh", "convexHull": "convex-hull", "convexDecomposition": "convex-decomposition",
    "boundingCube": "bounding-box", "boundingSphere": "bounding-sphere", "meshSimplification": "simplified-mesh",
    "sdf": "sdf", "sphereFill": "sphere-fill",
}
_STATIC_ONLY = ("triangle-mesh", "simplified-mesh")
_MIRRORED = (1, 0, 2)     # corners of triangles in a mirrored mesh


def mesh_kind(approximation: str, dynamic: bool) -> str:
    """What PhysX makes of a mesh; an unknown token counts as none."""
    kind = KINDS.get(approximation, "triangle-mesh")
    return "convex-hull" if dynamic and kind in _STATIC_ONLY else kind


@dataclass(frozen=True, slots=True)
class MeshData:
    """A mesh as authored: its points, and its faces as fans of triangles, indices out of range left out."""

    points: Doubles
    triangles: Triangles
    filled: Triangles   # those of faces that are no holes
    faces: int          # how many are authored
    holes: bool
    fault: str = ""     # what is wrong with the authored arrays
    finite: bool = True     # whether all points are numbers

    @property
    def usable(self) -> bool:
        """Whether there is anything to cook."""
        return bool(self.faces) and len(self.points) > 0

    @property
    def spans(self) -> Vec3:
        """The sides of the box around the corners of faces that are no holes, not numbers where there are none."""
        vertices = self.points[self.filled.ravel()]
        return vector(np.ptp(vertices, axis=0)) if len(vertices) else (np.nan, np.nan, np.nan)

    @property
    def closed(self) -> bool:
        """Whether every edge has a neighbour on its other side."""
        first, second, third = self.triangles.T if len(self.triangles) else np.empty((3, 0), dtype=np.intp)
        edges = np.concatenate([np.stack(pair) for pair in ((first, second), (second, third), (third, first))], axis=1)
        count = len(self.points)
        codes, reverse = np.sort(edges[0] * count + edges[1]), np.sort(edges[1] * count + edges[0])
        return len(codes) > 0 and bool((codes == reverse).all())


def read_mesh(prim: Any) -> MeshData:
    """The mesh of a prim at the default time; points that are no numbers are left out."""
    mesh = UsdGeom.Mesh(prim)
    points = _array(mesh.GetPointsAttr(), np.float64)
    points = points.reshape(-1, 3) if points.size % 3 == 0 else np.empty((0, 3))
    counts = _array(mesh.GetFaceVertexCountsAttr(), np.intp).ravel()
    indices = _array(mesh.GetFaceVertexIndicesAttr(), np.intp).ravel()
    triangles, faces = _fans(counts, indices)
    finite = np.asarray(np.isfinite(points).all(axis=1))
    inside = ((triangles >= 0) & (triangles < len(points))).all(axis=1)
    triangles, faces = triangles[inside], faces[inside]
    complete = finite[triangles].all(axis=1)
    triangles, faces = triangles[complete], faces[complete]
    if mesh.GetOrientationAttr().Get() == "leftHanded":
        triangles = triangles[:, (0, 2, 1)]
    triangles = (np.cumsum(finite) - 1)[triangles]
    holes = _array(mesh.GetHoleIndicesAttr(), np.intp)
    return MeshData(points[finite], triangles, triangles[~np.isin(faces, holes)], len(counts) if len(indices) else 0,
                    bool(len(holes)), _fault(len(points), counts, indices), bool(finite.all()))


def _fault(points: int, counts: npt.NDArray[np.intp], indices: npt.NDArray[np.intp]) -> str:
    """What is wrong with faces: corners that there cannot be, or indices of no point."""
    if not len(counts) or not len(indices):
        return ""
    if counts.min() < 0:
        return f"a face has {counts.min()} corners, and the number cannot be negative"
    if counts.sum() != len(indices):
        return f"the faces have {counts.sum()} corners and there are {len(indices)} indices"
    invalid = indices[(indices < 0) | (indices >= points)]
    return f"index {invalid[0]} is out of range; there are {points} points" if len(invalid) else ""


def _array(attribute: Any, kind: Any) -> Any:
    """An attribute's array, empty where it has none of numbers."""
    value = attribute.Get() if attribute else None
    if value is None or isinstance(value, str):
        return np.empty(0, dtype=kind)
    try:
        with np.errstate(invalid="ignore"):     # no number becomes an index that no point has
            return np.array(value, dtype=kind)
    except (TypeError, ValueError, OverflowError):
        return np.empty(0, dtype=kind)


def _fans(counts: npt.NDArray[np.intp], indices: npt.NDArray[np.intp]) -> tuple[Triangles, npt.NDArray[np.intp]]:
    """Triangles from the first corner of every face, and their faces; those beyond the end of the indices left out."""
    counts = np.maximum(counts, 0)
    starts = np.cumsum(counts) - counts
    valid = (starts + counts <= len(indices)) & (counts > 2)
    starts, fans = starts[valid], counts[valid] - 2
    faces = np.repeat(np.flatnonzero(valid), fans)
    first = np.repeat(starts, fans)
    step = np.arange(int(fans.sum())) - np.repeat(np.cumsum(fans) - fans, fans)
    return np.stack([indices[first], indices[first + step + 1], indices[first + step + 2]], axis=1), faces


@record
@dataclass(frozen=True, slots=True)
class Weighed:
    """What a collider weighs with density 1, None for nothing, and what of it is not as PhysX works it out."""

    bulk: Bulk | None
    estimated: str = ""

    def itself(self) -> Weighed:
        """For where a weight is asked for that is known already."""
        return self


def _bulk(solid: Solid | None) -> Bulk | None:
    if solid is None:
        return None
    first, second, third = (vector(row) for row in solid.inertia)
    return Bulk(solid.volume, (first, second, third), vector(solid.center))


class CookedMeshes:
    """Hulls and solids of meshes, each cooked once however often it is instanced."""

    def __init__(self, length: float) -> None:
        self._length = length       # of a metre in stage units
        self._hulls: dict[tuple[object, ...], tuple[Polyhedron, Solid] | None] = {}
        self._ordered: dict[tuple[object, ...], ConvexHull] = {}
        self._triangles: dict[tuple[object, ...], TriangleMesh | None] = {}

    def hull(self, mesh: MeshData, scale: Vec3, vertices: int, thickness: float) -> ConvexHull | None:
        """The hull that PhysX collides with, None where it makes none; instances share it."""
        limits = HullLimits(vertices, thickness, self._length)
        cooked = self._cook(mesh, scale, limits) if mesh.usable else None
        if cooked is None:
            return None
        key = _key(mesh, scale, limits)
        if key not in self._ordered:
            self._ordered[key] = hull_in_order(*cooked)
        return self._ordered[key]

    def triangles(self, mesh: MeshData, scale: Vec3) -> TriangleMesh | None:
        """The triangles that PhysX collides with, None where there are none; instances share them.

        Where a scale mirrors them they keep their outsides.
        """
        signs = _signs(scale)
        key = mesh.points.tobytes(), mesh.filled.tobytes(), signs
        if key not in self._triangles:
            oriented = mesh.filled[:, _MIRRORED] if np.prod(signs) < 0.0 else mesh.filled
            self._triangles[key] = cook_triangles(mesh.points * signs, oriented)
        return self._triangles[key]

    def weigh(self, mesh: MeshData, kind: str, scale: Vec3, vertices: int, thickness: float) -> Weighed:
        """The solid of a mesh of one kind under a scale."""
        if not mesh.usable:
            return Weighed(None)
        if kind in _STATIC_ONLY:
            return Weighed(None)
        if kind == "convex-hull":
            return Weighed(_bulk(self._hull(mesh, scale, HullLimits(vertices, thickness, self._length))))
        if kind == "sdf" and mesh.closed and not mesh.holes and scale[0] * scale[1] * scale[2] > 0.0:
            return Weighed(_bulk(scaled_solid(solid_of(mesh.points, mesh.triangles), scale)))
        return Weighed(_bulk(self._substitute(mesh, kind, scale)), _ESTIMATED[kind])

    def _substitute(self, mesh: MeshData, kind: str, scale: Vec3) -> Solid | None:
        if mesh.closed:
            return scaled_solid(solid_of(mesh.points, mesh.triangles), scale)
        return self._hull(mesh, scale, HullLimits(length=self._length))

    def _hull(self, mesh: MeshData, scale: Vec3, limits: HullLimits) -> Solid | None:
        cooked = self._cook(mesh, scale, limits)
        return scaled_solid(cooked[1], tuple(map(abs, scale))) if cooked is not None else None

    def _cook(self, mesh: MeshData, scale: Vec3, limits: HullLimits) -> tuple[Polyhedron, Solid] | None:
        key = _key(mesh, scale, limits)
        if key not in self._hulls:
            with np.errstate(over="ignore", invalid="ignore"):      # of points too far apart for single floats
                hull = cook_hull(mesh.points * _signs(scale), mesh.triangles, limits)
                solid = hull_solid(hull) if hull is not None else None
            result = (hull, solid) if hull is not None and solid is not None and np.isfinite(solid.volume) else None
            self._hulls[key] = result
        return self._hulls[key]


def _key(mesh: MeshData, scale: Vec3, limits: HullLimits) -> tuple[object, ...]:
    """What meshes that are cooked alike have in common."""
    return mesh.points.tobytes(), mesh.triangles.tobytes(), _signs(scale), limits


def _signs(scale: Vec3) -> Vec3:
    """The signs of a scale, which PhysX cooks into the points."""
    x, y, z = (-1.0 if factor < 0.0 else 1.0 for factor in scale)
    return x, y, z


_ESTIMATED = {
    "convex-decomposition": "the parts of a convex decomposition",
    "sphere-fill": "the spheres that fill a mesh",
    "sdf": "the SDF of a mesh that is open, has holes or is mirrored",
}
