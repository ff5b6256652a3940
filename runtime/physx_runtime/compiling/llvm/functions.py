"""`emit_function` lowers a traced function to LLVM IR on explicit vectors; one call serves the worlds of one register.
Its array arguments are transposed into scratch rows. The arithmetic runs once over all lanes, and results are
transposed into the caller's memory, which is prefetched meanwhile. A number shared by several results, such as a
structural zero, is stored once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from physx_runtime.compiling.code import RowScalar
from physx_runtime.compiling.llvm.vectors import (
    ATTRIBUTES,
    CACHE_LINE,
    ELEMENT_BITS,
    FUNCTIONS,
    LONG_LINE,
    Arithmetic,
    Vectors,
    declarations,
    emit_moves,
    emit_prefetch,
    scatter_function,
)
from physx_runtime.compiling.schedule import Function


@dataclass(frozen=True, slots=True)
class FunctionIR:
    """``void symbol(ptr rows, ptr parameters, ptr scratch, ptr pointers, i64 stride)``.

    rows: a block's rows at the first of the worlds. parameters: one number for each of `parameters`, which are equal in
    all worlds. pointers: of each array argument, then of each result, `stride` apart; one pointer for each lane, to
    that world's line.
    """

    symbol: str
    text: str
    scratch_rows: int
    parameters: tuple[int, ...]         # the rows of the block that are read once for all worlds


@dataclass(frozen=True, slots=True)
class Block:
    """The layout of a buffer's rows, and the rows that are equal in all worlds."""

    layout: Mapping[str, int]           # row scalar -> row
    lanes: int                          # worlds in a row
    uniform: Collection[str] = ()         # row scalars


def emit_function(function: Function, block: Block, vectors: Vectors) -> FunctionIR:
    """The code of a function on the rows of a block."""
    scratch = _Scratch(function)
    parameters = tuple(row for row in function.code.inputs if row in block.uniform)
    lines = _arithmetic(function, block, parameters, vectors, scratch)
    tables, calls = [], []
    for i, (name, size) in enumerate(function.arrays):
        offset = scratch.arrays[name] * vectors.lanes
        calls += [f"  %g{i} = getelementptr {vectors.element}, ptr %s, i64 {offset}",
                  *_array_pointers(i), f"  call void @gather(ptr %g{i}, ptr %l{i}, i64 {size})"]
    calls.append("  call void @arithmetic(ptr %x, ptr %y, ptr %s, ptr %p, i64 %stride)")
    nodes = dict(function.code.outputs)
    for i, (name, size) in enumerate(function.results, len(function.arrays)):
        rows = [scratch.results[nodes[f"{name}_{k}"]] * vectors.lanes for k in range(size)]
        tables.append(f"@table{i} = internal constant [{len(rows)} x i64] [{', '.join(f'i64 {r}' for r in rows)}]")
        calls += [*_array_pointers(i),
                  f"  call void @{scatter_function(size)}(ptr %s, ptr @table{i}, ptr %l{i}, i64 {size})"]
    text = "\n".join([*tables, *declarations(vectors), emit_moves(vectors), *lines,
                      "define void @function(ptr %x, ptr %y, ptr %s, ptr %p, i64 %stride) #0 {", *calls, "  ret void",
                      "}", ATTRIBUTES])
    symbol = "physx_function_" + hashlib.sha256(text.encode()).hexdigest()[:20]
    text = text.replace("@function(", f"@{symbol}(").replace("@table", f"@{symbol}_table")
    for internal in (*FUNCTIONS, "arithmetic"):
        text = text.replace(f"@{internal}(", f"@{symbol}_{internal}(")
    return FunctionIR(symbol, text, scratch.rows, tuple(block.layout[row] for row in parameters))


class _Scratch:
    """The scratch rows of a function's arrays."""

    def __init__(self, function: Function) -> None:
        self.rows = 0
        self.arrays: dict[str, int] = {}             # name -> first row
        for name, size in function.arrays:
            self.arrays[name] = self.rows
            self.rows += size
        self.results: dict[int, int] = {}           # node -> row
        for _, node in function.code.outputs:
            if node not in self.results:
                self.results[node] = self.rows
                self.rows += 1


def _array_pointers(i: int) -> list[str]:
    """%l: pointers to the lines of the i-th array."""
    return [f"  %f{i} = mul i64 %stride, {i}", f"  %l{i} = getelementptr ptr, ptr %p, i64 %f{i}"]


def _arithmetic(function: Function, block: Block, parameters: Sequence[str], vectors: Vectors,
                scratch: _Scratch) -> list[str]:
    """The arithmetic; every result is stored as soon as it is computed."""
    lines = ["define internal void @arithmetic(ptr %x, ptr %y, ptr %s, ptr %p, i64 %stride) #1 {"]
    for row in function.code.inputs:
        name, index = RowScalar.parse(row)
        if name in scratch.arrays:
            source, offset = "%s", (scratch.arrays[name] + index) * vectors.lanes
        elif row in parameters:
            source, offset = "%y", parameters.index(row)
        else:
            source, offset = "%x", block.layout[row] * block.lanes
        lines.append(f"  %p.{row} = getelementptr {vectors.element}, ptr {source}, i64 {offset}")
    lines += [f"  %o{n} = getelementptr {vectors.element}, ptr %s, i64 {row * vectors.lanes}"
              for n, row in scratch.results.items()]
    emitter = _FunctionArithmetic(vectors, function, parameters, set(scratch.results))
    prefetched = [(i, size) for i, (_, size) in enumerate(function.results, len(function.arrays)) if size < LONG_LINE]
    lines += [line for i, _ in prefetched for line in _array_pointers(i)]
    lines += _interleave(emitter.lines(),
                         [prefetch for i, size in prefetched for prefetch in _prefetches(vectors, i, size)])
    lines += [emitter.store(n) for n in scratch.results if function.code.nodes[n][0] in ("input", "const")]
    return [*lines, "  ret void", "}", ""]


def _prefetches(vectors: Vectors, i: int, size: int) -> list[list[str]]:
    """Prefetch the lines of the i-th array, cache line by cache line."""
    prefetches = []
    for start in range(0, size * ELEMENT_BITS[vectors.element] // 8, CACHE_LINE):
        for lane in range(vectors.lanes):
            name = f"%a{i}.{start}.{lane}"
            prefetches.append([f"  {name} = getelementptr ptr, ptr %l{i}, i64 {lane}",
                               f"  {name}.line = load ptr, ptr {name}",
                               f"  {name}.at = getelementptr i8, ptr {name}.line, i64 {start}",
                               emit_prefetch(f"{name}.at")])
    return prefetches


def _interleave(lines: list[str], inserted: list[list[str]]) -> list[str]:
    """Lines with other lines inserted at even distances."""
    out: list[str] = []
    emitted = 0
    for n, line in enumerate(lines, 1):
        due = n * len(inserted) // len(lines)
        out += [line, *(inserted_line for other in inserted[emitted:due] for inserted_line in other)]
        emitted = due
    return out


class _FunctionArithmetic(Arithmetic):
    """Arithmetic that reads parameters once for all lanes and stores results as they are computed."""

    def __init__(self, vectors: Vectors, function: Function, parameters: Collection[str], results: set[int]) -> None:
        super().__init__(vectors, function.code, [])
        self._parameters, self._results = frozenset(parameters), results

    def _load(self, n: int, row: str) -> list[str]:
        if row not in self._parameters:
            return super()._load(n, row)
        element, kind = self.vectors.element, self.vectors.type
        return [f"  %u{n} = load {element}, ptr %p.{row}, align {ELEMENT_BITS[element] // 8}",
                f"  %w{n} = insertelement {kind} poison, {element} %u{n}, i64 0",
                f"  %t{n} = shufflevector {kind} %w{n}, {kind} poison, <{self.vectors.lanes} x i32> zeroinitializer"]

    def _operation(self, n: int, op: str, args: list[int]) -> list[str]:
        lines = super()._operation(n, op, args)
        return [*lines, self.store(n)] if n in self._results else lines

    def store(self, n: int) -> str:
        """The line that stores a node's value to its scratch row."""
        return (f"  store {self.vectors.type} {self.operand(n)}, ptr %o{n}, "
                f"align {ELEMENT_BITS[self.vectors.element] // 8}")
