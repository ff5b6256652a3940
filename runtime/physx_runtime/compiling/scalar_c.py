"""Straight-line code as statements of C, one a node, that round as the CPU target's vectors do."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence

from physx_runtime.compiling.code import Code, by_equation
from physx_runtime.compiling.fusion import fused_products
from physx_runtime.compiling.pieces import cut, stores

OPERATORS = {"add": "+", "sub": "-", "mul": "*", "lt": "<", "le": "<=", "eq": "==", "and": "&&", "or": "||"}
CONDITIONS = frozenset(("lt", "le", "eq", "and", "or", "not", "rarely"))
FORMS = {"neg": "-{0}", "not": "!{0}", "rounded": "{0}", "rarely": "{0}", "single": "(real)(float){0}",
         "select": "{0} ? {1} : {2}"}
# Macros of the text that the statements stand in; a compiler must neither fuse nor reorder what they round.
MACROS = {"div": "DIVIDE", "sqrt": "ROOT", "floor": "FLOOR", "abs": "ABSOLUTE"}

# Row scalar -> what holds it in the text.
Place = Callable[[str], str]


def statements(code: Code, dtype: str, place: Place, size: int = 0) -> list[str]:
    """The statements of a code; rows are stored as soon as their value is there and nothing needs the old one.

    size: operations in a piece, all in one where 0. A piece loads for itself what it reads, and a fence keeps the
    compiler from carrying that over.
    """
    text = _Text(code, dtype, place)
    pieces = cut(code, text.fused, size or len(code.order) or 1)
    stored = stores(code, text.fused, pieces)
    for i, piece in enumerate(pieces):
        text.piece(piece, stored.get(i, []))
        if i + 1 < len(pieces):
            text.lines.append("FENCE;")
    return text.lines


def literal(value: float, dtype: str) -> str:
    """A number as exact as the type holds it: hexadecimal."""
    single = dtype == "float32"
    if single:
        value = struct.unpack("f", struct.pack("f", value))[0]
    if math.isnan(value):
        return "NO_NUMBER"
    if math.isinf(value):
        return "INFINITE" if value > 0 else "(-INFINITE)"
    text = f"{value.hex()}{'f' if single else ''}"
    return text if math.copysign(1.0, value) > 0 else f"({text})"


class _Text:
    """The lines of one code."""

    def __init__(self, code: Code, dtype: str, place: Place) -> None:
        self.code, self._dtype, self._place = code, dtype, place
        self.fused = fused_products(code)
        self.lines: list[str] = []
        self._equations = {n: equation for n, equation in by_equation(code) if equation}
        self._loaded: dict[int, str] = {}       # of this piece
        self._loads = 0

    def piece(self, nodes: Sequence[int], stored: Sequence[tuple[str, int]]) -> None:
        """The statements of one piece; rows are stored after everything is loaded."""
        self._loaded = {}
        for n in nodes:
            if n in self._equations:
                self.lines.append(f"// {self._equations[n]}")
            self._operation(n)
        values = [(row, self._operand(n)) for row, n in stored]
        self.lines += [f"{self._place(row)} = {value};" for row, value in values]

    def _operand(self, n: int) -> str:
        op, args = self.code.nodes[n]
        if op == "const":
            return literal(float(args[0]), self._dtype)     # type: ignore[arg-type]
        if op != "input":
            return f"t{n}"
        if n not in self._loaded:
            self._loads += 1
            self._loaded[n] = f"l{self._loads}"
            self.lines.append(f"const real l{self._loads} = {self._place(str(args[0]))};")
        return self._loaded[n]

    def _operation(self, n: int) -> None:
        op, args = self.code.nodes[n][0], self.code.arguments(n)
        kind = "bool" if op in CONDITIONS else "real"
        value = self._fma(n) if n in self.fused else self._value(op, [self._operand(a) for a in args])
        self.lines.append(f"const {kind} t{n} = {value};")

    def _value(self, op: str, x: Sequence[str]) -> str:
        if op in OPERATORS:
            return f"{x[0]} {OPERATORS[op]} {x[1]}"
        if op in MACROS:
            return f"{MACROS[op]}({', '.join(x)})"
        if op not in FORMS:
            raise NotImplementedError(f"operation {op} has no C form")
        return FORMS[op].format(*x)

    def _fma(self, n: int) -> str:
        """a b + c, a b - c or c - a b in one rounding."""
        args, product = self.code.arguments(n), self.fused[n]
        a, b = (self._operand(m) for m in self.code.arguments(product))
        c = self._operand(args[0] if args[1] == product else args[1])
        if self.code.nodes[n][0] == "sub":
            a, c = (f"-{a}", c) if args[1] == product else (a, f"-{c}")
        return f"FUSED({a}, {b}, {c})"
