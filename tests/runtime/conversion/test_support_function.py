"""How far shapes reach, compared with the greatest coordinate of many of their points."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from physx_runtime.conversion.support_function import penetration_depth, shape_of, support
from pxr import Usd

from physx_schema.description import describe
from physx_schema.description.frames import composed, rotation_matrix

SHAPES = {
    "Sphere": ("double radius = 0.3", lambda n: 0.3 * n),
    "Cube": ("double size = 0.4", lambda n: 0.2 * n / np.abs(n).max(axis=1, keepdims=True)),
    "Capsule": ('double radius = 0.1\ndouble height = 0.5\nuniform token axis = "X"',
                lambda n: 0.1 * n + 0.25 * np.sign(n) * [1, 0, 0]),
    "Cylinder": ('double radius = 0.1\ndouble height = 0.5\nuniform token axis = "Z"',
                 lambda n: np.concatenate([0.1 * n[:, :2] / np.linalg.norm(n[:, :2], axis=1, keepdims=True),
                                           0.25 * np.sign(n[:, 2:])], axis=1)),
}
POINTS = 200_000
SAMPLING = 3e-3         # how far between points of that many the furthest one may lie


@pytest.mark.parametrize("kind", SHAPES)
def test_shape_reaches_as_far_as_its_furthest_point(kind: str) -> None:
    attributes, points_of = SHAPES[kind]
    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(f"""#usda 1.0
def Xform "body" (apiSchemas = ["PhysicsRigidBodyAPI"])
{{
    double3 xformOp:translate = (1, 2, 3)
    quatf xformOp:orient = (0.8, 0.2, -0.4, 0.4)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
    def {kind} "shape" (apiSchemas = ["PhysicsCollisionAPI"])
    {{
        {attributes}
        double3 xformOp:translate = (0.1, 0, -0.2)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }}
}}
""")
    (body,) = describe(stage).bodies
    rng = np.random.default_rng(7)
    directions = rng.normal(size=(POINTS, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    position, rotation = composed(body.pose, ((0.1, 0.0, -0.2), (0.0, 0.0, 0.0, 1.0)))
    points = points_of(directions) @ np.array(rotation_matrix(rotation)).T + position
    for direction in (*np.eye(3), directions[0], directions[1]):
        furthest = float((points @ direction).max())
        assert support([body], {body.path: body.pose}, direction) == pytest.approx(furthest, abs=SAMPLING)


def test_body_without_colliders_reaches_to_its_centre_of_mass() -> None:
    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString("""#usda 1.0
def Xform "body" (apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
{
    float physics:mass = 1
    float3 physics:diagonalInertia = (1, 1, 1)
    point3f physics:centerOfMass = (0, 0, -0.5)
}
""")
    (body,) = describe(stage).bodies
    assert support([body], {body.path: body.pose}, np.array([0.0, 0.0, -1.0])) == pytest.approx(0.5)


BOX, BALL, ROD = "double size = 1", "double radius = 0.5", "double radius = 0.2\ndouble height = 1"
DEPTH = 1e-5            # how exact the directions are searched, in sizes of about 1


def shapes(first: tuple[str, str], second: tuple[str, str], offset: tuple[float, float, float]) -> list[Any]:
    """Two colliders, the second one moved by an offset and turned about z by 90 degrees."""
    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString("#usda 1.0\n" + "".join(f"""
def {kind} "shape{i}" (apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
{{
    {attributes}
    double3 xformOp:translate = {offset if i else (0, 0, 0)}
    quatf xformOp:orient = {(0.70710678, 0, 0, 0.70710678) if i else (1, 0, 0, 0)}
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
}}
""" for i, (kind, attributes) in enumerate((first, second))))
    return [shape_of(body.colliders[0], body.pose) for body in describe(stage).bodies]


@pytest.mark.parametrize(("first", "second", "offset", "depth"), [
    (("Cube", BOX), ("Cube", BOX), (0.1, 0.2, 0.9), 0.1), (("Sphere", BALL), ("Sphere", BALL), (0.48, 0.64, 0.0), 0.2),
    (("Cube", BOX), ("Sphere", BALL), (0.0, 0.0, 0.7), 0.3),
    # the ball's centre is 0.1 from the edge of the box in two directions
    (("Cube", BOX), ("Sphere", BALL), (0.6, 0.6, 0.0), 0.5 - math.sqrt(0.02)),
    (("Capsule", ROD), ("Capsule", ROD), (0.1, 0.3, 0.2), 0.4 - math.hypot(0.1, 0.3)),
    (("Cube", BOX), ("Cylinder", ROD), (0.65, 0.0, 0.0), 0.05)])
def test_depth_is_that_of_the_closed_form(
    first: tuple[str, str], second: tuple[str, str], offset: tuple[float, float, float], depth: float,
) -> None:
    assert penetration_depth(*shapes(first, second, offset)) == pytest.approx(depth, abs=DEPTH)


@pytest.mark.parametrize("offset", [(1.001, 0.0, 0.0), (0.0, 0.9, 1.001), (-1.2, 1.2, 1.2)])
def test_shapes_apart_have_a_negative_depth(offset: tuple[float, float, float]) -> None:
    assert penetration_depth(*shapes(("Cube", BOX), ("Cube", BOX), offset)) < 0.0
