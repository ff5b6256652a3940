"""The instructions of all patches of a world at once, in the interpreter's words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.compiling.scalar_code import borrowing_entry
from physx_runtime.worlds.patch_blocks import PatchBlocks
from physx_runtime.worlds.patch_structures import OF_SIDE1, OF_WORLD, Instructions, Structures

Array = NDArray[Any]


@dataclass(slots=True)
class Around:
    """Words before and behind the instructions of some blocks of patches, by block."""

    before: dict[int, Array] = field(default_factory=dict)
    behind: dict[int, Array] = field(default_factory=dict)


def words_of_patches(known: Structures, kind: str, blocks: PatchBlocks, places: Array, others: Mapping[int, Array],
                     around: Around, row_bytes: int) -> tuple[Array, Array]:
    """Words of blocks of patches and of other instructions in their order, and where in them each begins.

    places: by block, its number in the order, -1 to leave it out. others: words by number.
    """
    written, chosen = known.instructions(kind), places >= 0
    count = int(chosen.sum()) + len(others)
    widths, heads = np.zeros(count + 1, np.int64), np.zeros(count + 1, np.int64)
    widths[places[chosen]] = written.widths[blocks.structures[chosen]]
    for place, words in others.items():
        widths[place] = len(words)
    for block, words in around.before.items():
        widths[places[block]] += len(words)
        heads[places[block]] = len(words)
    for block, words in around.behind.items():
        widths[places[block]] += len(words)
    starts = np.cumsum(widths) - widths
    out = np.zeros(starts[-1], np.int64)
    _write(out, np.where(chosen, (starts + heads)[places], -1), known, written, blocks, row_bytes)
    pieces = [(starts[place], words) for place, words in others.items()]
    pieces += [(starts[places[block]], words) for block, words in around.before.items()]
    pieces += [(starts[places[block] + 1] - len(words), words) for block, words in around.behind.items()]
    for start, words in pieces:
        out[start:start + len(words)] = words
    return out, starts


def words_between(known: Structures, kind: str, blocks: PatchBlocks, row_bytes: int, head: Array,
                  tail: Array) -> Array:
    """Words of all blocks of patches in their order, between others."""
    written, first = known.instructions(kind), np.empty(len(blocks.base), np.int64)
    end = _follow(written.widths, blocks.structures, len(head), first)
    out = np.empty(end + len(tail), np.int64)
    out[:len(head)], out[end:] = head, tail
    _write(out, first, known, written, blocks, row_bytes)
    return out


@borrowing_entry
def _follow(widths: Any, structures: Any, at: Any, first: Any) -> Any:
    """Fill in where instructions of blocks begin that follow each other from `at` on; where they end."""
    for block in range(len(first)):
        first[block] = at
        at += widths[structures[block]]
    return at


def _write(out: Array, first: Array, known: Structures, written: Instructions, blocks: PatchBlocks,
           row_bytes: int) -> None:
    _fill_words(out, first, blocks.structures, blocks.base, blocks.starts, blocks.members, *blocks.owners,
                blocks.nobody, written.addresses, written.starts, written.whose, written.rows, known.lanes,
                known.side_rows, row_bytes)


@borrowing_entry
def _fill_words(out: Any, first: Any, structures: Any, base: Any, members_from: Any, members: Any, owner0: Any,
                owner1: Any, nobody: Any, addresses: Any, starts: Any, whose: Any, rows: Any, lanes: Any,
                side_rows: Any, row_bytes: Any) -> None:
    """Write instructions of blocks; first: where in `out` that of each begins, -1 of none."""
    for block in range(len(first)):
        at, structure = first[block], structures[block]
        if at < 0:
            continue
        out[at], out[at + 1] = addresses[structure], base[block] * row_bytes
        at += 2
        own = members[members_from[block]:members_from[block + 1]]
        for k in range(starts[structure], starts[structure + 1]):
            if whose[k] == OF_WORLD:
                out[at] = rows[k] * row_bytes
                at += 1
                continue
            owner = owner1 if whose[k] == OF_SIDE1 else owner0
            for lane in range(len(own)):
                out[at + lane] = side_rows[rows[k] + owner[own[lane]]] * row_bytes
            for lane in range(len(own), lanes[structure]):
                out[at + lane] = nobody * row_bytes
            at += lanes[structure]
