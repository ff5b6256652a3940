"""Real PhysX in a process of its own, which answers lines of text with lines of text."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


class PhysXProcess:
    """A script run by ORACLE_PYTHON, an interpreter with ovphysx; `folder` is where it runs."""

    def __init__(self, script: Path, folder: Path) -> None:
        self._child = subprocess.Popen([os.environ["ORACLE_PYTHON"], str(script)],
                                       stdin=subprocess.PIPE, text=True, stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, cwd=folder,
                                       env=os.environ | {"OVPHYSX_LOG": "error"})

    def run(self, steps: int) -> float:
        """Seconds that so many steps took."""
        return float(self.ask(str(steps), "seconds").split()[1])

    def close(self) -> None:
        """End the process."""
        self._child.kill()
        self._child.wait()

    def ask(self, line: str, answer: str) -> str:
        """The line that begins with `answer`, after sending one; raises RuntimeError where the process ends first."""
        assert self._child.stdin and self._child.stdout
        print(line, file=self._child.stdin, flush=True)
        for said in self._child.stdout:
            if said.startswith(answer):
                return said
        raise RuntimeError(f"PhysX ended with {self._child.wait()} instead of {answer!r}")
