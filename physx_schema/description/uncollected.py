"""Work without the garbage collector."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

INTERPRETERS_OWN = 1000     # objects at most that Python itself froze at its start: 375 in 3.12, none in others
GROWTH = 1.25       # of what is allocated, behind which everything is gone through, as the collector has it by itself


class _Collection:
    """The last time that all of memory was gone through, by what was allocated then."""

    blocks = 0


@contextmanager
def uncollected() -> Iterator[None]:
    """No garbage collection meanwhile: it would go through everything read so far again and again, and find nothing.

    The collector is as before afterwards, whatever is raised; one use may hold another. What was made meanwhile then
    counts as old, so that the next collection of young objects does not go through all of it. The collector does not
    count it towards the next of old ones, which therefore comes from here.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            if gc.get_freeze_count() < INTERPRETERS_OWN:       # what a program froze stays so
                gc.freeze()
                gc.unfreeze()       # into the oldest generation
            _collect_where_grown()
            gc.enable()


def _collect_where_grown() -> None:
    """Go through all of memory where a quarter has been added since; the first use only takes note."""
    before, now = _Collection.blocks, sys.getallocatedblocks()
    if now > GROWTH * before:
        if before:
            gc.collect()
        _Collection.blocks = sys.getallocatedblocks()
