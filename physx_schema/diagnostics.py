"""What USD says by itself, held back so that it is reported once and in words that name the stage's own prims.

USD prints warnings on stderr, with the places of its sources and of stages in memory. While `captured` is open they go
to it instead. Lines that this library has to say at once go the same way, by `announce`.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from pxr import UsdUtils

from physx_schema.errors import without_addresses


class StageWarning(UserWarning):
    """A stage that is another than its author thinks: a part is missing, not selected, or in other units."""


@dataclass(eq=False)
class Capture:
    """What was caught: USD's own lines, each once, and lines of this library for those who look at nothing else."""

    usd: dict[str, None] = field(default_factory=dict)
    lines: dict[str, None] = field(default_factory=dict)
    print_line: Callable[[str], None] | None = None     # for lines of this library, at once and each once

    def say(self, line: str) -> None:
        """Take a line of this library."""
        if line not in self.lines:
            self.lines[line] = None
            if self.print_line is not None:
                self.print_line(line)

    def take(self) -> tuple[str, ...]:
        """What USD has remarked up to now, for a reader who makes something of it."""
        _drain()
        texts = tuple(self.usd)
        self.usd.clear()
        return texts


_PACKAGES = ("physx_schema", "physx_runtime")
_open: list[Capture] = []       # the innermost last
_delegate: list[Any] = []       # USD's, while any is open


@contextmanager
def captured(print_line: Callable[[str], None] | None = None) -> Iterator[Capture]:
    """Catch what USD would print, and what is announced, in a block.

    Of what USD remarks, the block around gets what nobody took; what was announced stays in the inner one.
    """
    if not _delegate:
        _delegate.append(UsdUtils.CoalescingDiagnosticDelegate())
    _drain()
    capture = Capture(print_line=print_line)
    _open.append(capture)
    try:
        yield capture
    finally:
        remaining = capture.take()
        _open.remove(capture)
        if _open:
            _open[-1].usd.update(dict.fromkeys(remaining))
        else:
            _delegate.clear()
            for text in remaining:
                (print_line or announce)(f"USD warns: {text}")


def _drain() -> None:
    """Give what USD has remarked since to the innermost block."""
    for item in _delegate[0].TakeUncoalescedDiagnostics() if _delegate else ():
        if _open:
            _open[-1].usd[" ".join(without_addresses(item.commentary).split())] = None


def announce(line: str) -> None:
    """Say a line to the block around, or as a StageWarning where there is none."""
    if _open:
        _open[-1].say(line)
    else:
        warnings.warn(line, StageWarning, stacklevel=_level_of_caller())


def _level_of_caller() -> int:
    """The stack level, for a warning by who called this, of the first function outside our packages."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] in _PACKAGES:
        level, frame = level + 1, frame.f_back
    return level
