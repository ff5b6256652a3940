"""Values of USD as definitions hold them: plain Python with the fewest digits that give the same bits."""

from __future__ import annotations

import math
import re
import struct
from typing import Any

from pxr import Gf, Sdf

from .model import Value

HALF = re.compile(r"half[234]?|(quat|(point|vector|normal|color|texCoord)[234])h")
SINGLE = re.compile(r"float[234]?|(quat|(point|vector|normal|color|texCoord)[234])f")


def plain(value: Any, type_name: str) -> Value:
    """A value of an Sdf value type: numbers, text, or tuples of these."""
    element = type_name.removesuffix("[]")
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return float(value) if element in {"float", "double", "half", "timecode", "duration"} else value
    if isinstance(value, float):
        return shortest(value, "e" if HALF.fullmatch(element) else "f" if SINGLE.fullmatch(element) else "d")
    if isinstance(value, Sdf.AssetPath):
        return str(value.path)
    if isinstance(value, Sdf.PathExpression):
        return str(value.GetText())
    if hasattr(value, "GetReal"):
        return tuple(plain(item, element) for item in (value.GetReal(), *value.GetImaginary()))
    if hasattr(value, "GetValue"):                  # a time code or duration
        return float(value.GetValue())
    return tuple(plain(item, element) for item in value)


def shortest(value: float, precision: str) -> float:
    """The number with the fewest digits that has the same bits at a precision of struct: e, f or d."""
    if precision == "d" or not math.isfinite(value):
        return value
    bits = struct.pack(precision, value)
    return next(found for digits in range(1, 18)
                if _bits(precision, found := float(f"{value:.{digits}g}")) == bits)


def _bits(precision: str, value: float) -> bytes:
    try:
        return struct.pack(precision, value)
    except OverflowError:                           # rounded up beyond the largest number
        return b""


def guessed_type(value: Any) -> str:
    """The Sdf value type of a value whose declared type is unknown; empty where there is none."""
    if isinstance(value, Gf.Vec3d):
        return "double3"
    found = Sdf.GetValueTypeNameForValue(value)
    return str(found) if found else ""
