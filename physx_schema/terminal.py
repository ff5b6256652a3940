"""Texts at the width of a terminal: lines broken between words, and tables with broken cells; nothing is cut.

In a pipe every line stays whole.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Collection, Iterator, Sequence

import click

from physx_schema.errors import printable

INDENT = 4              # columns of what continues a line
MIN_WIDTH = 40          # columns; on a narrower terminal lines run over
MIN_COLUMN = 8         # of a table
GAP = "  "              # between columns of a table
# Where a path or the name of a property may be broken.
_PARTS = re.compile(r"[^/:, ]*[/:, ]?")


def terminal_width() -> int | None:
    """The columns of the terminal that stdout is; None for a pipe or a file."""
    return max(shutil.get_terminal_size().columns, MIN_WIDTH) if sys.stdout.isatty() else None


def print_line(line: str, indent: int | None = None) -> None:
    """Print a line with control characters as escapes, as `wrapped` breaks it."""
    click.echo(wrapped(printable(line), indent))


def wrapped(line: str, indent: int | None = None) -> str:
    """A line at the width of the terminal; what continues it is indented, 4 columns more than the line by default."""
    width = terminal_width()
    if width is None or len(click.unstyle(line)) <= width:
        return line
    start = len(line) - len(line.lstrip())
    return "\n".join(_broken(line, width, " " * (start + INDENT if indent is None else indent)))


def _broken(line: str, width: int, indent: str) -> Iterator[str]:
    """Pieces of a line, broken at spaces; a longer word has a piece of its own."""
    first, *words = re.split(r"(?<=\S) ", line)
    for word in words:
        if len(first) + 1 + len(word) > width:
            yield first
            first = indent + word
        else:
            first += f" {word}"
    yield first


def table_rows(rows: Sequence[Sequence[str]], left_aligned: Collection[str]) -> Iterator[Sequence[str]]:
    """The printed lines of each row, the headings first; cells of the widest columns are broken to fit the terminal.

    left_aligned: headings of columns of text; others hold numbers.
    """
    widths = _widths([max(map(len, column)) for column in zip(*rows, strict=True)], terminal_width())
    for row in rows:
        cells = [list(_pieces(cell, width)) for cell, width in zip(row, widths, strict=True)]
        lines = []
        for number in range(max(map(len, cells))):
            parts = (cell[number] if number < len(cell) else "" for cell in cells)
            lines.append(GAP.join(part.ljust(width) if heading in left_aligned else part.rjust(width) for
                                  part, width, heading in zip(parts, widths, rows[0], strict=True)).rstrip())
        yield lines


def _widths(natural: Sequence[int], limit: int | None) -> list[int]:
    """The widths of columns: the widest give way until all fit."""
    widths = list(natural)
    excess = 0 if limit is None else sum(widths) + len(GAP) * (len(widths) - 1) - limit
    while excess > 0 and max(widths) > MIN_COLUMN:
        widths[widths.index(max(widths))] -= 1
        excess -= 1
    return widths


def _pieces(cell: str, width: int) -> Iterator[str]:
    """A cell in pieces of a width, broken after a / or : if possible."""
    piece = ""
    for part in _PARTS.findall(cell):
        if piece and len(piece) + len(part) > width:
            yield piece.rstrip()
            piece = ""
        piece += part
        while len(piece) > width:
            yield piece[:width]
            piece = piece[width:]
    if piece or not cell:
        yield piece
