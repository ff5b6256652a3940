"""`SceneQueries` answers raycasts, sweeps and overlaps against the colliders of a scene through coal (the extra
`queries`). PhysX: PxScene::raycast, sweep, overlap. A sweep is conservative advancement: it moves by the distance to a
collider over the closing speed, so it never overshoots. A ray is the sweep of a point. The functions `required_*` check
arguments and raise ValueError with one line.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from physx_runtime.arrays import Array
from physx_runtime.packing.frames import Frame, compose
from physx_runtime.packing.hulls import has_shape
from physx_runtime.simulation.arguments import required_numbers
from physx_schema.arguments import display
from physx_schema.description.model import Collider, ConvexHull, Description
from physx_schema.description.records import IDENTITY_POSE
from physx_schema.errors import UnsupportedError
from physx_schema.field_text import fields_repr

_AXIS_TO_Z = np.array([[[0, 0, 1], [0, 1, 0], [-1, 0, 0]], [[1, 0, 0], [0, 0, 1], [0, -1, 0]], np.eye(3)], np.float64)


@dataclass(frozen=True, slots=True)
class Ball:
    """A sphere for a sweep or an overlap query."""

    radius: float


@dataclass(frozen=True, slots=True)
class Block:
    """A box for a sweep or an overlap query."""

    half_extents: tuple[float, float, float]


QueryShape = Ball | Block


@cache
def coal() -> Any:
    """The library. Raises UnsupportedError where it is not installed."""
    try:
        return importlib.import_module("coal")
    except ImportError:
        raise UnsupportedError("raycast, sweep and overlap need coal, which is not installed; run: "
                               "pip install 'physx-schema[queries]'") from None


def query_geometry(shape: QueryShape | None) -> Any:
    """A shape of a query, a point where None; its bounds are known."""
    if isinstance(shape, Block):
        return _bounded(coal().Box(*(2.0 * half for half in shape.half_extents)))
    return _bounded(coal().Sphere(0.0 if shape is None else shape.radius))


def collider_geometry(shape: Collider) -> Any:
    """A collider's shape, its axis along z; its bounds are known.

    Raises UnsupportedError for a kind that coal does not have.
    """
    return _bounded(_geometry(shape))


def _bounded(geometry: Any) -> Any:
    geometry.computeLocalAABB()
    return geometry


def _geometry(shape: Collider) -> Any:
    cooked = shape.cooked() if shape.cooked else None
    library = coal()
    if cooked is not None:
        points = np.asarray(cooked.mesh.vertices, np.float64) * np.abs(shape.scale)
        if isinstance(cooked.mesh, ConvexHull):
            triangles = [(face[0], face[i], face[i + 1]) for face in cooked.mesh.faces for i in range(1, len(face) - 1)]
            return library.Convex(_coal_points(points), _triangles(triangles))
        mesh = library.BVHModelOBBRSS()
        mesh.beginModel(len(cooked.mesh.triangles), len(points))
        mesh.addSubModel(_coal_points(points), _triangles(cooked.mesh.triangles.tolist()))
        mesh.endModel()
        return mesh
    simple = {
        "sphere": lambda: library.Sphere(shape.radius), "bounding-sphere": lambda: library.Sphere(shape.radius),
        "box": lambda: library.Box(*(2.0 * half for half in shape.half_extents)),
        "bounding-box": lambda: library.Box(*(2.0 * half for half in shape.half_extents)),
        "capsule": lambda: library.Capsule(shape.radius, 2.0 * shape.half_height),
        "cylinder": lambda: library.Cylinder(shape.radius, 2.0 * shape.half_height),
        "cone": lambda: library.Cone(shape.radius, 2.0 * shape.half_height),
        "plane": lambda: library.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0),
    }
    if shape.kind not in simple:
        raise UnsupportedError(f"{shape.path}: raycast, sweep and overlap do not support colliders of kind "
                               f"{shape.kind}; disable the collider, or author another approximation")
    return simple[shape.kind]()


def transform(pose: Frame, shape: Collider | None = None) -> Any:
    """The transform of a shape; a collider's geometry is rotated onto the collider's axis."""
    (x, y, z), (a, b, c, d) = pose
    rotation = np.array(coal().Quaternion(d, a, b, c).toRotationMatrix())
    if shape is not None and shape.cooked is None and shape.kind not in ("box", "bounding-box"):
        rotation = rotation @ _AXIS_TO_Z[shape.axis]
    return coal().Transform3s(rotation, np.array([x, y, z]))


def _coal_points(points: Any) -> Any:
    vector = coal().StdVec_Vec3s()
    for point in points:
        vector.append(np.asarray(point, np.float64))
    return vector


def _triangles(triples: Any) -> Any:
    vector = coal().StdVec_Triangle()
    for triple in triples:
        vector.append(coal().Triangle(*map(int, triple)))
    return vector



TOUCH_DISTANCE = 1e-6         # length, how near a sweep comes to what it meets; PhysX's own queries differ by as much
# Length before its end at which a sweep's normal is taken. Where shapes touch the normal is made of rounding: that of
# rays on boxes and cylinders was wrong by up to 1.4. A little before, that of what is round is wrong by about this
# over the radius: beside PhysX's, at sizes of 0.2 to 0.5, by 5e-4; with 1e-3 by 5e-3, with 1e-2 faces are mistaken.
NORMAL_DISTANCE = 1e-4
MAX_ADVANCES = 2000    # of a sweep along triangles, which approaches slowly where it grazes them


@dataclass(frozen=True, slots=True)
class Hit:
    """The first hit of a ray or a sweep."""

    collider: str
    body: str                           # a static collider itself
    distance: float                     # length; 0 where the sweep begins in it
    position: Array                     # (3,) where it is met, world
    normal: Array                       # (3,) of its surface; against the direction where the sweep begins in it

    __repr__ = fields_repr


@dataclass(frozen=True, slots=True)
class _Target:
    collider: Collider
    geometry: Any


class SceneQueries:
    """The enabled colliders of a stage, without triggers, as shapes of coal."""

    def __init__(self, description: Description, bodies: Sequence[str]) -> None:
        self._description, self._bodies = description, frozenset(bodies)

    @cached_property
    def _targets(self) -> tuple[_Target, ...]:
        return tuple(_Target(collider, collider_geometry(collider)) for collider in self._colliders()
                     if collider.enabled and not collider.trigger and has_shape(collider))

    def _colliders(self) -> Iterator[Collider]:
        links = [link for item in self._description.articulations for link in item.links]
        for body in (*links, *self._description.bodies):
            yield from body.colliders if body.path in self._bodies else ()
        yield from self._description.static_colliders

    def overlapping(self, shape: QueryShape, pose: Frame, poses: Mapping[str, Array]) -> tuple[str, ...]:
        """The colliders that a shape overlaps."""
        geom, at = query_geometry(shape), transform(pose)
        return tuple(target.collider.path for target in self._targets
                     if coal().collide(geom, at, target.geometry, self._collider_transform(target, poses),
                                       coal().CollisionRequest(), coal().CollisionResult()))

    def closest_hit(self, shape: QueryShape | None, pose: Frame, direction: Array, distance: float,
                    poses: Mapping[str, Array]) -> Hit | None:
        """The first hit of a shape, or of a point where None, along a unit direction."""
        geom, closest = query_geometry(shape), None
        for target in self._targets:
            limit = distance if closest is None else closest.distance
            hit = self._hit(geom, pose, direction, limit, target, self._collider_transform(target, poses))
            if hit is not None and (closest is None or hit.distance < closest.distance):
                closest = hit
        return closest

    def _collider_transform(self, target: _Target, poses: Mapping[str, Array]) -> Any:
        pose = poses.get(target.collider.body)
        body: Frame = IDENTITY_POSE if pose is None else (tuple(pose[:3].tolist()), tuple(pose[3:].tolist()))
        return transform(compose(body, target.collider.pose), target.collider)

    def _hit(self, geom: Any, pose: Frame, direction: Array, limit: float, target: _Target, at: Any) -> Hit | None:
        start, convex, distance = transform(pose), target.collider.kind != "triangle-mesh", 0.0
        name, limit = target.collider.path, min(limit, _exit_distance(geom, pose, direction, target, at))

        def gap_at(distance: float) -> tuple[float, Array, Array]:
            """The distance, the direction to the collider and the point of it that is nearest."""
            moved = coal().Transform3s(start.getRotation(), start.getTranslation() + distance * direction)
            result = coal().DistanceResult()
            gap = coal().distance(geom, moved, target.geometry, at, coal().DistanceRequest(), result)
            return gap, np.array(result.normal), np.array(result.getNearestPoint2())

        for _ in range(MAX_ADVANCES):
            gap, normal, point = gap_at(distance)
            if gap <= TOUCH_DISTANCE:
                # where they touch a normal is made of rounding, so it is that of a little before
                outward = -gap_at(max(distance - NORMAL_DISTANCE, 0.0))[1] if distance else -direction
                return Hit(name, target.collider.body or name, distance, point, outward)
            speed = float(normal @ direction)
            if convex and speed <= 0.0:
                return None
            distance += gap / speed if convex else gap
            if distance > limit or math.isinf(distance):
                return None
        raise ArithmeticError(f"{name}: a sweep against the triangles of this collider did not converge in "
                              f"{MAX_ADVANCES} iterations; the shape is still {gap:.3g} away from them; change the "
                              "start or the direction")


def _exit_distance(geom: Any, pose: Frame, direction: Array, other: _Target, at: Any) -> float:
    """Distance after which a shape's bounding sphere has left that of a collider; inf for a plane."""
    center = at.transform(other.geometry.aabb_center)
    return float(direction @ (center - np.array(pose[0]))) + float(other.geometry.aabb_radius) + float(geom.aabb_radius)


MAX_LENGTH = float(np.finfo(np.float32).max)       # length, what PhysX can hold; its square is a finite float64


def required_shape(shape: Any) -> QueryShape:
    """A `Ball` or a `Block`. Raises ValueError for anything else, and for invalid sizes."""
    if isinstance(shape, Ball):
        return Ball(float(_sizes("the radius of a Ball", shape.radius, (), "a number")))
    if isinstance(shape, Block):
        x, y, z = _sizes("the half_extents of a Block", shape.half_extents, (3,), "three numbers").tolist()
        return Block((x, y, z))
    raise ValueError(f"shape is {display(shape)}; give a Ball or a Block")


def required_frame(name: str, position: ArrayLike, rotation: ArrayLike = (0.0, 0.0, 0.0, 1.0)) -> Frame:
    """A pose of a position, so named, and a quaternion x y z w. Raises ValueError for an invalid one."""
    translation, quaternion = _numbers(position), _numbers(rotation)
    if translation.shape != (3,) or not (np.abs(translation) <= MAX_LENGTH).all():
        raise ValueError(f"{name} is {display(position)}; give three numbers of magnitude at most {MAX_LENGTH:.2g}")
    if not _is_direction(quaternion, 4):
        raise ValueError(f"rotation is {display(rotation)}; give a quaternion x y z w of four finite numbers that are "
                         "not all 0")
    return tuple(translation.tolist()), tuple(_unit(quaternion).tolist())


def required_direction(direction: ArrayLike) -> Array:
    """A direction, normalized. Raises ValueError for an invalid one."""
    vector = _numbers(direction)
    if not _is_direction(vector, 3):
        raise ValueError(f"direction is {display(direction)}; give three finite numbers that are not all 0")
    return _unit(vector)


def required_distance(distance: Any) -> float:
    """The greatest distance of a query, inf allowed. Raises ValueError below 0 and for what is no number."""
    number = _numbers(distance)
    if number.shape != () or not number >= 0.0:
        raise ValueError(f"distance is {display(distance)}; give a number of at least 0, or inf for no limit")
    return float(number)


def _sizes(name: str, values: ArrayLike, shape: tuple[int, ...], count: str) -> Array:
    sizes = _numbers(values)
    if sizes.shape != shape or not ((sizes > 0.0) & (sizes <= MAX_LENGTH)).all():
        raise ValueError(f"{name} is {display(values)}; give {count} above 0 and at most {MAX_LENGTH:.2g}")
    return sizes


def _numbers(values: ArrayLike) -> Array:
    """Real numbers as an array; one NaN where they are something else."""
    try:
        return required_numbers("", values)
    except ValueError:
        return np.array(math.nan)


def _is_direction(numbers: Array, count: int) -> bool:
    """Whether there are `count` finite numbers, not all 0."""
    return numbers.shape == (count,) and bool(np.isfinite(numbers).all() and numbers.any())


def _unit(numbers: Array) -> Array:
    scaled = numbers / np.abs(numbers).max()        # no square of it is 0 or inf
    unit: Array = scaled / np.linalg.norm(scaled)
    return unit
