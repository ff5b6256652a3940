"""How numbers and foreign names appear in reports."""

from __future__ import annotations

import math
import unicodedata

# Control, format (bidi marks, zero-width characters), surrogate, private, unassigned; line and paragraph separators.
HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def visible(text: str) -> str:
    """The text with characters that would hide, reorder or break it written as ``\\u202e``."""
    return "".join(_escaped(char) if unicodedata.category(char) in HIDDEN else char for char in text)


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def number(value: float | None) -> str:
    """Four significant digits with a true minus sign; a dash where there is no value."""
    if value is None or math.isnan(value):
        return "\N{EN DASH}"
    if math.isinf(value):
        return "unlimited" if value > 0.0 else "\N{MINUS SIGN}unlimited"
    return f"{value:.4g}".replace("-", "\N{MINUS SIGN}")


def counted(count: int, noun: str) -> str:
    """The count with its noun, in the plural where need be."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def listed(items: list[str]) -> str:
    """``a, b and c``."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
