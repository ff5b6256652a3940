"""Functions that are compiled for other compiled ones."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from physx_runtime.compiling.numba_functions import PACKAGE, imports_of
from support.nonempty import nonempty

# A process of its own: code without an entry for Python would end it.
CALLED_FROM_PYTHON = """
import numpy as np
from physx_runtime.collision.simd_math import add
one = (np.float32(1.0),) * 3
try:
    add(one, one)
except TypeError as error:
    print(error)
"""

# Compiled first for code that makes no arrays, with nothing kept from before.
ASKED_BY_BORROWING_CODE = """
import numpy as np
from physx_runtime.compiling.numba_functions import borrowing_entry, scalar_code
def total(n):
    return np.ones(n).sum()
total.__module__ = "physx_runtime.collision.simd_math"
inner = scalar_code(total)
def outer():
    def asked(n):
        return inner(n)
    asked.__module__ = total.__module__
    return borrowing_entry(asked)
print(outer()(3))
"""

# Argument: around which of two functions closures are compiled or loaded, one after the other. What is closed over is
# long enough not to be inlined.
CLOSURES = f"""
import math, sys
from physx_runtime.compiling.numba_functions import scalar_code, scalar_entry
@scalar_code
def one(x):
    return x + 1.0
@scalar_code
def two(x):
    return x + 2.0
def over(inner):
    @scalar_code
    def middle(x):
        return inner(x){"".join(f" + math.sin(inner(x) * {k}.0)" for k in range(1, 40))}
    @scalar_entry
    def entry(x):
        return middle(x) + middle(2.0 * x) + middle(3.0 * x)
    return entry
print(*(over({{"one": one, "two": two}}[name])(1.0) for name in sys.argv[1].split()))
"""


def test_what_two_processes_kept_of_two_closures_does_not_mix(tmp_path: Path) -> None:
    def said(names: str) -> str:
        return subprocess.run([sys.executable, "-c", CLOSURES, names], capture_output=True, text=True,
                              check=True, env={**os.environ, "PHYSX_RUNTIME_CACHE": str(tmp_path)}).stdout.strip()

    one, two = said("one"), said("two")
    assert one != two
    assert said("one two").split() == [one, two]


def test_code_that_makes_arrays_may_be_called_by_code_that_makes_none(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", ASKED_BY_BORROWING_CODE], capture_output=True, text=True, check=False,
                          env={**os.environ, "PHYSX_RUNTIME_CACHE": str(tmp_path)})
    assert (done.returncode, done.stdout) == (0, "3.0\n"), done.stderr


def test_a_call_from_python_is_refused_in_one_line() -> None:
    done = subprocess.run([sys.executable, "-c", CALLED_FROM_PYTHON], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == ("physx_runtime.collision.simd_math.add can only be called from compiled code; in "
                           "Python, call py_func\n")


def test_imports_are_found_as_pythons_own_parser_finds_them() -> None:
    for path in nonempty(sorted(PACKAGE.rglob("*.py"))):
        own = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
        assert imports_of(own) == set(parsed_imports(path)), own


def parsed_imports(path: Path) -> Iterator[str]:
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    for name in names:
        place = PACKAGE.parent.joinpath(*name.split("."))
        if name.partition(".")[0] == PACKAGE.name and (place.with_suffix(".py").is_file() or place.is_dir()):
            yield name
