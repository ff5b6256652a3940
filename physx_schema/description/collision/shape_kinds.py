"""Kinds of collision shapes.

Analytic collision shapes with the world scale in them: sizes, and the solids they weigh as.

Boxes and spheres around meshes, as PhysX finds them from the corners of the convex hull.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from pxr import UsdGeom

from physx_schema.description.collision.cropped_hull import HullLimits, cook_hull, hull_solid
from physx_schema.description.collision.hull import (
    Doubles,
    Polyhedron,
    Single,
    Singles,
    Solid,
    columns,
    dot,
    principal_rotation,
    rotate_inverse,
    rotation_about,
    sum_rows,
)
from physx_schema.description.collision.solids import solid
from physx_schema.description.frames import Matrix3, vector
from physx_schema.description.records import Pose, Quat, Vec3, record

_AXES = {"X": 0, "Y": 1, "Z": 2}
_ORIGIN: Vec3 = (0.0, 0.0, 0.0)
_CACHE_SIZE = 4096           # boxes that are remembered: many are alike


@record
@dataclass(frozen=True, slots=True)
class Bulk:
    """A solid of density 1: its volume, its centre, its inertia about that centre in the axes of the shape."""

    volume: float
    inertia: Matrix3
    center: Vec3 = _ORIGIN

    @staticmethod
    def of_moments(volume: float, moments: Vec3, center: Vec3 = _ORIGIN) -> Bulk:
        """From the principal moments along the axes of the shape."""
        x, y, z = moments
        return Bulk(volume, ((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z)), center)


@record
@dataclass(frozen=True, slots=True)
class Sizes:
    """The kind and sizes of a shape as Collider has them, and its extents along its own axes."""

    kind: str
    extents: Vec3 = (math.nan, math.nan, math.nan)      # nan where not worked out
    axis: int = 0
    half_extents: Vec3 = (0.0, 0.0, 0.0)
    radius: float = 0.0
    half_height: float = 0.0
    bulk: Bulk | None = None


@lru_cache(_CACHE_SIZE)
def box_of(half_extents: Vec3) -> Sizes:
    """A box, from its half extents."""
    x, y, z = half_extents
    volume, moments, _ = solid("box", half_extents)
    return Sizes("box", (2.0 * x, 2.0 * y, 2.0 * z), half_extents=half_extents, bulk=Bulk.of_moments(volume, moments))


def sphere_of(radius: float) -> Sizes:
    """A sphere, from its radius."""
    volume, moments, _ = solid("sphere", (radius,))
    return Sizes("sphere", (2 * radius,) * 3, radius=radius, bulk=Bulk.of_moments(volume, moments))


def read_shape(prim: Any, type_name: str, scale: Vec3) -> Sizes | None:
    """The shape of a prim of an analytic type; None for other types."""
    measure = _SHAPES.get(type_name)
    return measure(prim, scale) if measure is not None else None


def is_analytic(type_name: str) -> bool:
    """Whether PhysX has a shape of its own for a prim type."""
    return type_name in _SHAPES


def _number(attribute: Any, fallback: float) -> float:
    """An attribute's number; the fallback of its definition where it has none."""
    value = attribute.Get() if attribute else None
    return float(value) if isinstance(value, int | float) else fallback


def _axis(shape: Any) -> int:
    """The axis of a shape; PhysX takes anything but X and Y for Z."""
    return _AXES.get(str(shape.GetAxisAttr().Get()), 2)


def _cube(prim: Any, scale: Vec3) -> Sizes:
    size = _number(prim.GetAttribute("size"), 2.0)
    return box_of((abs(size * scale[0]) / 2, abs(size * scale[1]) / 2, abs(size * scale[2]) / 2))


def _sphere(prim: Any, scale: Vec3) -> Sizes:
    return sphere_of(abs(_number(UsdGeom.Sphere(prim).GetRadiusAttr(), 1.0) * max(map(abs, scale))))


def _axis_vector(axis: int, axial: float, transverse: float) -> Vec3:
    """Three numbers: one along an axis, another along the others."""
    values = [transverse, transverse, transverse]
    values[axis] = axial
    return values[0], values[1], values[2]


def _size(shape: Any, scale: Vec3) -> tuple[int, float, float]:
    """Axis, radius and height of a capsule, cylinder or cone with the scale in them; an unknown axis is Z."""
    axis = _axis(shape)
    transverse_scale = max(abs(scale[i]) for i in range(3) if i != axis)
    is_capsule = isinstance(shape, UsdGeom.Capsule)
    radius = _number(shape.GetRadiusAttr(), 0.5 if is_capsule else 1.0)
    height = _number(shape.GetHeightAttr(), 1.0 if is_capsule else 2.0)
    return axis, abs(radius * transverse_scale), abs(height * scale[axis])


def _round(kind: str, shape: Any, scale: Vec3) -> Sizes:
    """A cylinder, cone or capsule, which weighs along its axis and alike across it."""
    axis, radius, height = _size(shape, scale)
    volume, (axial, transverse, _), center = solid(kind, (radius, height / 2))
    length = height + 2 * radius if kind == "capsule" else height
    return Sizes(kind, _axis_vector(axis, length, 2 * radius), axis, radius=radius, half_height=height / 2,
                 bulk=Bulk.of_moments(volume, _axis_vector(axis, axial, transverse), _axis_vector(axis, center, 0.0)))


def _cylinder(prim: Any, scale: Vec3) -> Sizes:
    return _round("cylinder", UsdGeom.Cylinder(prim), scale)


def _cone(prim: Any, scale: Vec3) -> Sizes:
    return _round("cone", UsdGeom.Cone(prim), scale)


def _capsule(prim: Any, scale: Vec3) -> Sizes:
    return _round("capsule", UsdGeom.Capsule(prim), scale)


def _plane(prim: Any, scale: Vec3) -> Sizes:
    """An infinite plane: neither its size nor its scale counts. PhysX weighs it as a volume of 1 with moments of 1."""
    axis = _axis(UsdGeom.Plane(prim))
    return Sizes("plane", axis=axis, bulk=Bulk.of_moments(1.0, (1.0, 1.0, 1.0)))


_SHAPES: Mapping[str, Callable[[Any, Vec3], Sizes]] = {
    "Cube": _cube,
    "Sphere": _sphere,
    "Cylinder": _cylinder,
    "Capsule": _capsule,
    "Cone": _cone,
    "Plane": _plane,
}


_NO_TRIANGLES = np.empty((0, 3), dtype=np.intp)
_ORIENTATIONS = 360            # orientations of a box tried about each principal axis
_STEP = Single(math.pi / 180.0)
_TOLERANCE = Single(0.001)  # length, in units of the scaled points: how far a point may lie outside of a sphere


def bounding_box(points: Doubles, length: float) -> tuple[Vec3, Pose] | None:
    """Half extents and pose of the smallest box; None where there is no hull."""
    cooked = _hull_vertices(points, length)
    if cooked is None:
        return None
    vertices, _, axes = cooked
    best, min_volume = (np.array([0, 0, 0, 1], dtype=Single), vertices[0], vertices[0]), math.inf
    for axis in axes.T:
        for step in range(_ORIENTATIONS):
            orientation = rotation_about(-axis, Single(step) * _STEP)
            rotated = rotate_inverse(orientation, vertices)
            low, high = rotated.min(axis=0), rotated.max(axis=0)
            extents = high - low
            volume = float(extents[0] * extents[1] * extents[2])
            if volume < min_volume:
                best, min_volume = (orientation, low, high), volume
    orientation, low, high = best
    center = columns(orientation) @ ((low + high) * Single(0.5))
    x, y, z, w = map(float, orientation)
    rotation: Quat = (x, y, z, w)
    return vector((high - low) * Single(0.5)), (vector(center), rotation)


def bounding_sphere(points: Doubles, length: float) -> tuple[float, Vec3] | None:
    """Radius and centre of the sphere: the smallest of four that grow point by point."""
    cooked = _hull_vertices(points, length)
    if cooked is None:
        return None
    vertices, center, axes = cooked
    spheres = [_sphere_along(vertices, center, axis) for axis in axes.T]
    radii = [radius for radius, _ in spheres]
    first = 0 if radii[0] < radii[1] and radii[0] < radii[2] else 1 if radii[1] < radii[2] else 2
    grown = _grown_sphere(vertices)
    radius, middle = spheres[first] if radii[first] < grown[0] else grown
    return float(radius), vector(middle)


def _hull_vertices(points: Doubles, length: float) -> tuple[Singles, Singles, Singles] | None:
    """Corners of the hull in the order of its faces, its centre of mass, and its principal axes about the origin."""
    hull: Polyhedron | None = cook_hull(points, _NO_TRIANGLES, HullLimits(length=length, for_gpu=False))
    if hull is None:
        return None
    order = list(dict.fromkeys(vertex for loop in hull.faces for vertex in loop))
    solid: Solid = hull_solid(hull)
    axes = columns(principal_rotation(solid.inertia_at_origin().astype(Single)))
    return hull.points[order].astype(Single), solid.center.astype(Single), axes


def _length(arm: Singles) -> Single:
    return Single(np.sqrt(dot(arm, arm)))


def _sphere_along(vertices: Singles, start: Singles, axis: Singles) -> tuple[Single, Singles]:
    """A sphere with its centre on an axis, moved along it where a point lies outside."""
    heights = dot(vertices - start, axis)
    low, high = int(heights.argmin()), int(heights.argmax())
    center = (start + heights[high] * axis + start + heights[low] * axis) * Single(0.5)
    radius = min(_length(vertices[high] - center), _length(vertices[low] - center))
    for vertex in vertices:
        arm = vertex - center
        distance = _length(arm)
        if not distance > radius + _TOLERANCE:
            continue
        height = Single(dot(arm, axis))
        if abs(height) < _TOLERANCE:
            radius = distance
            continue
        sign = Single(-2.0 if height > 0.0 else 2.0)
        shift = (radius * radius - distance * distance) / (sign * radius * sum_rows(axis) - Single(2.0) * height)
        center = center + axis * shift
        radius = _length(vertex - center)
    return radius, center


def _grown_sphere(vertices: Singles) -> tuple[Single, Singles]:
    """A sphere through two far corners, grown to every corner outside."""
    arms = vertices - vertices[0]
    far = vertices[int(dot(arms, arms).argmax())]
    other, max_square = far, Single(0.0)
    for vertex in vertices:      # from the farthest so far, which is how PhysX measures
        square = Single(dot(other - vertex, other - vertex))
        if square > max_square:
            other, max_square = vertex, square
    center = (other + far) * Single(0.5)
    square = Single(dot(other - center, other - center))
    for vertex in vertices:
        arm = vertex - center
        distance = _length(arm)
        if Single(dot(arm, arm)) > square + _TOLERANCE:
            center = (vertex + center - arm / distance * Single(np.sqrt(square))) * Single(0.5)
            square = Single(dot(vertex - center, vertex - center))
    return Single(np.sqrt(square)), center
