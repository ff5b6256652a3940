"""`compile_library` compiles C++ text to a shared library with the machine's compiler and keeps it on disk."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from physx_runtime.compiling.kernel_cache import read_cached, write_cached

COMPILERS = ("g++", "clang++", "c++")
# Nothing is fused or reordered but what the text says; -O0 compiles in half the time of -O1.
FLAGS = ("-x", "c++", "-std=c++17", "-O0", "-march=native", "-ffp-contract=off", "-fno-fast-math", "-fPIC", "-shared")


def find_compiler() -> str:
    """The C++ compiler that CXX names, else the first that is found; empty where none is."""
    from_environment = os.environ.get("CXX", "")
    return next((path for name in (*([from_environment] if from_environment else ()), *COMPILERS)
                 if (path := shutil.which(name))), "")


def compile_library(text: str) -> bytes:
    """The shared library of a text, kept on disk. Raises RuntimeError with the compiler's first complaint."""
    compiler = find_compiler()
    name = f"host_{hashlib.sha256(' '.join((compiler, *FLAGS, text)).encode()).hexdigest()[:24]}.so"
    library = read_cached(name)
    if library is None:
        library = _compile(compiler, text)
        write_cached(name, library)
    return library


def _compile(compiler: str, text: str) -> bytes:
    if not compiler:
        raise RuntimeError(f"no C++ compiler found; install one of {', '.join(COMPILERS)}, or set the environment "
                           "variable CXX to a compiler")
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "kernels.so"
        process = subprocess.run([compiler, *FLAGS, "-", "-o", str(target)], input=text, capture_output=True, text=True,
                                 check=False)
        if process.returncode:
            raise RuntimeError(f"{compiler} cannot compile the kernels: {_first_error(process.stderr)}")
        return target.read_bytes()


def _first_error(output: str) -> str:
    lines = output.splitlines() or ["it printed no output"]
    return next((line for line in lines if "error" in line), lines[0])
