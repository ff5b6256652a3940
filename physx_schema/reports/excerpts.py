"""Excerpts of files: the line of a finding with a caret line, between the lines around it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from physx_schema.errors import printable
from physx_schema.reports.regions import TextRegion
from physx_schema.text import styled

WIDTH = 100                 # columns of a line; what is longer is cut around the caret
_CUT = "..."
_LEAD = 40                  # columns that are kept before the caret in a line that is cut
_BARE = frozenset("{}()[],; \t")        # lines of these signs alone show nothing
_INDENT = "    "


def excerpt(region: TextRegion, severity: str) -> Iterator[str]:
    """The lines of an excerpt, each with its number; the caret has the colour of a severity."""
    digits = len(str(region.line + 1))
    around = {number: text for number, text in ((region.line - 1, region.previous), (region.line + 1, region.following))
              if set(text) - _BARE}
    indent = min(map(_indentation, (region.before + region.text, *around.values())))
    before, text, after = (printable(part.replace("\t", " ")) for part in (
        region.before[indent:], region.text, region.after))
    line, start, length = _cut(before, text, after)
    if region.line - 1 in around:
        yield _numbered(region.line - 1, digits, _shortened(around[region.line - 1][indent:]))
    yield _numbered(region.line, digits, line)
    yield f"{_INDENT}{' ' * digits} | {' ' * start}{styled('^' * length, severity)}"
    if region.line + 1 in around:
        yield _numbered(region.line + 1, digits, _shortened(around[region.line + 1][indent:]))


def _numbered(number: int, digits: int, text: str) -> str:
    return f"{_INDENT}{number:>{digits}} | {text}".rstrip()


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def _cut(before: str, text: str, after: str) -> tuple[str, int, int]:
    """A line of at most WIDTH columns, and in it the first column and the width of a text."""
    if _columns(before + text) > WIDTH - len(_CUT):
        before = before if _columns(before) <= _LEAD else _CUT + before[-(_LEAD - len(_CUT)):]
    line = _shortened(before + text + after)
    start = _columns(before)
    visible = line.removesuffix(_CUT) if len(line) < len(before + text) else line
    return line, start, max(min(_columns(text), _columns(visible) - start), 1)


def _shortened(line: str) -> str:
    """A line of at most WIDTH columns."""
    line = printable(line.replace("\t", " ")).rstrip()
    if _columns(line) <= WIDTH:
        return line
    while _columns(line) > WIDTH - len(_CUT):
        line = line[:-max((_columns(line) - WIDTH + len(_CUT)) // 2, 1)]
    return line + _CUT


def _columns(text: str) -> int:
    """The columns that a text takes on a terminal: two for wide characters, none for combining ones."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1
               for sign in text)
