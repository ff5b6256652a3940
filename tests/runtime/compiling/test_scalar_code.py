"""Functions that are compiled for other compiled ones."""

from __future__ import annotations

import subprocess
import sys

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


def test_a_call_from_python_is_refused_in_one_line() -> None:
    done = subprocess.run([sys.executable, "-c", CALLED_FROM_PYTHON], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == ("physx_runtime.collision.vectors.add is compiled for compiled code alone; from Python call "
                           "its py_func\n")
