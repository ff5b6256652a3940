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
