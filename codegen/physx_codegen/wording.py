"""Words that error messages share."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path

MAX_WORDS = 30       # words listed in a message


def display_path(path: Path) -> str:
    """A path for messages: relative to the working directory where it lies below it."""
    path, here = path.resolve(), Path.cwd()
    return path.relative_to(here).as_posix() if path.is_relative_to(here) else path.as_posix()


def one_line(text: str) -> str:
    """Text on one line, with control and direction characters as escapes."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def article(noun: str) -> str:
    """The noun after a or an."""
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def closest(word: str, allowed: Iterable[str]) -> str:
    """A suggestion for a misspelt word, or the words allowed, as many as a line can hold."""
    lowered = {other.lower(): other for other in allowed}
    close = difflib.get_close_matches(word.lower(), lowered, n=1)
    if close:
        return f"did you mean '{lowered[close[0]]}'?"
    words = list(lowered.values())
    more = f" and {len(words) - MAX_WORDS} more" if len(words) > MAX_WORDS else ""
    return f"allowed: {', '.join(words[:MAX_WORDS]) or 'none'}{more}"
