"""Numbers of a verification as people read them."""

from __future__ import annotations

import math


def number(value: float | tuple[float, ...] | None) -> str:
    """Four significant digits; a dash where there is no value."""
    if isinstance(value, tuple):
        return f"({', '.join(map(number, value))})"
    return "-" if value is None or math.isnan(value) else f"{value:.4g}"
