"""`EpisodeParameters` draws parameters of a scene anew for each episode of a world (domain randomization)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from physx_runtime.arrays import Array, Indices
from physx_runtime.envs.world_random import WorldRandom
from physx_runtime.simulation.scene import Scene
from physx_runtime.simulation.scene_actor import SceneActor
from physx_runtime.simulation.variation import Spread, require_spreads, spread_elements


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A parameter of one actor that episodes draw."""

    actor: SceneActor
    name: str
    spread: Spread
    elements: list[int]
    authored: Array         # (*shape)


class EpisodeParameters:
    """The parameters that episodes draw. Raises ValueError for names or paths that no actor has."""

    def __init__(self, scene: Scene, spreads: Mapping[str, Spread]) -> None:
        actors = [scene[name] for name in scene.actors]
        require_spreads(actors, spreads)
        self._drawn = [_Drawn(actor, name, spread, spread_elements(actor.parameters[name], spread),
                              actor.parameter(name)[0].astype(np.float64))
                       for name, spread in spreads.items() for actor in actors if name in actor.parameters]

    def draw(self, worlds: Indices, random: WorldRandom) -> None:
        """Draw and set the parameters in worlds with these indices."""
        for item in self._drawn:
            factors = random.uniform(item.spread.low, item.spread.high, len(item.elements))
            factors = factors.reshape(*factors.shape, *(1,) * (item.authored.ndim - 1))
            values = np.repeat(item.authored[None], len(worlds), axis=0)
            values[:, item.elements] = (values[:, item.elements] * factors if item.spread.relative
                                        else np.broadcast_to(factors, values[:, item.elements].shape))
            item.actor.set_parameter(item.name, values, worlds)
