"""Results of a function on many items, each in a worker process with limits of time and memory.

A standard pool ends if a worker dies, and cannot stop a single item. Here a worker that crashes, hangs or runs out of
memory costs its own item only.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from time import monotonic
from typing import Any, Generic, TypeVar

from physx_schema.errors import UnsupportedError
from physx_schema.library.outcomes import Limits, Lost

Item = TypeVar("Item")
Result = TypeVar("Result")

ATTEMPTS = 2            # of an item whose worker is killed; a second loss shows that the item is the cause
_EXIT_SECONDS = 5       # in which a process ends after its pipe has closed
_SPAWN = multiprocessing.get_context("spawn")       # a fork would copy the threads' locks of USD and numba


def results_of(function: Callable[[Item], Result], items: Iterable[Item], workers: int,
               limits: Limits | None = None) -> Iterator[tuple[int, Result | Lost]]:
    """The index and result of each item, in the order in which workers finish.

    function: can be pickled, as can items and results. An item is sent only after the reader has taken earlier results,
    so that the results in memory are at most those of the workers. The first loss of a worker to a signal is taken as
    an accident: another worker repeats its item.

    Raises UnsupportedError if workers cannot start, and for a limit of memory on another system than Linux.
    """
    limits = limits or Limits()
    if limits.megabytes is not None and sys.platform != "linux":
        raise UnsupportedError(f"a limit of memory needs Linux, and this system is {sys.platform}; leave it out")
    pool = _Pool(function, workers, limits)
    pool.pending.extend(enumerate(items))
    try:
        while pool.pending or pool.busy:
            pool.employ()
            for worker in pool.answering():
                yield from pool.take(worker)
    finally:
        pool.end()


class _Pool(Generic[Item, Result]):
    """The workers, and the items that wait for them."""

    def __init__(self, function: Callable[[Item], Result], workers: int, limits: Limits) -> None:
        self.pending: deque[tuple[int, Item]] = deque()
        self._function, self._count, self._limits = function, workers, limits
        self._workers: list[_Worker[Item, Result]] = []
        self._losses: dict[int, int] = {}

    @property
    def busy(self) -> bool:
        """Whether an item is with a worker."""
        return any(worker.task is not None for worker in self._workers)

    def employ(self) -> None:
        """Give items to workers that are ready; start workers if there is more to do."""
        for worker in self._workers:
            if worker.ready and worker.task is None and self.pending:
                worker.send(self.pending.popleft(), self._limits.seconds)
        starting = sum(not worker.ready for worker in self._workers)
        for _ in range(min(self._count - len(self._workers), len(self.pending) - starting)):
            self._workers.append(_Worker(self._function, self._limits.megabytes))

    def answering(self) -> list[_Worker[Item, Result]]:
        """The workers that have something to say, that died, or that are out of time."""
        deadline = min((worker.deadline for worker in self._workers), default=math.inf)
        timeout = None if deadline == math.inf else max(0.0, deadline - monotonic())
        ready = wait([worker.connection for worker in self._workers], timeout)
        now = monotonic()
        return [worker for worker in self._workers if worker.connection in ready or worker.deadline <= now]

    def take(self, worker: _Worker[Item, Result]) -> Iterator[tuple[int, Result | Lost]]:
        """What a worker answers, with the index of its item; nothing at its start and for an item that is repeated."""
        task = worker.task
        try:
            if not worker.connection.poll():
                self._remove(worker)
                if task is not None:
                    yield task[0], Lost("timeout", f"took longer than {self._limits.seconds:g} s")
                return
            answer = worker.connection.recv()
        except (EOFError, OSError):
            number = self._remove(worker)
            if task is None:
                raise UnsupportedError(f"a worker process ended with {_exit_text(number)} before its first item; start "
                                       "workers from a file with if __name__ == '__main__'") from None
            self._losses[task[0]] = self._losses.get(task[0], 0) + 1
            if number < 0 and self._losses[task[0]] < ATTEMPTS:
                self.pending.appendleft(task)
                return
            yield task[0], Lost("crashed", f"ended its process with {_exit_text(number)}")
            return
        worker.free()
        if task is not None:
            yield task[0], answer

    def _remove(self, worker: _Worker[Item, Result]) -> int:
        self._workers.remove(worker)
        return worker.end()

    def end(self) -> None:
        """End all workers."""
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.end()


class _Worker(Generic[Item, Result]):
    """A process, and the item that it has."""

    def __init__(self, function: Callable[[Item], Result], megabytes: int | None) -> None:
        self.connection, child_connection = _SPAWN.Pipe()
        self.process = _SPAWN.Process(target=_work, args=(child_connection, function, megabytes), daemon=True)
        self.process.start()
        child_connection.close()          # so that the pipe ends with the process
        self.ready, self.task, self.deadline = False, None, math.inf

    task: tuple[int, Item] | None

    def send(self, task: tuple[int, Item], seconds: float) -> None:
        """Give an item to the process."""
        self.task, self.deadline = task, monotonic() + seconds
        with suppress(OSError):             # of a process that has died, which the next answer shows
            self.connection.send(task[1])

    def free(self) -> None:
        """Note that the process waits for an item."""
        self.ready, self.task, self.deadline = True, None, math.inf

    def end(self) -> int:
        """End the process; return its exit code, which is negative after a signal."""
        self.connection.close()
        if self.deadline <= monotonic():
            self.process.kill()
        self.process.join(_EXIT_SECONDS)
        self.process.kill()
        self.process.join()
        return self.process.exitcode or 0


def _exit_text(number: int) -> str:
    return f"exit code {number}" if number >= 0 else signal.Signals(-number).name


def _work(connection: Connection, function: Callable[[Any], Any], megabytes: int | None) -> None:
    """Answer items until the pipe closes. Only the pipe carries results; crashes of USD print pages on stderr."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)        # the parent process ends workers
    threading.Thread(target=_end_with_parent, daemon=True).start()
    null_device = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    for descriptor in (1, 2):
        os.dup2(null_device, descriptor)
    if megabytes is not None:
        _limit_memory(megabytes)
    with suppress(EOFError, BrokenPipeError):
        connection.send(None)
        while True:
            item = connection.recv()
            connection.send(_answer(function, item, megabytes))


def _answer(function: Callable[[Any], Any], item: Any, megabytes: int | None) -> Any:
    try:
        return function(item)
    except MemoryError:
        return Lost("memory", "needs more memory than there is" if megabytes is None
                    else f"needs more than {megabytes} MB of memory")
    except Exception as fault:      # any fault in one item becomes its result, and the run continues
        return Lost("failed", " ".join(f"internal error: {type(fault).__name__}: {fault}".split()))


def _end_with_parent() -> None:
    """End a worker whose parent process was killed, even in the middle of an item."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _limit_memory(megabytes: int) -> None:
    """Refuse memory beyond a limit, from which MemoryError follows."""
    import resource  # of Unix alone

    size = megabytes << 20
    resource.setrlimit(resource.RLIMIT_DATA, (size, size))
