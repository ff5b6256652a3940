"""Values in usda syntax, letter by letter as USD writes them."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterable
from decimal import Decimal

from .model import Value
from .value_types import TYPES, ValueType

CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]")      # all but line feeds
KEYLESS = "comment"                                     # metadata that usda writes as its text alone
ESCAPES = {"\t": "\\t", "\r": "\\r"}
DECIMAL_EXPONENTS = range(-6, 15)                       # outside, USD writes 1e20


def value(type_name: str, raw: Value) -> str:
    """A value of an Sdf value type."""
    kind = TYPES[type_name]
    if kind.array and isinstance(raw, tuple):
        return f"[{', '.join(element(kind, item) for item in raw)}]"
    return element(kind, raw)


def element(kind: ValueType, raw: Value) -> str:
    """A value without array brackets."""
    if isinstance(raw, tuple):
        inner = ", ".join(element(kind, item) for item in raw)
        return f"( {inner} )" if raw and isinstance(raw[0], tuple) else f"({inner})"
    if isinstance(raw, bool):
        return str(int(raw))
    if isinstance(raw, str):
        return asset(raw) if kind.element == "asset" else quote(raw)
    return number(raw, kind.element)


def asset(path: str) -> str:
    """An asset path."""
    mark = "@@@" if "@" in path else "@"
    return f"{mark}{path}{mark}"


def quote(words: str) -> str:
    """A string: in single quotes where that saves escapes, in three where it has lines."""
    mark = "'" if '"' in words and "'" not in words else '"'
    escaped = CONTROL.sub(escape, words.replace("\\", "\\\\")).replace(mark, f"\\{mark}")
    return f"{mark * 3}{escaped}{mark * 3}" if "\n" in words else f"{mark}{escaped}{mark}"


def escape(match: re.Match[str]) -> str:
    """A control character."""
    return ESCAPES.get(match.group(), f"\\x{ord(match.group()):02x}")


def quote_list(words: Iterable[str]) -> str:
    """A list of strings."""
    return f"[{', '.join(map(quote, words))}]"


def number(raw: float, type_name: str) -> str:
    """The shortest text that gives the number back in its type, which `value_types.rounded` has kept it in."""
    if isinstance(raw, int) or not math.isfinite(raw):
        return str(raw)
    if type_name.startswith("half") or type_name.endswith("h"):
        (raw,) = struct.unpack("<e", struct.pack("<e", raw))
        return f"{raw:.6g}"
    if raw == int(raw) and 0 < abs(raw) < 1e15:
        return f"{raw:.0f}"
    sign, digits, exponent = Decimal(repr(raw)).as_tuple()
    text = "".join(map(str, digits)).rstrip("0") or "0"
    point = len(digits) + int(exponent)                 # of the decimal point, counted from the first digit
    if point - 1 not in DECIMAL_EXPONENTS:
        text = f"{text[0]}{'.' if text[1:] else ''}{text[1:]}e{point - 1}"
    elif point <= 0:
        text = "0." + "0" * -point + text if text != "0" else "0"
    elif len(text) > point:
        text = f"{text[:point]}.{text[point:]}"
    else:
        text = text.ljust(point, "0")
    return f"-{text}" if sign else text
