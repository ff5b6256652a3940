"""Where in a file a prim and its properties stand: USD's parser does not keep lines, so the text of a usda is searched.

In the file of a converted robot it is the element, by its own name, that a prim was made of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from physx_schema.description.robot_sources import origins_of

LARGEST_SEARCHED_FILE = 1 << 26         # bytes of a file that is searched
_SPECIFIER = re.compile(r'\s*(?:def|over|class)\b[^"]*"([^"]+)"')
_SKIPPED = re.compile(      # texts of many lines, texts, asset paths, comments
    r'"""(?:.|\n)*?"""|\'\'\'(?:.|\n)*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|@[^@\n]*@|#[^\n]*')
_PROPERTY = re.compile(r"\s*(?:(?:custom|uniform|varying|prepend|append|delete|add|reorder)\s+)*[\w:]+(?:\[\])?\s+"
                       r"([\w:]+)(?:\.\w+)?\s*(?:=|\(|$)")
_BRACKET = re.compile(r"[(\[\])}{]")
Lines = Mapping[tuple[str, str], int]


def line_of(file: str, path: str, name: str) -> int | None:
    """The line of a property, else of its prim, counted from 1; None where the file is no text or has neither."""
    if origins := origins_of(file):
        return origins.line(path, name)
    lines = _lines(file, _stamp(file))
    return lines.get((path, name)) or lines.get((path, ""))


def _stamp(file: str) -> tuple[int, int]:
    """What changes with a file."""
    try:
        status = Path(file).stat()
    except OSError:
        return (0, 0)
    return (status.st_mtime_ns, status.st_size)


@lru_cache(8)
def _lines(file: str, stamp: tuple[int, int]) -> Lines:
    """The first line of each prim and property of a usda file; nothing for another file."""
    if not 0 < stamp[1] <= LARGEST_SEARCHED_FILE:
        return {}
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return {}
    lines: dict[tuple[str, str], int] = {}
    if text.startswith("#usda"):
        for path, name, number in _property_lines(text):
            lines.setdefault((path, name), number)
    return lines


def _property_lines(text: str) -> Iterator[tuple[str, str, int]]:
    """Prim path, property and line, in order; contents of texts and comments do not count."""
    stripped = _SKIPPED.sub(_blank, text).split("\n")
    opened: list[str] = []              # what each open brace belongs to: the path of a prim, "" for anything else
    current, pending, brackets = "", "", 0
    for number, (line, code) in enumerate(zip(text.split("\n"), stripped, strict=True), 1):
        heading = _SPECIFIER.match(line) if not brackets else None
        if heading:
            pending = f"{current}/{heading[1]}"
            yield pending, "", number
        elif not brackets and current and (match := _PROPERTY.match(code)):
            yield current, match[1], number
        elif brackets and pending and "apiSchemas" in code:
            yield pending, "apiSchemas", number
        for sign in _BRACKET.findall(code):
            if sign in "([":
                brackets += 1
            elif sign in ")]":
                brackets -= 1
            elif sign == "{":
                opened.append(pending if not brackets else "")
                pending = pending if brackets else ""
            elif sign == "}" and opened:
                opened.pop()
        current = next((path for path in reversed(opened) if path), "")


def _blank(match: re.Match[str]) -> str:
    """A text without its content, of the same number of lines."""
    return '""' + "\n" * match[0].count("\n")
