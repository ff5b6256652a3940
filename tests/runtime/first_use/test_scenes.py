"""The stages that `warm` steps."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from physx_runtime.first_use.scenes import _open, _stages

from physx_schema.description import describe

# Every kernel for Python to call that is still not compiled, one a line; other than those that only edits of a stage,
# logs that a simulation follows, and blocks of worlds without contacts need. Boxes touch by a loop without hulls.
WARM = """
from physx_runtime.compiling import numba_functions
from physx_runtime.first_use.scenes import call_kernels
call_kernels()
for entry in numba_functions._entries:
    name = entry.py_func.__name__
    identity = numba_functions._identity(entry.py_func)
    other = name in ("without_filtered", "update_offsets", "_run_program", "_run_function", "_follow_program",
                     "_follow_bytecode") or (name == "loop" and "of_sizes_and_hulls" in identity)
    if not entry.overloads and not other:
        print(identity)
"""


@pytest.mark.parametrize(("name", "text"), list(_stages()), ids=[name for name, _ in _stages()])
def test_stage_is_read_as_a_whole(name: str, text: str) -> None:
    assert not describe(_open(text)).incomplete


@pytest.mark.sweep
def test_every_kernel_is_called(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", WARM], capture_output=True, text=True, check=False,
                          env=os.environ | {"PHYSX_RUNTIME_CACHE": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
