"""Functions compiled by numba and kept in the kernel cache: `scalar_code`, `borrowing_code`, `entry_for` and
`parallel_loop`. A cached function depends on its module and on the package's modules that this one imports; other edits
do not recompile it. A function that closes over compiled functions is cached once for each set of them. `CodeCache`
replaces numba's own cache, which loads any file and raises where it cannot write. It also finds kernels in the bundles
of `precompiled`.
"""

from __future__ import annotations

import functools
import gc
import hashlib
import os
import pickle
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba import njit, typeof
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.registry import CPUDispatcher
from numba.core.serialize import dumps

from physx_runtime.compiling.kernel_cache import package_code, read_cached, write_cached
from physx_runtime.compiling.precompiled import member_name, read_precompiled
from physx_runtime.language.ops import Single, Unfused
from physx_runtime.progress import task


class CodeCache(NullCache):  # type: ignore[misc]
    """Compiled signatures of the function of a name in the kernel cache; `sources` hashes their Python code."""

    def __init__(self, name: str, sources: Callable[[], str]) -> None:
        self._name, self._sources = name, sources

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The cached or precompiled signature, or None."""
        target_context.refresh()
        data = read_cached(self._file(sig, target_context.codegen()))
        if data is None:
            data = read_precompiled(self.member_name(sig))
        return None if data is None else CompileResult._rebuild(target_context, *pickle.loads(data))

    def save_overload(self, sig: Any, data: Any) -> None:
        """Cache a compiled signature."""
        write_cached(self._file(sig, data.codegen), dumps(data._reduce()))

    def member_name(self, sig: Any) -> str:
        """The name of a signature in a bundle of precompiled kernels."""
        return member_name(f"{self._name} {sig} {self._sources()}")

    def _file(self, sig: Any, codegen: Any) -> str:
        identity = f"{self._name} {sig} {codegen.magic_tuple()} {self._sources()}"
        return f"loop_{hashlib.sha256(identity.encode()).hexdigest()[:24]}.pickle"


PACKAGE = Path(__file__).resolve().parents[1]
F = TypeVar("F", bound=Callable[..., Any])
# Imports from the package and what is imported; Python's own parser takes a second for as much text.
IMPORT = re.compile(rf"^\s*(?:from|import) ({PACKAGE.name}[\w.]*)(?: import (\([^)]*\)|.*))?", re.MULTILINE)
NAME = re.compile(r"\w+")


class InnerCode(CPUDispatcher):  # type: ignore[misc]
    """A function that numba compiles without a Python entry; a direct call would end the process.

    With `Single` or `Unfused` arguments it is traced, like any algorithm.
    """

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        if _has_traced_numbers(arguments):
            return self.py_func(*arguments, **keywords)
        raise TypeError(f"{_identity(self.py_func)} can only be called from compiled code; in Python, call py_func")


class EntryCode(CPUDispatcher):  # type: ignore[misc]
    """A function that numba compiles for Python to call; a task says so meanwhile."""

    def compile(self, sig: Any) -> Any:
        """The entry for a signature, loaded or compiled."""
        with task(f"compiling {_short_name(self.py_func)}"), _no_collection():
            return super().compile(sig)


_entries: list[EntryCode] = []      # of all functions for Python to call


def compiled_kernels() -> dict[str, bytes]:
    """What this process has compiled for Python to call, by its name in a bundle; nothing that it has loaded."""
    # without its annotation, which names the path of its file
    return {entry._cache.member_name(signature): dumps(result._replace(type_annotation="")._reduce())
            for entry in _entries for signature, result in entry.overloads.items() if _is_compiled(result)}


def kernel_counts() -> tuple[int, int]:
    """The numbers of kernels for Python to call that this process has compiled, and that it has loaded."""
    results = [result for entry in _entries for result in entry.overloads.values()]
    compiled = sum(map(_is_compiled, results))
    return compiled, len(results) - compiled


def _is_compiled(result: CompileResult) -> bool:
    """Whether a result was compiled by this process: a loaded one knows nothing of how it was made."""
    return result.metadata is not None


def _short_name(function: Callable[..., Any]) -> str:
    """The name of a function, or of the innermost one that it closes over."""
    inner = _closure_functions(function)
    return _short_name(inner[0]) if inner else function.__name__.strip("_")


@contextmanager
def _no_collection() -> Iterator[None]:
    """Without garbage collection, which takes a tenth of the time of compiling.

    The reader's `gc_disabled` needs USD, and kernels are compiled without USD too.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _has_traced_numbers(arguments: Iterable[Any]) -> bool:
    return any(isinstance(x, Single | Unfused) or (isinstance(x, tuple | list) and _has_traced_numbers(x))
               for x in arguments)


def scalar_code(function: F) -> F:
    """The function compiled for calls from compiled code; a division by zero gives infinity or NaN.

    A call from Python raises TypeError; a Python entry would double the time of compiling.
    """
    compiled = _compile(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)
    compiled.__class__ = InnerCode      # which numba compiles as any other
    return compiled


def borrowing_code(function: F) -> F:
    """As `scalar_code` for a function that makes no arrays, inlined where it is called.

    It counts no references to its array arguments, which would take longer than a short function's work.
    """
    compiled = _compile(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False, forceinline=True)
    compiled.__class__ = InnerCode
    return compiled


def scalar_entry(function: F) -> F:
    """The function compiled for Python to call."""
    return _as_entry(_compile(function, no_cfunc_wrapper=True))


def borrowing_entry(function: F) -> F:
    """As `scalar_entry` for a function that makes no arrays: see `borrowing_code`."""
    return _as_entry(_compile(function, no_cfunc_wrapper=True, _nrt=False))


def _as_entry(compiled: F) -> F:
    compiled.__class__ = EntryCode
    _entries.append(compiled)           # type: ignore[arg-type]
    return compiled


def entry_for(function: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """The compiled entry for arguments of fixed types, without numba's dispatch at every call.

    Dispatch on many record arrays takes 0.1 ms. Arguments of other types must not be passed.
    """
    return cast(Callable[..., Any], function.compile(tuple(map(typeof, arguments))))    # type: ignore[attr-defined]


def _compile(function: F, **options: bool) -> F:
    name = _identity(function)
    if function.__closure__:
        # numba numbers functions afresh in every process: cached code of two closures from two processes could have one
        # symbol, and where both are loaded one would run in place of the other
        function.__qualname__ += f"_{hashlib.sha256(name.encode()).hexdigest()[:8]}"
    # numba hands a missing `_nrt` on from the first function that calls this one: False, and it could make no arrays
    compiled = njit(error_model="numpy", nogil=True, **{"_nrt": True, **options})(function)
    compiled._cache = CodeCache(name, lambda: " ".join(map(sources_of, sorted(_modules(function)))))
    return cast(F, compiled)


def _identity(function: Callable[..., Any]) -> str:
    """The identity of a function and of the compiled functions that it closes over."""
    parts = "".join(f" of ({_identity(inner)})" for inner in _closure_functions(function))
    return f"{function.__module__}.{function.__qualname__}{parts}"


def _modules(function: Callable[..., Any]) -> set[str]:
    """The modules of a function and of the functions that it closes over."""
    return {function.__module__}.union(*map(_modules, _closure_functions(function)))


def _closure_functions(function: Callable[..., Any]) -> list[Callable[..., Any]]:
    """The compiled functions that a function closes over."""
    return [cell.cell_contents.py_func for cell in function.__closure__ or ()]


@functools.cache
def sources_of(module: str) -> str:
    """A hash of the source of a module of the package and of all modules of the package that it imports in turn."""
    modules, pending = {module}, [module]
    while pending:
        new = imports_of(pending.pop()) - modules
        modules |= new
        pending += sorted(new)
    digest = hashlib.sha256()
    for name in sorted(modules):
        digest.update(_module_file(name).read_bytes())
    return digest.hexdigest()


@functools.cache
def imports_of(module: str) -> frozenset[str]:
    """Modules of the package that a module imports; of `from package import name` also that name where it is one."""
    return frozenset(name for name in _imported(_module_file(module).read_text(encoding="utf-8"))
                     if _module_file(name).is_file())


def _imported(text: str) -> Iterator[str]:
    for module, names in IMPORT.findall(text):
        yield module
        yield from (f"{module}.{name}" for name in NAME.findall(names))


def _module_file(module: str) -> Path:
    path = PACKAGE.joinpath(*module.split(".")[1:])
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


_threads_lost = False       # in a process forked from one whose threads run: it has none of them, nor can it start any


def parallel_loop(function: Callable[..., None]) -> Callable[..., None]:
    """The function compiled by numba, its `prange` on all cores; on one in a process forked from one that steps."""
    parallel_code, serial_code = _compile_loop(function, True), _compile_loop(function, False)

    def loop(*arguments: Any) -> None:
        (serial_code if _threads_lost else parallel_code)(*arguments)

    return loop


def _compile_loop(function: Callable[..., None], parallel: bool) -> Any:
    compiled = njit(parallel=parallel)(function)
    suffix = "" if parallel else ".alone"
    compiled._cache = CodeCache(f"{function.__module__}.{function.__qualname__}{suffix}", package_code)
    return _as_entry(compiled)


def _after_fork() -> None:
    global _threads_lost
    try:
        numba.threading_layer()     # raises where no thread has run yet
    except ValueError:
        return
    _threads_lost = True


os.register_at_fork(after_in_child=_after_fork)
