"""Functions that are compiled for other compiled ones."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

# A process of its own: code without an entry for Python would end it.
CALLED_FROM_PYTHON = """
import numpy as np
from physx_runtime.collision.vectors import add
one = (np.float32(1.0),) * 3
try:
    add(one, one)
except TypeError as error:
    print(error)
"""

# Compiled first for code that makes no arrays, with nothing kept from before.
ASKED_BY_BORROWING_CODE = """
import numpy as np
from physx_runtime.compiling.scalar_code import borrowing_entry, scalar_code
def total(n):
    return np.ones(n).sum()
total.__module__ = "physx_runtime.collision.vectors"
inner = scalar_code(total)
def outer():
    def asked(n):
        return inner(n)
    asked.__module__ = total.__module__
    return borrowing_entry(asked)
print(outer()(3))
"""


def test_code_that_makes_arrays_may_be_called_by_code_that_makes_none(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", ASKED_BY_BORROWING_CODE], capture_output=True, text=True, check=False,
                          env={**os.environ, "PHYSX_RUNTIME_CACHE": str(tmp_path)})
    assert (done.returncode, done.stdout) == (0, "3.0\n"), done.stderr


def test_a_call_from_python_is_refused_in_one_line() -> None:
    done = subprocess.run([sys.executable, "-c", CALLED_FROM_PYTHON], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == ("physx_runtime.collision.vectors.add is compiled for compiled code alone; from Python call "
                           "its py_func\n")
