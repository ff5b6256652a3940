"""A program as a WebAssembly module: its passes and their loops on the rows of one world, float32.

The module has no imports. Its memory holds the rows of the program's layout from address 0 on, so what `blocks` of a
store gives for a world is the memory it starts with.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from physx_runtime.compiling.code import Code
from physx_runtime.compiling.program import Program, counts_of
from physx_runtime.compiling.wasm_code import END, I32, I32_CONST, LOCAL_GET, LOCAL_SET, function_body, unsigned

# Numbers of the binary format (WebAssembly Core Specification, section 5).
HEADER = b"\0asm\1\0\0\0"
TYPES, FUNCTIONS, MEMORIES, EXPORTS, CODES = 1, 3, 5, 7, 10
FUNCTION_TYPE, EXPORTED_FUNCTION, EXPORTED_MEMORY = 0x60, 0, 2
BLOCK, LOOP, BRANCH, BRANCH_IF, CALL, EQUALS_ZERO, SUBTRACT, NO_RESULT = 0x02, 0x03, 0x0C, 0x0D, 0x10, 0x45, 0x6B, 0x40
ELEMENT_SIZE, PAGE_SIZE = 4, 65536      # bytes
ROUND = "step"


@dataclass(frozen=True, slots=True)
class WasmModule:
    """Exports `memory`, ``step(rounds, ...)`` with the program's counts, and the functions that were asked for."""

    binary: bytes
    address: Mapping[str, int]          # row scalar -> its byte in memory


def emit_module(program: Program, functions: Mapping[str, Code]) -> WasmModule:
    """The module of a program and of further code on the same rows, by the name that it is called."""
    rows = [*_in_order(program.layout), *_in_order(program.scratch)]
    rows += [row for code in functions.values() for row, _ in code.outputs if row not in program.layout]
    address = {row: i * ELEMENT_SIZE for i, row in enumerate(rows)}
    codes = [*(one.code for one in program.passes), *functions.values()]
    bodies = [function_body(code, address) for code in codes] + [_rounds(program)]
    counts = bytes([I32]) * (1 + len(counts_of(program.passes)))
    types = [bytes([FUNCTION_TYPE, 0, 0]), bytes([FUNCTION_TYPE]) + _vector(counts) + b"\0"]
    exports = [_export("memory", EXPORTED_MEMORY, 0), _export(ROUND, EXPORTED_FUNCTION, len(codes))]
    exports += [_export(name, EXPORTED_FUNCTION, len(program.passes) + i) for i, name in enumerate(functions)]
    pages = len(rows) * ELEMENT_SIZE // PAGE_SIZE + 1
    sections = {TYPES: types, FUNCTIONS: [b"\0"] * len(codes) + [b"\1"], MEMORIES: [b"\0" + unsigned(pages)],
                EXPORTS: exports, CODES: [_vector(body) for body in bodies]}
    return WasmModule(HEADER + b"".join(_section(number, items) for number, items in sections.items()), address)


def _in_order(rows: Mapping[str, int]) -> list[str]:
    return sorted(rows, key=rows.__getitem__)


def _vector(items: bytes) -> bytes:
    return unsigned(len(items)) + items


def _section(number: int, items: Sequence[bytes]) -> bytes:
    return bytes([number]) + _vector(unsigned(len(items)) + b"".join(items))


def _export(name: str, kind: int, index: int) -> bytes:
    return _vector(name.encode()) + bytes([kind]) + unsigned(index)


def _rounds(program: Program) -> bytes:
    """``void step(rounds, ...)``: the passes, each as often as its count says; guards are left out."""
    counts = counts_of(program.passes)
    counter = 1 + len(counts)           # the local after the arguments
    calls = bytearray()
    for i, one in enumerate(program.passes):
        call = bytes([CALL]) + unsigned(i)
        if one.count:
            start = bytes([LOCAL_GET, 1 + counts.index(one.count), LOCAL_SET, counter])
            call = start + _repeated(counter, call)
        calls += call
    return bytes([1, 1, I32]) + _repeated(0, calls) + bytes([END])


def _repeated(counter: int, body: Iterable[int]) -> bytes:
    """Instructions as often as a local says, which is counted down to 0."""
    return bytes([BLOCK, NO_RESULT, LOOP, NO_RESULT, LOCAL_GET, counter, EQUALS_ZERO, BRANCH_IF, 1, *body,
                  LOCAL_GET, counter, I32_CONST, 1, SUBTRACT, LOCAL_SET, counter, BRANCH, 0, END, END])
