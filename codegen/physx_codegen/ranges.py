"""Intervals in mathematical notation, such as ``[0, inf)``."""

from __future__ import annotations

import math
import re

from .model import Entry, Range
from .naming import NAMESPACE
from .value_types import number_text

RANGE = re.compile(r"\s*([\[(])\s*([^,\s]+)\s*,\s*([^,\s]+)\s*([\])])\s*")


def parse_range(text: str) -> Range:
    """An interval as written. Raises ValueError that says what is wrong."""
    match = RANGE.fullmatch(text)
    if match is None:
        raise ValueError(f"range '{text}' is no interval; write one such as \"[0, inf)\"")
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
            raise ValueError(f"bound '{text}' is neither a number nor the name of an attribute") from None
        return text
    if math.isnan(number):
        raise ValueError(f"bound '{text}' is not a number; give one, or inf or -inf")
    if math.isinf(number) and text.strip("+-").lower() not in ("inf", "infinity"):
        raise ValueError(f"bound '{text[:40]} ...' is beyond the largest number; give inf or -inf")
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
