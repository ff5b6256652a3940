"""Arrays of numbers taken whole from memory, such as NumPy's: number by number a mesh takes seconds."""

from __future__ import annotations

import math
from typing import Any

from ._definition import FLOAT_MAX, INTEGER_LIMITS

INTEGERS = frozenset("bBhHiIlLqQ")
LARGEST = {"f": FLOAT_MAX, "d": math.inf}


def numbers(value: object) -> memoryview | None:
    """The numbers of a packed array one after the other; None for anything else and for empty ones."""
    try:
        view = memoryview(value)        # type: ignore[arg-type]
        flat = view.cast("B").cast(view.format)     # type: ignore[call-overload]
    except (TypeError, ValueError, NotImplementedError):        # no memory, gaps in it, or halves
        return None
    return flat if len(flat) and not isinstance(value, bytes | bytearray) else None


def extent(value: object) -> tuple[float, float] | None:
    """The least and the greatest number of a packed array, None as :func:`numbers`."""
    flat = numbers(value)
    return None if flat is None else (min(flat), max(flat))


def packed(python_class: Any, type_name: str, shape: tuple[int, ...], letter: str, value: Any) -> Any:
    """A packed array of finite numbers as `python_class`; None where its elements need a look of their own.

    `shape` and `letter` are those of one element of type `type_name`.
    """
    flat = numbers(value)
    if flat is None or (memoryview(value).shape or ())[1:] != shape:
        return None
    if type_name in INTEGER_LIMITS:
        fits = flat.format in INTEGERS and within(flat, *INTEGER_LIMITS[type_name])
    else:
        fits = flat.format in LARGEST and all(map(math.isfinite, flat)) and within(
            flat, -LARGEST[letter], LARGEST[letter])
    if not fits:
        return None
    return value if type(value) is python_class else python_class.FromBuffer(value)


def within(flat: memoryview, lowest: float, highest: float) -> bool:
    """Whether all numbers lie between two, these included."""
    return bool(lowest <= min(flat) and max(flat) <= highest)
