"""Shapes of queries and of colliders, as coal has them."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from physx_runtime.packing.frames import Frame
from physx_schema.description.model import Collider, ConvexHull
from physx_schema.errors import UnsupportedError

_AXIS_TO_Z = np.array([[[0, 0, 1], [0, 1, 0], [-1, 0, 0]], [[1, 0, 0], [0, 0, 1], [0, -1, 0]], np.eye(3)], np.float64)


@dataclass(frozen=True, slots=True)
class Ball:
    """A sphere to sweep, or to find what it overlaps."""

    radius: float


@dataclass(frozen=True, slots=True)
class Block:
    """A box to sweep, or to find what it overlaps."""

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

    Raises UnsupportedError for one of a kind that coal has not.
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
            corners = [(face[0], face[i], face[i + 1]) for face in cooked.mesh.faces for i in range(1, len(face) - 1)]
            return library.Convex(_coal_points(points), _triangles(corners))
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
        raise UnsupportedError(f"{shape.path}: raycast, sweep and overlap do not see a collider of kind {shape.kind}; "
                               "switch it off, or give it another approximation")
    return simple[shape.kind]()


def transform(place: Frame, shape: Collider | None = None) -> Any:
    """Where a shape is; of a collider its geometry's axis is turned onto its own."""
    (x, y, z), (a, b, c, d) = place
    rotation = np.array(coal().Quaternion(d, a, b, c).toRotationMatrix())
    if shape is not None and shape.cooked is None and shape.kind not in ("box", "bounding-box"):
        rotation = rotation @ _AXIS_TO_Z[shape.axis]
    return coal().Transform3s(rotation, np.array([x, y, z]))


def _coal_points(points: Any) -> Any:
    found = coal().StdVec_Vec3s()
    for point in points:
        found.append(np.asarray(point, np.float64))
    return found


def _triangles(corners: Any) -> Any:
    found = coal().StdVec_Triangle()
    for corner in corners:
        found.append(coal().Triangle(*map(int, corner)))
    return found
