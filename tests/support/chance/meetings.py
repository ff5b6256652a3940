"""Stages of bodies that meet by chance: pairs of two kinds of shapes, thrown at each other or falling on a plane."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

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
                name=f"{'ab'[k]}{i}", position=_row(place + axes @ at), rotation=_row(_times(frame, turns[k])),
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


def _times(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.array([a[0] * b[0] - a[1:] @ b[1:], *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))])


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
