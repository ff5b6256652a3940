"""Description -> all that moves on a stage, as the actors of one scene."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from physx_runtime.model.scene import SceneModel, named
from physx_runtime.packing.actor import pack_actor
from physx_runtime.packing.body import free_body
from physx_runtime.packing.choice import held_body, nothing_moves, require_taken
from physx_runtime.packing.model import PackedModel
from physx_runtime.packing.not_simulated import alone, untrusted
from physx_schema.description.model import ActorDescription, Description, Link
from physx_schema.errors import UnsupportedError


def scene_model(description: Description, bodies: Iterable[Link]) -> SceneModel:
    """All articulations of a stage and these bodies outside them, stepped together."""
    actors = named([*description.articulations, *map(free_body, bodies)])
    kinematic = tuple(body for body in description.bodies if body.kinematic)
    return SceneModel(actors, kinematic, description.joints)


def everything(description: Description, solver: str) -> tuple[SceneModel, dict[str, PackedModel]]:
    """All that moves on a stage, nothing left out, and what is stepped of it, by the actors' names.

    Raises UnsupportedError where nothing moves, PhysX refuses the whole stage, or an actor cannot be stepped; a line
    for each reason, and at the end one that says which actors can be stepped by themselves.
    """
    require_taken(description)
    bodies = [body for body in description.bodies if not body.kinematic]
    model = scene_model(description, bodies if bodies or description.articulations else description.bodies)
    if not model.actors:
        raise UnsupportedError(nothing_moves(description))
    packed: dict[str, PackedModel] = {}
    refused = {name: tuple(_refusals(description, name, actor, solver, packed))
               for name, actor in model.actors.items()}
    lines = dict.fromkeys(line for found in refused.values() for line in found)
    if lines:
        raise UnsupportedError("\n".join((*lines, *_advice(description, refused))))
    return model, packed


def _refusals(description: Description, name: str, actor: ActorDescription, solver: str,
              packed: dict[str, PackedModel]) -> Iterator[str]:
    """Why one actor is not stepped, a line each; otherwise it is `packed`."""
    root = actor.links[0]
    if root.body is not None and (held := held_body(description, root.path)):
        yield held
        return
    yield from untrusted(description, alone(description, actor))
    try:
        packed[name] = pack_actor(actor, description.scene_of(actor), solver)
    except UnsupportedError as error:
        yield from str(error).splitlines()


def _advice(description: Description, refused: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Whom to step instead of the whole stage."""
    others = [name for name, found in refused.items() if not found]
    return [f"{description.source}: not everything on the stage is stepped; articulation picks one by itself: "
            f"{', '.join(others)}"] if others else []
