"""Blocks of worlds with slots, as scalar code reads and writes them."""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

Array = NDArray[Any]


class SlotBlocks(NamedTuple):
    """Some blocks of worlds."""

    memory: Array           # their rows, flat
    lanes: int
    size: int               # rows of each
    held: Array             # (blocks, slots, lanes) which pair is in a slot, -1 for none
