"""The parts of a scene: actors that no joint holds, islands, and the buffers that those of one structure share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from physx_runtime.model.island_rows import ACTOR_GROUP
from physx_runtime.model.topology import ActorTopology
from physx_runtime.packing.island import PackedIsland
from physx_runtime.packing.scene import PackedScene
from physx_runtime.simulation.alike import as_stepped
from physx_runtime.simulation.alike_in_scene import AlikeInScene
from physx_runtime.simulation.island import AlikeIslands
from physx_runtime.simulation.lanes import Lanes
from physx_runtime.simulation.scene_actor import SceneActor
from physx_runtime.solver.settings import solver_settings


@dataclass(frozen=True, slots=True)
class Assembly:
    """What a scene steps."""

    actors: Mapping[str, SceneActor]        # by name, in the order of the scene
    islands: Sequence[AlikeIslands]
    lanes: Sequence[Lanes]
    solver: str


def assembled(packed: PackedScene, worlds: int, solver: str, sleeping: bool, **settings: Any) -> Assembly:
    """Actors and islands in many worlds; settings as of `Lanes`."""
    found: dict[str, SceneActor] = {}
    together: list[AlikeIslands] = []
    lanes: list[Lanes] = []
    alike: dict[tuple[ActorTopology, bool], list[str]] = {}
    for name, model in packed.single.items():
        alike.setdefault((model.topology, model.scene.sleeping), []).append(name)
    for names in alike.values():
        models = [as_stepped(packed.single[name], sleeping and solver != "ideal") for name in names]
        lanes.append(Lanes(models[0].topology, [solver_settings(solver, model) for model in models], worlds,
                           **settings))
        group = AlikeInScene(models, lanes[-1], solver, sleeping)
        found |= {name: SceneActor(group, place) for place, name in enumerate(names)}
    for islands in _structures(packed.islands):
        lanes.append(_lanes_of(islands, worlds, solver, sleeping, **settings))
        together.append(AlikeIslands(islands, lanes[-1]))
        found |= _members(together[-1], lanes[-1], solver, sleeping)
    return Assembly({name: found[name] for name in packed.model.actors if name in found}, together, lanes, solver)


def _structures(islands: Sequence[PackedIsland]) -> Iterable[list[PackedIsland]]:
    """Islands of one structure together, each with contacts by itself."""
    found: dict[object, list[PackedIsland]] = {}
    for number, island in enumerate(islands):
        found.setdefault(island.topology if island.contacts is None else number, []).append(island)
    return found.values()


def _lanes_of(islands: Sequence[PackedIsland], worlds: int, solver: str, sleeping: bool, **settings: Any) -> Lanes:
    """Lanes for islands of one structure."""
    first, sleeps = islands[0].topology, sleeping and solver != "ideal"
    topology = replace(first, actors=tuple(replace(actor, sleeping=actor.sleeping and sleeps)
                                           for actor in first.actors))
    solved = [solver_settings(solver, next(iter(island.actors.values()))) for island in islands]
    colliders = islands[0].contacts
    return Lanes(topology, solved, worlds, contacts=colliders.of_worlds(worlds) if colliders else None, **settings)


def _members(alike: AlikeIslands, lanes: Lanes, solver: str, sleeping: bool) -> dict[str, SceneActor]:
    """The actors of islands of one structure, by name."""
    found, islands = dict[str, SceneActor](), alike.islands
    for i in range(len(islands[0].actors)):
        names = [tuple(island.actors)[i] for island in islands]
        models = [as_stepped(island.actors[name], sleeping and solver != "ideal")
                  for island, name in zip(islands, names, strict=True)]
        group = AlikeInScene(models, lanes, solver, sleeping, f"{ACTOR_GROUP}{i}_", (alike, i))
        found |= {name: SceneActor(group, place) for place, name in enumerate(names)}
    return found
