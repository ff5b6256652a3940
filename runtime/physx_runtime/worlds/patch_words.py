"""The instructions of all patches of a world at once, in the interpreter's words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.compiling.scalar_code import scalar_entry
from physx_runtime.worlds.patch_structures import OF_PATCH, OF_SIDE0, OF_SIDE1, Structures

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class PatchRows:
    """Patches of a world: their structures, their first rows, and what they touch."""

    structures: Array       # numbers
    base: Array
    owners: tuple[Array, Array]     # of both sides, as of `Structures.owner`


@dataclass(slots=True)
class Around:
    """Words before and behind the instructions of some patches, by patch."""

    before: dict[int, Array] = field(default_factory=dict)
    behind: dict[int, Array] = field(default_factory=dict)


def words_of_patches(known: Structures, kind: str, patches: PatchRows, places: Array, others: Mapping[int, Array],
                     around: Around, row_bytes: int) -> tuple[Array, Array]:
    """Words of patches and of other instructions in their order, and where in them each begins.

    places: by patch, its number in the order, -1 to leave it out. others: words by number.
    """
    written, chosen = known.instructions(kind), places >= 0
    count = int(chosen.sum()) + len(others)
    widths, heads = np.zeros(count + 1, np.int64), np.zeros(count + 1, np.int64)
    widths[places[chosen]] = written.widths[patches.structures[chosen]]
    for place, words in others.items():
        widths[place] = len(words)
    for patch, words in around.before.items():
        widths[places[patch]] += len(words)
        heads[places[patch]] = len(words)
    for patch, words in around.behind.items():
        widths[places[patch]] += len(words)
    starts = np.cumsum(widths) - widths
    out = np.zeros(starts[-1], np.int64)
    _fill(out, np.where(chosen, (starts + heads)[places], -1), patches.structures, patches.base, *patches.owners,
          written.addresses, written.starts, written.whose, written.rows, known.side_rows, row_bytes)
    pieces = [(starts[place], words) for place, words in others.items()]
    pieces += [(starts[places[patch]], words) for patch, words in around.before.items()]
    pieces += [(starts[places[patch] + 1] - len(words), words) for patch, words in around.behind.items()]
    for start, words in pieces:
        out[start:start + len(words)] = words
    return out, starts


@scalar_entry
def _fill(out: Any, first: Any, structures: Any, base: Any, owner0: Any, owner1: Any, addresses: Any, starts: Any,
          whose: Any, rows: Any, side_rows: Any, row_bytes: Any) -> None:
    """Write instructions of patches; first: where in `out` that of each begins, -1 of none."""
    for i in range(len(first)):
        at, structure = first[i], structures[i]
        if at < 0:
            continue
        out[at] = addresses[structure]
        for k in range(starts[structure], starts[structure + 1]):
            at, row = at + 1, rows[k]
            if whose[k] == OF_PATCH:
                row += base[i]
            elif whose[k] == OF_SIDE0:
                row = side_rows[row + owner0[i]]
            elif whose[k] == OF_SIDE1:
                row = side_rows[row + owner1[i]]
            out[at] = row * row_bytes
