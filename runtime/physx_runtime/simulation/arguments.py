"""Arguments that several doors take, each refused in the same words."""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any


def required_time(dt: float) -> float:
    """A time step [s]. Raises ValueError for one that is not positive and finite."""
    if not (dt > 0.0 and math.isfinite(dt)):
        raise ValueError(f"dt is {dt}; give a positive, finite time in seconds")
    return dt


def required_count(name: str, count: Any, least: int) -> int:
    """A whole number. Raises ValueError for another, naming the argument."""
    if not isinstance(count, Integral) or count < least:
        raise ValueError(f"{name} is {count!r}; give a whole number of at least {least}")
    return int(count)


def required_index(name: str, index: Any, count: int) -> int:
    """One of so many. Raises ValueError for another, naming the argument."""
    if not isinstance(index, Integral) or int(index) not in range(count):
        raise ValueError(f"{name} is {index!r}; give a whole number from 0 to {count - 1}")
    return int(index)
