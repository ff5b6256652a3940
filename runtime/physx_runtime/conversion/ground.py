"""A ground below a robot, and the scene that steps both."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from pxr import Gf, Usd, UsdGeom, UsdPhysics

from physx_runtime.arrays import DoubleArray
from physx_runtime.conversion.support_function import support
from physx_schema.description.frames import start_poses_by_body
from physx_schema.description.model import Description

_NEWTON_SCENE, _PHYSX_SCENE = "NewtonSceneAPI", "PhysxSceneAPI"
GROUND, SCENE = "/Ground", "/PhysicsScene"
PRECISION = 1000.0      # the height is rounded down to a part of a metre: no collider starts in the ground


def repair_scene(stage: Usd.Stage) -> Iterator[str]:
    """Define a scene with gravity where there is none, and have PhysX read one for Newton; what was done, in words."""
    scenes = [prim for prim in stage.Traverse() if prim.IsA(UsdPhysics.Scene)]
    if not scenes:
        UsdPhysics.Scene.Define(stage, SCENE)
        yield f"{SCENE} is added"
    for prim in scenes:
        listed = prim.GetMetadata("apiSchemas")
        applied = listed.GetAppliedItems() if listed else []
        if _NEWTON_SCENE in applied and _PHYSX_SCENE not in applied:
            prim.AddAppliedSchema(_PHYSX_SCENE)
            yield f"{prim.GetPath()} has {_PHYSX_SCENE}: without it PhysX ignores a scene with {_NEWTON_SCENE}"


def add_ground(stage: Usd.Stage, description: Description, up: DoubleArray) -> Iterator[str]:
    """Define a plane below the lowest collider, unless the file has one; what was done, in words.

    up: unit vector against gravity, (3,).
    """
    plane = next((item for item in description.static_colliders if item.kind == "plane"), None)
    if plane is not None:
        yield f"{plane.path} is in the file; none is added"
        return
    links = [link for item in description.articulations for link in item.links] + list(description.bodies)
    lowest = -support(links, start_poses_by_body(description), -up)
    if not math.isfinite(lowest):
        yield "no body has a lowest point; none is added"
        return
    height = math.floor(lowest * description.scene.meters_per_unit * PRECISION) / PRECISION
    ground = UsdGeom.Plane.Define(stage, GROUND)
    axis = "XYZ"[int(np.argmax(np.abs(up)))]
    ground.CreateAxisAttr(axis)
    ground.CreatePurposeAttr(UsdGeom.Tokens.guide)
    position = up * height / description.scene.meters_per_unit
    ground.AddTranslateOp().Set(Gf.Vec3d(*map(float, position)))
    UsdPhysics.CollisionAPI.Apply(ground.GetPrim())
    yield f"{GROUND}, a plane at {axis} = {height:.4g} m, below the lowest collider"
