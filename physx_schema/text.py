"""Words, colours and small HTML tables that printed texts of both packages share."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from html import escape

import click

from physx_schema.errors import printable

_COLOURS = {"error": "red", "warning": "yellow", "info": "cyan"}


def plural(count: int, noun: str, plural_form: str = "") -> str:
    """A count with its noun."""
    return f"{count} {noun}" if count == 1 else f"{count} {plural_form or noun + 's'}"


def has_colours() -> bool:
    """Whether a command writes to a terminal that is to have colours."""
    return (sys.stdout.isatty() and click.get_current_context(silent=True) is not None
            and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb")


def styled(text: str, severity: str = "error") -> str:
    """The text in the colour of a severity, where a command writes to a terminal that is to have colours."""
    return click.style(text, fg=_COLOURS[severity], bold=severity == "error") if has_colours() else text


MAX_ROWS = 12


def html_table(caption: str, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with its first rows, and how many more there are; names in it are text, whatever they hold."""
    lines = list(rows)
    html_rows = [_line("th", headings), *(_line("td", row) for row in lines[:MAX_ROWS])] if lines else []
    if len(lines) > MAX_ROWS:
        html_rows.append(f'<tr><td colspan="{len(headings)}">and {len(lines) - MAX_ROWS} more</td></tr>')
    return f"<table><caption>{_text(caption)}</caption>{''.join(html_rows)}</table>"


def _line(kind: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{kind}>{_text(cell)}</{kind}>' for cell in cells)}</tr>"


def _text(text: str) -> str:
    return escape(printable(text))
