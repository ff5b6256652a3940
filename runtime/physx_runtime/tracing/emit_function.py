"""A traced function as LLVM IR on explicit vectors: one call serves a block of worlds.

Given arrays are transposed into scratch rows, the body runs once over all lanes, and its results are transposed
straight into the caller's memory. A number that several results share, a structural zero above all, is kept once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from physx_runtime.tracing.emit_ir import ATTRIBUTES, BITS, Arithmetic, Vectors, declarations
from physx_runtime.tracing.functions import Function
from physx_runtime.tracing.transpose import FUNCTIONS, emit_moves


@dataclass(frozen=True, slots=True)
class FunctionCode:
    """``void symbol(ptr states, ptr parameters, ptr scratch, ptr pointers, i64 stride)``.

    states, parameters: the blocks to read rows of either kind from, one block or two. pointers: of each given array,
    then of each result, `stride` further each time, one a lane: where that world's line lies.
    """

    symbol: str
    text: str
    scratch_rows: int


def emit_function(function: Function, layout: Mapping[str, int], states: Collection[str], vectors: Vectors,
                  tile: int) -> FunctionCode:
    """The code of a function on blocks whose rows lie as `layout` says; `states` are the rows of the state."""
    place = _Scratch(function, tile)
    lines = _body(function, layout, states, vectors, place)
    tables, calls = [], []
    for i, (name, size) in enumerate(function.given):
        first = place.given[name] * vectors.lanes
        calls += [f"  %g{i} = getelementptr {vectors.element}, ptr %s, i64 {first}",
                  *_lines(i), f"  call void @gather(ptr %g{i}, ptr %l{i}, i64 {size})"]
    calls.append("  call void @body(ptr %x, ptr %y, ptr %s)")
    nodes = dict(function.body.outputs)
    for i, (name, size) in enumerate(function.results, len(function.given)):
        rows = [place.results[nodes[f"{name}_{k}"]] * vectors.lanes for k in range(size)]
        rows += [0] * (-size % tile)
        tables.append(f"@table{i} = internal constant [{len(rows)} x i64] [{', '.join(f'i64 {r}' for r in rows)}]")
        calls += [*_lines(i), f"  call void @scatter(ptr %s, ptr @table{i}, ptr %l{i}, i64 {size})"]
    text = "\n".join([*tables, *declarations(vectors), emit_moves(vectors, tile), *lines,
                      "define void @function(ptr %x, ptr %y, ptr %s, ptr %p, i64 %stride) #0 {", *calls, "  ret void",
                      "}", ATTRIBUTES])
    symbol = "physx_function_" + hashlib.sha256(text.encode()).hexdigest()[:20]
    text = text.replace("@function(", f"@{symbol}(").replace("@table", f"@{symbol}_table")
    for own in (*FUNCTIONS, "body"):
        text = text.replace(f"@{own}(", f"@{symbol}_{own}(")
    return FunctionCode(symbol, text, place.rows)


class _Scratch:
    """Where a function's arrays lie in its scratch rows."""

    def __init__(self, function: Function, tile: int) -> None:
        self.rows = 0
        self.given: dict[str, int] = {}             # name -> first row
        for name, size in function.given:
            self.given[name] = self.rows
            self.rows += size + (-size % tile)
        self.results: dict[int, int] = {}           # node -> row
        for _, node in function.body.outputs:
            if node not in self.results:
                self.results[node] = self.rows
                self.rows += 1


def _lines(i: int) -> list[str]:
    """%l: where the i-th array's lines begin."""
    return [f"  %f{i} = mul i64 %stride, {i}", f"  %l{i} = getelementptr ptr, ptr %p, i64 %f{i}"]


def _body(function: Function, layout: Mapping[str, int], states: Collection[str], vectors: Vectors,
          place: _Scratch) -> list[str]:
    """The arithmetic; every result is stored as soon as it is there."""
    lines = ["define internal void @body(ptr %x, ptr %y, ptr %s) #1 {"]
    for row in function.body.inputs:
        name, _, index = row.rpartition("_")
        source, at = ("%s", place.given[name] + int(index)) if name in place.given else (
            "%x" if name in states else "%y", layout[row])
        lines.append(f"  %p.{row} = getelementptr {vectors.element}, ptr {source}, i64 {at * vectors.lanes}")
    lines += [f"  %o{n} = getelementptr {vectors.element}, ptr %s, i64 {row * vectors.lanes}"
              for n, row in place.results.items()]
    emitter = _StoringArithmetic(vectors, function, set(place.results))
    lines += emitter.lines()
    lines += [emitter.store(n) for n in place.results if function.body.nodes[n][0] in ("input", "const")]
    return [*lines, "  ret void", "}", ""]


class _StoringArithmetic(Arithmetic):
    """Arithmetic that stores results as it goes."""

    def __init__(self, vectors: Vectors, function: Function, results: set[int]) -> None:
        super().__init__(vectors, function.body, [])
        self._results = results

    def _operation(self, n: int, op: str, args: list[int]) -> list[str]:
        lines = super()._operation(n, op, args)
        return [*lines, self.store(n)] if n in self._results else lines

    def store(self, n: int) -> str:
        """The line that stores a node's value to its scratch row."""
        return (f"  store {self.vectors.type} {self.operand(n)}, ptr %o{n}, "
                f"align {BITS[self.vectors.element] // 8}")
