"""`pack_scene` packs everything that moves on a stage as the actors and islands of one scene, contacts included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from physx_runtime.model.scene import SceneModel, actors_by_name
from physx_runtime.packing.body import free_body, pack_actor
from physx_runtime.packing.contacts import Touching
from physx_runtime.packing.island import PackedIsland, islands_of
from physx_runtime.packing.model import PackedModel
from physx_runtime.packing.not_simulated import endless_gravity, nothing_moves, require_accepted, single_actor_model
from physx_schema.description.model import ActorDescription, Description, Link
from physx_schema.errors import UnsupportedError


def scene_model(description: Description, bodies: Iterable[Link]) -> SceneModel:
    """All articulations of a stage and these bodies outside them, stepped together.

    A switched-off articulation is its bodies where they are among these.
    """
    free_bodies = tuple(bodies)
    separate = {body.path for body in free_bodies}
    articulations = (item for item in description.articulations if item.links[0].path not in separate)
    actors = actors_by_name([*articulations, *map(free_body, free_bodies)])
    kinematic = tuple(body for body in description.separate_bodies if body.kinematic)
    return SceneModel(actors, kinematic, description.separate_joints)


@dataclass(frozen=True, slots=True)
class PackedScene:
    """All actors and islands of a stage, ready to step."""

    model: SceneModel
    single: Mapping[str, PackedModel]       # actors that no joint holds, by name
    islands: tuple[PackedIsland, ...]
    touching: Touching | None = None        # the contacts that are stepped, None for none


def pack_scene(description: Description, solver: str, contacts: bool = True) -> PackedScene:
    """Pack all that moves on a stage; contacts only where `contacts` is true.

    Raises UnsupportedError where nothing moves, PhysX refuses the whole stage, or an actor or a joint cannot be
    stepped; a line for each reason, and at the end one that says which actors can be stepped by themselves.
    """
    require_accepted(description)
    bodies = [body for body in description.separate_bodies if not body.kinematic]
    model = scene_model(description, bodies if bodies or description.articulations else description.bodies)
    if not model.actors:
        raise UnsupportedError(nothing_moves(description))
    touching = Touching(description, model) if contacts else None
    packed: dict[str, PackedModel] = {}
    refused = {name: tuple(_refusals(description, name, actor, solver, packed))
               for name, actor in model.actors.items()}
    lines = dict.fromkeys(line for reasons in refused.values() for line in reasons)
    islands: tuple[PackedIsland, ...] = ()
    try:
        islands = islands_of(description, model, solver, touching) if not lines else ()
    except UnsupportedError as error:
        lines = dict.fromkeys(str(error).splitlines())
        constrained = {end.path for joint in model.joints for end in model.ends(joint) if end is not None}
        refused = {name: reasons or tuple(lines) * (actor.path in constrained)
                   for (name, reasons), actor in zip(refused.items(), model.actors.values(), strict=True)}
    if lines:
        raise UnsupportedError("\n".join((*lines, *_advice(description, refused))))
    constrained = {name for island in islands for name in island.actors}
    return PackedScene(model, {name: actor_model for name, actor_model in packed.items() if name not in constrained},
                       islands, touching)


def _refusals(description: Description, name: str, actor: ActorDescription, solver: str,
              packed: dict[str, PackedModel]) -> Iterator[str]:
    """Reasons why one actor is not stepped, a line each; without reasons it is added to `packed`."""
    yield from endless_gravity(description, single_actor_model(description, actor))
    try:
        packed[name] = pack_actor(actor, description.scene_of(actor), solver)
    except UnsupportedError as error:
        yield from str(error).splitlines()


def _advice(description: Description, refused: Mapping[str, tuple[str, ...]]) -> list[str]:
    """The actors to step instead of the whole stage."""
    steppable = [name for name, reasons in refused.items() if not reasons]
    return [f"{description.source}: the whole stage cannot be stepped; set articulation to one of "
            f"{', '.join(steppable)}"] if steppable else []
