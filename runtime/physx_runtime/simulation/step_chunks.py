"""Many steps as calls of a fraction of a second each, between which Python hears of Ctrl-C."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

CALL_TIME = 0.1         # s that a call should take; its own cost is some microseconds
FIRST = 16              # steps, before anything is known of their time
GROWTH = 8              # times the steps of one call that the next may have


class StepChunks:
    """How many steps to take in a call, by the time of those before; `size` at most."""

    def __init__(self) -> None:
        self.size = FIRST

    def of(self, count: int) -> Iterator[int]:
        """Parts of a count of steps, each to be taken before the next is asked for."""
        while count > 0:
            part = min(count, self.size)
            begun = perf_counter()
            yield part
            taken = perf_counter() - begun
            if part == self.size or taken > CALL_TIME:
                self.size = max(1, int(part * min(GROWTH, CALL_TIME / max(taken, 1e-9))))
            count -= part
