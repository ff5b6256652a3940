"""What strikes a process at a chosen point of its writing: a kill, or an error of the operating system."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

WRITE = "write_text"
POINTS = ("mkdir", WRITE, "utime", "chmod", "fsync", "link", "rename", "replace", "unlink")
NEED_ROOM = ("mkdir", WRITE, "link")
HALF = 2


class Strikes:
    """Counts the operations that change files; `act` is called before the one of a number, 1 the first."""

    def __init__(self, number: int, act: Callable[[str], object], names: tuple[str, ...] = POINTS) -> None:
        self.number, self.count, self.name = number, 0, ""
        self._act, self._names = act, names

    def wrapped(self, name: str, sound: Callable[..., Any]) -> Callable[..., Any]:
        """An operation, struck where its turn comes; a text is written by half before that."""

        def struck(*args: Any, **kwargs: Any) -> Any:
            if name not in self._names:
                return sound(*args, **kwargs)
            self.count += 1
            if self.count == self.number:
                self.name = name
            if self.count >= self.number:
                if name == WRITE:
                    sound(args[0], args[1][:len(args[1]) // HALF], **kwargs)
                self._act(name)
            return sound(*args, **kwargs)

        return struck


@contextmanager
def struck(strikes: Strikes) -> Iterator[None]:
    """With operations that change files counted and struck."""
    with pytest.MonkeyPatch.context() as mend:
        for name in POINTS:
            place: Any = Path if name == WRITE else os
            mend.setattr(place, name, strikes.wrapped(name, getattr(place, name)))
        yield


def kill(_: str) -> None:
    """End this process without a word."""
    os.kill(os.getpid(), signal.SIGKILL)


def failing(code: int, once: bool) -> Callable[[str], None]:
    """An error of the operating system, once or from then on."""
    left = [1]

    def fail(name: str) -> None:
        if not once or left:
            left.clear()
            raise OSError(code, os.strerror(code))

    return fail


def in_a_process(number: int, work: Callable[[], object], names: tuple[str, ...] = POINTS) -> tuple[bool, int]:
    """Do some work in a forked process that is killed before an operation; whether it was, and how many there were."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        code = 1
        try:
            strikes = Strikes(number, kill, names)
            with struck(strikes):
                work()
            os.write(write, str(strikes.count).encode())
            code = 0
        finally:
            os._exit(code)
    os.close(write)
    status = os.waitpid(child, 0)[1]
    with os.fdopen(read, "rb") as stream:
        count = int(stream.read() or 0)
    if os.WIFSIGNALED(status):
        return True, count
    assert os.WEXITSTATUS(status) == 0, "the work failed by itself"
    return False, count
