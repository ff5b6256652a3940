"""Values of USD as definitions hold them: plain Python with the fewest digits that give the same bits."""

from __future__ import annotations

from typing import Any

from pxr import Gf, Sdf

from .model import Value
from .value_types import round_to_type


def plain(value: Any, type_name: str) -> Value:
    """A value of an Sdf value type: numbers, text, or tuples of these."""
    element = type_name.removesuffix("[]")
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return float(value) if element in {"float", "double", "half", "timecode", "duration"} else value
    if isinstance(value, float):
        return round_to_type(value, element)
    if isinstance(value, Sdf.AssetPath):
        return str(value.path)
    if isinstance(value, Sdf.PathExpression):
        return str(value.GetText())
    if hasattr(value, "GetReal"):
        return tuple(plain(item, element) for item in (value.GetReal(), *value.GetImaginary()))
    if hasattr(value, "GetValue"):                  # a time code or duration
        return float(value.GetValue())
    return tuple(plain(item, element) for item in value)


def guess_type(value: Any) -> str:
    """The Sdf value type of a value whose declared type is unknown; empty where there is none."""
    if isinstance(value, Gf.Vec3d):
        return "double3"
    type_name = Sdf.GetValueTypeNameForValue(value)
    return str(type_name) if type_name else ""
