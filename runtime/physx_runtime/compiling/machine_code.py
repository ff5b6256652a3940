"""LLVM IR to machine code, kept on disk: straight to code generation, since traced code needs no optimiser.

numba's own pipeline takes twenty times as long on these blocks for the same machine code, so the IR is compiled here
and numba calls it by address.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Mapping

import llvmlite
import llvmlite.binding as llvm

from physx_runtime.compiling.kernel_cache import FORMAT, keep, keep_text, kept, package_code

# Functions and object files must outlive their callers; an engine frees its code when it is collected.
_engines: list[llvm.ExecutionEngine] = []

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
    """The addresses of functions by symbol, each in its own IR text, compiled on first use; cpu as `load_function`."""
    return _linked({symbol: _object_code(symbol, text, cpu) for symbol, text in texts.items()}, cpu)


def _linked(codes: Mapping[str, bytes], cpu: str) -> dict[str, int]:
    """Addresses of functions by symbol, each in its own object code."""
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine(cpu))
    for code in codes.values():
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _engines.append(engine)
    return {symbol: int(engine.get_function_address(symbol)) for symbol in codes}


def load_kept(key: str, make: Callable[[], tuple[str, str]]) -> int:
    """The address of the function that `make` writes as (symbol, text), without writing it where it was made before.

    key: names what `make` depends on, besides the package's own code.
    """
    digest = hashlib.sha256(f"{key} {package_code()} {' '.join(_processor(HOST))}".encode()).hexdigest()[:24]
    note = kept(f"made_{digest}.txt")
    if note is not None:
        symbol = note.decode()
        code = kept(_object_name(symbol, HOST))
        if code is not None:
            return _linked({symbol: code}, HOST)[symbol]
    symbol, text = make()
    address = load_function(symbol, text)
    keep(f"made_{digest}.txt", symbol.encode())
    return address


def assembly(text: str, cpu: str = HOST) -> str:
    """A processor's assembly of IR, for a look at registers and vector instructions; need not be this machine's."""
    return str(_machine(cpu).emit_assembly(llvm.parse_assembly(text)))


def _object_code(symbol: str, text: str, cpu: str) -> bytes:
    name = _object_name(symbol, cpu)
    code = kept(name)
    if code is None:
        code = bytes(_machine(cpu).emit_object(llvm.parse_assembly(text)))
        keep(name, code)
        keep_text(f"{symbol}.ll", text)
    return code


def _object_name(symbol: str, cpu: str) -> str:
    target = " ".join((FORMAT, llvmlite.__version__, *_processor(cpu)))
    return f"{symbol}_{hashlib.sha256(target.encode()).hexdigest()[:12]}.o"


@functools.cache
def _machine(cpu: str) -> llvm.TargetMachine:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    name, features = _processor(cpu)
    return target.create_target_machine(cpu=name, features=features, opt=1, reloc="pic", codemodel="jitdefault",
                                        jit=True)


def _processor(cpu: str) -> tuple[str, str]:
    """Name and features; a named processor has all of its own."""
    if cpu != HOST:
        return cpu, ""
    return llvm.get_host_cpu_name(), str(llvm.get_host_cpu_features().flatten())
