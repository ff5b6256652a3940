"""Collision shapes of meshes: their convex hulls, and their triangles."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from physx_runtime.components.arguments import matrix, vector
from physx_runtime.components.material import PhysxMaterial
from physx_runtime.components.mesh_files import parts_of, read_mesh
from physx_runtime.components.shapes import PhysxCollisionShape
from physx_schema.description.collision.cooking import HullLimits, cook_hull, hull_solid
from physx_schema.description.collision.polyhedron import Solid, scaled_solid, solid_of

Singles = NDArray[np.float32]
Doubles = NDArray[np.float64]
Indices = NDArray[np.uint32]


class _Mesh(PhysxCollisionShape):
    """Corners and triangles under a scale."""

    _vertices: Doubles
    _triangles: NDArray[np.intp]

    def _scale_by(self, scale: ArrayLike) -> None:
        self._scale = vector("scale", scale)
        if not self._scale.all():
            raise ValueError(f"scale is {self._scale.tolist()}; give three numbers that are not 0")

    @property
    def scale(self) -> Singles:
        """(3,) what multiplies the corners."""
        return self._scale.copy()

    @property
    def vertices(self) -> Singles:
        """(n, 3) corners, not scaled."""
        return self._vertices.astype(np.float32)

    @property
    def triangles(self) -> Indices:
        """(n, 3) corners of each triangle, counterclockwise seen from outside."""
        return self._triangles.astype(np.uint32)

    def bounds(self) -> Doubles:
        return np.asarray(self._vertices * self._scale)


class PhysxCollisionShapeConvexMesh(_Mesh):
    """The convex hull of a mesh, from a file (.obj, .stl) or from vertices (n, 3).

    Raises RuntimeError for points that have no hull, ValueError for other arguments, OSError for an unreadable file.
    """

    def __init__(self, *source: Any, **named: Any) -> None:
        given = _bound(source, named, ("filename", "scale", "material"), ("vertices", "scale", "material"))
        filename, vertices = given.get("filename"), given.get("vertices")
        points, triangles = (read_mesh(filename) if filename is not None
                             else (matrix("vertices", vertices if vertices is not None else [], 3), _NO_TRIANGLES))
        if len(points) < 4:
            raise RuntimeError(f"a convex mesh has {len(points)} points; give 4 or more")
        self._scale_by(given["scale"])
        hull = cook_hull(points, triangles, HullLimits())
        if hull is None:
            raise RuntimeError(f"the {len(points)} points of a convex mesh have no hull; give points that span a space")
        self.hull, self._vertices, self._triangles = hull, hull.points, hull.triangles()
        super().__init__(given["material"])

    @staticmethod
    def load_multiple(filename: str, scale: ArrayLike, material: PhysxMaterial,
                      ) -> list[PhysxCollisionShapeConvexMesh]:
        """A hull of each object in a file."""
        return [PhysxCollisionShapeConvexMesh(vertices=points, scale=scale, material=material)
                for points, _ in parts_of(filename)]

    def _solid(self) -> Solid:
        return scaled_solid(hull_solid(self.hull), [float(x) for x in self._scale])


class PhysxCollisionShapeTriangleMesh(_Mesh):
    """The triangles of a mesh, from a file or from vertices (n, 3) and triangles (n, 3).

    sdf: with a signed distance field, which a dynamic body needs. Raises ValueError for other arguments, OSError for an
    unreadable file.
    """

    def __init__(self, *source: Any, **named: Any) -> None:
        given = _bound(source, named, ("filename", "scale", "material", "sdf"),
                       ("vertices", "triangles", "scale", "material", "sdf"))
        if "filename" in given:
            self._vertices, self._triangles = read_mesh(given["filename"])
        else:
            self._vertices = matrix("vertices", given["vertices"], 3)
            self._triangles = _corners_of(given.get("triangles", []), len(self._vertices))
        self._scale_by(given["scale"])
        self.sdf = bool(given.get("sdf", False))
        super().__init__(given["material"])

    def _solid(self) -> Solid:
        if not self.sdf:
            return Solid(0.0, np.zeros(3), np.zeros((3, 3)))
        return scaled_solid(solid_of(self._vertices, self._triangles), [float(x) for x in self._scale])


def _bound(source: tuple[Any, ...], named: dict[str, Any], of_file: tuple[str, ...],
           of_points: tuple[str, ...]) -> dict[str, Any]:
    """Arguments by name, of a file where the first is one; raises TypeError for others, and where one is missing."""
    from_file = isinstance(source[0], str) if source else "filename" in named
    names = of_file if from_file else of_points
    given = {**dict(zip(names, source, strict=False)), **named}
    wrong = given.keys() - set(names) or {"scale", "material"} - given.keys()
    if wrong or len(source) + len(named) != len(given):
        raise TypeError(f"{', '.join(sorted(wrong)) or 'an argument'} of a mesh is unknown, missing or given twice; "
                        f"give {', '.join(names)}")
    return given


_NO_TRIANGLES = np.zeros((0, 3), np.intp)


def _corners_of(triangles: Any, points: int) -> NDArray[np.intp]:
    found = matrix("triangles", triangles if triangles is not None else [], 3).astype(np.intp)
    if not len(found) or found.min() < 0 or found.max() >= points:
        raise ValueError(f"triangles name corners outside 0 to {points - 1}; give indices of vertices")
    return found


