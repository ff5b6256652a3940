"""Schedules, fragments and functions: traced code that is called in an order given as data. A `Fragment` is traced once
and serves every item; the rows of its operands are given at run time. A counted fragment loops over consecutive rows. A
`Schedule` lists fragments with base rows, so a new program compiles only new fragments. A `Function` maps rows and
argument arrays to result arrays, with one line for each world, and changes no row.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from physx_runtime.compiling.code import Algorithm, Code, row_of, row_scalars, scalar_names, trace
from physx_runtime.compiling.program import Pass


@dataclass(frozen=True, slots=True)
class Operand:
    """A group of consecutive rows; `moving` ones advance by their size each round of a counted fragment."""

    name: str
    size: int
    moving: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Fragment:
    """Straight-line code over the rows of its operands; `counted` repeats it."""

    code: Code
    operands: tuple[Operand, ...]       # those it touches
    counted: bool
    constants: Mapping[str, float]      # outputs that turned out to be literals; they are not stored


# No arithmetic: it goes on behind the words that it counts where its row is 0 in all lanes.
UNLESS_ZERO = Fragment(Code((), (), (), ()), (Operand("flag", 1),), True, {})
# The same where its row is not 0 in some lane.
IF_ZERO = Fragment(Code((), (), (), ()), (Operand("flag", 1),), True, {})


@functools.lru_cache(maxsize=4096)
def trace_fragment(algorithm: Algorithm, static: tuple[Hashable, ...], operands: tuple[Operand, ...],
                   counted: bool) -> Fragment:
    """Trace an algorithm on operands, then static arguments; row scalars are called after their operand: v_0, v_1."""
    code, _ = trace(lambda rows: algorithm(rows, *static), row_scalars({x.name: x.size for x in operands}))
    operand_names = {x.name for x in operands}
    outputs: list[tuple[str, int]] = []
    constants: dict[str, float] = {}
    for row, n in code.outputs:
        op, args = code.nodes[n]
        if row_of(row) in operand_names:
            outputs.append((row, n))
        elif op == "const":
            constants[row] = float(args[0])         # type: ignore[arg-type]
    code = Code(code.nodes, code.origins, (), tuple(outputs)).pruned({row for row, _ in outputs})
    touched = {row_of(row) for row in (*code.inputs, *(row for row, _ in code.outputs))}
    return Fragment(code, tuple(x for x in operands if x.name in touched), counted, constants)


class Span(NamedTuple):
    """Consecutive rows of a block."""

    row: int
    size: int

    def part(self, index: int, size: int = 1) -> Span:
        """The `index`-th part of `size` rows."""
        return Span(self.row + index * size, size)


@dataclass(frozen=True, slots=True)
class Instruction:
    """One call of a fragment: the first row of each of its operands, `count` rounds of it."""

    fragment: Fragment
    rows: tuple[int, ...]
    count: int

    @property
    def word_count(self) -> int:
        """Length in words of the interpreter's bytecode: the fragment, its count where it has one, its rows."""
        return 1 + self.fragment.counted + len(self.rows)


@dataclass(slots=True)
class Schedule:
    """Instructions of one pass, appended in order; passes of a program share the rows."""

    instructions: list[Instruction] = field(default_factory=list)
    _fragments: dict[object, Fragment] = field(default_factory=dict, init=False, repr=False)

    def do(self, algorithm: Algorithm, *static: Hashable, **operands: Span) -> None:
        """Run an algorithm on rows by name."""
        self._append(algorithm, static, operands, {}, 0)

    def repeat(self, count: int, algorithm: Algorithm, *static: Hashable, moving: Mapping[str, Span],
               **operands: Span) -> None:
        """Run an algorithm `count` times; `moving` gives the first round's rows, which advance by their size."""
        if count:
            self._append(algorithm, static, operands, moving, count)

    def where_any(self, flag: Span, part: Schedule) -> None:
        """Run a part in blocks where a row is not 0 in every lane."""
        self._guard(UNLESS_ZERO, flag, part)

    def where_none(self, flag: Span, part: Schedule) -> None:
        """Run a part in blocks where a row is 0 in every lane."""
        self._guard(IF_ZERO, flag, part)

    def _guard(self, guard: Fragment, flag: Span, part: Schedule) -> None:
        word_count = sum(i.word_count for i in part.instructions)
        self.instructions += [Instruction(guard, (flag.row,), word_count), *part.instructions]

    def _append(self, algorithm: Algorithm, static: tuple[Hashable, ...], operands: Mapping[str, Span],
                moving: Mapping[str, Span], count: int) -> None:
        key = (algorithm, static, tuple([(name, span[1]) for name, span in operands.items()]),
               tuple([(name, span[1]) for name, span in moving.items()]), count > 0)
        fragment = self._fragments.get(key)
        if fragment is None:
            shapes = tuple(Operand(name, span.size) for name, span in operands.items())
            shapes += tuple(Operand(name, span.size, True) for name, span in moving.items())
            fragment = self._fragments[key] = trace_fragment(algorithm, static, shapes, count > 0)
        spans = {**operands, **moving} if moving else operands
        if fragment.code.outputs:
            self.instructions.append(Instruction(fragment, tuple([spans[x.name][0] for x in fragment.operands]), count))


@dataclass(slots=True)
class Layout:
    """Row groups of a block by name."""

    groups: dict[str, Span] = field(default_factory=dict)
    size: int = 0

    def add(self, name: str, size: int) -> Span:
        """Rows for a group."""
        self.groups[name] = Span(self.size, size)
        self.size += size
        return self.groups[name]

    def __getitem__(self, name: str) -> Span:
        return self.groups[name]

    def scalar_rows(self, rows: Mapping[str, int]) -> dict[str, int]:
        """The row of every scalar of groups of these sizes, by its name."""
        return {scalar: self.groups[name].row + i
                for name, size in rows.items() for i, scalar in enumerate(scalar_names({name: size}))}

    def parts(self, prefix_of: Callable[[str], str]) -> dict[str, LayoutPart]:
        """Every `part` whose names have the same prefix, by prefix."""
        spans_by_prefix: dict[str, dict[str, Span]] = {}
        for name, span in self.groups.items():
            prefix = prefix_of(name)
            spans_by_prefix.setdefault(prefix, {})[name.removeprefix(prefix)] = span
        return {prefix: LayoutPart(groups, parent=self, prefix=prefix) for prefix, groups in spans_by_prefix.items()}

    def part(self, prefix: str) -> LayoutPart:
        """The groups whose names begin with a prefix, as a layout of its own."""
        return LayoutPart({name.removeprefix(prefix): span for name, span in self.groups.items()
                           if name.startswith(prefix)}, parent=self, prefix=prefix)


@dataclass(slots=True)
class LayoutPart(Layout):
    """Row groups of a larger layout, named without their prefix; new groups are added to the larger one too."""

    parent: Layout = field(default_factory=Layout)
    prefix: str = ""

    def add(self, name: str, size: int) -> Span:
        self.groups[name] = self.parent.add(self.prefix + name, size)
        return self.groups[name]


@dataclass(frozen=True, slots=True)
class ScheduledProgram:
    """Passes of schedules, one after the other, on blocks of `size` rows."""

    passes: tuple[Pass[Schedule], ...]
    layout: Mapping[str, int]           # row scalar -> row of the block: state, then inputs; the others are scratch
    state_size: int                     # rows of the state, which come first
    size: int


Sizes = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Function:
    """Straight-line code of a function; every output of the code is named "result name_index"."""

    code: Code
    arrays: Sizes                        # arrays of the caller: name, numbers a world
    results: Sizes


def trace_function(algorithm: Algorithm, rows: Mapping[str, int], arrays: Sizes = ()) -> Function:
    """Trace an algorithm on rows of these sizes and on argument arrays, which it reads as rows."""
    code, results = trace(algorithm, row_scalars({**rows, **dict(arrays)}))
    return Function(_sink_inputs(code), arrays, tuple(results.items()))


def _sink_inputs(code: Code) -> Code:
    """The code with the live nodes as they were recorded, but each input just before its first use: registers are few.
    """
    live: set[int] = set()
    stack = [n for _, n in code.outputs]
    while stack:
        n = stack.pop()
        if n not in live:
            live.add(n)
            stack += code.arguments(n)
    order: list[int] = []
    emitted: set[int] = set()
    for n in sorted(live):
        if code.nodes[n][0] != "input":
            for node in (*code.arguments(n), n):
                if node not in emitted:
                    emitted.add(node)
                    order.append(node)
    return replace(code, order=(*order, *sorted(live - emitted)))
