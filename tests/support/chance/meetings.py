"""Stages of bodies that meet by chance: on a triangle mesh, on a plane, and in the air.

Stages of bodies on a triangle mesh: flat, over an edge inside, on a ridge, in a valley, on a rough field.

Stages of bodies that meet by chance: pairs of two kinds of shapes, thrown at each other or falling on a plane.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from support.chance.usda_text import product

KINDS = (("Plane", "Sphere"), ("Plane", "Capsule"), ("Plane", "Cube"), ("Sphere", "Sphere"), ("Sphere", "Capsule"),
         ("Sphere", "Cube"), ("Capsule", "Capsule"), ("Cube", "Cube"), ("Sphere", "Mesh"), ("Cube", "Mesh"),
         ("Mesh", "Mesh"), ("Capsule", "Cube"), ("Plane", "Mesh"), ("Capsule", "Mesh"))
CORE_KINDS = (*((other, core) for core in ("Cylinder", "Cone") for other in ("Plane", "Sphere", "Cube")),
              ("Cylinder", "Cylinder"), ("Cylinder", "Cone"), ("Cone", "Cone"))
PAIRS = 6               # in a stage, on a grid
APART = 3.0             # metres between pairs
STAGE = """#usda 1.0
(
    defaultPrim = "World"
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "World"
{{
    def PhysicsScene "scene"
    {{
        vector3f physics:gravityDirection = (0, 0, -1)
        float physics:gravityMagnitude = {gravity}
    }}
{prims}}}
"""
BODY = """    def Xform "{name}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysxRigidBodyAPI"])
    {{
        double3 xformOp:translate = {position}
        quatd xformOp:orient = {rotation}
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
        vector3f physics:velocity = {velocity}
        vector3f physics:angularVelocity = {spin}
        float physxRigidBody:sleepThreshold = 0
        def {geometry}
    }}
"""
UNWEIGHED = '"PhysxRigidBodyAPI"])\n    {'
WEIGHED = """"PhysxRigidBodyAPI", "PhysicsMassAPI"])
    {
        float physics:mass = 1
        point3f physics:centerOfMass = (0, 0, 0)
        float3 physics:diagonalInertia = (0.05, 0.06, 0.07)
        quatf physics:principalAxes = (1, 0, 0, 0)"""
PLANE = """    def Plane "plane" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {
        uniform token axis = "Z"
    }
"""
_ABOUT_X = (0.92387953, 0.38268343, 0.0, 0.0)          # an eighth of a turn: an edge along x on top
_ABOUT_Y = (0.92387953, 0.0, 0.38268343, 0.0)
_ON_CORNER = (0.88047624, 0.32505758, -0.32505758, 0.0)     # (1, 1, 1) to z, of a cube a corner on top
APPLIED = '(prepend apiSchemas = ["PhysicsCollisionAPI"])'


def meeting(first: str, second: str, seed: int) -> str:
    """A stage with pairs of two kinds (the first may be Plane) that meet within 40 steps."""
    rng = np.random.default_rng(seed)
    prims = [PLANE] if first == "Plane" else []
    for i in range(PAIRS):
        place = APART * np.array([i % 3 - 1, i // 3, 0.0])
        if first == "Plane":
            prims.append(_body(rng, f"b{i}", second, place + 0.6 * np.eye(3)[2], np.zeros(3)))
            continue
        way = _unit(rng, 3)
        prims.append(_body(rng, f"a{i}", first, place, np.zeros(3)))
        prims.append(_body(rng, f"b{i}", second, place + 1.1 * way, (0.3 * _unit(rng, 3) - way) * rng.uniform(2, 4)))
    return STAGE.format(gravity=9.81 if first == "Plane" else 0.0, prims="".join(prims))


def weighed(stage: str) -> str:
    """A stage whose bodies have the mass frame of their prims: one that PhysX works out is turned by last bits."""
    if UNWEIGHED not in stage:
        raise ValueError("the stage has no body as these stages write them")
    return stage.replace(UNWEIGHED, WEIGHED)


def edge_meeting(seed: int) -> str:
    """A stage with pairs of boxes that meet by crossing edges or by corners within 30 steps, gently."""
    rng = np.random.default_rng(seed)
    prims = []
    for i in range(PAIRS):
        corners = i % 2 == 1
        sizes = rng.uniform(0.1, 0.5, (2, 3))
        standing = ((*_ON_CORNER, *_ON_CORNER) if corners else (*_ABOUT_X, *_ABOUT_Y))
        turns = [_near(rng, standing[4 * k:4 * k + 4], 0.15) for k in range(2)]
        reaches = [np.abs(_matrix(turn)[2]) @ size / 2 for turn, size in zip(turns, sizes, strict=True)]
        aside = rng.uniform(-0.03, 0.03, 2)
        gap, frame = rng.uniform(0.0, 0.02), _unit(rng, 4)
        place = APART * np.array([i % 3 - 1, i // 3, 0.0])
        way = np.array([*aside, reaches[0] + reaches[1] + gap])
        axes = _matrix(frame)
        for k, at, speed in ((0, np.zeros(3), 0.0), (1, way, -rng.uniform(0.1, 0.6))):
            prims.append(BODY.format(
                name=f"{'ab'[k]}{i}", position=_row(place + axes @ at), rotation=_row(product(frame, turns[k])),
                velocity=_row(axes[:, 2] * speed), spin=_row(rng.uniform(-60, 60, 3)), geometry=_cube(sizes[k])))
    return STAGE.format(gravity=0.0, prims="".join(prims))


def _near(rng: np.random.Generator, turn: Sequence[float], most: float) -> np.ndarray:
    q = np.array(turn) + rng.uniform(-most, most, 4)
    return q / np.linalg.norm(q)


def _matrix(q: np.ndarray) -> np.ndarray:
    """A rotation w x y z as a matrix."""
    w, v = q[0], q[1:]
    across = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * w * across + 2 * across @ across


def _cube(size: np.ndarray) -> str:
    lines = ("", "double size = 1", f"double3 xformOp:scale = {_row(size)}",
             'uniform token[] xformOpOrder = ["xformOp:scale"]')
    return f'Cube "shape" {APPLIED} {{' + "\n            ".join(lines) + "\n        }"


def _core(rng: np.random.Generator, kind: str) -> str:
    """A cylinder or cone along x: about another axis PhysX's mass frame is turned by a last bit or two."""
    lines = ("", f"double radius = {rng.uniform(0.1, 0.3)}", f"double height = {rng.uniform(0.1, 0.5)}",
             'uniform token axis = "X"')
    return f'{kind} "shape" {APPLIED} {{' + "\n            ".join(lines) + "\n        }"


def _body(rng: np.random.Generator, name: str, kind: str, position: np.ndarray, velocity: np.ndarray) -> str:
    if kind in ("Cylinder", "Cone"):
        return _prim(rng, name, position, velocity, _core(rng, kind))
    geometry = {
        "Sphere": f'Sphere "shape" {APPLIED} {{ double radius = {rng.uniform(0.05, 0.3)} }}',
        "Capsule": f'Capsule "shape" {APPLIED} {{ double radius = {rng.uniform(0.05, 0.2)} '
                   f'double height = {rng.uniform(0.1, 0.5)} uniform token axis = "{rng.choice(["X", "Y", "Z"])}" }}',
        "Cube": f'Cube "shape" {APPLIED} {{ double size = 1 double3 xformOp:scale = {_row(rng.uniform(0.1, 0.5, 3))} '
                f'uniform token[] xformOpOrder = ["xformOp:scale"] }}',
        "Mesh": "" if kind != "Mesh" else _hull(rng),
    }[kind].replace(" double", "\n            double").replace(" uniform", "\n            uniform").replace(
        " }", "\n        }")
    return _prim(rng, name, position, velocity, geometry)


def _prim(rng: np.random.Generator, name: str, position: np.ndarray, velocity: np.ndarray, geometry: str) -> str:
    return BODY.format(name=name, position=_row(position), rotation=_row(_unit(rng, 4)), velocity=_row(velocity),
                       spin=_row(rng.uniform(-200, 200, 3)), geometry=geometry)


def _hull(rng: np.random.Generator) -> str:
    """A mesh whose convex hull collides: of few points, or of many on a ball, mostly scaled and at times mirrored."""
    count = int(rng.choice([6, 8, 12, 20, 60]))
    points = np.array([_unit(rng, 3) for _ in range(count)]) * rng.uniform(0.12, 0.3)
    scale = np.ones(3) if rng.random() < 0.3 else rng.uniform(0.6, 1.4, 3) * rng.choice([-1.0, 1.0], 3, p=[0.2, 0.8])
    faces = ", ".join(f"0, {i}, {i + 1}" for i in range(1, count - 1))
    api = 'prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"]'
    lines = ("", f"point3f[] points = [{', '.join(_row(point) for point in points)}]",
             f"int[] faceVertexCounts = [{', '.join(['3'] * (count - 2))}]", f"int[] faceVertexIndices = [{faces}]",
             'uniform token physics:approximation = "convexHull"', f"double3 xformOp:scale = {_row(scale)}",
             'uniform token[] xformOpOrder = ["xformOp:scale"]')
    return f'Mesh "shape" ({api}) {{' + "\n            ".join(lines) + "\n        }"


def _unit(rng: np.random.Generator, size: int) -> np.ndarray:
    x = rng.normal(size=size)
    return x / np.linalg.norm(x)


def _row(x: np.ndarray) -> str:
    return f"({', '.join(str(float(v)) for v in x)})"


# --- mesh scenes -----------------------------------------------------------------------------------------------------

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
