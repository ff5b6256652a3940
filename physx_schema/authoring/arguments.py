"""Numbers and vectors as callers give them: Python's, NumPy's or Gf's."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from typing import TypeGuard

from physx_schema.description.poses import Vec3


def is_finite(value: object) -> TypeGuard[float]:
    """Whether a value is a number, and neither infinite nor NaN."""
    return isinstance(value, numbers.Real) and math.isfinite(value)


def not_finite(where: str, value: object) -> list[str]:
    """The line for what is not a finite number."""
    return [] if is_finite(value) else [f"{where}: {value!r} is not a finite number; give one"]


def as_vector(value: object) -> Vec3 | None:
    """Three finite numbers as floats, None for anything else."""
    items = list(value) if isinstance(value, Iterable) else []
    if len(items) != 3 or not all(map(is_finite, items)):
        return None
    return float(items[0]), float(items[1]), float(items[2])


def not_vector(where: str, value: object) -> list[str]:
    """The line for what is not three finite numbers."""
    return [] if as_vector(value) else [f"{where}: {value!r} is not three finite numbers; give (x, y, z)"]


def given(**values: object) -> dict[str, object]:
    """The values that are not None: what is left out keeps its default and is not written."""
    return {name: value for name, value in values.items() if value is not None}
