"""Words and colours that printed texts of both packages share."""

from __future__ import annotations

import os
import sys

import click

_COLOURS = {"error": "red", "warning": "yellow", "info": "cyan"}


def plural(count: int, noun: str, plural_form: str = "") -> str:
    """A count with its noun."""
    return f"{count} {noun}" if count == 1 else f"{count} {plural_form or noun + 's'}"


def styled(text: str, severity: str = "error") -> str:
    """The text in the colour of a severity, where a command writes to a terminal that is to have colours."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not sys.stdout.isatty()
    return text if plain or click.get_current_context(silent=True) is None else click.style(
        text, fg=_COLOURS[severity], bold=severity == "error")
