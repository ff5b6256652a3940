"""Iteration counts that come to others in PhysX: raised by another object, or bounded by the scene."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from physx_schema.checking.finding import Finding
from physx_schema.checking.rule import Rule
from physx_schema.definitions import ends
from physx_schema.description import Articulation, Description, Link, Scene
from physx_schema.description.articulation.solver_batches import SolverBatches

_POSITION, _VELOCITY = "solverPositionIterationCount", "solverVelocityIterationCount"
_KINDS = {_POSITION: "position", _VELOCITY: "velocity"}
Solved = Articulation | Link


def raised(description: Description) -> Iterator[Finding]:
    """Articulations, and bodies with counts of their own, that another object makes take more iterations."""
    authored, batches = _authored(description), SolverBatches(description)
    for item in _objects(description):
        counts = batches.counts(item)
        for base, own, solved, source in ((_POSITION, counts.own[0], counts.position, counts.position_from),
                                          (_VELOCITY, counts.own[1], counts.velocity, counts.velocity_from)):
            said = (item.path, base) in authored
            if solved != own and (said or isinstance(item, Articulation)):
                yield Finding(
                    "iterations/raised" if said else "iterations/raised-default",
                    "warning" if said and isinstance(item, Articulation) else "info", item.path,
                    _property(item, base), f"{own} {'is authored' if said else 'by default'}, and {source} makes it "
                    f"{solved} {_KINDS[base]} iterations",
                    "PhysX solves everything awake in a batch under the largest count in it, however far apart",
                    f"author the same count on {source}, or let a PhysicsScene of its own step one of the two",
                )


def out_of_bounds(description: Description) -> Iterator[Finding]:
    """Authored counts that the scene's bounds change."""
    authored = _authored(description)
    for item in _objects(description):
        scene = description.scene_of(item)
        for base, wanted in ((base, authored[item.path, base]) for base in _KINDS if (item.path, base) in authored):
            given = _bounded(scene, base, wanted)
            if given != wanted:
                bound = base.replace("solver", "max" if given < wanted else "min")
                yield Finding(
                    "iterations/out-of-bounds", "warning", item.path, _property(item, base),
                    f"{wanted} is authored, and physxScene:{bound} of {scene.path} makes it {given}",
                    "PhysX takes no count beyond the bounds of the scene", f"author {given}, or another {bound}",
                )


def crossed_bounds(description: Description) -> Iterator[Finding]:
    """Scenes whose least count is above the most."""
    for scene in description.scenes:
        for base, (least, most) in ((_POSITION, scene.iterations.position), (_VELOCITY, scene.iterations.velocity)):
            low, high = (base.replace("solver", word) for word in ("min", "max"))
            if least > most:
                yield Finding(
                    "iterations/bounds-crossed", "warning", scene.path, f"physxScene:{low}",
                    f"{least}, above {high}, {most}",
                    f"PhysX lowers it: everything takes {most} {_KINDS[base]} iterations",
                    f"author {low} at or below {high}",
                )


def _objects(description: Description) -> Iterator[Solved]:
    """What PhysX solves."""
    yield from (item for item in description.articulations if item.enabled)
    yield from (body for body in description.bodies if not body.kinematic)


def _property(item: Solved, base: str) -> str:
    return f"{'physxArticulation' if isinstance(item, Articulation) else 'physxRigidBody'}:{base}"


def _bounded(scene: Scene, base: str, wanted: int) -> int:
    """What an authored count comes to; one that no scene would take is a value out of range, which others report."""
    least, most = ends("PhysxArticulationAPI", base)
    if not least <= wanted <= most:
        return wanted
    count = scene.iterations.position_count if base == _POSITION else scene.iterations.velocity_count
    return count(wanted)


def _authored(description: Description) -> Mapping[tuple[str, str], int]:
    """Prim and base name of every authored count that PhysX reads, and the count."""
    return {(item.path, item.base): item.value for item in description.authored
            if item.base in _KINDS and item.schema and isinstance(item.value, int)}


RULES = (
    Rule("raised-iterations", raised, ("iterations/raised", "iterations/raised-default")),
    Rule("bounded-iterations", out_of_bounds, ("iterations/out-of-bounds",)),
    Rule("crossed-iteration-bounds", crossed_bounds, ("iterations/bounds-crossed",)),
)
