"""What becomes of a session's runs where the stage is read again: which go on where they are, and who is made anew."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from physx_runtime.packing.actor import pack_actor
from physx_runtime.packing.island import PackedIsland
from physx_runtime.packing.model import PackedModel
from physx_runtime.packing.not_simulated import alone, holding_joints
from physx_runtime.packing.scene import PackedScene
from physx_runtime.session.messages import Message, Messages
from physx_runtime.session.run import Run
from physx_runtime.simulation.alike import require_held
from physx_runtime.simulation.lanes import Lanes
from physx_schema.description.model import ActorDescription, Description, Scene
from physx_schema.errors import UnsupportedError

Fitting = Mapping[str, tuple[Run, PackedModel]]


def fitting_runs(description: Description, packed: PackedScene, runs: Iterable[Run]) -> Fitting:
    """The runs of actors of the same structure that no joint holds, and their models with new values, by name."""
    held = _held(packed)
    old = {run.model.link_names[0]: run for run in runs if not run.held}
    found: dict[str, tuple[Run, PackedModel]] = {}
    for name, actor in packed.model.actors.items():
        run = old.get(actor.links[0].path)
        if run is not None and name not in held and not _holding(description, actor):
            model = _refitted(run, actor, description.scene_of(actor))
            if model is not None:
                found[name] = run, model
    return found


def kept_runs(description: Description, packed: PackedScene, fitting: Fitting) -> dict[str, Run]:
    """The runs that go on where they are, with new values: all or none of those that share a buffer."""
    sharing: dict[Lanes, list[str]] = {}
    for name, (run, _) in fitting.items():
        sharing.setdefault(run.simulation.alike.lanes, []).append(name)
    kept: dict[str, Run] = {}
    for lanes, names in sharing.items():
        if [fitting[name][0].simulation.place for name in names] == list(range(len(lanes.settings))):
            for name in names:
                (run, model), actor = fitting[name], packed.model.actors[name]
                run.repack(actor, description.scene_of(actor), model)
                kept[name] = run
    return kept


def held_islands(found: tuple[Sequence[PackedIsland], Mapping[str, tuple[str, ...]]], dtype: str,
                 ) -> tuple[tuple[PackedIsland, ...], dict[str, tuple[str, ...]]]:
    """Islands, and whom nothing steps with why, after what the step does not hold in this precision."""
    islands, refused = [], dict(found[1])
    for island in found[0]:
        try:
            for model in island.actors.values():
                require_held(model, dtype)
            islands.append(island)
        except ValueError as error:
            refused |= dict.fromkeys(island.actors, (str(error),))
    return tuple(islands), refused


def packed_singles(description: Description, packed: PackedScene, kept: Collection[str], settings: Mapping[str, Any],
                   messages: Messages) -> dict[str, PackedModel]:
    """The actors that no joint holds and that do not go on where they are; says whom nothing steps."""
    held = _held(packed)
    found: dict[str, PackedModel] = {}
    for name, actor in packed.model.actors.items():
        if name in held or name in kept:
            continue
        if holding := _holding(description, actor):
            messages.say(Message("not-simulated", "warning", "session/held", actor.path, "",
                                 f"not simulated: {holding} holds it outside articulations; it stays there"))
            continue
        try:
            model = pack_actor(actor, description.scene_of(actor), settings["solver"])
            require_held(model, settings["dtype"])
            found[name] = model
        except (UnsupportedError, ValueError) as error:
            messages.unsupported(str(error).splitlines(), actor.path)
    return found


def _held(packed: PackedScene) -> set[str]:
    return {name for island in packed.islands for name in island.actors}


def _holding(description: Description, actor: ActorDescription) -> str:
    """The joints outside articulations that hold an actor."""
    return ", ".join(item.path for item in holding_joints(alone(description, actor)))


def _refitted(run: Run, actor: ActorDescription, scene: Scene) -> PackedModel | None:
    try:
        return run.refitted(actor, scene)
    except (UnsupportedError, ValueError):      # which is said where it is made anew
        return None
