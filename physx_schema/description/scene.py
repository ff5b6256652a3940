"""The physics scene: gravity and solver settings, PhysX's defaults filled in."""

from __future__ import annotations

import math

from pxr import UsdGeom

from physx_schema.description.model import Scene, Vec3
from physx_schema.description.opinions import PrimOpinions
from physx_schema.description.reading import Reading
from physx_schema.description.units import default_gravity

_DOWN: dict[str, Vec3] = {"X": (-1.0, 0.0, 0.0), "Y": (0.0, -1.0, 0.0), "Z": (0.0, 0.0, -1.0)}
_UNAUTHORED_MAGNITUDE = -0.5e38


def read_scene(reading: Reading) -> Scene:
    """The stage's first PhysicsScene, or PhysX's default scene."""
    up_axis = str(UsdGeom.GetStageUpAxis(reading.stage))
    scenes = list(reading.having("PhysicsScene"))
    for extra in scenes[1:]:
        reading.problem(
            "scene/several", extra.path, "", f"second PhysicsScene; the first is {scenes[0].path}",
            "this library reads the first scene of a stage", "keep one PhysicsScene", "warning",
        )
    if not scenes:
        gravity = _gravity(_DOWN[up_axis], default_gravity(reading.meters_per_unit))
        return Scene("", gravity, reading.meters_per_unit, reading.kilograms_per_unit, up_axis, "TGS", True)
    return _scene(reading, scenes[0], up_axis)


def _scene(reading: Reading, opinions: PrimOpinions, up_axis: str) -> Scene:
    view = opinions.view("PhysicsScene")
    physx = opinions.view("PhysxSceneAPI")
    magnitude = view.number("gravityMagnitude")
    if magnitude < _UNAUTHORED_MAGNITUDE:
        magnitude = default_gravity(reading.meters_per_unit)
    direction = view.vector("gravityDirection")
    length = math.sqrt(sum(component * component for component in direction))
    if length > 0.0:
        direction = (direction[0] / length, direction[1] / length, direction[2] / length)
    else:
        direction = _DOWN[up_axis]
    return Scene(
        opinions.path, _gravity(direction, magnitude), reading.meters_per_unit, reading.kilograms_per_unit, up_axis,
        physx.token("solverType"), physx.flag("enableExternalForcesEveryIteration"),
    )


def _gravity(direction: Vec3, magnitude: float) -> Vec3:
    return direction[0] * magnitude, direction[1] * magnitude, direction[2] * magnitude


def iteration_bounds(reading: Reading) -> tuple[int, int, int, int]:
    """The scene's bounds on iterations: position least and most, velocity least and most."""
    scene = next(reading.having("PhysicsScene"), None)
    if scene is None:
        return 1, 255, 0, 255
    view = scene.view("PhysxSceneAPI")
    return (
        view.count("minPositionIterationCount"), view.count("maxPositionIterationCount"),
        view.count("minVelocityIterationCount"), view.count("maxVelocityIterationCount"),
    )
