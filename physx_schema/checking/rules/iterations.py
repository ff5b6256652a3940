"""Iteration counts that PhysX changes: raised by another object, or bounded by the scene."""

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
_WHY = "PhysX solves all awake objects of a batch with the largest iteration count in this batch, at any distance"
_BODY_API = "PhysxRigidBodyAPI"


def _scene(**bounds: int) -> str:
    return usda.prim("PhysicsScene", "scene", {
        f"uint physxScene:{name}": str(value) for name, value in bounds.items()}, "PhysxSceneAPI")


def _body_with_count(count: int) -> str:
    return usda.body({"int physxRigidBody:solverPositionIterationCount": str(count)}, _BODY_API)


RAISED = Rule("iterations/raised", "warning", """
    Iteration counts raised by another object

    PhysX solves up to 128 bodies or 16 articulations together in one batch, at any distance from each other. All
    objects of a batch use the largest iteration counts of any object in this batch. By default a body has 16 position
    iterations, an articulation has 32, and both have 1 velocity iteration.

    Measured: An articulation with 1 position iteration falls by 0.001 in one step. Together with a free body with 16
    position iterations, the articulation falls by 0.00053125.
    (`experiments/measure_iterations.py`)
    """,
    why=_WHY,
)

RAISED_DEFAULT = Rule("iterations/raised-default", "info", """
    Default iteration counts raised by another object

    An articulation without authored counts has 32 position and 1 velocity iterations. PhysX uses more iterations if
    another object in the same batch has more iterations. With more iterations the robot moves differently.

    Measured: An articulation without authored counts gets 60 position and 3 velocity iterations if a free body in its
    batch has these counts.
    (`experiments/measure_iterations.py`)
    """,
    why=_WHY,
    example=_body_with_count(48),
    remedy=_body_with_count(32),
)


@finder("raised-iterations", RAISED, RAISED_DEFAULT)
def raised(description: Description) -> Iterator[Finding]:
    """Find articulations, and bodies with authored counts, that another object gives more iterations."""
    authored, batches = _authored(description), SolverBatches(description)
    for item in _objects(description):
        counts = batches.counts(item)
        for base, old, effective, path in ((_POSITION, counts.requested[0], counts.position, counts.position_from),
                                           (_VELOCITY, counts.requested[1], counts.velocity, counts.velocity_from)):
            is_set = (item.path, base) in authored
            if effective != old and (is_set or isinstance(item, Articulation)):
                yield (RAISED if is_set else RAISED_DEFAULT).at(
                    item.path, _property(item, base),
                    f"the {'authored' if is_set else 'default'} {_KINDS[base]} iteration count {old} becomes "
                    f"{effective} because of {path}",
                    fix=f"author the same count on {path}, or assign one of the two objects to a separate PhysicsScene",
                    severity="" if isinstance(item, Articulation) else "info",
                )


OUT_OF_BOUNDS = Rule("iterations/out-of-bounds", "warning", """
    Iteration count outside the scene's bounds

    The authored iteration count is above the scene's maximum or below the scene's minimum. PhysX uses the scene's bound
    instead of the authored count.

    Measured: A scene allows at most 8 position and 2 velocity iterations. An articulation with 60 position and 3
    velocity iterations gets 8 and 2. (`experiments/measure_iterations.py`)
    """,
    why="PhysX limits every iteration count to the bounds of the scene",
    example=_body_with_count(32) + _scene(maxPositionIterationCount=16),
    remedy=_body_with_count(16) + _scene(maxPositionIterationCount=16),
)


@finder("bounded-iterations", OUT_OF_BOUNDS)
def out_of_bounds(description: Description) -> Iterator[Finding]:
    """Find authored counts that the scene's bounds change."""
    authored = _authored(description)
    for item in _objects(description):
        scene = description.scene_of(item)
        for base, requested in ((base, authored[item.path, base]) for base in _KINDS if (item.path, base) in authored):
            bounded = _bounded(scene, base, requested)
            if bounded != requested:
                bound = base.replace("solver", "max" if bounded < requested else "min")
                yield OUT_OF_BOUNDS.at(
                    item.path, _property(item, base),
                    f"the authored iteration count {requested} becomes {bounded} because of physxScene:{bound} of "
                    f"{scene.path}",
                    fix=f"author {bounded}, or change {bound}",
                )


BOUNDS_CROSSED = Rule("iterations/bounds-crossed", "warning", """
    Minimum iteration count above the maximum

    The scene's minimum iteration count is above its maximum. PhysX lowers the minimum to the maximum, and all objects
    use this maximum count.

    Measured: With a minimum of 9 and a maximum of 3, an articulation with 1 position iteration gets 3 position
    iterations.
    (`experiments/measure_iterations.py`)
    """,
    example=_scene(minPositionIterationCount=9, maxPositionIterationCount=3),
    remedy=_scene(minPositionIterationCount=3, maxPositionIterationCount=9),
)


@finder("crossed-iteration-bounds", BOUNDS_CROSSED)
def crossed_bounds(description: Description) -> Iterator[Finding]:
    """Find scenes with a minimum count above the maximum."""
    for scene in description.scenes:
        for base, (lower, upper) in ((_POSITION, scene.iterations.position), (_VELOCITY, scene.iterations.velocity)):
            low, high = (base.replace("solver", word) for word in ("min", "max"))
            if lower > upper:
                yield BOUNDS_CROSSED.at(
                    scene.path, f"physxScene:{low}", f"{low} {lower} is above {high} {upper}",
                    why=f"PhysX uses {upper} {_KINDS[base]} iterations for all actors",
                    fix=f"author a {low} of at most {upper}",
                )


def _objects(description: Description) -> Iterator[SolverActor]:
    """The actors that PhysX solves."""
    yield from (item for item in description.articulations if item.enabled)
    yield from (body for body in description.bodies if not body.kinematic)


def _property(item: SolverActor, base: str) -> str:
    return f"{'physxArticulation' if isinstance(item, Articulation) else 'physxRigidBody'}:{base}"


def _bounded(scene: Scene, base: str, requested: int) -> int:
    """The count after the scene's bounds. Other rules report counts outside the range of the attribute."""
    lower, upper = attribute_range("PhysxArticulationAPI", base)
    if not lower <= requested <= upper:
        return requested
    count = scene.iterations.position_count if base == _POSITION else scene.iterations.velocity_count
    return count(requested)


def _authored(description: Description) -> Mapping[tuple[str, str], int]:
    """Prim and base name of every authored count that PhysX reads, and the count."""
    return {(item.path, item.base): item.value for item in description.authored
            if item.base in _KINDS and item.schema and isinstance(item.value, int)}
