"""Values as USD hands them out, in the plain types of facts; None where a value is something else."""

from __future__ import annotations

from typing import Any

import numpy as np

from physx_schema.description.frames import quaternion, vector
from physx_schema.description.poses import Quat, Vec3

_LONGEST = 60       # characters of a value in a message
_NUMBERS = (int, float)


def shown(value: object) -> str:
    """A value as a message shows it: the size of an array, the beginning of a text."""
    if is_array(value):
        return f"an array of {len(value)} values"   # type: ignore[arg-type]
    text = repr(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."


def is_array(value: object) -> bool:
    """Whether a value is one of USD's arrays."""
    return type(value).__module__ == "pxr.Vt"


def as_number(value: object) -> float | None:
    """A number, truth values among them; None for anything else."""
    return float(value) if isinstance(value, _NUMBERS) else None


def as_flag(value: object) -> bool | None:
    """A truth value, numbers other than 0 among them; None for anything else."""
    return bool(value) if isinstance(value, _NUMBERS) else None


def as_token(value: object) -> str | None:
    """A text, None for anything else."""
    return value if isinstance(value, str) else None


def as_vector(value: Any) -> Vec3 | None:
    """Three numbers, None for anything else, an array among them."""
    if is_array(value):
        return None
    try:
        return vector(value) if len(value) == 3 else None
    except (TypeError, ValueError):
        return None


def as_quaternion(value: Any) -> Quat | None:
    """A unit quaternion (x, y, z, w), None for anything else."""
    if hasattr(value, "GetImaginary"):
        return quaternion(value)
    return value if isinstance(value, tuple) and len(value) == 4 else None


def unnormalized(value: Any) -> Quat | None:
    """A quaternion (x, y, z, w) as authored, of any length; None of anything else."""
    if not hasattr(value, "GetImaginary"):
        return None
    x, y, z = map(float, value.GetImaginary())
    return x, y, z, float(value.GetReal())


def as_numbers(value: Any) -> tuple[float, ...] | None:
    """Numbers of an array or a single one, None for anything else."""
    single = as_number(value)
    if single is not None:
        return (single,)
    if isinstance(value, str) or not hasattr(value, "__len__"):
        return None
    if is_array(value):
        numbers = np.asarray(value)
        return tuple(map(float, numbers.tolist())) if numbers.ndim == 1 and numbers.dtype.kind in "fiu" else None
    converted = [as_number(item) for item in value]
    return None if None in converted else tuple(item for item in converted if item is not None)


def as_tokens(value: Any) -> tuple[str, ...] | None:
    """Texts of an array, None for anything else."""
    if isinstance(value, str) or not hasattr(value, "__len__"):
        return None
    # by index: the iteration of USD's arrays ends with an exception, which takes several times as long
    found = [value[i] for i in range(len(value))]
    return tuple(found) if all(isinstance(item, str) for item in found) else None
