"""Intervals in mathematical notation, such as ``[0, inf)``."""

from __future__ import annotations

import math
import re

from .model import Range

RANGE = re.compile(r"\s*([\[(])\s*([^,\s]+)\s*,\s*([^,\s]+)\s*([\])])\s*")
NAME = re.compile(r"[A-Za-z_]\w*(:[A-Za-z_]\w*)*")


def parse(text: str) -> Range:
    """An interval as written. Raises ValueError that says what is wrong."""
    match = RANGE.fullmatch(text)
    if match is None:
        raise ValueError(f"range '{text}' is no interval; write one such as \"[0, inf)\"")
    opening, lower, upper, closing = match.groups()
    return Range(bound(lower), bound(upper), opening == "[", closing == "]")


def bound(text: str) -> float | str:
    """A number, or the name of another attribute. Raises ValueError for anything else."""
    try:
        number = float(text)
    except ValueError:
        if not NAME.fullmatch(text):
            raise ValueError(f"bound '{text}' is neither a number nor the name of an attribute") from None
        return text
    if math.isnan(number):
        raise ValueError(f"bound '{text}' is not a number; give one, or inf or -inf")
    return number


def holds(outer: Range | None, inner: Range | None) -> bool:
    """Whether all of `inner` lies in `outer`, None standing for all numbers; a name fits only itself."""
    if outer is None or inner is None:
        return outer is None
    below = reaches(outer.lower, outer.lower_closed, inner.lower, inner.lower_closed, -1)
    return below and reaches(outer.upper, outer.upper_closed, inner.upper, inner.upper_closed, 1)


def reaches(outer: float | str, outer_closed: bool, inner: float | str, inner_closed: bool, sign: int) -> bool:
    """Whether the bound of one interval lies as far out as that of another; `sign` is the direction outwards."""
    if outer == inner:
        return outer_closed or not inner_closed
    if isinstance(outer, str) or isinstance(inner, str):
        return False
    return sign * outer > sign * inner
