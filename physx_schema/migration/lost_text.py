"""What of a text layer's form is lost when USD rewrites the layer: its comments and its ends of lines."""

from __future__ import annotations

import re
from pathlib import Path

_FIRST = 5              # lines that are named
# Of USD's text: what may hold a comment's signs, then comments themselves.
_PARTS = re.compile(
    r'"""(?:\\.|.)*?"""' r"|'''(?:\\.|.)*?'''" r'|"(?:\\.|[^"\\\n])*"' r"|'(?:\\.|[^'\\\n])*'"
    r"|@@@.*?@@@|@[^@\n]*@|<[^>\n]*>|(?P<comment>\#[^\n]*|//[^\n]*|/\*.*?\*/)", re.DOTALL)


def lost_text(path: Path) -> str:
    """A note on what is lost of a file, such as comments on lines 2 and 14; "" for nothing, and for a crate."""
    data = path.read_bytes()
    if not data.startswith(b"#"):
        return ""
    text = data.decode("utf-8", "replace")
    offsets = [match.start() for match in _PARTS.finditer(text) if match["comment"]][1:]     # the first is the header
    lines = list(dict.fromkeys(text.count("\n", 0, offset) + 1 for offset in offsets))
    lost = [_comments(lines)] if lines else []
    lost += ["line ends of CR LF"] if b"\r\n" in data else []
    return f"USD rewrites the whole file, without {' and '.join(lost)}" if lost else ""


def _comments(lines: list[int]) -> str:
    if len(lines) == 1:
        return f"a comment on line {lines[0]}"
    named = ", ".join(map(str, lines[:_FIRST]))
    return f"comments on lines {named}" + (f" and {len(lines) - _FIRST} more" if len(lines) > _FIRST else "")
