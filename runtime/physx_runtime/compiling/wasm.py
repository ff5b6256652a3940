"""Lowers programs to WebAssembly in float32 for one world, with rows in the module's memory. `function_body` writes
straight-line code, `emit_module` the passes and their loops.

WebAssembly has no fma. The product of two float32 is exact in float64, so a b + c there, rounded to float32, is the
fma's value. Only where the float64 sum falls midway between two float32 may it round twice, about once in 2^29 sums.
The module has no imports. Its memory holds the rows of the program's layout from address 0 on, as `blocks` of a store
gives them for a world.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from physx_runtime.compiling.code import Code
from physx_runtime.compiling.passes import fused_products, operands, stores_by_span
from physx_runtime.compiling.program import Program, counts_of
from physx_runtime.language.symbols import CONDITIONS

# Numbers of the binary format (WebAssembly Core Specification, section 5).
I32, F32 = 0x7F, 0x7D
LOCAL_GET, LOCAL_SET, I32_CONST, F32_CONST, F32_LOAD, F32_STORE, END = 0x20, 0x21, 0x41, 0x43, 0x2A, 0x38, 0x0B
DEMOTE, PROMOTE = b"\xb6", b"\xbb"
F64_ADD, F64_SUB, F64_MUL = b"\xa0", b"\xa1", b"\xa2"
INSTRUCTIONS = {
    "abs": b"\x8b", "neg": b"\x8c", "floor": b"\x8e", "sqrt": b"\x91", "add": b"\x92", "sub": b"\x93", "mul": b"\x94",
    "div": b"\x95", "eq": b"\x5b", "lt": b"\x5d", "le": b"\x5f", "and": b"\x71", "or": b"\x72", "not": b"\x45",
    "select": b"\x1b", "rounded": b"", "rarely": b"", "single": b""}
ADDRESS_BASE = bytes([I32_CONST, 0])        # every address is an offset from 0
ALIGNED_4 = 2                               # log2 of a float32's size
# Parts of an expression that is computed where its only user needs it; longer ones get a local.
LONGEST_EXPRESSION = 120

# Bytes, or the node whose local is read.
Token = bytes | int


def unsigned(n: int) -> bytes:
    """An unsigned number as LEB128."""
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes([*out, n])


@dataclass(frozen=True, slots=True)
class Statement:
    """Code that leaves the value of a node on the stack. nodes: all nodes that it computes."""

    node: int
    tokens: tuple[Token, ...]
    nodes: tuple[int, ...]


Line = tuple[int | None, tuple[Token, ...]]         # the node that is kept in a local, if one is, and its instructions


def function_body(code: Code, address: Mapping[str, int]) -> bytes:
    """Local variables and instructions of ``void f()``; address: row scalar -> its byte in memory."""
    lines = list(_lines(code, address))
    local, counts = _locals(code, lines)
    text = bytearray()
    for node, tokens in lines:
        for token in tokens:
            text += token if isinstance(token, bytes) else bytes([LOCAL_GET]) + unsigned(local[token])
        if node is not None:
            text += bytes([LOCAL_SET]) + unsigned(local[node])
    declared = [unsigned(count) + bytes([kind]) for kind, count in counts.items()]
    return unsigned(len(declared)) + b"".join(declared) + bytes(text) + bytes([END])


def _lines(code: Code, address: Mapping[str, int]) -> Iterator[Line]:
    """All instructions in order; a row is stored once its value exists and the old one is no longer read."""
    fused = fused_products(code)
    statements = _statements(code, fused, address) or [Statement(-1, (), ())]
    due = stores_by_span(code, fused, [statement.nodes for statement in statements])
    needed = {token for statement in statements for token in statement.tokens}
    for i, statement in enumerate(statements):
        stored = due.get(i, [])
        # what only goes to one row is computed where it is stored
        inlined = statement.node not in needed and [n for _, n in stored].count(statement.node) == 1 and sum(
            n == statement.node for _, n in code.outputs) == 1
        if statement.tokens and not inlined:
            yield statement.node, statement.tokens
        # all values before the first store, so that rows may change places
        for _, n in stored:
            value = statement.tokens if inlined and n == statement.node else _value(code, n, address)
            yield None, (ADDRESS_BASE, *value)
        for row, _ in reversed(stored):
            yield None, (bytes([F32_STORE, ALIGNED_4]) + unsigned(address[row]),)


def _statements(code: Code, fused: Mapping[int, int], address: Mapping[str, int]) -> list[Statement]:
    """An expression for every value that is used more than once, is stored, or is long."""
    absorbed, output_nodes = set(fused.values()), {n for _, n in code.outputs}
    nodes = [n for n in code.order if n not in absorbed and code.nodes[n][0] not in ("input", "const")]
    users: dict[int, int] = {}
    for n in nodes:
        for a in operands(code, fused, n):
            users[a] = users.get(a, 0) + 1
    inlined: dict[int, Statement] = {}       # what is computed where its only user needs it
    statements = []
    for n in nodes:
        parts = [inlined[a] for a in operands(code, fused, n) if a in inlined]
        statement = Statement(n, tuple(_instructions(code, fused, address, n, inlined)),
                              (*(m for part in parts for m in part.nodes), n))
        if users.get(n) == 1 and n not in output_nodes and len(statement.tokens) < LONGEST_EXPRESSION:
            inlined[n] = statement
        else:
            statements.append(statement)
    return statements


def _instructions(code: Code, fused: Mapping[int, int], address: Mapping[str, int], n: int,
                  inlined: Mapping[int, Statement]) -> Iterator[Token]:
    """Instructions that leave the value of a node on the stack."""
    op, args = code.nodes[n][0], code.arguments(n)

    def value(a: int) -> tuple[Token, ...]:
        return inlined[a].tokens if a in inlined else _value(code, a, address)

    if n not in fused:
        if op not in INSTRUCTIONS:
            raise NotImplementedError(f"operation {op} has no WebAssembly form")
        for a in (*args[1:], args[0]) if op == "select" else args:
            yield from value(a)
        yield INSTRUCTIONS[op]
        return
    for a in args:
        factors = code.arguments(a) if a == fused[n] else (a,)
        for m in factors:
            yield from (*value(m), PROMOTE)
        if a == fused[n]:
            yield F64_MUL
    yield (F64_ADD if op == "add" else F64_SUB) + DEMOTE


def _value(code: Code, n: int, address: Mapping[str, int]) -> tuple[Token, ...]:
    """A literal, a row in memory, or the value of a statement."""
    op, args = code.nodes[n]
    if op == "const":
        return (bytes([F32_CONST]) + struct.pack("<f", args[0]),)
    if op == "input":
        return (ADDRESS_BASE + bytes([F32_LOAD, ALIGNED_4]) + unsigned(address[str(args[0])]),)
    return (n,)


def _locals(code: Code, lines: Sequence[Line]) -> tuple[dict[int, int], dict[int, int]]:
    """(node -> its local, type -> number of locals); a local is reused once its value is no longer needed."""
    last = {token: i for i, (_, tokens) in enumerate(lines) for token in tokens if isinstance(token, int)}
    free: dict[int, list[int]] = {F32: [], I32: []}
    counts = {F32: 0, I32: 0}
    kinds: dict[int, int] = {}
    local_index: dict[int, int] = {}          # node -> local among those of its type
    for i, (node, tokens) in enumerate(lines):
        for token in {token for token in tokens if isinstance(token, int) and last[token] == i}:
            free[kinds[token]].append(local_index[token])
        if node is not None:
            kinds[node] = kind = I32 if code.nodes[node][0] in CONDITIONS else F32
            if not free[kind]:
                free[kind].append(counts[kind])
                counts[kind] += 1
            local_index[node] = free[kind].pop()
    return {n: index + (counts[F32] if kinds[n] == I32 else 0) for n, index in local_index.items()}, counts


# Numbers of the binary format (WebAssembly Core Specification, section 5).
HEADER = b"\0asm\1\0\0\0"
TYPES, FUNCTIONS, MEMORIES, EXPORTS, CODES = 1, 3, 5, 7, 10
FUNCTION_TYPE, EXPORTED_FUNCTION, EXPORTED_MEMORY = 0x60, 0, 2
BLOCK, LOOP, BRANCH, BRANCH_IF, CALL, EQUALS_ZERO, SUBTRACT, NO_RESULT = 0x02, 0x03, 0x0C, 0x0D, 0x10, 0x45, 0x6B, 0x40
ELEMENT_SIZE, PAGE_SIZE = 4, 65536      # bytes
ROUND = "step"


@dataclass(frozen=True, slots=True)
class WasmModule:
    """Exports `memory`, ``step(rounds, ...)`` with the program's counts, and the requested functions."""

    binary: bytes
    address: Mapping[str, int]          # row scalar -> its byte in memory


def emit_module(program: Program, functions: Mapping[str, Code]) -> WasmModule:
    """The module of a program and of further code on the same rows, by exported name."""
    rows = [*_rows_in_order(program.layout), *_rows_in_order(program.scratch)]
    rows += [row for code in functions.values() for row, _ in code.outputs if row not in program.layout]
    address = {row: i * ELEMENT_SIZE for i, row in enumerate(rows)}
    codes = [*(pass_.code for pass_ in program.passes), *functions.values()]
    bodies = [function_body(code, address) for code in codes] + [_rounds(program)]
    counts = bytes([I32]) * (1 + len(counts_of(program.passes)))
    types = [bytes([FUNCTION_TYPE, 0, 0]), bytes([FUNCTION_TYPE]) + _vector(counts) + b"\0"]
    exports = [_export("memory", EXPORTED_MEMORY, 0), _export(ROUND, EXPORTED_FUNCTION, len(codes))]
    exports += [_export(name, EXPORTED_FUNCTION, len(program.passes) + i) for i, name in enumerate(functions)]
    pages = len(rows) * ELEMENT_SIZE // PAGE_SIZE + 1
    sections = {TYPES: types, FUNCTIONS: [b"\0"] * len(codes) + [b"\1"], MEMORIES: [b"\0" + unsigned(pages)],
                EXPORTS: exports, CODES: [_vector(body) for body in bodies]}
    return WasmModule(HEADER + b"".join(_section(number, items) for number, items in sections.items()), address)


def _rows_in_order(rows: Mapping[str, int]) -> list[str]:
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
    for i, pass_ in enumerate(program.passes):
        call = bytes([CALL]) + unsigned(i)
        if pass_.count:
            start = bytes([LOCAL_GET, 1 + counts.index(pass_.count), LOCAL_SET, counter])
            call = start + _repeated(counter, call)
        calls += call
    return bytes([1, 1, I32]) + _repeated(0, calls) + bytes([END])


def _repeated(counter: int, body: Iterable[int]) -> bytes:
    """A loop that counts a local down to 0."""
    return bytes([BLOCK, NO_RESULT, LOOP, NO_RESULT, LOCAL_GET, counter, EQUALS_ZERO, BRANCH_IF, 1, *body,
                  LOCAL_GET, counter, I32_CONST, 1, SUBTRACT, LOCAL_SET, counter, BRANCH, 0, END, END])
