"""A scheduled program as CUDA C that is C++ as well: one kernel that reads its schedules, a thread a world.

The text has the fragments, the schedules are data: whatever is made of the same fragments runs the same machine code.
Fragments compute as those of the CPU's interpreter do, so a world's bits are the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from physx_runtime.compiling.cuda_c import render
from physx_runtime.compiling.fragment import IF_ZERO, UNLESS_ZERO, Fragment
from physx_runtime.compiling.program import counts_of
from physx_runtime.compiling.scalar_c import statements
from physx_runtime.compiling.schedule import Instruction, ScheduledProgram

KERNEL = "run_schedules"
# Numbers of instructions that are no fragments: the end of a pass, and the two guards.
END, SKIP_UNLESS, SKIP_IF, FIRST = 0, 1, 2, 3


@dataclass(frozen=True, slots=True)
class ScheduleSource:
    """The text of a kernel, and the schedules it reads.

    The kernel takes the buffer (blocks, rows, LANES), memory (blocks, scratch, LANES) in which rows that nothing wrote
    are 0, the words, the number of worlds, that of rounds, and how often each of `counts`.
    """

    text: str
    words: NDArray[np.int32]        # where each pass begins, then instructions, END behind those of each pass
    counts: tuple[str, ...]
    dtype: str
    rows: int
    scratch: int


@dataclass(frozen=True, slots=True)
class _ScheduleBody:
    """What the template writes of a fragment; pairs are (what is set, to what)."""

    name: str
    operands: tuple[str, ...]
    counted: bool
    held: tuple[tuple[str, str], ...]       # rows that stay, in variables while a counted fragment repeats itself
    changed: tuple[tuple[str, str], ...]
    moving: tuple[tuple[str, int], ...]     # operands that advance, and by how many rows
    lines: tuple[str, ...]


def emit_schedules(program: ScheduledProgram, dtype: str) -> ScheduleSource:
    """The kernel and the words of a scheduled program."""
    found = {i.fragment: _body(i.fragment, dtype) for one in program.passes for i in one.code.instructions
             if i.fragment not in (UNLESS_ZERO, IF_ZERO)}
    bodies = sorted({body.name: body for body in found.values()}.values(), key=lambda body: body.name)
    number = {body.name: i for i, body in enumerate(bodies, FIRST)}
    codes = {UNLESS_ZERO: SKIP_UNLESS, IF_ZERO: SKIP_IF} | {f: number[body.name] for f, body in found.items()}
    starts: list[int] = []
    words: list[int] = []
    for one in program.passes:
        starts.append(len(program.passes) + len(words))
        words += [word for i in one.code.instructions for word in _words(i, codes)] + [END]
    rows, counts = len(program.layout), counts_of(program.passes)
    text = render("schedules.cu.jinja", dtype, kernel=KERNEL, rows=rows, scratch=program.size - rows, bodies=bodies,
                  passes=[one.count for one in program.passes], counts=counts, first=FIRST, end=END,
                  skip_unless=SKIP_UNLESS, skip_if=SKIP_IF)
    return ScheduleSource(text, np.array([*starts, *words], np.int32), counts, dtype, rows, program.size - rows)


def _words(i: Instruction, codes: Mapping[Fragment, int]) -> list[int]:
    """An instruction as the kernel reads it: a number, a count where there is one, rows."""
    return [codes[i.fragment], *([i.count] if i.fragment.counted else []), *i.rows]


def _body(fragment: Fragment, dtype: str) -> _ScheduleBody:
    code = fragment.code
    steady = {f"{x.name}_{i}" for x in fragment.operands if fragment.counted and not x.moving for i in range(x.size)}
    changed = [row for row, _ in code.outputs if row in steady]
    held = {row: f"r_{row}" for row in (*code.inputs, *changed) if row in steady}

    def place(row: str) -> str:
        return held.get(row) or _schedule_memory(row)

    lines = statements(code, dtype, place)
    body = (tuple(x.name for x in fragment.operands), fragment.counted,
            tuple((variable, _schedule_memory(row)) for row, variable in held.items()),
            tuple((_schedule_memory(row), held[row]) for row in changed),
            tuple((x.name, x.size) for x in fragment.operands if x.moving), tuple(lines))
    return _ScheduleBody(f"f_{hashlib.sha256(repr(body).encode()).hexdigest()[:16]}", *body)


def _schedule_memory(row: str) -> str:
    """A row of an operand."""
    operand, _, index = row.rpartition("_")
    return f"b_{operand}[{index} * LANES]"
