"""Iteration counts of the solver."""

from __future__ import annotations

from physx_schema.checking.catalogue.snippets import body, prim
from physx_schema.checking.rule import Code

MEASURED = "(`benchmarks/measure_iterations.py`)"
LOOSE = "PhysxRigidBodyAPI"


def _scene(**bounds: int) -> str:
    return prim("PhysicsScene", "scene", {
        f"uint physxScene:{name}": str(value) for name, value in bounds.items()}, "PhysxSceneAPI")


def _counted(count: int) -> str:
    return body({"int physxRigidBody:solverPositionIterationCount": str(count)}, LOOSE)


CODES = (
    Code(
        "iterations/raised", "warning", "Iteration counts raised by another object",
        "PhysX solves up to 128 bodies or 16 articulations in one batch, wherever they are, and all of it under the "
        "largest position and the largest velocity count among them. Free bodies have 16 and 1 unless others are "
        "authored, articulations 32 and 1. Kinematic bodies and what is asleep do not count, nor do objects of another "
        "PhysicsScene. A body is named where its own count is authored, as an info.",
        measured="A slider authored 1/0 moves -0.001 in its first step alone, -0.00053125 beside a free body of 16/1 "
                 f"and -0.000515625 beside a robot of 32/4, 5 m and 100 m away. {MEASURED}",
    ),
    Code(
        "iterations/raised-default", "info", "Default iteration counts raised by another object",
        "An articulation without authored counts has 32 and 1, and PhysX solves it under more where another object "
        "asks for more: its motion is not that of the same robot alone.",
        measured=f"A slider without counts takes 60 and 3 iterations beside a free body of 60/3. {MEASURED}",
        example=_counted(48), remedy=_counted(32),
    ),
    Code(
        "iterations/out-of-bounds", "warning", "Iteration count beyond the scene's bounds",
        "An authored count is above the scene's maximum or below its minimum, and PhysX takes the bound.",
        measured="A slider of 60/3 in a scene with maxima of 8 and 2 takes 8 and 2 iterations, one of 1/0 with minima "
                 f"of 8 and 2 as well. {MEASURED}",
        example=_counted(32) + _scene(maxPositionIterationCount=16),
        remedy=_counted(16) + _scene(maxPositionIterationCount=16),
    ),
    Code(
        "iterations/bounds-crossed", "warning", "Least iteration count above the most",
        "The scene's minimum is above its maximum: PhysX lowers it, and every count becomes the maximum.",
        measured=f"With a minimum of 9 and a maximum of 3 a slider of 1/0 takes 3 position iterations. {MEASURED}",
        example=_scene(minPositionIterationCount=9, maxPositionIterationCount=3),
        remedy=_scene(minPositionIterationCount=3, maxPositionIterationCount=9),
    ),
)
