"""How far shapes reach, compared with the greatest coordinate of many of their points."""

from __future__ import annotations

import numpy as np
import pytest
from physx_runtime.conversion.support_function import support
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
