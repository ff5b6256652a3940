"""Files are opened in another process first: OpenUSD crashes on some, and on others never ends."""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import IO, Any, cast

from physx_schema.errors import UnreadableError

WALL_PER_CPU_SECOND = 30            # seconds of waiting for one of the processor, on a machine with much else to do
START_SECONDS = 2            # seconds of the processor in which the process is there and has said its first
EXIT_SECONDS = 1               # seconds, which a process has that says no more
_PROGRAM = Path(__file__).with_name("trial_process.py")
_TRUSTED: ContextVar[bool] = ContextVar("trusted", default=False)


@contextmanager
def trusted_files(trusted: bool = True) -> Iterator[None]:
    """Open files directly in this process, within a ``with`` block.

    By default a file is first opened in a separate process, because USD may crash on a faulty file. The
    separate process costs time for each file. Within the block, such a crash ends this process.

    No separate process is used for a stage that is already open, or if Python is embedded in another program.
    """
    token = _TRUSTED.set(trusted)
    try:
        yield
    finally:
        _TRUSTED.reset(token)


def is_trusting() -> bool:
    """Whether files are opened directly in this process."""
    return _TRUSTED.get()


def require_openable(path: Path) -> None:
    """Raise UnreadableError for a file on which another process crashed, did not end or ran out of memory."""
    if not _TRUSTED.get() and Path(sys.executable).name.startswith("python"):
        fault = _TRIAL.fault(path)
        if fault:
            raise UnreadableError(f"{path}: {fault}")


class _Trial:
    """The other process, which stays for the files that come after and is started anew when it has died."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def fault(self, path: Path) -> str:
        """Why a file is not opened here, "" where nothing speaks against it."""
        with self._lock:
            if self._process is not None and self._process.poll() is not None:
                self.end()
            if self._process is None:
                self._process = start_trial()
            name = str(path.absolute())
            layer, seconds = name, START_SECONDS
            _send(self._process, name)
            while answer := _read_answer(self._process, seconds):
                if "fault" in answer:
                    return str(answer["fault"])
                layer, seconds = answer["layer"], answer["seconds"]
            return _fault_text(self.end(), seconds, "it" if layer == name else layer)

    def adopt(self, process: subprocess.Popen[bytes]) -> None:
        """Take a process that was started already."""
        self.end()
        self._process = process

    def end(self) -> int:
        """End the process, where one runs; the number of the signal that had ended it already, SIGXCPU for none."""
        process, self._process = self._process, None
        if process is None:
            return 0
        with process:               # waits for it, and closes the other pipe
            cast("IO[bytes]", process.stdin).close()        # one that waits for the next path ends by that
            try:
                return -process.wait(timeout=EXIT_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                return signal.SIGXCPU

    def forget(self) -> None:
        """Leave the process, and a lock that nobody holds any more, to the one that this one was forked from."""
        self._lock, self._process = threading.Lock(), None


def start_trial() -> subprocess.Popen[bytes]:
    """Start a process that answers paths."""
    return subprocess.Popen([sys.executable, "-P", str(_PROGRAM)], bufsize=0, stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def _send(process: subprocess.Popen[bytes], name: str) -> None:
    with suppress(BrokenPipeError):         # where it has died since, there is no answer
        cast("IO[bytes]", process.stdin).write(f"{json.dumps(name)}\n".encode())


def _read_answer(process: subprocess.Popen[bytes], seconds: int) -> dict[str, Any]:
    """The next line of the process, nothing where there is none any more or none in time."""
    stream = cast("IO[bytes]", process.stdout)
    ready, _, _ = select.select([stream], [], [], WALL_PER_CPU_SECOND * seconds)
    line = stream.readline() if ready else b""
    return cast("dict[str, Any]", json.loads(line)) if line else {}


def _fault_text(number: int, seconds: int, what: str) -> str:
    if number == signal.SIGXCPU:
        return (f"USD does not finish reading {what} within {seconds} s, which is too long for its size; if you trust "
                "the file, open it with --isolate off")
    name = signal.Signals(number).name if number > 0 else f"exit code {-number}"
    return f"USD crashes while it reads {what} ({name}); export the file again"


def adopt(process: subprocess.Popen[bytes]) -> None:
    """Open files first in a process of `trial_process.py` that the caller has started, and end it at exit."""
    _TRIAL.adopt(process)


_TRIAL = _Trial()
atexit.register(_TRIAL.end)
os.register_at_fork(after_in_child=_TRIAL.forget)
