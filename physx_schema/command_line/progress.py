"""A line of the terminal on what a command is busy with, how far it is, and how long the rest takes; it goes at the
end.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import Protocol, TextIO

from physx_schema.command_line.options import is_quiet
from physx_schema.errors import printable

PATIENCE = 1.0          # seconds after which a reader wonders whether anything goes on
BEAT = 0.2              # seconds between two looks at the work
MINUTES = 90.0          # seconds from which on a time is shown in minutes
_CLEAR = "\r\x1b[K"     # to the line's start, and the line away


class Task(Protocol):
    """A part of the work: what is done, and how many of its steps are; no total if nobody knows."""

    what: str
    total: int
    done: int


class Progress:
    """The line of what is done, and a task itself, which holds all others.

    tasks: those that are open, the innermost last.
    """

    def __init__(self, what: str, tasks: Sequence[Task], stream: TextIO) -> None:
        self.what, self.total, self.done = what, 0, 0
        self._tasks, self._stream = tasks, stream
        self._timed: tuple[Task, float, float] | None = None    # first seen when, and with which part done
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Watch the work, in a thread of its own."""
        self._thread.start()

    def end(self) -> None:
        """Take the line away."""
        self._ended.set()
        self._thread.join()

    def text(self, now: float, started: float) -> str:
        """The line at a time in s: the open tasks with their counts, the time since the start, and that of the rest."""
        tasks = [self, *self._tasks]
        named = ": ".join(printable(current.what) + _count(current) for current in tasks)
        rest = self._rest([current for current in tasks if current.total], now)
        return f"{named}, {_time(now - started)}" + ("" if rest is None else f", about {_time(rest)} left")

    def _rest(self, tasks: Sequence[Task], now: float) -> float | None:
        """The time of the rest of the first task at its speed up to now, s; None if that is unknown."""
        if not tasks:
            return None
        done = _part_done(tasks)
        if self._timed is None or self._timed[0] is not tasks[0]:
            self._timed = tasks[0], now, done
        _, since, done_before = self._timed
        return (now - since) * (1.0 - done) / (done - done_before) if done_before < done else None

    def _run(self) -> None:
        started, shown = monotonic(), False
        while not self._ended.wait(BEAT):
            now = monotonic()
            text = self.text(now, started)
            if now - started >= PATIENCE:
                self._write(_CLEAR + shortened(text, _columns(self._stream) - 1))
                shown = True
        if shown:
            self._write(_CLEAR)

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def _part_done(tasks: Sequence[Task]) -> float:
    """The part of the first task that is done; the task after it is the step at work."""
    first, *inner = tasks
    return min((first.done + (_part_done(inner) if inner else 0.0)) / first.total, 1.0)


def _count(task: Task) -> str:
    return f" {min(task.done, task.total)} of {task.total}" if task.total > 1 else ""


def _time(seconds: float) -> str:
    return f"{seconds / 60.0:.0f} min" if seconds >= MINUTES else f"{max(seconds, 1.0):.0f} s"


def _columns(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except OSError:         # a stream without a file
        return 80


def shortened(text: str, width: int) -> str:
    """The end of a text that is too wide for the terminal, where it would leave lines behind."""
    return text if len(text) <= width else f"\N{HORIZONTAL ELLIPSIS}{text[1 - width:]}"


@contextmanager
def progress(what: str, tasks: Sequence[Task] = ()) -> Iterator[Progress]:
    """Show what the block does on stderr once it takes longer than 1 s, where stderr is a terminal and not silenced."""
    indicator = Progress(what, tasks, sys.stderr)
    if is_quiet() or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield indicator
        return
    indicator.start()
    try:
        yield indicator
    finally:
        indicator.end()
