"""`load_function` compiles LLVM IR to machine code, keeps it on disk and returns its address. The IR goes straight to
LLVM's code generation, since traced code needs no optimiser. Compiling with numba's own pipeline takes twenty times as
long on these blocks for the same machine code. numba calls the code by address.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import llvmlite
import llvmlite.binding as llvm
from llvmlite.binding import ffi

from physx_runtime.compiling.kernel_cache import FORMAT, package_code, read_cached, write_cached, write_cached_text
from physx_runtime.progress import task

# Functions and object files must outlive their callers; an engine frees its code when it is collected.
_engines: list[llvm.ExecutionEngine] = []
_addresses: dict[tuple[str, str], int] = {}     # of functions that an engine holds already, by symbol and processor

HOST = "this machine"


def register_bits() -> int:
    """Width of the machine's widest vector register."""
    return 512 if llvm.get_host_cpu_features().get("avx512f") else 256


def load_function(symbol: str, text: str, cpu: str = HOST) -> int:
    """The address of `symbol` in the IR `text`, compiled on first use.

    cpu: LLVM's name of the processor to compile for; this machine must have its instructions.
    """
    return load_functions({symbol: text}, cpu)[symbol]


def load_functions(texts: Mapping[str, str], cpu: str = HOST) -> dict[str, int]:
    """The addresses of functions by symbol, each in its own IR text, compiled on first use; cpu as `load_function`.

    Functions may call each other by symbol.
    """
    if not all((symbol, cpu) in _addresses for symbol in texts):
        _link(_object_codes(texts.items(), cpu), cpu)
    return {symbol: _addresses[symbol, cpu] for symbol in texts}


def _link(codes: Mapping[str, bytes], cpu: str) -> None:
    """Link functions, each in its own object code under its symbol, for the life of the process.

    Functions that call each other must be linked in one call, even if linked before.
    """
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine(cpu))
    for code in codes.values():
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _engines.append(engine)
    _addresses.update({(symbol, cpu): int(engine.get_function_address(symbol)) for symbol in codes})


def load_cached_function(key: str, make: Callable[[], Iterable[tuple[str, str]]]) -> int:
    """The address of the last of the functions that `make` emits as (symbol, text); `make` is not called if cached.

    key: names what `make` depends on, in addition to the package's own code.
    """
    digest = hashlib.sha256(f"{key} {package_code()} {' '.join(_processor(HOST))}".encode()).hexdigest()[:24]
    record = read_cached(f"symbols_{digest}.txt")
    if record is not None:
        symbols = record.decode().split()
        if all((symbol, HOST) in _addresses for symbol in symbols):
            return _addresses[symbols[-1], HOST]
        codes = {symbol: read_cached(_object_name(symbol, HOST)) for symbol in symbols}
        cached_codes = {symbol: code for symbol, code in codes.items() if code is not None}
        if len(cached_codes) == len(symbols):
            _link(cached_codes, HOST)
            return _addresses[symbols[-1], HOST]
    with task("compiling the step of a robot"):
        new_codes = _object_codes(make(), HOST)
    write_cached(f"symbols_{digest}.txt", " ".join(new_codes).encode())
    _link(new_codes, HOST)
    return _addresses[list(new_codes)[-1], HOST]


def _object_codes(texts: Iterable[tuple[str, str]], cpu: str) -> dict[str, bytes]:
    """Object code by symbol, of (symbol, text): compiled on all cores while the next text is written."""
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        futures = {symbol: pool.submit(_object_code, symbol, text, cpu) for symbol, text in texts}
        return {symbol: code.result() for symbol, code in futures.items()}


def assembly(text: str, cpu: str = HOST) -> str:
    """Assembly of IR for any processor, to inspect registers and vector instructions."""
    return str(_machine(cpu).emit_assembly(llvm.parse_assembly(text)))


def _object_code(symbol: str, text: str, cpu: str) -> bytes:
    name = _object_name(symbol, cpu)
    code = read_cached(name)
    if code is None:
        code = _generate_code(text, cpu)
        write_cached(name, code)
        write_cached_text(f"{symbol}.ll", text)
    return code


def _object_name(symbol: str, cpu: str) -> str:
    target = " ".join((FORMAT, llvmlite.__version__, *_processor(cpu)))
    return f"{symbol}_{hashlib.sha256(target.encode()).hexdigest()[:12]}.o"


def _generate_code(text: str, cpu: str) -> bytes:
    """Object code of IR; several threads may ask for it at a time."""
    module, machine = llvm.parse_assembly(text, llvm.create_context()), _machine(cpu, threading.get_ident())
    with ffi.OutputString() as message:
        buffer = _code_generator()(machine, module, 1, message)
        if not buffer:
            raise RuntimeError(f"LLVM generates no code: {message}")
    try:
        return ctypes.string_at(ffi.lib.LLVMPY_GetBufferStart(buffer), ffi.lib.LLVMPY_GetBufferSize(buffer))
    finally:
        ffi.lib.LLVMPY_DisposeMemoryBuffer(buffer)


@functools.cache
def _code_generator() -> Callable[..., Any]:
    """llvmlite's code generation without its lock, which lets one thread at a time into all of LLVM.

    LLVM asks only that threads share neither a context nor a machine.
    """
    locked = ffi.lib.LLVMPY_TargetMachineEmitToMemory
    unlocked: Any = ctypes.CDLL(ffi.lib._name).LLVMPY_TargetMachineEmitToMemory
    unlocked.argtypes, unlocked.restype = locked.argtypes, locked.restype
    return cast(Callable[..., Any], unlocked)


@functools.cache
def _machine(cpu: str, thread: int = 0) -> llvm.TargetMachine:
    """The target machine of a processor. thread: the thread that owns it, 0 for a shared one."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    name, features = _processor(cpu)
    return target.create_target_machine(cpu=name, features=features, opt=1, reloc="pic", codemodel="jitdefault",
                                        jit=True)


def _processor(cpu: str) -> tuple[str, str]:
    """Name and features of a processor; a named one has all features of its kind."""
    if cpu != HOST:
        return cpu, ""
    return llvm.get_host_cpu_name(), str(llvm.get_host_cpu_features().flatten())
