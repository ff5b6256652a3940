"""How numbers and lists of words appear in reports."""

from __future__ import annotations

import math


def numeral(value: float | tuple[float, ...] | None) -> str:
    """Four significant digits with a true minus sign; a dash where there is no value."""
    if isinstance(value, tuple):
        return f"({', '.join(map(numeral, value))})"
    if value is None or math.isnan(value):
        return "\N{EN DASH}"
    if math.isinf(value):
        return "unlimited" if value > 0.0 else "\N{MINUS SIGN}unlimited"
    return f"{value:.4g}".replace("-", "\N{MINUS SIGN}")


def listed(items: list[str]) -> str:
    """``a, b and c``."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
