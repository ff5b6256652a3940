"""A fragment as LLVM IR for things that lie together, lane by lane, and touch others that lie anywhere.

The rows of the things themselves lie as those of a block of worlds. Of what they touch every lane has a place of its
own, whose rows lie one behind the other; what all share has one row for all lanes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from physx_runtime.compiling.fragment import Fragment
from physx_runtime.compiling.trace import row_of
from physx_runtime.compiling.vector_ir import ATTRIBUTES, ELEMENT_BITS, Arithmetic, Vectors, declarations


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """A fragment, the rows of its operands in the things themselves, and the names of those that all lanes share.

    All others each lane has elsewhere.
    """

    fragment: Fragment
    own: Mapping[str, int]
    shared: frozenset[str]

    @property
    def others(self) -> list[str]:
        """Operands in the order of their words: what lies elsewhere or is shared."""
        return [x.name for x in self.fragment.operands if x.name not in self.own]


def emit_gathered(gathered: Gathered, vectors: Vectors) -> tuple[str, str]:
    """(symbol, text) of ``ptr fragment(ptr block, ptr operands)``, which returns where the next instruction starts.

    Operands are byte offsets: of the things' first row, then of what all share one each, of others one a lane.
    """
    emitter = _Gathering(vectors, gathered)
    element, lanes = vectors.element, vectors.lanes
    lines = ["  %own.at = load i64, ptr %ops", "  %own = getelementptr i8, ptr %x, i64 %own.at"]
    touched = {*gathered.fragment.code.inputs, *(row for row, _ in gathered.fragment.code.outputs)}
    lines += [f"  %p.{x.name}_{i} = getelementptr {element}, ptr %own, i64 {(gathered.own[x.name] + i) * lanes}"
              for x in gathered.fragment.operands if x.name in gathered.own for i in range(x.size)
              if f"{x.name}_{i}" in touched]
    word = 1
    for name in gathered.others:
        width = 1 if name in gathered.shared else lanes
        lines += [f"  %o.{name} = getelementptr i64, ptr %ops, i64 {word}",
                  f"  %f.{name} = load <{width} x i64>, ptr %o.{name}, align 8",
                  f"  %i.{name} = trunc <{width} x i64> %f.{name} to <{width} x i32>",
                  f"  %b.{name} = getelementptr i8, ptr %x, <{width} x i32> %i.{name}"]
        word += width
    lines += emitter.lines()
    for row, n in gathered.fragment.code.outputs:
        lines += emitter.store(row, n)
    lines += [f"  %following = getelementptr i64, ptr %ops, i64 {word}", "  ret ptr %following"]
    places = f"<{lanes} x ptr>, i32, <{lanes} x i1>"
    more = [f"declare {vectors.type} @llvm.masked.gather.{vectors.suffix}.v{lanes}p0({places}, {vectors.type})",
            f"declare void @llvm.masked.scatter.{vectors.suffix}.v{lanes}p0({vectors.type}, {places})"]
    text = "\n".join([*declarations(vectors), *more, "define ptr @fragment(ptr %x, ptr %ops) #0 {", "entry:", *lines,
                      "}", ATTRIBUTES])
    symbol = "physx_gathered_" + hashlib.sha256(text.encode()).hexdigest()[:20]
    return symbol, text.replace("@fragment(", f"@{symbol}(")


class _Gathering(Arithmetic):
    """Arithmetic whose rows lie where `Gathered` says."""

    def __init__(self, vectors: Vectors, gathered: Gathered) -> None:
        super().__init__(vectors, gathered.fragment.code, [])
        self._gathered = gathered
        self._bytes = ELEMENT_BITS[vectors.element] // 8
        self._all = f"<{vectors.lanes} x i1> splat (i1 true)"

    def store(self, row: str, n: int) -> list[str]:
        """A result into its row."""
        kind = self.vectors.type
        if row_of(row) in self._gathered.own:
            return [f"  store {kind} {self.operand(n)}, ptr %p.{row}, align {self._bytes}"]
        where, places = self._places(row, f"out{row}")
        return [*where, f"  call void @llvm.masked.scatter.{self.vectors.suffix}.v{self.vectors.lanes}p0("
                        f"{kind} {self.operand(n)}, {places}, i32 {self._bytes}, {self._all})"]

    def _load(self, n: int, row: str) -> list[str]:
        name, kind, lanes = row_of(row), self.vectors.type, self.vectors.lanes
        if name in self._gathered.own:
            return super()._load(n, row)
        if name in self._gathered.shared:
            element = self.vectors.element
            return [f"  %e.{n} = extractelement <1 x ptr> %b.{name}, i32 0",
                    f"  %l.{n} = load {element}, ptr %e.{n}, align {self._bytes}",
                    f"  %v.{n} = insertelement {kind} poison, {element} %l.{n}, i32 0",
                    f"  %t{n} = shufflevector {kind} %v.{n}, {kind} poison, <{lanes} x i32> zeroinitializer"]
        where, places = self._places(row, f"in{n}")
        return [*where, f"  %t{n} = call {kind} @llvm.masked.gather.{self.vectors.suffix}.v{lanes}p0("
                        f"{places}, i32 {self._bytes}, {self._all}, {kind} poison)"]

    def _places(self, row: str, name: str) -> tuple[list[str], str]:
        """Where a row lies in every lane."""
        operand, lanes = row_of(row), self.vectors.lanes
        index = int(row.removeprefix(f"{operand}_"))
        return ([f"  %g.{name} = getelementptr {self.vectors.element}, <{lanes} x ptr> %b.{operand}, i64 {index}"],
                f"<{lanes} x ptr> %g.{name}")
