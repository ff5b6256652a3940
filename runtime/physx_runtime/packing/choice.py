"""Which articulation or free body of a stage is to be simulated."""

from __future__ import annotations

from collections.abc import Mapping

from physx_runtime.model.scene import named
from physx_runtime.packing.body import free_body
from physx_schema.description.model import ActorDescription, Description, Link
from physx_schema.errors import UnsupportedError

# What to do where a joint outside articulations counts.
STEPPED_TOGETHER = "a Scene, or simulate without articulation, steps it with all that it holds"


def stage_refusal(description: Description) -> str:
    """Why PhysX refuses the whole stage, in one line; empty where it takes it."""
    found = [problem for problem in description.problems if problem.code == "stage/units"]
    if not found:
        return ""
    units = " and ".join(problem.message for problem in found)
    return f"{description.source}: {units}; PhysX refuses the whole stage, {found[0].fix}"


def require_taken(description: Description) -> None:
    """Raise UnsupportedError where PhysX refuses the whole stage."""
    why = stage_refusal(description)
    if why:
        raise UnsupportedError(why)


def nothing_moves(description: Description) -> str:
    """What to do about a stage on which nothing moves."""
    return f"{description.source}: no articulation to step; apply PhysicsArticulationRootAPI to the robot's root"


def held_body(description: Description, body: str) -> str:
    """That joints hold a body outside articulations, and what to do; empty where none does."""
    holding = [joint.path for joint in description.joints if body in (joint.body0, joint.body1)]
    return (f"{body}: {', '.join(holding)} holds it outside articulations, which no run of one actor steps; "
            f"{STEPPED_TOGETHER}") if holding else ""


def choose(description: Description, path: str | None) -> ActorDescription:
    """The articulation at a path, the only one where None; raises UnsupportedError where there is no such one.

    A body outside articulations may be named too. Without a path it counts where there is no articulation, and
    where it is the only one that moves by itself. Articulations that share a root prim go by their root links. None is
    chosen of a stage that PhysX refuses.
    """
    require_taken(description)
    found = named(description.articulations)
    bodies = {body.path: body for body in description.bodies}
    if path in bodies or (path is None and not found and bodies):
        return _chosen_body(description, bodies, path)
    if path is not None and path not in found:
        listed = ", ".join((*found, *(body.path for body in description.loose_bodies))) or "none"
        raise UnsupportedError(f"{description.source}: no articulation or free body at {path}; found {listed}")
    if not found:
        raise UnsupportedError(nothing_moves(description))
    if path is None and len(found) > 1:
        raise UnsupportedError(f"{description.source}: {len(found)} articulations; name one as articulation: "
                               f"{', '.join(found)}")
    return found[path] if path else next(iter(found.values()))


def _chosen_body(description: Description, bodies: Mapping[str, Link], path: str | None) -> ActorDescription:
    """The body at a path, the only one where None, unless joints hold it."""
    free = [body.path for body in description.loose_bodies] or list(bodies)
    if path is None and len(free) > 1:
        raise UnsupportedError(f"{description.source}: no articulation and {len(free)} bodies; name one as "
                               f"articulation: {', '.join(free)}")
    body = bodies[path or free[0]]
    if held := held_body(description, body.path):
        raise UnsupportedError(held)
    return free_body(body)
