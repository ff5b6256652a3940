"""A block of worlds with slots, as scalar code reads and writes it."""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

Array = NDArray[Any]


class SlotBlock(NamedTuple):
    """One block."""

    memory: Array           # its rows, flat
    lanes: int
    held: Array             # (slots, lanes) which pair is in a slot, -1 for none
