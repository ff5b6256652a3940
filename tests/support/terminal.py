"""The program on a terminal of its own."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from dataclasses import dataclass

from support.places import ROOT

SOURCES = os.pathsep.join(str(ROOT / name) for name in ("", "codegen", "generated", "runtime"))
MAIN = "from physx_runtime.program import main; main()"


@dataclass(frozen=True, slots=True)
class Said:
    """What a process wrote to its terminal, and to stdout where that is a pipe."""

    terminal: str
    piped: str
    code: int


def on_a_terminal(*arguments: str, code: str = MAIN, stdout_piped: bool = False, columns: int = 80,
                  **environment: str) -> Said:
    """Run Python code in a process whose stderr, and stdout too if it is not piped, is a terminal."""
    ours, theirs = pty.openpty()
    variables = {name: text for name, text in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    variables |= {"PYTHONPATH": SOURCES, "TERM": "xterm", "PYTHONUNBUFFERED": "1", **environment}
    _set_width(theirs, columns)
    with subprocess.Popen([sys.executable, "-c", code, *arguments], stdin=theirs, stderr=theirs,
                          stdout=subprocess.PIPE if stdout_piped else theirs, env=variables) as running:
        os.close(theirs)
        terminal = b"".join(iter(lambda: _read(ours), b""))
        piped = running.stdout.read() if running.stdout else b""
    os.close(ours)
    return Said(terminal.decode().replace("\r\n", "\n"), piped.decode(), running.returncode)


def _set_width(terminal: int, columns: int) -> None:
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:         # Linux says so of a terminal that all others have closed
        return b""
