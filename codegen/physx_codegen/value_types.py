"""Sdf value types: which exist, what a default of each looks like in YAML, Python and usda; and intervals of values.

An interval is written in mathematical notation, such as ``[0, inf)``.
"""

from __future__ import annotations

import json
import math
import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .model import Entry, Range, Value
from .naming import NAMESPACE

Base = Literal["bool", "int", "float", "word", "none"]

ENCODER = json.JSONEncoder(ensure_ascii=False)         # json.dumps would build one each time
INTEGER_LIMITS = {
    "uchar": (0, 2**8 - 1),
    "int": (-(2**31), 2**31 - 1),
    "uint": (0, 2**32 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint64": (0, 2**64 - 1),
}


@dataclass(frozen=True, slots=True)
class ValueType:
    """A scalar, vector, quaternion or matrix type, or an array of one."""

    name: str                           # "float3[]"
    base: Base
    shape: tuple[int, ...] = ()         # (3,) for a vector, (4, 4) for a matrix
    array: bool = False

    @property
    def element(self) -> str:
        """The name without brackets."""
        return self.name.removesuffix("[]")


def _scalar_types() -> dict[str, ValueType]:
    types = {name: ValueType(name, "word") for name in ("token", "string", "asset", "pathExpression")}
    types |= {name: ValueType(name, "none") for name in ("opaque", "group")}
    types["bool"] = ValueType("bool", "bool")
    types |= {name: ValueType(name, "int") for name in INTEGER_LIMITS}
    types |= {name: ValueType(name, "float") for name in ("half", "float", "double", "timecode", "duration")}
    types |= {f"int{n}": ValueType(f"int{n}", "int", (n,)) for n in (2, 3, 4)}
    for precision in ("half", "float", "double"):
        types |= {f"{precision}{n}": ValueType(f"{precision}{n}", "float", (n,)) for n in (2, 3, 4)}
    for role, sizes in {"point": (3,), "vector": (3,), "normal": (3,), "color": (3, 4), "texCoord": (2, 3)}.items():
        types |= {f"{role}{n}{p}": ValueType(f"{role}{n}{p}", "float", (n,)) for n in sizes for p in "hfd"}
    types |= {f"quat{p}": ValueType(f"quat{p}", "float", (4,)) for p in "hfd"}
    types |= {f"{role}{n}d": ValueType(f"{role}{n}d", "float", (n, n))
              for role, sizes in {"matrix": (2, 3, 4), "frame": (4,)}.items() for n in sizes}
    return types


TYPES = _scalar_types()
TYPES |= {f"{name}[]": ValueType(f"{name}[]", kind.base, kind.shape, True) for name, kind in list(TYPES.items())
          if kind.base != "none"}


HALF = re.compile(r"half[234]?|(quat|(point|vector|normal|color|texCoord)[234])h")
SINGLE = re.compile(r"float[234]?|(quat|(point|vector|normal|color|texCoord)[234])f")
# The format of struct for the numbers of a type; double precision where a type is not here.
PRECISIONS = {name: letter for letter, pattern in (("e", HALF), ("f", SINGLE))
              for name in TYPES if pattern.fullmatch(name)}
EXACT = 2.0**11     # whole numbers up to here are the same in every precision


def round_to_type(number: float, element: str) -> float:
    """The number as its type keeps it, with the fewest digits that give the same bits. Raises OverflowError."""
    precision = PRECISIONS.get(element, "d")
    if precision == "d" or not math.isfinite(number) or (abs(number) <= EXACT and number.is_integer()):
        return number
    bits = struct.pack(precision, number)
    (stored,) = struct.unpack(precision, bits)
    if stored.is_integer() and abs(stored) < 1e15:
        return float(stored)
    return next(short for digits in range(1, 18) if _bits(precision, short := float(f"{stored:.{digits}g}")) == bits)


def _bits(precision: str, number: float) -> bytes:
    try:
        return struct.pack(precision, number)
    except OverflowError:                           # fewer digits may round beyond the largest number
        return b""


def describe(kind: ValueType) -> str:
    """What a default has to be, for messages."""
    words = {"bool": "true or false", "int": "a whole number", "float": "a number", "word": "text",
             "none": "no value"}
    if kind.array:
        return f"a list of {kind.element} values"
    if len(kind.shape) == 2:
        return f"{kind.shape[0]} rows of {kind.shape[1]} numbers"
    return f"{kind.shape[0]} numbers" if kind.shape else words[kind.base]


def parse(kind: ValueType, raw: object) -> Value:
    """A default as read from YAML, converted to the type. Raises ValueError that says what is wrong."""
    if kind.array:
        return tuple(_shaped(kind, kind.shape, item) for item in _list(kind, raw))
    return _shaped(kind, kind.shape, raw)


def _shaped(kind: ValueType, shape: tuple[int, ...], raw: object) -> Value:
    if not shape:
        return _scalar(kind, raw)
    items = _list(kind, raw)
    if len(items) != shape[0]:
        raise ValueError(f"{len(items)} values, and {kind.element} needs {shape[0]}")
    return tuple(_shaped(kind, shape[1:], item) for item in items)


def _list(kind: ValueType, raw: object) -> Sequence[object]:
    if not isinstance(raw, list):
        raise ValueError(f"{raw!r} is not {describe(kind)}")
    return raw


def _scalar(kind: ValueType, raw: object) -> Value:
    if kind.base == "bool" and isinstance(raw, bool):
        return raw
    if kind.base == "word" and isinstance(raw, str):
        return raw
    if kind.base == "int" and isinstance(raw, int) and not isinstance(raw, bool):
        lowest, highest = INTEGER_LIMITS.get(kind.element, INTEGER_LIMITS["int"])
        if not lowest <= raw <= highest:
            raise ValueError(f"{raw} does not fit {kind.element}: [{lowest}, {highest}]")
        return raw
    if kind.base == "float":
        raw = {"inf": math.inf, "-inf": -math.inf}.get(raw, raw) if isinstance(raw, str) else raw
        if isinstance(raw, int | float) and not isinstance(raw, bool) and not math.isnan(raw):
            try:
                return round_to_type(float(raw), kind.element)
            except OverflowError:
                raise ValueError(f"{raw} does not fit {kind.element}") from None
    scalar = ValueType(kind.element, kind.base)
    raise ValueError(f"{raw!r} is not {describe(scalar)}")


def numbers(value: Value | None) -> list[float]:
    """Every number in a default."""
    if isinstance(value, tuple):
        return [number for item in value for number in numbers(item)]
    return [] if value is None or isinstance(value, str | bool) else [value]


def number_text(value: float) -> str:
    """A number as people write it: 0, 0.5, inf, 1e+09."""
    return f"{value:.0f}" if math.isfinite(value) and value == round(value) and abs(value) < 1e9 else repr(value)


def python_text(value: object) -> str:
    """A value as Python source; infinities as names."""
    if isinstance(value, tuple):
        inner = ", ".join(python_text(item) for item in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, str):
        return ENCODER.encode(value)
    return repr(value)


def display_text(value: Value | None) -> str:
    """A default in a docstring; empty where there is none."""
    if isinstance(value, tuple):
        return f"[{', '.join(display_text(item) for item in value)}]"
    if value is None or isinstance(value, bool | str):
        return "" if value is None else str(value)
    return number_text(value)


def annotation(kind: ValueType, tokens: tuple[str, ...] = ()) -> str:
    """The Python type of a value; with `tokens` a Literal of them."""
    words = f"Literal[{', '.join(map(python_text, tokens))}]" if tokens else "str"
    inner = {"bool": "bool", "int": "int", "float": "float", "word": words, "none": "object"}[kind.base]
    if kind.element == "asset":
        inner = "str | Sdf.AssetPath"
    for _ in (*kind.shape, *([()] if kind.array else [])):
        inner = f"Items[{inner}]"
    return inner


RANGE = re.compile(r"\s*([\[(])\s*([^,\s]+)\s*,\s*([^,\s]+)\s*([\])])\s*")


def parse_range(text: str) -> Range:
    """An interval as written. Raises ValueError that says what is wrong."""
    match = RANGE.fullmatch(text)
    if match is None:
        raise ValueError(f"range '{text}' is not an interval; write an interval such as \"[0, inf)\"")
    opening, lower, upper, closing = match.groups()
    return Range(bound(lower), bound(upper), opening == "[", closing == "]")


def range_from_limits(metadata: tuple[Entry, ...]) -> str:
    """The interval that the hard limits of USD's metadata `limits` give a number; empty where they give none."""
    limits = _inner(metadata, "limits")
    hard = {entry.key: entry.value for entry in _inner(limits, "hard")}
    lower, upper = hard.get("minimum", -math.inf), hard.get("maximum", math.inf)
    if not hard or not isinstance(lower, int | float) or not isinstance(upper, int | float):
        return ""                                   # of a vector: no interval
    opening, closing = ("(" if lower == -math.inf else "["), (")" if upper == math.inf else "]")
    return f"{opening}{number_text(lower)}, {number_text(upper)}{closing}"


def _inner(entries: tuple[Entry, ...], key: str) -> tuple[Entry, ...]:
    value = next((entry.value for entry in entries if entry.key == key), ())
    return tuple(item for item in value if isinstance(item, Entry)) if isinstance(value, tuple) else ()


def bound(text: str) -> float | str:
    """A number, or the name of another attribute. Raises ValueError for anything else."""
    try:
        number = float(text)
    except ValueError:
        if not NAMESPACE.fullmatch(text):
            raise ValueError(f"bound '{text}' is not a number and not the name of an attribute") from None
        return text
    if math.isnan(number):
        raise ValueError(f"bound '{text}' is not a number; write a number, inf or -inf")
    if math.isinf(number) and text.strip("+-").lower() not in ("inf", "infinity"):
        raise ValueError(f"bound '{text[:40]} ...' is beyond the largest number; write inf or -inf")
    return number


def range_contains(outer: Range | None, inner: Range | None) -> bool:
    """Whether all of `inner` lies in `outer`, None standing for all numbers; a name fits only itself."""
    if outer is None or inner is None:
        return outer is None
    below = bound_contains(outer.lower, outer.lower_closed, inner.lower, inner.lower_closed, -1)
    return below and bound_contains(outer.upper, outer.upper_closed, inner.upper, inner.upper_closed, 1)


def bound_contains(outer: float | str, outer_closed: bool, inner: float | str, inner_closed: bool, sign: int) -> bool:
    """Whether the bound of one interval lies as far out as that of another; `sign` is the direction outwards."""
    if outer == inner:
        return outer_closed or not inner_closed
    if isinstance(outer, str) or isinstance(inner, str):
        return False
    return sign * outer > sign * inner
