"""Collision shapes of components, and meshes from files.

Collision shapes, each of a material.

Collision shapes of meshes: their convex hulls, and their triangles.

Meshes in files: Wavefront .obj and .stl, text and binary.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from physx_runtime.arrays import SingleArray
from physx_runtime.components.accessors import Accessors
from physx_runtime.components.changes import Changes
from physx_runtime.components.config import get_shape_config
from physx_runtime.components.entity import count, instance, matrix, number, positive_vector, vector
from physx_runtime.components.mass import Mass, of_solid
from physx_runtime.components.material import PhysxMaterial
from physx_runtime.components.pose import Pose
from physx_schema.description.collision.cropped_hull import HullLimits, cook_hull, hull_solid
from physx_schema.description.collision.hull import Solid, scaled_solid, solid_of
from physx_schema.description.collision.solids import solid

GROUP_BITS = 2**32 - 1
CYLINDER_SIDES = 32         # of the prism as which SAPIEN's PhysX cooks a cylinder: its mass is that of 32 sides


class PhysxCollisionShape(Accessors):
    """A collision shape: pose on its body, density, offsets and groups. Create a subclass such as
    `PhysxCollisionShapeBox`.
    """

    def __init__(self, material: PhysxMaterial) -> None:
        self.changes = Changes()
        self.body: Any = None               # the component it is attached to
        self.is_trigger = False             # notices others and pushes none
        self._density, self._local_pose = 1000.0, Pose()
        config = get_shape_config()
        self._contact_offset, self._rest_offset = config.contact_offset, config.rest_offset
        self._patch_radius = self._min_patch_radius = 0.0
        self._groups = [1, 1, 0, 0]
        self.physical_material = material

    @property
    def density(self) -> float:
        """The density in kg/m^3, 0 for none; set it before the shape is attached."""
        return self._density

    @density.setter
    def density(self, density: float) -> None:
        self._require_detached("density")
        self._density = number("density", density, 0.0)

    @property
    def local_pose(self) -> Pose:
        """The pose in the body's frame; set it before the shape is attached."""
        return self._local_pose

    @local_pose.setter
    def local_pose(self, pose: Pose) -> None:
        self._require_detached("local_pose")
        self._local_pose = instance("local_pose", pose, Pose)

    @property
    def contact_offset(self) -> float:
        """The distance in m at which contacts are generated; above rest_offset."""
        return self._contact_offset

    @contact_offset.setter
    def contact_offset(self, offset: float) -> None:
        value = number("contact_offset", offset, 0.0, open_low=True)
        if value <= self._rest_offset:
            raise ValueError(f"contact_offset is {value:g}; give a value above rest_offset {self._rest_offset:g}")
        self._contact_offset = value
        self.changes.notify()

    @property
    def rest_offset(self) -> float:
        """The distance in m at which bodies rest; below contact_offset."""
        return self._rest_offset

    @rest_offset.setter
    def rest_offset(self, offset: float) -> None:
        value = number("rest_offset", offset)
        if value >= self._contact_offset:
            raise ValueError(f"rest_offset is {value:g}; give a value below contact_offset {self._contact_offset:g}")
        self._rest_offset = value
        self.changes.notify()

    @property
    def patch_radius(self) -> float:
        """The radius in m of the patch for torsional friction."""
        return self._patch_radius

    @patch_radius.setter
    def patch_radius(self, radius: float) -> None:
        self._patch_radius = number("patch_radius", radius, 0.0)
        self.changes.notify()

    @property
    def min_patch_radius(self) -> float:
        """The minimum of that radius in m."""
        return self._min_patch_radius

    @min_patch_radius.setter
    def min_patch_radius(self, radius: float) -> None:
        self._min_patch_radius = number("min_patch_radius", radius, 0.0)
        self.changes.notify()

    @property
    def physical_material(self) -> PhysxMaterial:
        """The material with friction and restitution."""
        return self._material

    @physical_material.setter
    def physical_material(self, material: PhysxMaterial) -> None:
        self._material: PhysxMaterial = instance("material", material, PhysxMaterial)
        material.changes.listen(self.changes.notify)
        self.changes.notify()

    @property
    def collision_groups(self) -> list[int]:
        """The groups [type, affinity, ignore, id]; `collide` defines their effect."""
        return list(self._groups)

    def set_collision_groups(self, groups: ArrayLike) -> None:
        """Set four integers of 32 bits; only the lower 16 bits of the last are used."""
        values = list(groups) if np.ndim(groups) == 1 else []        # type: ignore[arg-type]
        if len(values) != 4:
            raise ValueError(f"collision_groups is {groups!r}; give four whole numbers")
        self._groups = [count(f"collision_groups[{i}]", group, 0, GROUP_BITS) for i, group in enumerate(values)]
        self.changes.notify()

    @property
    def mass(self) -> Mass:
        """The mass of the shape, in the body's frame."""
        return of_solid(self._solid(), self._density, self._local_pose)

    def _solid(self) -> Solid:
        """It at density 1 in its own frame."""
        raise NotImplementedError

    def bounds(self) -> NDArray[np.float64]:
        """Points (n, 3) in its frame; the shape is their hull, grown by `roundness`."""
        raise NotImplementedError

    @property
    def roundness(self) -> float:
        """The distance in m by which the hull of `bounds` grows to the shape."""
        return 0.0

    def clone(self) -> PhysxCollisionShape:
        """Return a copy that is attached to no body."""
        other = copy(self)
        other.changes, other.body, other._groups = Changes(), None, list(self._groups)
        other._material.changes.listen(other.changes.notify)
        return other

    def _require_detached(self, name: str) -> None:
        if self.body is not None:
            raise RuntimeError(f"{name} cannot be set after the shape is attached to a body; set it before attach()")


def collide(first: list[int], second: list[int]) -> bool:
    """Return whether shapes with these collision groups collide.

    They collide if a type bit of one matches an affinity bit of the other. Shapes with equal ids and a common ignore
    bit never collide.
    """
    collides = first[0] & second[1] or first[1] & second[0]
    ignored = first[2] & second[2] and first[3] & 0xFFFF == second[3] & 0xFFFF
    return bool(collides) and not ignored


class PhysxCollisionShapePlane(PhysxCollisionShape):
    """The half space below a plane through the origin with normal +x. It has no mass; use it on static bodies."""

    def __init__(self, material: PhysxMaterial) -> None:
        super().__init__(material)
        self._density = 0.0

    def _solid(self) -> Solid:
        return Solid(0.0, np.zeros(3), np.zeros((3, 3)))


class PhysxCollisionShapeBox(PhysxCollisionShape):
    """A box with half sizes above 0 in m."""

    def __init__(self, half_size: ArrayLike, material: PhysxMaterial) -> None:
        self._half_size = positive_vector("half_size", half_size)
        super().__init__(material)

    @property
    def half_size(self) -> SingleArray:
        """The half sizes, (3,) in m."""
        return self._half_size.copy()

    def _solid(self) -> Solid:
        return _analytic("box", tuple(map(float, self._half_size)))

    def bounds(self) -> NDArray[np.float64]:
        return _box_vertices(self._half_size)


class PhysxCollisionShapeSphere(PhysxCollisionShape):
    """A sphere with a radius above 0 in m."""

    def __init__(self, radius: float, material: PhysxMaterial) -> None:
        self._radius = number("radius", radius, 0.0, open_low=True)
        super().__init__(material)

    @property
    def radius(self) -> float:
        """The radius in m."""
        return self._radius

    @property
    def roundness(self) -> float:
        return self._radius

    def _solid(self) -> Solid:
        return _analytic("sphere", (self._radius,))

    def bounds(self) -> NDArray[np.float64]:
        return np.zeros((1, 3))


class _AxialShape(PhysxCollisionShape):
    """What lies along x."""

    def __init__(self, radius: float, half_length: float, material: PhysxMaterial) -> None:
        self._radius = number("radius", radius, 0.0, open_low=True)
        self._half_length = number("half_length", half_length, 0.0, open_low=True)
        super().__init__(material)

    @property
    def radius(self) -> float:
        """m."""
        return self._radius

    @property
    def half_length(self) -> float:
        """m, along x, without caps."""
        return self._half_length


class PhysxCollisionShapeCapsule(_AxialShape):
    """A cylinder along x with round caps; its length is 2 (half_length + radius)."""

    @property
    def roundness(self) -> float:
        return self._radius

    def _solid(self) -> Solid:
        return _analytic("capsule", (self._radius, self._half_length))

    def bounds(self) -> NDArray[np.float64]:
        return np.array([[-self._half_length, 0.0, 0.0], [self._half_length, 0.0, 0.0]])


class PhysxCollisionShapeCylinder(_AxialShape):
    """A cylinder along x. As in SAPIEN, its mass is that of an inscribed prism with 32 sides."""

    def _prism(self) -> NDArray[np.float64]:
        """(64, 3) corners: those of one end, then of the other."""
        angles = 2.0 * np.pi * np.arange(CYLINDER_SIDES) / CYLINDER_SIDES
        ring = np.stack([np.zeros_like(angles), np.cos(angles), np.sin(angles)], axis=1) * self._radius
        end = np.array([self._half_length, 0.0, 0.0])
        return np.concatenate([ring - end, ring + end])

    def _solid(self) -> Solid:
        n = CYLINDER_SIDES
        ends = [[0, i + 1, i] for i in range(1, n - 1)] + [[n, n + i, n + i + 1] for i in range(1, n - 1)]
        sides = [side for i in range(n) for j in [(i + 1) % n] for side in ([i, j, n + j], [i, n + j, n + i])]
        return solid_of(self._prism(), np.array(ends + sides, dtype=np.intp))

    def bounds(self) -> NDArray[np.float64]:
        return self._prism()


def _analytic(kind: str, sizes: tuple[float, ...]) -> Solid:
    volume, moments, _ = solid(kind, sizes)
    return Solid(float(volume), np.zeros(3), np.diag([float(moment) for moment in moments]))


def _box_vertices(half: ArrayLike) -> NDArray[np.float64]:
    signs = np.stack(np.meshgrid([-1, 1], [-1, 1], [-1, 1], indexing="ij"), axis=-1).reshape(-1, 3)
    return np.asarray(signs * np.asarray(half, dtype=np.float64))


Doubles = NDArray[np.float64]
Triangles = NDArray[np.intp]
Mesh = tuple[Doubles, Triangles]

_STL = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
_STL_HEAD = 84          # bytes before the triangles of a binary file


def read_mesh(filename: str) -> Mesh:
    """Return the vertices (n, 3) and triangles (n, 3) of a file. Raises ValueError for a file without a mesh, and
    OSError.
    """
    parts = parts_of(filename)
    starts = np.cumsum([0, *(len(points) for points, _ in parts)])
    return (np.concatenate([points for points, _ in parts]),
            np.concatenate([triangles + start for (_, triangles), start in zip(parts, starts, strict=False)]))


def parts_of(filename: str) -> list[Mesh]:
    """Return the vertices and triangles of each object in a file. Raises the errors of `read_mesh`."""
    path = Path(filename)
    kind = path.suffix.lower()
    if kind not in (".obj", ".stl"):
        raise ValueError(f"{filename} is not a supported mesh file; give an .obj or an .stl file")
    data = path.read_bytes()
    try:
        parts = [part for part in (_obj(data) if kind == ".obj" else [_stl(data)]) if len(part[1])]
    except (ValueError, IndexError) as error:
        raise ValueError(f"{filename} is not a valid {kind} file: {error}") from None
    if not parts:
        raise ValueError(f"{filename} has no faces; give a mesh with faces")
    return parts


def _stl(data: bytes) -> Mesh:
    if len(data) >= _STL_HEAD and len(data) == _STL_HEAD + _STL.itemsize * int.from_bytes(data[80:84], "little"):
        vertices = np.frombuffer(data, _STL, offset=_STL_HEAD)["corners"].astype(np.float64)
    else:
        words = [line.split() for line in data.decode("utf-8", "replace").splitlines()]
        vertices = np.array([[float(x) for x in line[1:4]] for line in words if line[:1] == ["vertex"]])
        vertices = vertices.reshape(-1, 3, 3)
    points, indices = np.unique(vertices.reshape(-1, 3), axis=0, return_inverse=True)
    return points, indices.reshape(-1, 3).astype(np.intp)


def _obj(data: bytes) -> Iterator[Mesh]:
    """Objects and groups of a Wavefront file, every face as a fan from its first corner."""
    points: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    for line in data.decode("utf-8", "replace").splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            points.append([float(x) for x in words[1:4]])
        elif words[:1] == ["f"]:
            numbers = [int(word.split("/")[0]) for word in words[1:]]
            face = [n - 1 if n > 0 else len(points) + n for n in numbers]
            triangles += [(face[0], face[i], face[i + 1]) for i in range(1, len(face) - 1)]
        elif words[:1] in (["o"], ["g"]) and triangles:
            yield _compact(points, triangles)
            triangles = []
    yield _compact(points, triangles)


def _compact(points: list[list[float]], triangles: list[tuple[int, int, int]]) -> Mesh:
    """The corners that triangles name, and the triangles by their new places."""
    faces = np.array(triangles, dtype=np.intp).reshape(-1, 3)
    used_vertices, indices = np.unique(faces, return_inverse=True)
    return np.array(points, dtype=np.float64).reshape(-1, 3)[used_vertices], indices.reshape(-1, 3).astype(np.intp)


Singles = NDArray[np.float32]
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

    Raises RuntimeError for points without a hull, ValueError for wrong arguments, and OSError for an unreadable file.
    """

    def __init__(self, *source: Any, **keywords: Any) -> None:
        arguments = _bind_arguments(source, keywords, ("filename", "scale", "material"),
                                    ("vertices", "scale", "material"))
        filename, vertices = arguments.get("filename"), arguments.get("vertices")
        points, triangles = (read_mesh(filename) if filename is not None
                             else (matrix("vertices", vertices if vertices is not None else [], 3), _NO_TRIANGLES))
        if len(points) < 4:
            raise RuntimeError(f"a convex mesh has {len(points)} points; give 4 or more")
        self._scale_by(arguments["scale"])
        hull = cook_hull(points, triangles, HullLimits())
        if hull is None:
            raise RuntimeError(f"the {len(points)} points of a convex mesh have no hull; "
                               "give points that are not in one plane")
        self.hull, self._vertices, self._triangles = hull, hull.points, hull.triangles()
        super().__init__(arguments["material"])

    @staticmethod
    def load_multiple(filename: str, scale: ArrayLike, material: PhysxMaterial,
                      ) -> list[PhysxCollisionShapeConvexMesh]:
        """Return the convex hull of each object in a file."""
        return [PhysxCollisionShapeConvexMesh(vertices=points, scale=scale, material=material)
                for points, _ in parts_of(filename)]

    def _solid(self) -> Solid:
        return scaled_solid(hull_solid(self.hull), [float(x) for x in self._scale])


class PhysxCollisionShapeTriangleMesh(_Mesh):
    """The triangles of a mesh, from a file or from vertices (n, 3) and triangles (n, 3).

    `sdf` adds a signed distance field, which a dynamic body needs. Raises ValueError for wrong arguments, and OSError
    for an unreadable file.
    """

    def __init__(self, *source: Any, **keywords: Any) -> None:
        arguments = _bind_arguments(source, keywords, ("filename", "scale", "material", "sdf"),
                                    ("vertices", "triangles", "scale", "material", "sdf"))
        if "filename" in arguments:
            self._vertices, self._triangles = read_mesh(arguments["filename"])
        else:
            self._vertices = matrix("vertices", arguments["vertices"], 3)
            self._triangles = _triangle_indices(arguments.get("triangles", []), len(self._vertices))
        self._scale_by(arguments["scale"])
        self.sdf = bool(arguments.get("sdf", False))
        super().__init__(arguments["material"])

    def _solid(self) -> Solid:
        if not self.sdf:
            return Solid(0.0, np.zeros(3), np.zeros((3, 3)))
        return scaled_solid(solid_of(self._vertices, self._triangles), [float(x) for x in self._scale])


def _bind_arguments(source: tuple[Any, ...], keywords: dict[str, Any], of_file: tuple[str, ...],
                    of_points: tuple[str, ...]) -> dict[str, Any]:
    """Arguments by name, of a file where the first is one; raises TypeError for others, and where one is missing."""
    from_file = isinstance(source[0], str) if source else "filename" in keywords
    names = of_file if from_file else of_points
    arguments = {**dict(zip(names, source, strict=False)), **keywords}
    unexpected = arguments.keys() - set(names) or {"scale", "material"} - arguments.keys()
    if unexpected or len(source) + len(keywords) != len(arguments):
        raise TypeError(f"{', '.join(sorted(unexpected)) or 'an argument'} of a mesh is unknown, missing or given twice"
                        f"; give {', '.join(names)}")
    return arguments


_NO_TRIANGLES = np.zeros((0, 3), np.intp)


def _triangle_indices(triangles: Any, points: int) -> NDArray[np.intp]:
    indices = matrix("triangles", triangles if triangles is not None else [], 3).astype(np.intp)
    if not len(indices) or indices.min() < 0 or indices.max() >= points:
        raise ValueError(f"triangles contain indices outside 0 to {points - 1}; give indices of vertices")
    return indices
