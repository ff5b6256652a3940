"""Symbols that record straight-line arithmetic instead of doing it.

Running an algorithm on symbols builds a `Graph`: common subexpressions are shared, structural zeros and ones (Python
constants written in the algorithm) are folded, control flow is refused. The emitters turn the graph into code.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType

COMMUTATIVE = frozenset({"add", "mul", "and", "or", "eq"})
CONDITIONS = frozenset({"lt", "le", "eq", "and", "or", "not", "rarely"})      # operations with a truth value
# Files whose functions are no equations of their own.
ALGEBRA = ("symbols.py", "ops.py", "spatial.py")
FOLD: dict[str, Callable[..., float | bool]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "neg": lambda a: -a,
    "abs": abs,
    "sqrt": math.sqrt,
    "floor": math.floor,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "eq": lambda a, b: a == b,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "not": lambda a: not a,
    "rarely": lambda a: a,
}


class TracingError(TypeError):
    """An algorithm did something that cannot be recorded, such as branching on a symbol."""


@dataclass(slots=True)
class Graph:
    """Nodes in order of creation; a node is (operation, arguments).

    Arguments are node numbers, except for "const" (the number) and "input" (the row's name).
    """

    nodes: list[tuple[str, tuple[object, ...]]] = field(default_factory=list)
    values: list[float | None] = field(default_factory=list)    # the number of each "const", None of all others
    origins: list[str] = field(default_factory=list)        # "crba.py mass_matrix": the equation a node belongs to
    node_numbers: dict[tuple[str, tuple[object, ...]], int] = field(default_factory=dict)
    # derivatives known without looking inside: node -> (argument, slope, sign); of sines, whose polynomials are long
    slopes: dict[int, tuple[int, int, float]] = field(default_factory=dict)

    def node(self, op: str, *args: object) -> int:
        """The number of this node, made on first use."""
        key = (op, args)
        number = self.node_numbers.get(key)
        if number is None:
            number = self.node_numbers[key] = len(self.nodes)
            self.nodes.append(key)
            self.values.append(float(args[0]) if op == "const" else None)     # type: ignore[arg-type]
            self.origins.append(_equation())
        return number

    def constant(self, value: float) -> Symbol:
        """A literal."""
        return Symbol(self, self.node("const", float(value)))

    def input(self, name: str) -> Symbol:
        """A value that the kernel loads from the row called `name`."""
        return Symbol(self, self.node("input", name))

    def apply(self, op: str, *operands: Symbol | float) -> Symbol:
        """Record an operation, folded where its operands allow."""
        symbols = [x if isinstance(x, Symbol) else self.constant(x) for x in operands]
        values = [self.values[x.number] for x in symbols]
        if None not in values and op in FOLD:
            return self.constant(float(FOLD[op](*values)))
        folded = _fold(self, op, symbols, values)
        if folded is not None:
            return folded
        numbers = [x.number for x in symbols]
        if op in COMMUTATIVE:
            numbers.sort()
        return Symbol(self, self.node(op, *numbers))


def _equation() -> str:
    """The function whose arithmetic is being recorded: the nearest caller outside tracing and vector algebra."""
    frame = sys._getframe(2)
    while frame.f_back and not _equation_name(frame.f_code):
        frame = frame.f_back
    return _equation_name(frame.f_code)


@functools.cache
def _equation_name(code: CodeType) -> str:
    """"crba.py mass_matrix"; empty for algebra and for the body of a comprehension."""
    if code.co_filename.endswith(ALGEBRA) or code.co_name.startswith("<"):
        return ""
    return f"{Path(code.co_filename).name} {code.co_name}"


def _fold(graph: Graph, op: str, x: list[Symbol], value: list[float | None]) -> Symbol | None:
    """The simpler symbol an operation with a structural zero or one amounts to, or None."""
    if op == "add":
        return x[1] if value[0] == 0.0 else x[0] if value[1] == 0.0 else _fold_negated_sum(graph, x)
    if op == "mul":
        return _fold_product(x, value) if value[0] is not None or value[1] is not None else None
    if op == "sub":
        if value[1] == 0.0:
            return x[0]
        if graph.nodes[x[1].number][0] == "neg":
            return x[0] + -x[1]
        if x[0].number == x[1].number:
            return graph.constant(0.0)
        return -x[1] if value[0] == 0.0 else None
    if op == "div":
        return graph.constant(0.0) if value[0] == 0.0 else x[0] if value[1] == 1.0 else None
    if op == "rounded":
        return None if graph.nodes[x[0].number][0] == "mul" else x[0]
    if op == "neg":
        inner = graph.nodes[x[0].number]
        return Symbol(graph, int(inner[1][0])) if inner[0] == "neg" else None    # type: ignore[call-overload]
    if op == "select":
        if value[0] is not None:
            return x[1] if value[0] else x[2]
        return x[1] if x[1].number == x[2].number else None
    return None


def _fold_negated_sum(graph: Graph, x: list[Symbol]) -> Symbol | None:
    """a + (-b) as a - b: the negation disappears in the subtraction."""
    first, second = (graph.nodes[symbol.number][0] == "neg" for symbol in x)
    if first == second:
        return None
    return x[1] - -x[0] if first else x[0] - -x[1]


def _fold_product(x: list[Symbol], value: list[float | None]) -> Symbol | None:
    for index, other in ((0, 1), (1, 0)):
        if value[index] == 0.0:
            return x[index].graph.constant(0.0)
        if value[index] == 1.0:
            return x[other]
        if value[index] == -1.0:
            return -x[other]
    return None


def _not_recorded(action: str) -> TracingError:
    """What an algorithm did that cannot be recorded, and where."""
    frame = sys._getframe(2)
    return TracingError(f"{frame.f_code.co_filename}:{frame.f_lineno}: an algorithm {action}")


class Symbol:
    """A recorded scalar; arithmetic on it appends to its graph."""

    __slots__ = ("graph", "number")

    def __init__(self, graph: Graph, number: int) -> None:
        self.graph, self.number = graph, number

    @property
    def value(self) -> float | None:
        """The literal this symbol stands for, None where it is computed."""
        return self.graph.values[self.number]

    def __bool__(self) -> bool:
        raise _not_recorded("uses a traced value as a condition; use where, clamp, minimum or maximum")

    def __eq__(self, other: object) -> bool:
        raise _not_recorded("compares a traced value for equality; use <, <=, > or >=, and where")

    __hash__ = object.__hash__

    def __add__(self, other: Symbol | float) -> Symbol:
        return self.graph.apply("add", self, other)

    def __radd__(self, other: float) -> Symbol:
        return self.graph.apply("add", other, self)

    def __sub__(self, other: Symbol | float) -> Symbol:
        return self.graph.apply("sub", self, other)

    def __rsub__(self, other: float) -> Symbol:
        return self.graph.apply("sub", other, self)

    def __mul__(self, other: Symbol | float) -> Symbol:
        return self.graph.apply("mul", self, other)

    def __rmul__(self, other: float) -> Symbol:
        return self.graph.apply("mul", other, self)

    def __truediv__(self, other: Symbol | float) -> Symbol:
        return self.graph.apply("div", self, other)

    def __rtruediv__(self, other: float) -> Symbol:
        return self.graph.apply("div", other, self)

    def __neg__(self) -> Symbol:
        return self.graph.apply("neg", self)

    def __abs__(self) -> Symbol:
        return self.graph.apply("abs", self)

    def __lt__(self, other: Symbol | float) -> Symbol:
        return self.graph.apply("lt", self, other)

    def __gt__(self, other: Symbol | float) -> Symbol:
        return self.graph.apply("lt", other, self)

    def __le__(self, other: Symbol | float) -> Symbol:
        return self.graph.apply("le", self, other)

    def __ge__(self, other: Symbol | float) -> Symbol:
        return self.graph.apply("le", other, self)

    def __and__(self, other: Symbol) -> Symbol:
        return self.graph.apply("and", self, other)

    def __or__(self, other: Symbol) -> Symbol:
        return self.graph.apply("or", self, other)

    def __invert__(self) -> Symbol:
        return self.graph.apply("not", self)
