"""A hinge pressed against a limit of 0 creeps as in real PhysX, which sees small angles by a float32 cosine."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from physx_runtime import simulate
from support.stages.robots import opened

STEPS = 20              # before PhysX lets the body sleep
CREPT = 4e-4            # rad, which a limit that sees every angle would have stopped
APART = 2e-6            # rad, float32 over these steps

STAGE = """#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "scene" (prepend apiSchemas = ["PhysxSceneAPI"])
{
    bool physxScene:enableGPUDynamics = 0
    uniform token physxScene:broadphaseType = "MBP"
}
def Xform "thing" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
{
    float physics:mass = 1
    float3 physics:diagonalInertia = (1, 1, 1)
    double3 xformOp:translate = (0.5, 0, 10)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
def PhysicsRevoluteJoint "hinge"
{
    rel physics:body1 = </thing>
    uniform token physics:axis = "Y"
    point3f physics:localPos0 = (0, 0, 10)
    point3f physics:localPos1 = (-0.5, 0, 0)
    float physics:lowerLimit = -30
    float physics:upperLimit = 0
}
"""


def test_a_hinge_creeps_past_a_limit_of_zero_as_in_physx(oracle_folder: Path) -> None:
    from scene_recorder import record

    real, = record([{"usd": STAGE, "dt": 1 / 60, "steps": STEPS}])
    wanted = 2.0 * real["quat"][:, 0, 1]
    found = 2.0 * simulate(opened(STAGE), 1 / 60, STEPS).body_pose[:, 0, 0, 4]
    assert wanted[-1] > CREPT
    assert np.abs(found - wanted).max() < APART
