"""Values as callers give them, checked before anything is changed; every refusal is one line."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float32]

LARGEST = float(np.finfo(np.float32).max)       # what PhysX takes for no bound


def number(what: str, value: Any, low: float = -math.inf, high: float = math.inf, open_low: bool = False) -> float:
    """A number within [low, high], without low itself where `open_low`; raises ValueError for any other."""
    try:
        found = float(np.asarray(value, dtype=np.float64).reshape(()))
    except (TypeError, ValueError):
        raise ValueError(f"{what} is {value!r}; give one number") from None
    if math.isnan(found) or not low <= found <= high or (open_low and found == low):
        raise ValueError(f"{what} is {found:g}; give a number {_allowed(low, high, open_low)}")
    return found


def _allowed(low: float, high: float, open_low: bool) -> str:
    if math.isinf(low) and math.isinf(high):
        return "that is not NaN"
    if math.isinf(high):
        return f"above {low:g}" if open_low else f"of at least {low:g}"
    return f"from {low:g} to {high:g}{', without the first' if open_low else ''}"


def count(what: str, value: Any, low: int, high: int) -> int:
    """A whole number from low to high; raises ValueError for any other."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not low <= value <= high:
        raise ValueError(f"{what} is {value!r}; give a whole number from {low} to {high}")
    return int(value)


def vector(what: str, value: ArrayLike, size: int = 3, worlds: int = 1) -> Array:
    """Finite numbers (size,), with several worlds also (worlds, size); raises ValueError for anything else."""
    found = _array(what, value)
    shapes = [(size,), *([(worlds, size)] if worlds > 1 else [])]
    if found.shape not in shapes:
        raise ValueError(f"{what} has shape {found.shape}; give {' or '.join(map(str, shapes))}")
    if not np.isfinite(found).all():
        raise ValueError(f"{what} is {found.tolist()}; give finite numbers")
    return found.astype(np.float32)


def with_part(held: Array, part: slice, value: Array) -> Array:
    """Numbers (n,) or (n_world, n) with a part of them as given; of several worlds where either is."""
    shape = (*np.broadcast_shapes(value.shape[:-1], held.shape[:-1]), held.shape[-1])
    found = np.broadcast_to(held, shape).copy()
    found[..., part] = value
    return found


def positive_vector(what: str, value: ArrayLike, size: int = 3) -> Array:
    """Finite numbers above 0, (size,); raises ValueError for anything else."""
    found = vector(what, value, size)
    if not (found > 0).all():
        raise ValueError(f"{what} is {found.tolist()}; give {size} numbers above 0")
    return found


def matrix(what: str, value: ArrayLike, columns: int) -> NDArray[np.float64]:
    """Finite numbers (n, columns); raises ValueError for anything else."""
    found = _array(what, value)
    if found.ndim != 2 or found.shape[1] != columns or not np.isfinite(found).all():
        raise ValueError(f"{what} has shape {found.shape}; give finite numbers (n, {columns})")
    return found


def one_of(what: str, value: Any, allowed: tuple[str, ...]) -> str:
    """One of the words allowed; raises ValueError for any other."""
    if value not in allowed:
        raise ValueError(f"{what} is {value!r}; give one of {', '.join(allowed)}")
    return str(value)


def instance(what: str, value: Any, kind: type) -> Any:
    """An object of a class; raises TypeError for any other."""
    if not isinstance(value, kind):
        raise TypeError(f"{what} is {value!r}; give a {kind.__name__}")
    return value


def _array(what: str, value: ArrayLike) -> NDArray[np.float64]:
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{what} is {value!r}; give numbers") from None
