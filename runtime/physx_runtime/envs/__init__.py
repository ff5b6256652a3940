"""Environments to train in: `VectorEnv` is a `gymnasium.vector.VectorEnv` over the worlds of a `Scene`."""

from __future__ import annotations

from importlib.util import find_spec

from physx_schema.errors import UnsupportedError

if find_spec("gymnasium") is None:
    raise UnsupportedError("physx_runtime.envs needs gymnasium, which is not installed; run: "
                           "pip install 'physx-schema[train]'")

from physx_runtime.envs.episode_film import EpisodeFilm
from physx_runtime.envs.vector_env import VectorEnv
from physx_runtime.envs.world_random import WorldRandom

__all__ = ["EpisodeFilm", "VectorEnv", "WorldRandom"]
