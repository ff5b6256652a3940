"""Patches of a world in blocks: those that are solved side by side, because they hold nothing in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.compiling.scalar_code import scalar_entry
from physx_runtime.worlds.patch_structures import Structures

Array = NDArray[Any]
NOBODY_ROWS = 32        # of what the empty lanes of a block touch


@dataclass(frozen=True, slots=True)
class PatchBlocks:
    """Blocks of patches of one structure, each with as many lanes as the structure has, filled from the first on."""

    structures: Array               # numbers, by block
    members: Array                  # patches, block after block
    starts: Array                   # where in `members` those of each block begin; one more, their end
    base: Array                     # first row of each block
    owners: tuple[Array, Array]     # by patch, of both sides, as of `Structures.owner`
    nobody: int                     # first of the rows that empty lanes touch
    size: int                       # rows of all that and of the program before it

    @property
    def lanes(self) -> tuple[Array, Array]:
        """By patch, its first row and its block."""
        blocks = np.repeat(np.arange(len(self.base)), np.diff(self.starts))
        first, which = np.empty(len(self.members), np.int64), np.empty(len(self.members), np.int64)
        first[self.members] = self.base[blocks] + np.arange(len(self.members)) - self.starts[blocks]
        which[self.members] = blocks
        return first, which


def make_blocks(known: Structures, numbers: Array, turns: Array, owners: tuple[Array, Array], size: int) -> PatchBlocks:
    """Blocks in the order of the turns of their patches, -1 of those that have none and come last, one by one.

    numbers: of the patches' structures; those of one turn hold nothing in common. size: rows of the program.
    """
    count, kinds = len(numbers), len(known.lanes)
    turn = np.where(turns < 0, turns.max(initial=-1) + 1 + np.cumsum(turns < 0), turns)
    bins = np.zeros((turn.max(initial=-1) + 1) * kinds + 1, np.int64)
    members, starts, structures = np.empty(count, np.int64), np.empty(count + 1, np.int64), np.empty(count, np.int64)
    made = _divide(turn, numbers, known.lanes, bins, members, starts, structures)
    structures = structures[:made]
    side = int(known.lanes.max(initial=1))
    first = -(-size // side) * side                 # vectors begin where registers like them to
    rows = -(-known.sizes * known.lanes // side)[structures] * side
    base = first + NOBODY_ROWS + np.cumsum(rows) - rows
    return PatchBlocks(structures, members, starts[:made + 1], base, owners, first,
                       first + NOBODY_ROWS + int(rows.sum()))


@scalar_entry
def _divide(turn: Any, numbers: Any, lanes: Any, bins: Any, members: Any, starts: Any, structures: Any) -> int:
    """Fill in the members of blocks, where each begins and its structure; how many there are.

    bins: zeros, one for every turn and structure and one more.
    """
    kinds = len(lanes)
    for i in range(len(turn)):
        bins[turn[i] * kinds + numbers[i] + 1] += 1
    made = at = 0
    for k in range(len(bins) - 1):
        count, width = bins[k + 1], lanes[k % kinds] if kinds else 1
        bins[k] = at
        while count > 0:
            starts[made], structures[made] = at, k % kinds
            made, at, count = made + 1, at + min(count, width), count - width
    starts[made] = at
    for i in range(len(turn)):
        k = turn[i] * kinds + numbers[i]
        members[bins[k]] = i
        bins[k] += 1
    return made
