"""Stages of bodies on a triangle mesh: flat, over an edge inside, on a ridge, in a valley, on a rough field."""

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


def _text(x: Sequence[float] | Array) -> str:
    return f"({', '.join(str(float(v)) for v in x)})"


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
PRISM = ", ".join(f"({0.15 * np.cos(0.4 * np.pi * k)}, {0.15 * np.sin(0.4 * np.pi * k)}, {z})"
                  for z in (-0.1, 0.1) for k in range(5))
# The hull is that of a prism of five sides, stretched.
BODIES = {
    "sphere": f'Sphere "shape" {APPLIED} {{\n            double radius = 0.15\n        }}',
    "capsule": f'Capsule "shape" {APPLIED} {{\n            double radius = 0.1\n            double height = 0.4\n'
               '            uniform token axis = "X"\n        }',
    "box": f'Cube "shape" {APPLIED} {{\n            double size = 0.2\n'
           '            double3 xformOp:scale = (1.6, 1.1, 0.8)\n'
           '            uniform token[] xformOpOrder = ["xformOp:scale"]\n        }',
    "hull": 'Mesh "shape" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"]) {\n'
            f'            point3f[] points = [{PRISM}]\n            int[] faceVertexCounts = [3, 3, 3, 3]\n'
            '            int[] faceVertexIndices = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 5]\n'
            '            uniform token physics:approximation = "convexHull"\n'
            '            double3 xformOp:scale = (1.5, 1.1, 0.8)\n'
            '            uniform token[] xformOpOrder = ["xformOp:scale"]\n        }',
    **{kind.lower(): f'{kind} "shape" {APPLIED} {{\n            double radius = 0.12\n            double height = 0.3\n'
                     '            uniform token axis = "X"\n        }' for kind in ("Cylinder", "Cone")},
}
GROUND = """    def Mesh "ground" (
        prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI", {schemas}]
    )
    {{
        point3f[] points = [{points}]
        int[] faceVertexCounts = [{counts}]
        int[] faceVertexIndices = [{indices}]
        uniform token physics:approximation = "none"
        {opinion}
        quatd xformOp:orient = {rotation}
        double3 xformOp:scale = {scale}
        uniform token[] xformOpOrder = ["xformOp:orient", "xformOp:scale"]
    }}
"""
UNTURNED, TURNED = (1, 0, 0, 0), (0.92387953, 0, 0, 0.38268343)
KINEMATIC = ("PhysicsRigidBodyAPI", "bool physics:kinematicEnabled = 1")
OFFSET = ("PhysxCollisionAPI", "float physxCollision:contactOffset = 0.02")
LEFT_HANDED_OFFSET = ("PhysxCollisionAPI", 'uniform token orientation = "leftHanded"\n        ' + OFFSET[1])
LEFT_HANDED = ("PhysxCollisionAPI", 'uniform token orientation = "leftHanded"')
# A mesh mirrored by an instance of it, which has another one far off.
INSTANCES = """    class "part"
    {{
    {ground}    }}
    def Xform "near" (
        instanceable = true
        references = </World/part>
    )
    {{
        double3 xformOp:scale = (-1.3, 1.1, 0.8)
        uniform token[] xformOpOrder = ["xformOp:scale"]
    }}
    def Xform "far" (
        instanceable = true
        references = </World/part>
    )
    {{
        double3 xformOp:translate = (9, 0, 0)
        double3 xformOp:scale = (-1.3, 1.1, 0.8)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
    }}
"""


def on_mesh(body: str, ground: str) -> str:
    """A stage with one of BODIES falling on one of GROUNDS."""
    mesh, scale, place, velocity = GROUNDS[ground]
    return falling(body, mesh_prim(*mesh, OFFSET, scale), place, velocity)


def falling(body: str, ground: str, place: Sequence[float] = (0.1, 0.13, 0.4),
            velocity: Sequence[float] = (0.5, 0.4, 0)) -> str:
    """A stage with one of BODIES falling on a mesh of `mesh_prim`, or on whatever prims there are."""
    return STAGE.format(gravity=9.81, prims=ground + BODY.format(
        name="body", position=_text(place), rotation="(1, 0, 0, 0)", velocity=_text(velocity), spin="(0, 0, 0)",
        geometry=BODIES[body]))


def mesh_prim(points: Array, faces: Sequence[Sequence[int]] | Array, more: tuple[str, str] = ("PhysxCollisionAPI", ""),
              scale: Sequence[float] = (1, 1, 1), rotation: Sequence[float] = UNTURNED) -> str:
    """A prim of a mesh that collides as its triangles, with one more schema and opinion."""
    return GROUND.format(
        schemas=f'"{more[0]}"', opinion=more[1], points=", ".join(map(_text, points)), scale=_text(scale),
        counts=", ".join(str(len(face)) for face in faces), rotation=_text(rotation),
        indices=", ".join(str(i) for face in faces for i in face))


ROUGH = field(20, 0)
PLAIN_FACES = FLAT[1].tolist()
# Grounds on which motions are compared, by what is particular about them.
LAID: dict[str, str] = {
    "flat": mesh_prim(*FLAT),
    "mirrored_instance": INSTANCES.format(ground=mesh_prim(*ROUGH)),
    "kinematic": mesh_prim(*ROUGH, KINEMATIC, (1.1, -1.2, 1.0), TURNED),
    "field": mesh_prim(*ROUGH),
    "left_handed": mesh_prim(ROUGH[0], ROUGH[1][:, ::-1], LEFT_HANDED),
    "mirrored_twice": mesh_prim(*ROUGH, scale=(-1.3, -1.1, 0.8)),
    "quads": mesh_prim(ROUGH[0], [[a, a + 20, a + 21, a + 1] for i in range(19) for a in range(20 * i, 20 * i + 19)]),
    "hole": mesh_prim(*FLAT, ("PhysxCollisionAPI", "int[] holeIndices = [0, 1]")),
    "faces_twice_and_flat": mesh_prim(np.vstack([FLAT[0], [(0, 0, 0), (0.5, 0.5, 0)]]),
                                      [[0, 4, 5], [0, 5, 2], *PLAIN_FACES, [5, 4, 5], *PLAIN_FACES]),
    "wrong_side_up": mesh_prim(FLAT[0], FLAT[1][:, ::-1]),
    "loose_point": mesh_prim(np.vstack([ROUGH[0] * (1, 1, 8), [(0, 0, -9)]]), ROUGH[1], KINEMATIC),
}
# The same, and others, with authored contact offsets.
TURNED_ROUGH = {
    "uneven": mesh_prim(*ROUGH, OFFSET, (1.3, 1.1, 0.8)), "mirrored": mesh_prim(*ROUGH, OFFSET, (1, 1, -1)),
    "mirrored_unevenly": mesh_prim(*ROUGH, OFFSET, (-1.3, 1.1, 0.8)),
    "mirrored_twice": mesh_prim(*ROUGH, OFFSET, (-1.3, -1.1, 0.8)),
    "left_handed": mesh_prim(ROUGH[0], ROUGH[1][:, ::-1], LEFT_HANDED_OFFSET),
    "hull": mesh_prim(*ROUGH, OFFSET).replace('"none"', '"convexHull"'),
    "scaled_hull": mesh_prim(*folded(-0.4), OFFSET, (1.2, -0.9, 0.7)).replace('"none"', '"convexHull"'),
}
RECORDED = ("flat", "mirrored_instance", "kinematic")


def strewn(body: str, seed: int, count: int = 8) -> str:
    """A stage with so many of one of BODIES at chance places in a rough mesh, without gravity."""
    rng = np.random.default_rng(seed)
    bodies = ""
    for i in range(count):
        rotation = rng.normal(size=4)
        rotation /= np.linalg.norm(rotation)
        place = *rng.uniform(-0.8, 0.8, 2), rng.uniform(0.05, 0.22)
        bodies += BODY.format(name=f"body{i}", position=_text(place), rotation=_text(rotation), velocity="(0, 0, 0)",
                              spin="(0, 0, 0)", geometry=BODIES[body])
    return STAGE.format(gravity=0, prims=mesh_prim(*ROUGH, OFFSET) + bodies)
