"""Small tables in HTML, as results show themselves in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from physx_schema.errors import printable

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
