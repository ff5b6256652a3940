"""The one island of a stage in worlds of its own, without a scene around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from physx_runtime.model.island_rows import island_input_rows, island_output_rows
from physx_runtime.packing.island import PackedIsland, islands_of
from physx_runtime.packing.scene import scene_model
from physx_runtime.solver.settings import SolverSettings
from physx_runtime.worlds.cpu import IslandWorlds

from physx_schema.description import Description


def lone_island(description: Description, solver: str = "physx") -> PackedIsland:
    """The island that all joints outside articulations make together, which never sleeps."""
    model = scene_model(description, [body for body in description.bodies if not body.kinematic])
    [island] = islands_of(description, model, solver)
    actors = tuple(replace(actor, sleeping=False) for actor in island.topology.actors)
    return replace(island, topology=replace(island.topology, actors=actors))


def lone_worlds(island: PackedIsland, settings: SolverSettings, dt: float, dtype: str,
                state: Mapping[str, ArrayLike]) -> IslandWorlds:
    """One world of an island, at its authored state but for `state`."""
    t, given = island.topology, {**island.parameters, **island.state, **state}
    worlds, time = IslandWorlds(t, 1, dtype), settings.rows(dt)
    for name, size in (island_output_rows(t) | island_input_rows(t)).items():
        value = time.get(name.partition("_")[2], given.get(name, np.zeros(size)))
        worlds.write(name, np.reshape(value, (1, size)))
    return worlds
