"""What long work is at: code that does the work opens a `task`; a command that waits follows the open tasks.

Nothing else is imported, so that compilers and solvers need no USD to say what they do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

Item = TypeVar("Item")


@dataclass(slots=True)
class Task:
    """A part of the work."""

    what: str           # "compiling kernels"
    total: int = 0      # number of its steps; 0 if unknown
    done: int = 0       # number of steps that are done; threads may count too


_open_tasks: ContextVar[list[Task] | None] = ContextVar("open tasks", default=None)


@contextmanager
def followed() -> Iterator[Sequence[Task]]:
    """The tasks that are open in the block, the innermost last; another thread may read them."""
    tasks: list[Task] = []
    token = _open_tasks.set(tasks)
    try:
        yield tasks
    finally:
        _open_tasks.reset(token)


@contextmanager
def task(what: str, total: int = 0) -> Iterator[Task]:
    """Tell followers what the block does. The block adds to `done` of the task."""
    current, tasks = Task(what, total), _open_tasks.get()
    if tasks is None:
        yield current
        return
    tasks.append(current)
    try:
        yield current
    finally:
        tasks.remove(current)


def counted(what: str, items: Collection[Item]) -> Iterator[Item]:
    """The items, one after another, with the number of those that are done as a task."""
    with task(what, len(items)) as current:
        for item in items:
            yield item
            current.done += 1
