"""Work without the garbage collector."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """No garbage collection meanwhile: it would go through everything read so far again and again, and find nothing.

    The collector is as before afterwards, whatever is raised; one use may hold another. What was made meanwhile then
    counts as old, so that the next collection of young objects does not go through all of it.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            if not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()       # into the oldest generation
            gc.enable()
