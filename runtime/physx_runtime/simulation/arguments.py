"""Checks of arguments that several entry points share: time step, counts, indices and memory. Each raises ValueError
with a message of one line.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np

from physx_runtime.packing.island import PackedIsland
from physx_runtime.packing.model import PackedModel

MAX_STEPS = 1 << 53        # whole numbers up to this are exact in float64, which holds times
MIN_RECORD_SIZE = 400          # bytes of the Python objects of a record of nothing


def required_time(dt: float) -> float:
    """A time step [s]. Raises ValueError for one that is not a positive, finite number."""
    if not isinstance(dt, Real) or not (dt > 0.0 and math.isfinite(dt)):
        raise ValueError(f"dt is {dt!r}; give a positive, finite time in seconds")
    return float(dt)


def require_room(worlds: int, models: Iterable[PackedModel | PackedIsland], dtype: str) -> None:
    """Raise ValueError for more worlds than the machine's memory holds, before memory is allocated."""
    numbers = sum(np.size(values) for model in models for values in (*model.parameters.values(), *model.state.values()))
    size = numbers * (8 if dtype == "float64" else 4)
    memory = _memory()
    if worlds * size > memory:
        raise ValueError(f"worlds is {worlds}; the data of these worlds needs {worlds * size // 10**9} GB, and this "
                         f"machine has {memory / 1e9:.3g} GB; give fewer than {memory // size}")


def require_recordable(steps: int, every: int, size: int) -> None:
    """Raise ValueError for too many steps to count, or for more records of `size` bytes than memory holds."""
    limit = min(_memory() // max(size, MIN_RECORD_SIZE) * every, MAX_STEPS)
    if steps > limit:
        raise ValueError(f"steps is {steps} and every is {every}; this machine has {_memory() / 1e9:.3g} GB for the "
                         f"records; give at most {limit} steps{'' if limit == MAX_STEPS else ', or a larger every'}")


def _memory() -> int:
    """Bytes of this machine's memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def required_count(name: str, count: Any, minimum: int) -> int:
    """A whole number. Raises ValueError for another, naming the argument."""
    if not isinstance(count, Integral) or count < minimum:
        raise ValueError(f"{name} is {count!r}; give a whole number of at least {minimum}")
    return int(count)


def required_index(name: str, index: Any, count: int) -> int:
    """An index below `count`. Raises ValueError for another, naming the argument."""
    if not isinstance(index, Integral) or int(index) not in range(count):
        raise ValueError(f"{name} is {index!r}; give a whole number from 0 to {count - 1}")
    return int(index)
