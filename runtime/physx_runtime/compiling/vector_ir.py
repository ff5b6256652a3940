"""Traced arithmetic as LLVM IR on explicit vectors: every value is a vector over worlds.

No fast-math flags and explicit fma, so a world's bits depend neither on the vector width nor on its neighbours.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass

from physx_runtime.compiling.code import Code, by_equation
from physx_runtime.compiling.fusion import fused_products

INSTRUCTIONS = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
# Of numbers that float32 holds, what comes to the same bits in float32 as in float64 and rounded to it.
NARROW = INSTRUCTIONS | {"neg": "fneg"}
LARGEST_NARROW = 3e38
ELEMENT_BITS = {"float": 32, "double": 64}
ELEMENT_TYPES = {"float32": "float", "float64": "double"}     # LLVM's names of NumPy's types
CACHE_LINE = 64     # bytes
# Vectors of so many bits come with registers for conditions (AVX-512).
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
    """Of the intrinsics that arithmetic calls."""
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
        own = set(code.order)
        self.fused = fused_products(code) if fused is None else {n: a for n, a in fused.items() if n in own}
        self._type, self._suffix = vectors.type, vectors.suffix
        self._inner = 0         # selections within others

    def operand(self, n: int) -> str:
        """A node's value as an instruction names it: a literal, a row carried through a loop, or a result."""
        op, args = self.code.nodes[n]
        if op == "const":
            return self.vectors.literal(float(args[0]))     # type: ignore[arg-type]
        return f"%r.{args[0]}" if op == "input" and args[0] in self.carried else f"%t{self.tag}{n}"

    def result(self, n: int) -> str:
        """The name of a node's value."""
        return f"%t{self.tag}{n}"

    def lines(self) -> list[str]:
        """All loads and instructions in order, with a comment where another equation begins."""
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
        """A node rounded to float32; what is made of such numbers is computed in float32, to the same bits.

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
            self._inner += 1
            within = f"%s{self.tag}{self._inner}"
            inner = self._select(within, parts[1], x, y)
            return inner + self._select(name, parts[0], *((within, y) if op == "and" else (x, within)))
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
