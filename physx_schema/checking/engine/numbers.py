"""The numbers of an authored value, whatever USD type it has."""

from __future__ import annotations

from typing import Any

import numpy as np


def flat(value: Any) -> tuple[float, ...]:
    """The numbers of a scalar, vector, quaternion or array; none for anything else."""
    if isinstance(value, bool | str):
        return ()
    if isinstance(value, int | float):
        return (float(value),)
    if hasattr(value, "GetImaginary"):
        return (float(value.GetReal()), *flat(value.GetImaginary()))
    if type(value).__module__ == "pxr.Vt":
        numbers = np.asarray(value)
        return tuple(map(float, numbers.ravel().tolist())) if numbers.dtype.kind in "fiu" else ()
    if not is_sequence(value):
        return ()
    return tuple(number for item in value for number in flat(item))


def is_sequence(value: object) -> bool:
    """Whether a value is a vector or an array."""
    return hasattr(value, "__len__") and hasattr(value, "__getitem__")
