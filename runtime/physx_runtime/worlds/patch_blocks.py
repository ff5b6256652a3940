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
    lanes: tuple[Array, Array]      # by patch, its first row and its block
    owners: tuple[Array, Array]     # by patch, of both sides, as of `Structures.owner`
    nobody: int                     # first of the rows that empty lanes touch
    size: int                       # rows of all that and of the program before it


def make_blocks(known: Structures, numbers: Array, turns: Array, owners: tuple[Array, Array], size: int) -> PatchBlocks:
    """Blocks in the order of the turns of their patches, -1 of those that have none and come last, one by one.

    numbers: of the patches' structures; those of one turn hold nothing in common. size: rows of the program.
    """
    side = int(known.lanes.max(initial=1))
    nobody = -(-size // side) * side                # vectors begin where registers like them to
    count = len(numbers)
    members, structures, base, first, which = np.empty((5, count), np.int64)
    starts = np.empty(count + 1, np.int64)
    made, end = _divide(turns, numbers, known.lanes, known.sizes, side, nobody + NOBODY_ROWS, members, starts,
                        structures, base, first, which)
    return PatchBlocks(structures[:made], members, starts[:made + 1], base[:made], (first, which), owners, nobody, end)


@scalar_entry
def _divide(turns: Any, numbers: Any, lanes: Any, sizes: Any, side: Any, row: Any, members: Any, starts: Any,
            structures: Any, base: Any, first: Any, which: Any) -> Any:
    """Fill in the fields of blocks whose rows begin at `row`; how many there are, and where their rows end."""
    kinds, last = len(lanes), 0
    for i in range(len(turns)):
        last = max(last, turns[i] + 1)
    # one bin for every turn and structure, then one for each patch without a turn
    bins = np.zeros(last * kinds + len(turns) + 1, np.int64)
    bin_of, alone = np.empty(len(turns), np.int64), last * kinds
    for i in range(len(turns)):
        bin_of[i] = turns[i] * kinds + numbers[i] if turns[i] >= 0 else alone
        alone += turns[i] < 0
        bins[bin_of[i]] += 1
    at = 0
    for k in range(len(bins)):
        count, bins[k] = bins[k], at
        at += count
    for i in range(len(turns)):
        members[bins[bin_of[i]]] = i
        bins[bin_of[i]] += 1
    made = 0
    for k in range(len(members)):
        i, block = members[k], made - 1
        number = numbers[i]
        if made == 0 or bin_of[members[k - 1]] != bin_of[i] or k - starts[block] == lanes[number]:
            block, made = made, made + 1
            starts[block], structures[block], base[block] = k, number, row
            row += -(-sizes[number] * lanes[number] // side) * side
        first[i], which[i] = base[block] + k - starts[block], block
    starts[made] = len(members)
    return made, row
