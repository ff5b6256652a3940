"""A stage of one rigid body that is thrown, with a centre of mass and axes of its own."""

from __future__ import annotations

STAGE = """#usda 1.0
(
    defaultPrim = "World"
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "World"
{{
    def PhysicsScene "scene" (prepend apiSchemas = ["PhysxSceneAPI"])
    {{
        vector3f physics:gravityDirection = (0, 0, -1)
        float physics:gravityMagnitude = {gravity}
        bool physxScene:enableGPUDynamics = 0
        uniform token physxScene:broadphaseType = "MBP"
        {scene}
    }}
    def Xform "ball" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"{api}])
    {{
        float physics:mass = 2
        float3 physics:diagonalInertia = (0.1, 0.25, 0.3)
        point3f physics:centerOfMass = (0.1, 0.2, -0.1)
        quatf physics:principalAxes = (0.9, 0.1, 0.3, 0.3)
        vector3f physics:velocity = {v}
        vector3f physics:angularVelocity = {w}
        double3 xformOp:translate = (1, 2, 3)
        quatd xformOp:orient = (0.8, 0.2, 0.4, 0.4)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
        {body}
    }}
    {more}
}}
"""
PHYSX, FORCE = ', "PhysxRigidBodyAPI"', ', "PhysxRigidBodyAPI", "PhysxForceAPI"'


def body_stage(body: str = "", api: str = PHYSX, scene: str = "", v: tuple[float, ...] = (1, 2, 3),
               w: tuple[float, ...] = (100, 200, -150), gravity: float = 10.0, more: str = "") -> str:
    """The stage as USDA text, with lines put into the body, the scene and beside them."""
    return STAGE.format(body=body, api=api, scene=scene, v=v, w=w, gravity=gravity, more=more)


STILL = {"gravity": 0.0, "v": (0, 0, 0), "w": (0, 0, 0)}
