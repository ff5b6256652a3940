"""From where bodies are to where their shapes touch."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from physx_runtime.collision.pairs import PairTable

Array = NDArray[Any]


def supported(kind0: int, kind1: int) -> bool:
    """Whether contacts are made between shapes of two kinds, in either order."""
    raise NotImplementedError("narrow phase")


def generate(table: PairTable, poses: Array) -> Array:
    """Contacts of a step, of dtype CONTACT, and in `table` the pairs as they are now.

    poses: (bodies, 7) float32 in the world, position and quaternion x y z w, of the frames that shapes are placed in.
    Contacts of a pair are neighbours, in the order of its manifold; pairs follow `table.touching`.
    """
    raise NotImplementedError("narrow phase")
