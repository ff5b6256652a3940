"""Shapes that random stages of touching things are made of, as prims of a collider each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from support.chance.usda_text import Vector
from support.stages.parts import Attributes, collider

Random = np.random.Generator
ROUND = ("Capsule", "Cylinder", "Cone")         # what has a radius and an axis
HULL, COMPOUND = "Mesh", "Compound"
HULL_POINTS = (6, 8, 12, 20)
Collider = tuple[str, Attributes, tuple[str, ...]]      # kind of the prim, what it says, what is applied to it


@dataclass(frozen=True, slots=True)
class Shape:
    """A collider along the x axis of what it is of, or several of them in a row."""

    kind: str
    half: Vector                # of a box around it
    points: tuple[tuple[float, ...], ...] = ()      # of a hull
    parts: tuple[tuple[float, Shape], ...] = ()     # of a compound, with where on the x axis they are

    @property
    def reach(self) -> float:
        """Radius of a ball around it."""
        return float(self.half.max() if self.kind in ("Sphere", "Capsule") else np.linalg.norm(self.half))

    def colliders(self) -> Iterator[Collider]:
        """What it is made of."""
        if self.kind == COMPOUND:
            for place, part in self.parts:
                yield from ((kind, _shifted(values, place), schemas) for kind, values, schemas in part.colliders())
        elif self.kind == HULL:
            yield self.kind, self._of_hull(), ("PhysicsMeshCollisionAPI",)
        else:
            yield self.kind, self._of_primitive(), ()

    def _of_primitive(self) -> Attributes:
        if self.kind == "Sphere":
            return {"double radius": float(self.half[0])}
        if self.kind in ROUND:
            caps = self.half[1] if self.kind == "Capsule" else 0.0
            return {"double radius": float(self.half[1]), "double height": float(2 * (self.half[0] - caps)),
                    "uniform token axis": "X"}
        return {"double size": 1.0, "float3 xformOp:scale": tuple(map(float, 2 * self.half)),
                "uniform token[] xformOpOrder": ["xformOp:scale"]}

    def _of_hull(self) -> Attributes:
        corners = [i for k in range(1, len(self.points) - 1) for i in (0, k, k + 1)]
        return {"point3f[] points": list(self.points), "int[] faceVertexCounts": [3] * (len(corners) // 3),
                "int[] faceVertexIndices": corners, "uniform token physics:approximation": "convexHull"}


def _shifted(values: Attributes, place: float) -> Attributes:
    """A collider's opinions, moved along the x axis."""
    order = ["xformOp:translate", *(["xformOp:scale"] if "float3 xformOp:scale" in values else [])]
    return values | {"double3 xformOp:translate": (place, 0.0, 0.0), "uniform token[] xformOpOrder": order}


def random_shape(random: Random, kinds: tuple[str, ...], largest: float) -> Shape:
    """One of some kinds, so large at most."""
    kind, size = str(random.choice(kinds)), random.uniform(0.06, largest, 3)
    if kind == COMPOUND:
        return _row(random, tuple(kind for kind in kinds if kind != COMPOUND), 0.6 * largest)
    if kind == HULL:
        return _hull(random, np.round(size, 3))
    if kind == "Sphere":
        return Shape(kind, np.full(3, round(float(size[0]), 3)))
    radius = round(float(min(size[0], 0.12)), 3)
    if kind == "Capsule":
        return Shape(kind, np.array([radius + round(float(size[1]), 3), radius, radius]))
    if kind in ROUND:
        return Shape(kind, np.array([round(float(size[1]), 3), radius, radius]))
    return Shape(kind, np.round(size, 3))


def _hull(random: Random, half: Vector) -> Shape:
    """Of points on an ellipsoid, the ends of its x axis among them."""
    ways = random.normal(size=(int(random.choice(HULL_POINTS)), 3))
    ways = np.vstack([ways / np.linalg.norm(ways, axis=1, keepdims=True), [(1, 0, 0), (-1, 0, 0)]])
    return Shape(HULL, half, tuple(tuple(round(float(x), 5) for x in way * half) for way in ways))


def _row(random: Random, kinds: tuple[str, ...], largest: float) -> Shape:
    """Two shapes that run into each other by a little."""
    parts = [random_shape(random, kinds, largest) for _ in range(2)]
    length = sum(part.half[0] for part in parts) - 0.01
    places = (parts[0].half[0] - length, length - parts[1].half[0])
    half = np.maximum(parts[0].half, parts[1].half)
    return Shape(COMPOUND, np.array([length, half[1], half[2]]), (), tuple(
        (round(float(place), 5), part) for place, part in zip(places, parts, strict=True)))


def prims(shape: Shape, said: Attributes, schemas: tuple[str, ...]) -> str:
    """The colliders of a shape, each with more opinions."""
    return "".join(collider(kind, f"shape{i}" if i else "shape", own | said, (*applied, *schemas))
                   for i, (kind, own, applied) in enumerate(shape.colliders()))
