"""Collision shapes as mass distributions: volume, centre and inertia of unit density."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pxr import Gf, UsdGeom, UsdShade

from physx_schema.description.frames import pose_of, scaled
from physx_schema.description.model import Pose, Vec3
from physx_schema.description.opinions import PrimOpinions
from physx_schema.description.reading import Reading

_AXES = {"X": 0, "Y": 1, "Z": 2}


@dataclass(frozen=True, slots=True)
class Shape:
    """A solid of density 1: its volume, its centre, and its inertia about that centre in the shape's axes."""

    volume: float
    inertia: Vec3
    center: Vec3 = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Collider:
    """A collision shape placed in the frame of its body, lengths scaled."""

    opinions: PrimOpinions
    shape: Shape
    pose: Pose


def read_collider(reading: Reading, opinions: PrimOpinions, body: PrimOpinions) -> Collider | None:
    """The shape of a prim with PhysicsCollisionAPI, None where its mass cannot be computed here."""
    measure = _SHAPES.get(opinions.type_name)
    if measure is None:
        reading.problem(
            "body/collider-mass", opinions.path, "", f"the mass of a {opinions.type_name or 'typeless'} collider "
            "is not computed by this library", "the body's mass, centre or inertia may differ from PhysX's",
            f"author physics:mass, physics:centerOfMass and physics:diagonalInertia on {body.path}", "warning",
        )
        return None
    shape = measure(opinions.prim, reading.frames.scale(opinions.prim))
    return Collider(opinions, shape, _placed(reading, opinions, body))


def _placed(reading: Reading, opinions: PrimOpinions, body: PrimOpinions) -> Pose:
    """The shape's pose in the body frame, with the body's scale in the position."""
    if opinions is body:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)
    matrix = reading.frames.matrix(opinions.prim) * reading.frames.matrix(body.prim).GetInverse()
    position, rotation = pose_of(Gf.Transform(matrix))
    return scaled(position, reading.frames.scale(body.prim)), rotation


def _cube(prim: Any, scale: Vec3) -> Shape:
    size = abs(float(UsdGeom.Cube(prim).GetSizeAttr().Get()))
    return _box((abs(size * scale[0]), abs(size * scale[1]), abs(size * scale[2])))


def _box(size: Vec3) -> Shape:
    x, y, z = size
    volume = x * y * z
    return Shape(volume, (volume * (y * y + z * z) / 12, volume * (x * x + z * z) / 12, volume * (x * x + y * y) / 12))


def _sphere(prim: Any, scale: Vec3) -> Shape:
    radius = abs(float(UsdGeom.Sphere(prim).GetRadiusAttr().Get()) * max(map(abs, scale)))
    volume = 4 / 3 * math.pi * radius**3
    inertia = 0.4 * volume * radius * radius
    return Shape(volume, (inertia, inertia, inertia))


def _along(axis: int, along: float, across: float) -> Vec3:
    """Principal moments of a body of revolution about an axis."""
    moments = [across, across, across]
    moments[axis] = along
    return moments[0], moments[1], moments[2]


def _size(shape: Any, scale: Vec3) -> tuple[int, float, float]:
    """Axis, radius and height of a capsule, cylinder or cone with the scale in them."""
    axis = _AXES.get(str(shape.GetAxisAttr().Get()), 0)
    across = max(abs(scale[i]) for i in range(3) if i != axis)
    radius, height = float(shape.GetRadiusAttr().Get()), float(shape.GetHeightAttr().Get())
    return axis, abs(radius * across), abs(height * scale[axis])


def _cylinder(prim: Any, scale: Vec3) -> Shape:
    axis, radius, height = _size(UsdGeom.Cylinder(prim), scale)
    square = radius * radius
    volume = math.pi * square * height
    return Shape(volume, _along(axis, volume * square / 2, volume * (3 * square + height * height) / 12))


def _cone(prim: Any, scale: Vec3) -> Shape:
    """The exact cone; PhysX works with a convex hull of it, whose mass is about 0.03 % less.

    Its moments across are those about mid-height, which PhysX uses as if they were about the centre of mass.
    """
    axis, radius, height = _size(UsdGeom.Cone(prim), scale)
    square = radius * radius
    volume = math.pi * square * height / 3
    moments = _along(axis, 0.3 * volume * square, volume * (3 / 20 * square + height * height / 10))
    return Shape(volume, moments, _along(axis, -height / 4, 0.0))


def _capsule(prim: Any, scale: Vec3) -> Shape:
    axis, radius, height = _size(UsdGeom.Capsule(prim), scale)
    square = radius * radius
    barrel = math.pi * square * height
    caps = 4 / 3 * math.pi * radius * square
    along = barrel * square / 2 + caps * 0.4 * square
    across = (barrel * (3 * square + height * height) / 12
              + caps * (0.4 * square + 3 / 8 * radius * height + height * height / 4))
    return Shape(barrel + caps, _along(axis, along, across))


_SHAPES: Mapping[str, Callable[[Any, Vec3], Shape]] = {
    "Cube": _cube,
    "Sphere": _sphere,
    "Cylinder": _cylinder,
    "Capsule": _capsule,
    "Cone": _cone,
}


def material_density(reading: Reading, opinions: PrimOpinions) -> float:
    """The density of the physics material bound to a collider, 0 where none is authored."""
    material = UsdShade.MaterialBindingAPI(opinions.prim).ComputeBoundMaterial("physics")[0]
    bound = reading.prims.get(str(material.GetPath())) if material else None
    return max(bound.view("PhysicsMaterialAPI").number("density"), 0.0) if bound else 0.0
