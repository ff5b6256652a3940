"""Stages of sliders and free bodies, and islands without a scene.

Stages for iteration counts: sliders that fall in a scene's gravity, and free bodies beside them.

In N position iterations what starts at rest falls by g dt² (N + 1) / (2 N) in its first step.

A stage of one rigid body that is thrown, with a centre of mass and axes of its own.

The one island of a stage in worlds of its own, without a scene around it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from physx_runtime.model.island_rows import island_input_rows, island_output_rows
from physx_runtime.packing.island import PackedIsland, islands_of
from physx_runtime.packing.scene import scene_model
from physx_runtime.solver.settings import SolverSettings
from physx_runtime.worlds.cpu import IslandWorlds
from pxr import Sdf, Usd

from physx_schema.description import Description

DT, GRAVITY = 0.01, 10.0
Counts = tuple[int, int]            # position, velocity iterations
ASLEEP = {"bool physics:startsAsleep": "1"}
KINEMATIC = {"bool physics:kinematicEnabled": "1"}
WEIGHTLESS = {"bool physxRigidBody:disableGravity": "1"}


def opened(text: str) -> Usd.Stage:
    """A stage of USDA text, from memory."""
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(text)
    return Usd.Stage.Open(layer)


def prim(kind: str, name: str, schemas: str, attributes: Mapping[str, str], children: str = "") -> str:
    """A prim with applied schemas, given as names with spaces between, and attributes given as USDA."""
    named = ", ".join(f'"{schema}"' for schema in schemas.split())
    applied = f" (prepend apiSchemas = [{named}])" if named else ""
    lines = "".join(f"    {name} = {value}\n" for name, value in attributes.items())
    return f'def {kind} "{name}"{applied}\n{{\n{lines}{children}}}\n'


def stage(*prims: str, scene: Mapping[str, str] | None = None) -> str:
    """A stage in metres and kilograms with one scene."""
    head = '#usda 1.0\n(\n    metersPerUnit = 1\n    kilogramsPerUnit = 1\n    upAxis = "Z"\n)\n'
    gravity = {"vector3f physics:gravityDirection": "(0, 0, -1)", "float physics:gravityMagnitude": str(GRAVITY)}
    return head + prim("PhysicsScene", "scene", "PhysxSceneAPI", {**gravity, **(scene or {})}) + "".join(prims)


def _counted(schema: str, counts: Counts | None) -> dict[str, str]:
    names = (f"int {schema}:solverPositionIterationCount", f"int {schema}:solverVelocityIterationCount")
    return {} if counts is None else dict(zip(names, map(str, counts), strict=True))


def _place(x: float) -> dict[str, str]:
    return {"double3 xformOp:translate": f"({x}, 0, 0)", "uniform token[] xformOpOrder": '["xformOp:translate"]'}


def free(name: str, counts: Counts | None = None, x: float = 50.0, more: Mapping[str, str] | None = None) -> str:
    """A free body; 16 and 1 iterations where none are authored."""
    return prim("Xform", name, "PhysicsRigidBodyAPI PhysicsMassAPI PhysxRigidBodyAPI", {
        "float physics:mass": "1", "float3 physics:diagonalInertia": "(1, 1, 1)", **_place(x),
        **_counted("physxRigidBody", counts), **(more or {})})


def slider(name: str, counts: Counts | None = None, x: float = 0.0, of_links: Mapping[str, str] | None = None,
           of_joint: Mapping[str, str] | None = None, joint_schemas: str = "",
           more: Mapping[str, str] | None = None) -> str:
    """An articulation of a base fixed to the world and a tip on a slider along z; 32 and 1 where none are authored."""
    links = "".join(prim("Xform", link, "PhysicsRigidBodyAPI PhysicsMassAPI PhysxRigidBodyAPI", {
        "float physics:mass": "1", "float3 physics:diagonalInertia": "(1, 1, 1)", **(of_links or {})})
        for link in ("base", "tip"))
    anchor = prim("PhysicsFixedJoint", "anchor", "", {"rel physics:body1": f"</{name}/base>"})
    slide = prim("PhysicsPrismaticJoint", "slide", joint_schemas, {
        "rel physics:body0": f"</{name}/base>", "rel physics:body1": f"</{name}/tip>",
        "uniform token physics:axis": '"Z"', **(of_joint or {})})
    return prim("Xform", name, "PhysicsArticulationRootAPI PhysxArticulationAPI", {
        **_place(x), **_counted("physxArticulation", counts), **(more or {})}, links + anchor + slide)


def fallen(position_iterations: int) -> float:
    """Where what falls freely is after its first step."""
    n = position_iterations
    return -GRAVITY * DT * DT * (n + 1) / (2 * n)


# --- free bodies -----------------------------------------------------------------------------------------------------

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


# --- lone islands ----------------------------------------------------------------------------------------------------


def lone_island(description: Description, solver: str = "physx") -> PackedIsland:
    """The island that all joints outside articulations make together, which never sleeps."""
    model = scene_model(description, [body for body in description.bodies if not body.kinematic])
    [island] = islands_of(description, model, solver)
    actors = tuple(replace(actor, sleeping=False) for actor in island.topology.actors)
    return replace(island, topology=replace(island.topology, actors=actors))


def lone_worlds(island: PackedIsland, settings: SolverSettings, dt: float, dtype: str,
                state: Mapping[str, ArrayLike]) -> IslandWorlds:
    """One world of an island, at its authored state but for `state`."""
    t, given = island.topology, {**island.parameters, **island.state, **state}
    worlds, time = IslandWorlds(t, 1, dtype), settings.rows(dt)
    for name, size in (island_output_rows(t) | island_input_rows(t)).items():
        value = time.get(name.partition("_")[2], given.get(name, np.zeros(size)))
        worlds.write(name, np.reshape(value, (1, size)))
    return worlds
