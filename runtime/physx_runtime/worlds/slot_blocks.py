"""A block of worlds with slots, as scalar code reads and writes it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.vectors import Pose
from physx_runtime.compiling.scalar_code import borrowing_code

Array = NDArray[Any]


class SlotBlock(NamedTuple):
    """One block."""

    rows: Array             # (rows, lanes)
    memory: Array           # the same, flat
    lanes: int
    held: Array             # (slots, lanes) which pair is in a slot, -1 for none


@borrowing_code
def pose_of_link(block: SlotBlock, lane: int, link: Any) -> Pose:
    """The mass frame of a link, a record of its rows, in float32."""
    memory, lanes = block.memory, block.lanes
    p = lane + link["pose"] * lanes
    q = p + 3 * lanes
    return ((np.float32(memory[p]), np.float32(memory[p + lanes]), np.float32(memory[p + 2 * lanes])),
            (np.float32(memory[q]), np.float32(memory[q + lanes]), np.float32(memory[q + 2 * lanes]),
             np.float32(memory[q + 3 * lanes])))


@borrowing_code
def copy_numbers(source: Array, first: int, target: Array, place: int, count: int) -> None:
    """Copy rows of a block from `first` on to `place`."""
    lanes = source.shape[1]
    # parts indexed from 0: of others the compiler cannot tell that no index is negative, and copies number by number
    numbers, copies = source.reshape(source.size)[first * lanes:], target.reshape(target.size)[place * lanes:]
    for i in range(count * lanes):
        copies[i] = numbers[i]


class PairPatches(NamedTuple):
    """The one patch of each pair of all worlds, and what it is made of."""

    patches: Array          # PATCH
    order: Array            # of contacts, as they lie
    centers: Array          # frames of places, those of links to be filled in
    surfaces: Array         # (n, 11)
    surface_of: Array       # which of these each pair has
    threshold: float        # as of `collision.patches.Patches`
    correlation: float
