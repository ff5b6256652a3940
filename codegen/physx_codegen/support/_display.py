"""Values as messages show them."""

from __future__ import annotations

import re
import reprlib

LONGEST = 120           # characters of one text or number
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
short = reprlib.Repr()
short.maxstring = short.maxlong = short.maxother = LONGEST


def display(value: object) -> str:
    """A value in one line, short and without addresses in memory."""
    return ADDRESS.sub("", " ".join(short.repr(value).split()))
