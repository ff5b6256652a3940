"""Grounds that random stages of touching things stand on."""

from __future__ import annotations

import math

import numpy as np

from support.chance.touching_writer import Writer, written
from support.chance.usda_text import Vector
from support.stages.parts import Attributes, collider
from support.stages.robots import prim

PLANE, BOX, VALLEY, FIELD = "plane", "box", "valley", "field"
WIDE = 1.5              # m, how far from the middle a start may be
STEEPEST = 14.0         # degrees
GRID, SPACING, ROUGH = 24, 0.25, 0.06       # points of a field a side; m between them; m, their highest


def lay(w: Writer, ground: str) -> None:
    """Put a ground on the stage, and say how high it reaches."""
    if ground == PLANE:
        w.texts.append(collider("Plane", "ground", {"uniform token axis": "Z"}))
    elif ground == BOX:
        w.texts.append(_slab("ground", np.array([0.0, 0.0, -0.5]), (20.0, 20.0, 1.0), 0.0))
    elif ground == VALLEY:
        angles = [w.between(2.0, STEEPEST) for _ in range(2)]
        w.texts += [_slope(f"ground{i}", angle, side) for i, (angle, side) in enumerate(
            zip(angles, (-1.0, 1.0), strict=True))]
        w.floor = WIDE * math.tan(math.radians(max(angles)))
    else:
        w.texts.append(_field(w))
        w.floor = ROUGH


def _slope(name: str, angle: float, side: float) -> str:
    """A board that rises from the y axis to one side, its upper face through that axis, and runs a little past it."""
    way = math.radians(angle)
    along = np.array([side * math.cos(way), 0.0, math.sin(way)])
    up = np.array([-side * math.sin(way), 0.0, math.cos(way)])
    return _slab(name, 1.9 * along - 0.25 * up, (4.0, 8.0, 0.5), -side * angle)


def _slab(name: str, place: Vector, size: tuple[float, ...], angle: float) -> str:
    """A static box, turned about y by degrees."""
    half = math.radians(angle) / 2.0
    return collider("Cube", name, {
        "double size": 1.0, "double3 xformOp:translate": written(place),
        "quatd xformOp:orient": (math.cos(half), 0.0, math.sin(half), 0.0), "float3 xformOp:scale": size,
        "uniform token[] xformOpOrder": ["xformOp:translate", "xformOp:orient", "xformOp:scale"]})


def _field(w: Writer) -> str:
    """A mesh of triangles over a grid of chance heights."""
    heights = w.random.uniform(-ROUGH, ROUGH, (GRID, GRID))
    middle = (GRID - 1) / 2.0
    points = [((i - middle) * SPACING, (j - middle) * SPACING, round(float(heights[i, j]), 4))
              for i in range(GRID) for j in range(GRID)]
    corners = [i * GRID + j for i in range(GRID - 1) for j in range(GRID - 1)]
    indices = [k for a in corners for k in (a, a + GRID, a + GRID + 1, a, a + GRID + 1, a + 1)]
    values: Attributes = {"point3f[] points": points, "int[] faceVertexCounts": [3] * (len(indices) // 3),
                          "int[] faceVertexIndices": indices, "uniform token physics:approximation": "none"}
    return prim("Mesh", "ground", ("PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"), values)
