"""`WorldRandom` draws random numbers for the worlds that start an episode, from a separate stream for each world."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from physx_runtime.arrays import Array, Indices

Size = int | Sequence[int]


class WorldRandom:
    """Random numbers for some worlds, one line for each world.

    The numbers of a world depend only on the seed, the index of the world and the number of its episode. They do not
    depend on the number of worlds. Source: NumPy's Philox generator (Salmon et al. 2011), keyed by seed and world.
    """

    def __init__(self, seed: int, worlds: Indices, episodes: Indices) -> None:
        self._streams = [
            np.random.Generator(np.random.Philox(key=np.array([seed, world], np.uint64),
                                                 counter=np.array([0, 0, 0, episode], np.uint64)))
            for world, episode in zip(worlds.tolist(), episodes.tolist(), strict=True)]

    def __len__(self) -> int:
        return len(self._streams)

    def __repr__(self) -> str:
        return f"WorldRandom(worlds={len(self)})"

    def uniform(self, low: ArrayLike = 0.0, high: ArrayLike = 1.0, size: Size = ()) -> Array:
        """Return uniform numbers between `low` and `high`, (n_world, *size)."""
        return np.asarray(self._drawn(lambda stream: stream.random(size), size) * np.subtract(high, low) + low)

    def normal(self, mean: ArrayLike = 0.0, deviation: ArrayLike = 1.0, size: Size = ()) -> Array:
        """Return normally distributed numbers, (n_world, *size)."""
        return np.asarray(self._drawn(lambda stream: stream.standard_normal(size), size) * np.asarray(deviation) + mean)

    def _drawn(self, draw: Callable[[np.random.Generator], object], size: Size) -> Array:
        shape = (size,) if isinstance(size, int) else tuple(size)
        return np.array([draw(stream) for stream in self._streams], np.float64).reshape(len(self), *shape)
