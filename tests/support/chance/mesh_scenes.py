"""Stages of one body on a triangle mesh: flat, over an edge inside, on a ridge, in a valley, on a rough field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from support.chance.meetings import APPLIED, BODY, STAGE

Array = NDArray[Any]
Mesh = tuple[Array, Array]              # points and triangles

FLAT: Mesh = (np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], float), np.array([(0, 1, 2), (0, 2, 3)]))
FOLD = np.array([(0, 2, 1), (1, 2, 3), (2, 4, 3), (3, 4, 5)])


def folded(height: float) -> Mesh:
    """Two slopes that meet along y, whose outer borders are at a height: a valley or, below 0, a ridge."""
    return np.array([(x, y, height * abs(x)) for x in (-1, 0, 1) for y in (-1, 1)], float), FOLD


def field(size: int, seed: int) -> Mesh:
    """A grid of points 0.1 m apart whose heights are chance."""
    rng = np.random.default_rng(seed)
    heights = rng.uniform(-0.075, 0.075, (size, size))
    points = [((i - size / 2) * 0.1, (j - size / 2) * 0.1, heights[i, j]) for i in range(size) for j in range(size)]
    corners = [i * size + j for i in range(size - 1) for j in range(size - 1)]
    triangles = [t for a in corners for t in ((a, a + size, a + size + 1), (a, a + size + 1, a + 1))]
    return np.array(points), np.array(triangles)


# Mesh, its scale, and where the body begins and how fast.
GROUNDS: dict[str, tuple[Mesh, Sequence[float], Sequence[float], Sequence[float]]] = {
    "flat": (FLAT, (1, 1, 1), (0.2, -0.1, 0.3), (0.5, 0.3, 0)),
    "edge_inside": (FLAT, (1, 1, 1), (-0.3, -0.25, 0.25), (1.0, 0.9, 0)),
    "ridge": (folded(-0.4), (1, 1, 1), (-0.02, 0.1, 0.3), (0.1, 0.3, 0)),
    "valley": (folded(0.4), (1, 1, 1), (0.1, 0.1, 0.4), (0.1, 0.3, 0)),
    "border": (FLAT, (1, 1, 1), (0.98, 0.1, 0.3), (0.3, 0.3, 0)),
    "field": (field(20, 0), (1, 1, 1), (0.1, 0.13, 0.4), (0.5, 0.4, 0)),
    "scaled_field": (field(10, 1), (2.0, 1.5, 0.7), (0.1, 0.13, 0.4), (0.5, 0.4, 0)),
}
BODIES = {
    "sphere": f'Sphere "shape" {APPLIED} {{\n            double radius = 0.15\n        }}',
    "capsule": f'Capsule "shape" {APPLIED} {{\n            double radius = 0.1\n            double height = 0.4\n'
               '            uniform token axis = "X"\n        }',
}
GROUND = """    def Mesh "ground" (
        prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI", "PhysxCollisionAPI"]
    )
    {{
        point3f[] points = [{points}]
        int[] faceVertexCounts = [{counts}]
        int[] faceVertexIndices = [{indices}]
        uniform token physics:approximation = "none"
        float physxCollision:contactOffset = 0.02
        double3 xformOp:scale = {scale}
        uniform token[] xformOpOrder = ["xformOp:scale"]
    }}
"""


def on_mesh(body: str, ground: str) -> str:
    """A stage with one of BODIES falling on one of GROUNDS."""
    (points, triangles), scale, place, velocity = GROUNDS[ground]
    mesh = GROUND.format(points=", ".join(map(_text, points)), counts=", ".join(["3"] * len(triangles)),
                         indices=", ".join(str(i) for i in triangles.ravel()), scale=_text(scale))
    return STAGE.format(gravity=9.81, prims=mesh + BODY.format(
        name="body", position=_text(place), rotation="(1, 0, 0, 0)", velocity=_text(velocity), spin="(0, 0, 0)",
        geometry=BODIES[body]))


def _text(x: Sequence[float] | Array) -> str:
    return f"({', '.join(str(float(v)) for v in x)})"
