"""Random numbers of worlds by their number: those of a world do not depend on which worlds are drawn with it."""

from __future__ import annotations

import hashlib

import numpy as np

from physx_runtime.arrays import Array

_PER_COUNT = 4          # numbers that Philox gives for a value of its counter


def uniform(seed: int, name: str, worlds: range, size: int) -> Array:
    """Uniform numbers in [0, 1) for worlds, (n_world, size), from the stream of a name.

    Source: NumPy's Philox generator (Salmon et al. 2011), with a fixed part of the counter for each world.
    """
    counts = -(-size // _PER_COUNT)
    stream = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "little")
    key = np.array([seed % 2**64, stream], np.uint64)
    counter = np.array([worlds.start * counts, 0, 0, 0], np.uint64)
    generator = np.random.Generator(np.random.Philox(key=key, counter=counter))
    return np.asarray(generator.random((len(worlds), _PER_COUNT * counts))[:, :size])
