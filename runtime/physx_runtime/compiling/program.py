"""`Program` is a sequence of named passes of straight-line code over the rows of a block of worlds. `trace_program`
traces the passes from `PassSource`s, which give order, repetition and guards. A program knows rows by name and size
only. The emitters and the targets read it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from physx_runtime.compiling.code import Algorithm, Code, Node, RowBindings, row_of, row_scalars, scalar_names, trace
from physx_runtime.compiling.passes import find_equal_rows, hoist

C = TypeVar("C")        # what a pass runs: straight-line code or a schedule


@dataclass(frozen=True, slots=True)
class Guard:
    """Conditions, as nodes of a pass's code; in worlds where none holds, `otherwise` has the same effect."""

    conditions: tuple[int, ...]
    otherwise: Code


@dataclass(frozen=True, slots=True)
class Pass(Generic[C]):
    """One part of a program, repeated `count` times: the name of a run-time number, empty for once."""

    name: str
    code: C
    count: str = ""
    guard: Guard | None = None          # saves time; a target may leave it out


@dataclass(frozen=True, slots=True)
class Program:
    """Passes of straight-line code, one after the other, on a buffer with rows `layout`."""

    passes: tuple[Pass[Code], ...]
    layout: Mapping[str, int]           # row scalar -> row of the buffer: state, then inputs
    scratch: Mapping[str, int]          # row scalar made by the first pass -> row of memory that nothing outlives
    state: tuple[str, ...]              # row scalars that hold the state

    def __getitem__(self, name: str) -> Pass[Code]:
        """The pass of this name."""
        return next(pass_ for pass_ in self.passes if pass_.name == name)


def counts_of(passes: Sequence[Pass[C]]) -> tuple[str, ...]:
    """Names of the run-time numbers of these passes, in order of first use."""
    return tuple(dict.fromkeys(pass_.count for pass_ in passes if pass_.count))


@dataclass(frozen=True, slots=True)
class PassSource:
    """The source that a pass is traced from."""

    name: str
    algorithm: Algorithm                # rows -> the rows that it makes or changes, and conditions
    count: str = ""
    guard: str = ""                     # what the conditions are called among them
    changes: tuple[str, ...] = ()       # rows that are taken to change; others that do are found


def trace_program(sources: Sequence[PassSource], state: Mapping[str, int], inputs: Mapping[str, int]) -> Program:
    """The program of these passes on rows of these sizes.

    The first pass runs once and makes all rows that are neither state nor inputs. Loop-invariant work of repeated
    passes is hoisted into it, with extra rows only for passes that share the first count.
    """
    first, *later = sources
    bindings = row_scalars({**state, **inputs})
    start, sizes = trace(first.algorithm, bindings)
    codes, changed = _trace_later_passes(later, bindings, start, sizes, scalar_names(state))
    conditions = [tuple(n for row, n in code.outputs if row_of(row) == source.guard)
                  for source, code in zip(later, codes, strict=True)]

    live = _live_rows(set(scalar_names(state)), codes)
    codes = [code.pruned(live) for code in codes]
    first_count = next((source.count for source in later if source.count), "")
    for i, source in enumerate(later):
        if source.count:
            start, codes[i] = hoist(start, codes[i], changed,
                                    f"{source.name}_hoisted" if source.count == first_count else "")
    start = start.pruned(live.union(*(code.inputs for code in codes)))
    passes = [Pass(source.name, code, source.count,
                   Guard(guard_nodes, code.assume_false(guard_nodes)) if guard_nodes else None)
              for source, code, guard_nodes in zip(later, codes, conditions, strict=True)]

    layout = program_layout(state, inputs)
    hot = {row for pass_ in passes if pass_.count and pass_.count == first_count
           for row in (*pass_.code.inputs, *dict(pass_.code.outputs))}
    scratch_rows = sorted((row for row, _ in start.outputs if row not in layout), key=lambda row: row not in hot)
    return Program((Pass(first.name, start), *passes), layout, {row: i for i, row in enumerate(scratch_rows)},
                   tuple(scalar_names(state)))


def program_layout(state: Mapping[str, int], inputs: Mapping[str, int]) -> dict[str, int]:
    """Row scalar -> row of the buffer of a program with rows of these sizes; nothing is traced."""
    return {row: i for i, row in enumerate(scalar_names({**state, **inputs}))}


def _trace_later_passes(sources: Sequence[PassSource], bindings: RowBindings, start: Code,
                        start_sizes: Mapping[str, int],
                        state: Sequence[str]) -> tuple[list[Code], set[str]]:
    """The passes after the first, and the rows that any of them changes, a last one that runs once left out.

    start_sizes: size of every row that `start` makes. Rows that are constant or equal in the start, and that no pass
    changes, are treated as constants and as one row.
    """
    inner = sources if sources[-1].count else sources[:-1]
    constants = {row: value for row, value in _constants(start).items() if row not in state}
    sizes = {name: len(scalars) for name, scalars in bindings.items()} | dict(start_sizes)
    changed = {row for source in sources for name in source.changes for row in scalar_names({name: sizes.get(name, 0)})}
    while True:
        bound: dict[str, float | str] = {row: value for row, value in constants.items() if row not in changed}
        bound |= {row: holder for row, holder in find_equal_rows(start, changed).items() if row not in state}
        rows = dict(bindings)
        for name, size in start_sizes.items():
            rows[name] = [bound.get(row, row) for row in scalar_names({name: size})]
        codes = [trace(source.algorithm, rows)[0] for source in inner]
        newly_changed = {row for code in codes for row, n in code.outputs
                         if row not in changed and not _is_value(code.nodes[n], bound.get(row, row))}
        if not newly_changed:
            last = [trace(source.algorithm, rows)[0] for source in sources[len(inner):]]
            return [*(code.pruned(changed) for code in codes), *last], changed
        changed |= newly_changed


def _is_value(node: Node, value: float | str) -> bool:
    """Whether a node is just this row or number."""
    return node[0] in ("input", "const") and node[1] == (value,)


def _constants(code: Code) -> dict[str, float]:
    return {row: float(code.nodes[n][1][0]) for row, n in code.outputs      # type: ignore[arg-type]
            if code.nodes[n][0] == "const"}


def _live_rows(live: set[str], codes: Sequence[Code]) -> set[str]:
    """Row scalars that the state depends on through any number of rounds."""
    while True:
        needed = set().union(live, *(code.pruned(live).inputs for code in codes))
        if needed == live:
            return live
        live = needed
