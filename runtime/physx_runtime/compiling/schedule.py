"""Schedules: the order in which fragments run, as data, and the rows of a block they run on.

What a program is made for is data here, not code: a schedule lists fragments and base rows, so nothing is compiled for
it but fragments that no schedule had before.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from physx_runtime.compiling.fragment import IF_ZERO, UNLESS_ZERO, Fragment, Operand, trace_fragment
from physx_runtime.compiling.program import Pass
from physx_runtime.compiling.trace import Algorithm


class Span(NamedTuple):
    """Consecutive rows of a block."""

    row: int
    size: int

    def part(self, index: int, size: int = 1) -> Span:
        """The `index`-th of the pieces of `size` rows."""
        return Span(self.row + index * size, size)


@dataclass(frozen=True, slots=True)
class Instruction:
    """One call of a fragment: the first row of each of its operands, `count` rounds of it."""

    fragment: Fragment
    rows: tuple[int, ...]
    count: int

    @property
    def words(self) -> int:
        """How long it is to the interpreter: the fragment, its count where it has one, its rows."""
        return 1 + self.fragment.counted + len(self.rows)


@dataclass(slots=True)
class Schedule:
    """Instructions of one pass, appended in order; passes of a program share the rows."""

    instructions: list[Instruction] = field(default_factory=list)
    _known: dict[object, Fragment] = field(default_factory=dict, init=False, repr=False)

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
        words = sum(i.words for i in part.instructions)
        self.instructions += [Instruction(guard, (flag.row,), words), *part.instructions]

    def _append(self, algorithm: Algorithm, static: tuple[Hashable, ...], operands: Mapping[str, Span],
                moving: Mapping[str, Span], count: int) -> None:
        key = (algorithm, static, tuple([(name, span[1]) for name, span in operands.items()]),
               tuple([(name, span[1]) for name, span in moving.items()]), count > 0)
        fragment = self._known.get(key)
        if fragment is None:
            shapes = tuple(Operand(name, span.size) for name, span in operands.items())
            shapes += tuple(Operand(name, span.size, True) for name, span in moving.items())
            fragment = self._known[key] = trace_fragment(algorithm, static, shapes, count > 0)
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

    def parts(self) -> dict[str, LayoutPart]:
        """Every `part` whose prefix ends with the first _ of names, by prefix."""
        found: dict[str, dict[str, Span]] = {}
        for name, span in self.groups.items():
            prefix, bar, own = name.partition("_")
            found.setdefault(prefix + bar, {})[own] = span
        return {prefix: LayoutPart(groups, whole=self, prefix=prefix) for prefix, groups in found.items()}

    def part(self, prefix: str) -> LayoutPart:
        """Those whose names begin so, as a layout of its own."""
        return LayoutPart({name.removeprefix(prefix): span for name, span in self.groups.items()
                           if name.startswith(prefix)}, whole=self, prefix=prefix)


@dataclass(slots=True)
class LayoutPart(Layout):
    """Row groups of a larger layout, called without the prefix of their names; new ones become its own too."""

    whole: Layout = field(default_factory=Layout)
    prefix: str = ""

    def add(self, name: str, size: int) -> Span:
        self.groups[name] = self.whole.add(self.prefix + name, size)
        return self.groups[name]


@dataclass(frozen=True, slots=True)
class ScheduledProgram:
    """Passes of schedules, one after the other, on blocks of `size` rows."""

    passes: tuple[Pass[Schedule], ...]
    layout: Mapping[str, int]           # row scalar -> row of the block: state, then inputs; the others are scratch
    state_size: int                     # rows of the state, which come first
    size: int
