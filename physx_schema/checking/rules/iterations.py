"""Iteration counts that come to others in PhysX: raised by another object, or bounded by the scene."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.rule import Rule, finder
from physx_schema.definitions import attribute_range
from physx_schema.description import Articulation, Description, Link, Scene
from physx_schema.description.scenes import SolverBatches

_POSITION, _VELOCITY = "solverPositionIterationCount", "solverVelocityIterationCount"
_KINDS = {_POSITION: "position", _VELOCITY: "velocity"}
SolverActor = Articulation | Link
_WHY = "PhysX solves everything awake in a batch under the largest count in it, however far apart"
_BODY_API = "PhysxRigidBodyAPI"


def _scene(**bounds: int) -> str:
    return usda.prim("PhysicsScene", "scene", {
        f"uint physxScene:{name}": str(value) for name, value in bounds.items()}, "PhysxSceneAPI")


def _body_with_count(count: int) -> str:
    return usda.body({"int physxRigidBody:solverPositionIterationCount": str(count)}, _BODY_API)


RAISED = Rule("iterations/raised", "warning", """
    Iteration counts raised by another object

    PhysX solves up to 128 bodies or 16 articulations in one batch, wherever they are, and all of it under the largest
    position and the largest velocity count among them. Free bodies have 16 and 1 unless others are authored,
    articulations 32 and 1. Kinematic bodies and what is asleep do not count, nor do objects of another PhysicsScene. A
    body is named where its own count is authored, as an info.

    Measured: A slider authored 1/0 moves -0.001 in its first step alone, -0.00053125 beside a free body of 16/1 and
    -0.000515625 beside a robot of 32/4, 5 m and 100 m away. (`experiments/measure_iterations.py`)
    """,
    why=_WHY,
)

RAISED_DEFAULT = Rule("iterations/raised-default", "info", """
    Default iteration counts raised by another object

    An articulation without authored counts has 32 and 1, and PhysX solves it under more where another object asks for
    more: its motion is not that of the same robot alone.

    Measured: A slider without counts takes 60 and 3 iterations beside a free body of 60/3.
    (`experiments/measure_iterations.py`)
    """,
    why=_WHY,
    example=_body_with_count(48),
    remedy=_body_with_count(32),
)


@finder("raised-iterations", RAISED, RAISED_DEFAULT)
def raised(description: Description) -> Iterator[Finding]:
    """Articulations, and bodies with counts of their own, that another object makes take more iterations."""
    authored, batches = _authored(description), SolverBatches(description)
    for item in _objects(description):
        counts = batches.counts(item)
        for base, old, effective, path in ((_POSITION, counts.requested[0], counts.position, counts.position_from),
                                           (_VELOCITY, counts.requested[1], counts.velocity, counts.velocity_from)):
            is_set = (item.path, base) in authored
            if effective != old and (is_set or isinstance(item, Articulation)):
                yield (RAISED if is_set else RAISED_DEFAULT).at(
                    item.path, _property(item, base), f"{old} {'is authored' if is_set else 'by default'}, and {path} "
                    f"makes it {effective} {_KINDS[base]} iterations",
                    fix=f"author the same count on {path}, or let a PhysicsScene of its own step one of the two",
                    severity="" if isinstance(item, Articulation) else "info",
                )


OUT_OF_BOUNDS = Rule("iterations/out-of-bounds", "warning", """
    Iteration count beyond the scene's bounds

    An authored count is above the scene's maximum or below its minimum, and PhysX takes the bound.

    Measured: A slider of 60/3 in a scene with maxima of 8 and 2 takes 8 and 2 iterations, one of 1/0 with minima of 8
    and 2 as well. (`experiments/measure_iterations.py`)
    """,
    why="PhysX takes no count beyond the bounds of the scene",
    example=_body_with_count(32) + _scene(maxPositionIterationCount=16),
    remedy=_body_with_count(16) + _scene(maxPositionIterationCount=16),
)


@finder("bounded-iterations", OUT_OF_BOUNDS)
def out_of_bounds(description: Description) -> Iterator[Finding]:
    """Authored counts that the scene's bounds change."""
    authored = _authored(description)
    for item in _objects(description):
        scene = description.scene_of(item)
        for base, requested in ((base, authored[item.path, base]) for base in _KINDS if (item.path, base) in authored):
            bounded = _bounded(scene, base, requested)
            if bounded != requested:
                bound = base.replace("solver", "max" if bounded < requested else "min")
                yield OUT_OF_BOUNDS.at(
                    item.path, _property(item, base),
                    f"{requested} is authored, and physxScene:{bound} of {scene.path} makes it {bounded}",
                    fix=f"author {bounded}, or another {bound}",
                )


BOUNDS_CROSSED = Rule("iterations/bounds-crossed", "warning", """
    Least iteration count above the most

    The scene's minimum is above its maximum: PhysX lowers it, and every count becomes the maximum.

    Measured: With a minimum of 9 and a maximum of 3 a slider of 1/0 takes 3 position iterations.
    (`experiments/measure_iterations.py`)
    """,
    example=_scene(minPositionIterationCount=9, maxPositionIterationCount=3),
    remedy=_scene(minPositionIterationCount=3, maxPositionIterationCount=9),
)


@finder("crossed-iteration-bounds", BOUNDS_CROSSED)
def crossed_bounds(description: Description) -> Iterator[Finding]:
    """Scenes whose least count is above the most."""
    for scene in description.scenes:
        for base, (lower, upper) in ((_POSITION, scene.iterations.position), (_VELOCITY, scene.iterations.velocity)):
            low, high = (base.replace("solver", word) for word in ("min", "max"))
            if lower > upper:
                yield BOUNDS_CROSSED.at(
                    scene.path, f"physxScene:{low}", f"{lower}, above {high}, {upper}",
                    why=f"PhysX lowers it: everything takes {upper} {_KINDS[base]} iterations",
                    fix=f"author {low} at or below {high}",
                )


def _objects(description: Description) -> Iterator[SolverActor]:
    """What PhysX solves."""
    yield from (item for item in description.articulations if item.enabled)
    yield from (body for body in description.bodies if not body.kinematic)


def _property(item: SolverActor, base: str) -> str:
    return f"{'physxArticulation' if isinstance(item, Articulation) else 'physxRigidBody'}:{base}"


def _bounded(scene: Scene, base: str, requested: int) -> int:
    """What an authored count comes to; one that no scene would take is a value out of range, which others report."""
    lower, upper = attribute_range("PhysxArticulationAPI", base)
    if not lower <= requested <= upper:
        return requested
    count = scene.iterations.position_count if base == _POSITION else scene.iterations.velocity_count
    return count(requested)


def _authored(description: Description) -> Mapping[tuple[str, str], int]:
    """Prim and base name of every authored count that PhysX reads, and the count."""
    return {(item.path, item.base): item.value for item in description.authored
            if item.base in _KINDS and item.schema and isinstance(item.value, int)}
