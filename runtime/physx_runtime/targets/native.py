"""LLVM IR to machine code, kept on disk: straight to code generation, since traced code needs no optimiser.

numba's own pipeline takes twenty times as long on these blocks for the same machine code, so the IR is compiled here
and numba calls it by address.
"""

from __future__ import annotations

import functools
import hashlib
import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import llvmlite
import llvmlite.binding as llvm

# Functions and object files must outlive their callers; an engine frees its code when it is collected.
_engines: list[llvm.ExecutionEngine] = []

HOST = "this machine"


def cache_folder() -> Path:
    """Where compiled kernels live: PHYSX_RUNTIME_CACHE, else the user's cache folder."""
    chosen = os.environ.get("PHYSX_RUNTIME_CACHE")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "physx_runtime"


def register_bits() -> int:
    """Width of the machine's widest vector register."""
    return 512 if llvm.get_host_cpu_features().get("avx512f") else 256


def load_function(symbol: str, text: str, cpu: str = HOST) -> int:
    """The address of `symbol` in the IR `text`, compiled on first use.

    cpu: LLVM's name of the processor to compile for; this machine must have its instructions.
    """
    return load_functions({symbol: text}, cpu)[symbol]


def load_functions(texts: Mapping[str, str], cpu: str = HOST) -> dict[str, int]:
    """The addresses of functions by symbol, each in its own IR text, compiled on first use; cpu as `load_function`."""
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine(cpu))
    for symbol, text in texts.items():
        engine.add_object_file(llvm.ObjectFileRef.from_data(_object_code(symbol, text, cpu)))
    engine.finalize_object()
    _engines.append(engine)
    return {symbol: int(engine.get_function_address(symbol)) for symbol in texts}


def load_kept(key: str, make: Callable[[], tuple[str, str]]) -> int:
    """The address of the function that `make` writes as (symbol, text), without writing it where it was made before.

    key: names what `make` depends on, besides the package's own code.
    """
    digest = hashlib.sha256(f"{key} {own_code()} {' '.join(_processor(HOST))}".encode()).hexdigest()[:24]
    note = cache_folder() / f"made_{digest}.txt"
    if note.is_file():
        symbol = note.read_text()
        if _object_file(symbol, HOST).is_file():
            return load_function(symbol, "")
    symbol, text = make()
    address = load_function(symbol, text)
    write_atomically(note, symbol.encode())
    return address


@functools.cache
def own_code() -> str:
    """A hash of the package's Python code: what it emits may change with it."""
    root, total = Path(__file__).resolve().parents[1], hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        total.update(path.read_bytes())
    return total.hexdigest()


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file whole or not at all, so that parallel processes may share the folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as stream:
        stream.write(data)
    Path(temporary).replace(path)


def assembly(text: str, cpu: str = HOST) -> str:
    """A processor's assembly of IR, for a look at registers and vector instructions; need not be this machine's."""
    return str(_machine(cpu).emit_assembly(llvm.parse_assembly(text)))


def _object_code(symbol: str, text: str, cpu: str) -> bytes:
    path = _object_file(symbol, cpu)
    if path.is_file():
        return path.read_bytes()
    code = bytes(_machine(cpu).emit_object(llvm.parse_assembly(text)))
    write_atomically(path, code)
    write_atomically(path.with_suffix(".ll"), text.encode())
    return code


def _object_file(symbol: str, cpu: str) -> Path:
    target = " ".join((llvmlite.__version__, *_processor(cpu)))
    return cache_folder() / f"{symbol}_{hashlib.sha256(target.encode()).hexdigest()[:12]}.o"


@functools.cache
def _machine(cpu: str) -> llvm.TargetMachine:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    name, features = _processor(cpu)
    return target.create_target_machine(cpu=name, features=features, opt=2, reloc="pic", codemodel="jitdefault",
                                        jit=True)


def _processor(cpu: str) -> tuple[str, str]:
    """Name and features; a named processor has all of its own."""
    if cpu != HOST:
        return cpu, ""
    return llvm.get_host_cpu_name(), str(llvm.get_host_cpu_features().flatten())
