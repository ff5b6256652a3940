"""Values as YAML text that our own reader gives back unchanged: plain where it can be, quoted where it must."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Mapping, Sequence

from .value_types import number_text
from .yaml_source import Source

WIDTH = 120
STEP = "  "
UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
SAFE = re.compile(r"[A-Za-z_][\w.]*( [\w.()-]+)*[.)]?", re.ASCII)
RESERVED = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}


def flow(value: object) -> str:
    """A value on one line."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{word(key)}: {flow(item)}' for key, item in value.items())}}}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(flow(item) for item in value)}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return number(value)
    return word(value) if isinstance(value, str) else str(value)


def number(value: float) -> str:
    """A floating-point number."""
    text = "-0.0" if str(value) == "-0.0" else number_text(value)
    return f"{text[:-3]}.inf" if text.endswith("inf") else text


def word(text: str) -> str:
    """Text on one line."""
    if SAFE.fullmatch(text) and text.lower() not in RESERVED:
        return text
    return text if "\n" not in text and reads_as(f"{{k: {text}}}", text) else quote(text)


def quote(text: str) -> str:
    """Text in double quotes."""
    return UNPRINTABLE.sub(lambda match: f"\\u{ord(match.group()):04x}", json.dumps(text, ensure_ascii=False))


def reads_as(document: str, text: str) -> bool:
    """Whether the value of the only key of a document is this text."""
    source = Source(document)
    return not source.problems and getattr(source.root, "values", {}) == {"k": text}


def block(key: str, value: object, pad: str) -> list[str]:
    """A key of a block mapping; text that does not fit on its line is folded, or kept line by line."""
    line = f"{pad}{key}: {flow(value)}"
    if not isinstance(value, str) or (len(line) <= WIDTH and "\n" not in value):
        return [line] if len(line) <= WIDTH or isinstance(value, str) else wrapped(key, value, pad)
    inner = pad + STEP
    folded = textwrap.wrap(value, WIDTH - len(inner), break_long_words=False, break_on_hyphens=False)
    literal = value.split("\n")
    indicator = "2" if value[:1] in {" ", "\n", "\t"} else ""
    for mark, lines in ((">-", folded), (f"|{indicator}-", literal)):
        text = [f"{inner}{item}" if item else "" for item in lines]
        if reads_as("\n".join([f"k: {mark}", *(item[len(pad):] for item in text)]), value):
            return [f"{pad}{key}: {mark}", *text]
    return [line]


def wrapped(key: str, value: object, pad: str) -> list[str]:
    """A list or mapping over several lines, broken between its items."""
    opening, closing = "{}" if isinstance(value, Mapping) else "[]"
    if isinstance(value, Mapping):
        items = [f"{word(name)}: {flow(item)}" for name, item in value.items()]
    else:
        items = [flow(item) for item in value] if isinstance(value, list | tuple) else []
    lines = [""]
    for item in items:
        joined = f"{lines[-1]} {item},".lstrip()
        if len(pad) + len(STEP) + len(joined) > WIDTH and lines[-1]:
            lines.append(f"{item},")
        else:
            lines[-1] = joined
    return [f"{pad}{key}: {opening}", *(f"{pad}{STEP}{line}" for line in lines), f"{pad}{STEP}{closing}"]
