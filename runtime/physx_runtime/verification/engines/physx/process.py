"""`PhysXProcess` runs real PhysX in a child process, because its wheel (ovphysx) refuses a process with another USD."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from physx_runtime.arrays import DoubleArray
from physx_runtime.verification.engines.physx.worker import REPLY_PREFIX
from physx_schema.definitions import plugin_folders
from physx_schema.errors import UnsupportedError

# The environment variable that names an interpreter with ovphysx.
PYTHON_VARIABLE = "OVPHYSX_PYTHON"
_MISSING = (f"{{}}; run `pip install ovphysx` in this Python; or run it in another Python and set {PYTHON_VARIABLE} to "
            "its path")


class PhysXProcess:
    """PhysX on the CPU in a child process, as a context manager.

    Raises UnsupportedError where no interpreter has it, or where the process ends unexpectedly.
    """

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="physx-")
        schemas = (str(folder) for folder in plugin_folders() if (folder / "generatedSchema.usda").is_file())
        command = [_interpreter(), str(Path(__file__).with_name("worker.py")), *schemas]
        try:
            self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                           stderr=subprocess.DEVNULL, cwd=self._folder.name)
        except OSError as error:
            raise UnsupportedError(_MISSING.format(f"{command[0]} cannot be run: {error.strerror}")) from None
        try:
            self.version = str(self._read_reply()["version"])
        except UnsupportedError:
            self.close()
            raise UnsupportedError(_MISSING.format(f"{command[0]} cannot start ovphysx")) from None

    def __enter__(self) -> PhysXProcess:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        self._child.kill()
        self._child.wait()
        for pipe in (self._child.stdin, self._child.stdout):
            if pipe is not None:
                pipe.close()
        self._folder.cleanup()

    def load(self, text: str, roots: Sequence[str]) -> list[str]:
        """Load a stage; return the names of degrees of freedom, which are equal in all its articulations.

        Raises UnsupportedError where PhysX refuses it.
        """
        path = Path(self._folder.name, "stage.usda")
        path.write_text(text, encoding="utf-8")
        return list(map(str, self._request({"stage": str(path), "roots": list(roots)})["dofs"]))

    def run(self, q: DoubleArray, v: DoubleArray, effort: DoubleArray, dt: float,
            steps: int) -> tuple[DoubleArray, DoubleArray]:
        """Positions and velocities after `steps` steps; all (n_round, n_copy, n_dof), round by round."""
        path = Path(self._folder.name, "states.npz")
        np.savez(path, q=q, v=v, effort=effort)
        self._request({"file": str(path), "dt": dt, "steps": steps})
        with np.load(path) as states:
            return states["q"].astype(np.float64), states["v"].astype(np.float64)

    def _request(self, job: dict[str, Any]) -> dict[str, Any]:
        assert self._child.stdin
        with contextlib.suppress(BrokenPipeError):      # the answer says how it ended
            print(json.dumps(job), file=self._child.stdin, flush=True)
        reply = self._read_reply()
        if "refused" in reply:
            raise UnsupportedError(f"PhysX refuses the experiment: {reply['refused']}")
        return reply

    def _read_reply(self) -> dict[str, Any]:
        """The next answer, whatever the engine prints before it."""
        assert self._child.stdout
        for line in self._child.stdout:
            if line.startswith(REPLY_PREFIX):
                reply: dict[str, Any] = json.loads(line.removeprefix(REPLY_PREFIX))
                return reply
        raise UnsupportedError(f"the PhysX process ended with exit code {self._child.wait()}")


def _interpreter() -> str:
    """An interpreter with ovphysx: the named one, or this one."""
    path = os.environ.get(PYTHON_VARIABLE, "")
    if path:
        return path
    if importlib.util.find_spec("ovphysx") is None:
        raise UnsupportedError(_MISSING.format("real PhysX (ovphysx) is not installed"))
    return sys.executable
