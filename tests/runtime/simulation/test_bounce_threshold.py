"""Impacts slower than the scene's bounce threshold do not bounce, as in PhysX."""

from __future__ import annotations

import pytest
from physx_runtime import Scene
from support.stages.robots import opened

# By height of the drop, the fastest that a ball of restitution 0.5 rises within a second in real PhysX under gravity
# 9.81 and a threshold of 2 m/s, in steps of 1/60 s.
RISES = {0.05: 0.0, 0.1: 0.0, 0.2: 0.0, 0.3: 1.2260, 0.5: 1.5533, 1.0: 2.2073}
ROUNDING = 1e-4     # m/s
BALL = '"PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "MaterialBindingAPI"'


def balls() -> str:
    """Balls of radius 0.1 at the heights, on one material with their ground."""
    bound = "rel material:binding:physics = </rubber>"
    return f"""#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "scene" (apiSchemas = ["PhysxSceneAPI"]) {{
    float physxScene:bounceThreshold = 2
    vector3f physics:gravityDirection = (0, 0, -1)
    float physics:gravityMagnitude = 9.81
}}
def Material "rubber" (apiSchemas = ["PhysicsMaterialAPI"]) {{
    float physics:restitution = 0.5
}}
def Plane "ground" (apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]) {{
    uniform token axis = "Z"
    {bound}
}}
""" + "".join(f"""def Sphere "b{i}" (apiSchemas = [{BALL}]) {{
    double radius = 0.1
    {bound}
    double3 xformOp:translate = ({i}, 0, {0.1 + height})
    uniform token[] xformOpOrder = ["xformOp:translate"]
}}
""" for i, height in enumerate(RISES))


def test_balls_bounce_from_the_threshold_on_as_in_physx() -> None:
    scene = Scene(opened(balls()))
    fastest = dict.fromkeys(range(len(RISES)), 0.0)
    for _ in range(60):
        scene.step()
        fastest = {i: max(speed, float(scene[f"/b{i}"].get("v")[0, 2])) for i, speed in fastest.items()}
    assert list(fastest.values()) == pytest.approx(list(RISES.values()), abs=ROUNDING)
