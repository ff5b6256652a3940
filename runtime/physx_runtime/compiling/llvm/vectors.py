"""Lowers traced arithmetic to LLVM IR on explicit vectors, in which every value is a vector over worlds. `Arithmetic`
writes the instructions, without fast-math flags and with explicit fma. A world's bits then depend neither on the vector
width nor on other worlds. `Branching` adds rare branches (passes.py), skipped where no world of a vector needs them.
`emit_moves` transposes between rows of worlds and arrays with one line for each world, by square tiles in registers.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from physx_runtime.compiling.code import Code, by_equation
from physx_runtime.compiling.passes import RareBranch, fused_products, group_rare_branches, operands

INSTRUCTIONS = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
# Of numbers that float32 holds, what comes to the same bits in float32 as in float64 and rounded to it.
NARROW = INSTRUCTIONS | {"neg": "fneg"}
LARGEST_NARROW = 3e38
ELEMENT_BITS = {"float": 32, "double": 64}
ELEMENT_TYPES = {"float32": "float", "float64": "double"}     # LLVM's names of NumPy's types
CACHE_LINE = 64     # bytes
# Vectors of this many bits come with mask registers (AVX-512).
MASKED_VECTOR_BITS = 512


@dataclass(frozen=True, slots=True)
class Vectors:
    """Element type ("float" | "double") and number of worlds in a vector."""

    element: str
    lanes: int

    @property
    def type(self) -> str:
        """LLVM's name of the vector type."""
        return f"<{self.lanes} x {self.element}>"

    @property
    def suffix(self) -> str:
        """Ending of the vector intrinsics' names."""
        return f"v{self.lanes}f{ELEMENT_BITS[self.element]}"

    def literal(self, value: float) -> str:
        """A constant in every lane, exactly as the element type rounds it."""
        if self.element == "float":
            value = struct.unpack("f", struct.pack("f", value))[0]
        return f"splat ({self.element} 0x{struct.unpack('>Q', struct.pack('>d', value))[0]:016X})"


# The stack is aligned like a register, or every spilled value would lie across two cache lines.
ATTRIBUTES = """
attributes #0 = { nounwind "prefer-vector-width"="512" "min-legal-vector-width"="512" }
attributes #1 = { nounwind noinline alignstack=64 "prefer-vector-width"="512" "min-legal-vector-width"="512" }
"""


def declarations(vectors: Vectors) -> list[str]:
    """Declarations of the intrinsics that arithmetic calls."""
    kind = vectors.type
    return [f"declare {kind} @llvm.{name}.{vectors.suffix}({', '.join([kind] * n)})"
            for name, n in (("fma", 3), ("sqrt", 1), ("floor", 1), ("fabs", 1))]


class Arithmetic:
    """Lines for the nodes of straight-line code; a product used once, by a sum, becomes part of an fma."""

    tag = ""            # part of every value's name, where one function holds several of these

    def __init__(self, vectors: Vectors, code: Code, carried: list[str],
                 fused: Mapping[int, int] | None = None) -> None:
        """fused: sum -> the product that it absorbs, where what `code` is a part of decides it."""
        self.vectors, self.code, self.carried = vectors, code, set(carried)
        nodes = set(code.order)
        self.fused = fused_products(code) if fused is None else {n: a for n, a in fused.items() if n in nodes}
        self._type, self._suffix = vectors.type, vectors.suffix
        self._inner_selects = 0         # selections within others

    def operand(self, n: int) -> str:
        """The operand of an instruction for a node: a literal, a row carried through a loop, or a result."""
        op, args = self.code.nodes[n]
        if op == "const":
            return self.vectors.literal(float(args[0]))     # type: ignore[arg-type]
        return f"%r.{args[0]}" if op == "input" and args[0] in self.carried else f"%t{self.tag}{n}"

    def result(self, n: int) -> str:
        """The name of a node's value."""
        return f"%t{self.tag}{n}"

    def lines(self) -> list[str]:
        """All loads and instructions in order, with a comment where a new equation begins."""
        absorbed = set(self.fused.values())
        lines: list[str] = []
        for n, equation in by_equation(self.code):
            op, args = self.code.nodes[n]
            if equation:
                lines.append(f"  ; {equation}")
            if op == "input":
                if args[0] not in self.carried:
                    lines += self._load(n, str(args[0]))
            elif op != "const" and n not in absorbed:
                lines += self._operation(n, op, [int(a) for a in args])     # type: ignore[call-overload]
        return lines

    def _load(self, n: int, row: str) -> list[str]:
        # element alignment: numpy promises no more for the caller's memory
        return [f"  %t{n} = load {self._type}, ptr %p.{row}, align {ELEMENT_BITS[self.vectors.element] // 8}"]

    def _operation(self, n: int, op: str, args: list[int]) -> list[str]:
        if n in self.fused:
            return self._fma(n, op, args)
        kind, x = self._type, [self.operand(a) for a in args]
        if op in INSTRUCTIONS:
            return [f"  {self.result(n)} = {INSTRUCTIONS[op]} {kind} {x[0]}, {x[1]}"]
        if op == "neg":
            return [f"  {self.result(n)} = fneg {kind} {x[0]}"]
        if op in ("sqrt", "floor", "abs"):
            name = "fabs" if op == "abs" else op
            return [f"  {self.result(n)} = call {kind} @llvm.{name}.{self._suffix}({kind} {x[0]})"]
        if op == "rounded":
            return [f"  {self.result(n)} = bitcast {kind} {x[0]} to {kind}"]
        if op == "single":
            return self._single(self.result(n), args[0])
        flags = f"<{self.vectors.lanes} x i1>"
        if op in ("lt", "le", "eq"):
            return [f"  {self.result(n)} = fcmp o{op} {kind} {x[0]}, {x[1]}"]
        if op in ("and", "or"):
            return [f"  {self.result(n)} = {op} {flags} {x[0]}, {x[1]}"]
        if op == "rarely":
            return [f"  {self.result(n)} = bitcast {flags} {x[0]} to {flags}"]
        if op == "not":
            return [f"  {self.result(n)} = xor {flags} {x[0]}, splat (i1 true)"]
        if op == "select":
            return self._select(self.result(n), args[0], x[1], x[2])
        raise NotImplementedError(f"operation {op} has no vector form")

    def _single(self, name: str, n: int) -> list[str]:
        """A node rounded to float32; operations on such numbers are computed in float32, to the same bits.

        A product of two is exact in float64, and sums and quotients have more than twice float32's digits there.
        """
        kind, rounded, op = self._type, f"<{self.vectors.lanes} x float>", self.code.nodes[n][0]
        if kind == rounded:
            return [f"  {name} = bitcast {kind} {self.operand(n)} to {kind}"]
        parts = [self._single_operand(a) for a in self.code.arguments(n)] if op in NARROW else [""]
        if all(parts) and n not in self.fused:
            line = f"  {name}.single = {NARROW[op]} {rounded} {', '.join(parts)}"
        else:
            line = f"  {name}.single = fptrunc {kind} {self.operand(n)} to {rounded}"
        return [line, f"  {name} = fpext {rounded} {name}.single to {kind}"]

    def _single_operand(self, n: int) -> str:
        """A number that float32 holds as it names it, "" of any other."""
        op, args = self.code.nodes[n]
        if op == "const":
            value = float(args[0])      # type: ignore[arg-type]
            narrow = struct.unpack("f", struct.pack("f", value))[0] if abs(value) < LARGEST_NARROW else math.nan
            return Vectors("float", self.vectors.lanes).literal(value) if narrow == value else ""
        return f"{self.result(n)}.single" if op == "single" else ""

    def _select(self, name: str, condition: int, x: str, y: str) -> list[str]:
        """x where the condition holds, else y; without mask registers a composed condition becomes several selections.

        AVX2 holds a condition as wide as the numbers compared, but combines conditions in another width.
        """
        op, flags, kind = self.code.nodes[condition][0], f"<{self.vectors.lanes} x i1>", self._type
        if self.vectors.lanes * ELEMENT_BITS[self.vectors.element] >= MASKED_VECTOR_BITS:
            op = "as it is"
        parts = self.code.arguments(condition)
        if op == "rarely":
            return self._select(name, parts[0], x, y)
        if op == "not":
            return self._select(name, parts[0], y, x)
        if op in ("and", "or"):
            self._inner_selects += 1
            inner_name = f"%s{self.tag}{self._inner_selects}"
            inner = self._select(inner_name, parts[1], x, y)
            return inner + self._select(name, parts[0], *((inner_name, y) if op == "and" else (x, inner_name)))
        return [f"  {name} = select {flags} {self.operand(condition)}, {kind} {x}, {kind} {y}"]

    def _fma(self, n: int, op: str, args: list[int]) -> list[str]:
        """a b + c, a b - c or c - a b in one rounding."""
        product = self.fused[n]
        c = self.operand(args[0] if args[1] == product else args[1])
        a, b = (self.operand(int(m)) for m in self.code.nodes[product][1])      # type: ignore[call-overload]
        kind, lines = self._type, []
        if op == "sub":
            negated = a if args[1] == product else c
            lines.append(f"  %n{self.tag}{n} = fneg {kind} {negated}")
            a, c = (f"%n{self.tag}{n}", c) if args[1] == product else (a, f"%n{self.tag}{n}")
        values = f"{kind} {a}, {kind} {b}, {kind} {c}"
        return [*lines, f"  {self.result(n)} = call {kind} @llvm.fma.{self._suffix}({values})"]


class Branching(Arithmetic):
    """Lines as of `Arithmetic`, with jumps; a row is loaded once, in a branch where nothing else needs it."""

    def __init__(self, vectors: Vectors, code: Code) -> None:
        super().__init__(vectors, code, [])
        absorbed = set(self.fused.values())
        self._read = {n: operands(code, self.fused, n) for n in code.order
                      if code.nodes[n][0] not in ("input", "const") and n not in absorbed}
        self._loaded: set[int] = set()

    def lines(self) -> list[str]:
        order, branches = group_rare_branches(self.code, self._read)
        branch_by_start, branch_end, lines = {branch.group[0]: branch for branch in branches}, 0, list[str]()
        for i, n in enumerate(order):
            if i < branch_end:
                continue
            if n in branch_by_start:
                lines += self._branch(branch_by_start[n], order[i + len(branch_by_start[n].group):])
                branch_end = i + len(branch_by_start[n].group)
            else:
                lines += self._instruction(n)
        return [*lines, *self._loads([n for _, n in self.code.outputs])]

    def _instruction(self, n: int) -> list[str]:
        return [*self._loads(self._read[n]), *self._operation(n, self.code.nodes[n][0], list(self.code.arguments(n)))]

    def _loads(self, nodes: Sequence[int]) -> list[str]:
        """Of those of the nodes that are rows not loaded yet."""
        lines = []
        for n in nodes:
            if self.code.nodes[n][0] == "input" and n not in self._loaded:
                self._loaded.add(n)
                lines += self._load(n, str(self.code.nodes[n][1][0]))
        return lines

    def _branch(self, branch: RareBranch, following: Sequence[int]) -> list[str]:
        """A branch's selections, and what they need where a lane asks for it; behind: the instructions after it."""
        code, kind, at = self.code, self.vectors.type, branch.selections[0]
        false_values = [code.arguments(n)[2] for n in branch.selections]
        used_later = {a for n in following for a in self._read[n]} | {n for _, n in code.outputs}
        lines = self._loads([*false_values, *(a for n in branch.group for a in self._read[n] if a in used_later)])
        lines += [*condition_bits(self, f"%any{at}", branch.condition),
                  f"  %some{at} = icmp ne i{self.vectors.lanes} %any{at}, 0",
                  f"  br label %near{at}", f"near{at}:",
                  f"  br i1 %some{at}, label %rare{at}, label %after{at}", f"rare{at}:"]
        for n in branch.nodes:
            lines += self._instruction(n)
        for n, other in zip(branch.selections, false_values, strict=True):
            value = code.arguments(n)[1]
            lines += [*self._loads([value]), *self._select(f"%c{n}", branch.condition, self.operand(value),
                                                           self.operand(other))]
        return [*lines, f"  br label %after{at}", f"after{at}:",
                *(f"  {self.result(n)} = phi {kind} [ {self.operand(other)}, %near{at} ], [ %c{n}, %rare{at} ]"
                  for n, other in zip(branch.selections, false_values, strict=True))]


def condition_bits(emitter: Arithmetic, name: str, condition: int) -> list[str]:
    """A bit for each lane; AVX2 has those of a comparison at once, but combines comparisons in another width."""
    op, parts = emitter.code.nodes[condition][0], emitter.code.arguments(condition)
    kind = f"i{emitter.vectors.lanes}"
    if op == "rarely":
        return condition_bits(emitter, name, parts[0])
    if op == "not":
        return [*condition_bits(emitter, f"{name}.0", parts[0]), f"  {name} = xor {kind} {name}.0, -1"]
    if op in ("and", "or"):
        return [*(line for i, part in enumerate(parts) for line in condition_bits(emitter, f"{name}.{i}", part)),
                f"  {name} = {op} {kind} {name}.0, {name}.1"]
    return [f"  {name} = bitcast <{emitter.vectors.lanes} x i1> {emitter.operand(condition)} to {kind}"]


# gather: lines of memory to rows; scatter: rows, each found by a table, to lines of memory; scatter_long: the same,
# asking for the memory a little before it is written
GATHER, SCATTER, SCATTER_LONG = FUNCTIONS = ("gather", "scatter", "scatter_long")
# From so many numbers a line, the lines of a register's worlds together exceed what a processor's core keeps nearby.
LONG_LINE = 2048
TILES_AHEAD = 4       # tiles between asking and writing: memory answers after some hundred cycles


def emit_moves(vectors: Vectors) -> str:
    """`gather(rows, lines, size)` and `scatter(rows, table, lines, size)`; lines: one pointer a world."""
    return "\n".join(["declare void @llvm.prefetch.p0(ptr, i32, i32, i32)",
                      *(line for name in FUNCTIONS for line in _function(vectors, name))])


def emit_prefetch(pointer: str) -> str:
    """Prefetch the memory at a pointer for writing."""
    return f"  call void @llvm.prefetch.p0(ptr {pointer}, i32 1, i32 3, i32 1)"


def scatter_function(size: int) -> str:
    """The name of the function that scatters lines of `size` numbers."""
    return SCATTER_LONG if size >= LONG_LINE else SCATTER


def _function(vectors: Vectors, name: str) -> list[str]:
    """A loop over tiles, of which the last may overlap the one before; lines shorter than a tile number by number."""
    lanes = vectors.lanes
    arguments = ", ".join(["ptr %rows", *["ptr %table"] * (name != GATHER), "ptr %lines", "i64 %size"])
    return [f"define internal void @{name}({arguments}) #1 {{", "entry:", f"  %last = sub i64 %size, {lanes}",
            "  %short = icmp slt i64 %last, 0", "  br i1 %short, label %single, label %tile", "tile:",
            "  %k = phi i64 [ 0, %entry ], [ %next, %tile ]", *_tile(vectors, name), f"  %whole = add i64 %k, {lanes}",
            "  %over = icmp sgt i64 %whole, %last", "  %next = select i1 %over, i64 %last, i64 %whole",
            "  %more = icmp slt i64 %k, %last", "  br i1 %more, label %tile, label %done", "single:",
            "  %some = icmp sgt i64 %size, 0", "  br i1 %some, label %number, label %done", "number:",
            "  %n = phi i64 [ 0, %single ], [ %n.next, %number ]", *_numbers(vectors, name),
            "  %n.next = add i64 %n, 1",
            "  %again = icmp slt i64 %n.next, %size", "  br i1 %again, label %number, label %done", "done:",
            "  ret void", "}", ""]


def _tile(vectors: Vectors, name: str) -> list[str]:
    """Load the tile at %k, transpose it, store it."""
    element, lanes, align = vectors.element, vectors.lanes, ELEMENT_BITS[vectors.element] // 8
    source, target = ("m", "p") if name == GATHER else ("p", "m")
    lines = []
    for i in range(lanes):
        lines += [f"  %at{i} = add i64 %k, {i}", *_row(vectors, name, f"{i}", f"%at{i}"), *_line(vectors, i, "%k")]
        if name == SCATTER_LONG:
            lines += [f"  %ahead{i} = getelementptr {element}, ptr %m{i}, i64 {TILES_AHEAD * lanes}",
                      emit_prefetch(f"%ahead{i}")]
    lines += [f"  %v0.{i} = load {vectors.type}, ptr %{source}{i}, align {align}" for i in range(lanes)]
    block, stage = 1, 0
    while block < lanes:
        lines += _stage(vectors, block, stage)
        block, stage = 2 * block, stage + 1
    return lines + [f"  store {vectors.type} %v{stage}.{i}, ptr %{target}{i}, align {align}" for i in range(lanes)]


def _stage(vectors: Vectors, block: int, stage: int) -> list[str]:
    """Swap the off-diagonal blocks of every 2 x 2 group of blocks (Eklundh's transposition)."""
    kind, lanes, lines = vectors.type, vectors.lanes, []
    upper = [k if not k & block else lanes + k - block for k in range(lanes)]
    lower = [k + block if not k & block else lanes + k for k in range(lanes)]
    for i in range(lanes):
        first, second = (i, i | block) if not i & block else (i ^ block, i)
        mask = ", ".join(f"i32 {k}" for k in (lower if i & block else upper))
        lines.append(f"  %v{stage + 1}.{i} = shufflevector {kind} %v{stage}.{first}, {kind} %v{stage}.{second}, "
                     f"<{lanes} x i32> <{mask}>")
    return lines


def _numbers(vectors: Vectors, name: str) -> list[str]:
    """Move the number at %n of every line."""
    element, align = vectors.element, ELEMENT_BITS[vectors.element] // 8
    lines = _row(vectors, name, ".n", "%n")
    for i in range(vectors.lanes):
        source, target = (f"%m.n{i}", f"%q{i}") if name == GATHER else (f"%q{i}", f"%m.n{i}")
        lines += [f"  %q{i} = getelementptr {element}, ptr %p.n, i64 {i}", *_line(vectors, i, "%n", ".n"),
                  f"  %x{i} = load {element}, ptr {source}, align {align}",
                  f"  store {element} %x{i}, ptr {target}, align {align}"]
    return lines


def _row(vectors: Vectors, name: str, tag: str, index: str) -> list[str]:
    """%p: pointer to the row of a number."""
    lines = ([f"  %row{tag} = mul i64 {index}, {vectors.lanes}"] if name == GATHER else
             [f"  %e{tag} = getelementptr i64, ptr %table, i64 {index}", f"  %row{tag} = load i64, ptr %e{tag}"])
    return [*lines, f"  %p{tag} = getelementptr {vectors.element}, ptr %rows, i64 %row{tag}"]


def _line(vectors: Vectors, lane: int, index: str, tag: str = "") -> list[str]:
    """%m: pointer to a number of a world's line."""
    return [f"  %line{tag}{lane} = getelementptr ptr, ptr %lines, i64 {lane}",
            f"  %start{tag}{lane} = load ptr, ptr %line{tag}{lane}",
            f"  %m{tag}{lane} = getelementptr {vectors.element}, ptr %start{tag}{lane}, i64 {index}"]
