"""Stages of bodies that meet by chance: pairs of two kinds of shapes, thrown at each other or falling on a plane."""

from __future__ import annotations

import numpy as np

KINDS = (("Plane", "Sphere"), ("Plane", "Capsule"), ("Plane", "Cube"), ("Sphere", "Sphere"), ("Sphere", "Capsule"),
         ("Sphere", "Cube"), ("Capsule", "Capsule"), ("Cube", "Cube"))
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
PLANE = """    def Plane "plane" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {
        uniform token axis = "Z"
    }
"""
APPLIED = '(prepend apiSchemas = ["PhysicsCollisionAPI"])'


def meeting(first: str, second: str, seed: int) -> str:
    """A stage with pairs of two kinds (Sphere, Capsule, Cube; the first may be Plane) that meet within 40 steps."""
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


def _body(rng: np.random.Generator, name: str, kind: str, position: np.ndarray, velocity: np.ndarray) -> str:
    geometry = {
        "Sphere": f'Sphere "shape" {APPLIED} {{ double radius = {rng.uniform(0.05, 0.3)} }}',
        "Capsule": f'Capsule "shape" {APPLIED} {{ double radius = {rng.uniform(0.05, 0.2)} '
                   f'double height = {rng.uniform(0.1, 0.5)} uniform token axis = "{rng.choice(["X", "Y", "Z"])}" }}',
        "Cube": f'Cube "shape" {APPLIED} {{ double size = 1 double3 xformOp:scale = {_text(rng.uniform(0.1, 0.5, 3))} '
                f'uniform token[] xformOpOrder = ["xformOp:scale"] }}',
    }[kind].replace(" double", "\n            double").replace(" uniform", "\n            uniform").replace(
        " }", "\n        }")
    return BODY.format(name=name, position=_text(position), rotation=_text(_unit(rng, 4)), velocity=_text(velocity),
                       spin=_text(rng.uniform(-200, 200, 3)), geometry=geometry)


def _unit(rng: np.random.Generator, size: int) -> np.ndarray:
    x = rng.normal(size=size)
    return x / np.linalg.norm(x)


def _text(x: np.ndarray) -> str:
    return f"({', '.join(str(float(v)) for v in x)})"
