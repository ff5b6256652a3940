"""Values under another type: carried over where that type holds each of them exactly.

Numbers go to any type of as many numbers that has every one of them, bits of the least float included; `token` and
`string` become each other. Integers are held between time samples and floating-point numbers interpolated, so that
several samples pass from one to the other as little as a spline does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pxr import Sdf, Tf

_NUMBERS = re.compile(r"(?P<of>uchar|u?int(?:64)?|half|float|double)(?P<count>[234]?)")
_ROLES = re.compile(r"(?:color|point|normal|vector|texCoord)(?P<count>[234])(?P<of>[hfd])")
_LETTERS = {"h": "half", "f": "float", "d": "double"}
_FLOATING = frozenset(_LETTERS.values())
_WORDS = ("token", "string")
_BLOCKS = tuple(getattr(Sdf, name) for name in ("ValueBlock", "AnimationBlock") if hasattr(Sdf, name))


@dataclass(frozen=True, slots=True)
class Shape:
    """What values of a type are made of."""

    of: str                             # "words" or the type of each number
    count: str = ""                     # how many numbers, empty for one
    array: bool = False

    def accepts(self, other: Shape) -> bool:
        """Whether values of another shape may become values of this one."""
        return (self.of == "words") == (other.of == "words") and (self.count, self.array) == (other.count, other.array)


def shape(type_name: str) -> Shape | None:
    """The shape of a type; None for one whose values go to no other type."""
    base = type_name.removesuffix("[]")
    array = base != type_name
    if base in _WORDS:
        return Shape("words", "", array)
    if match := _NUMBERS.fullmatch(base):
        return Shape(match["of"], match["count"], array)
    if match := _ROLES.fullmatch(base):
        return Shape(_LETTERS[match["of"]], match["count"], array)
    return None


def holds(type_name: str, attribute: Any) -> bool:
    """Whether a type holds every value of an attribute spec exactly."""
    if str(attribute.typeName) == type_name:
        return True
    old, new = shape(str(attribute.typeName)), shape(type_name)
    if old is None or new is None or not new.accepts(old) or attribute.HasInfo("spline"):
        return False
    is_interpolated = (new.of in _FLOATING) != (old.of in _FLOATING)
    samples = attribute.layer.ListTimeSamplesForPath(attribute.path)
    if is_interpolated and len(samples) > 1:
        return False
    scratch = _scratch(type_name)
    return all(_same(_cast(scratch, value), value) for value in _values(attribute))


def retype(attribute: Any, type_name: str) -> None:
    """Give an attribute spec another type that holds its values."""
    if str(attribute.typeName) == type_name:
        return
    layer, path, scratch = attribute.layer, attribute.path, _scratch(type_name)
    samples = [(time, layer.QueryTimeSample(path, time)) for time in layer.ListTimeSamplesForPath(path)]
    default = attribute.default if attribute.HasInfo("default") else None
    attribute.SetInfo("typeName", type_name)
    if default is not None:
        attribute.default = _cast(scratch, default)
    for time, value in samples:
        layer.SetTimeSample(path, time, _cast(scratch, value))


def _values(attribute: Any) -> Iterator[Any]:
    if attribute.HasInfo("default"):
        yield attribute.default
    for time in attribute.layer.ListTimeSamplesForPath(attribute.path):
        yield attribute.layer.QueryTimeSample(attribute.path, time)


def _scratch(type_name: str) -> Any:
    """An attribute spec of a type on a layer of its own, which it keeps alive."""
    layer = Sdf.Layer.CreateAnonymous(".usda")
    spec = Sdf.AttributeSpec(Sdf.CreatePrimInLayer(layer, "/scratch"), "value", Sdf.ValueTypeNames.Find(type_name))
    return layer, spec


def _cast(scratch: tuple[Any, Any], value: Any) -> Any:
    """The value as USD keeps it under the type of `scratch`; None where it cannot."""
    if isinstance(value, _BLOCKS):
        return value
    try:
        scratch[1].default = _plain(value)
    except (Tf.ErrorException, TypeError, ValueError, OverflowError):
        return None
    return scratch[1].default


def _plain(value: Any) -> Any:
    """Arrays and vectors of USD as lists and tuples, which USD takes for those of another precision."""
    if isinstance(value, str) or not hasattr(value, "__len__"):
        return value
    converted = [_plain(item) for item in value]
    return converted if type(value).__name__.endswith("Array") else tuple(converted)


def _is_sequence(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str)


def _same(first: Any, other: Any) -> bool:
    """Whether two values are the same numbers or words, in the same order."""
    if isinstance(other, _BLOCKS):
        return isinstance(first, type(other))
    if first is None or _is_sequence(first) != _is_sequence(other):
        return False
    if _is_sequence(first):
        return len(first) == len(other) and all(map(_same, first, other))
    return bool(first == other) or (first != first and other != other)       # NaN is not itself
