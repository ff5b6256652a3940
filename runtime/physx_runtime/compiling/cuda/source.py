"""Lowers traced code, scheduled programs and functions to CUDA C, which is C++ as well. `statements` writes
straight-line code, one statement for each node. `emit_kernels` makes one kernel for each pass, `emit_schedules` one
kernel that reads schedules as data, `emit_function_kernel` that of a function. `choose_design` decides how a repeated
pass keeps its rows.

Products are fused where the CPU target fuses them, and the compiler must fuse nothing. A world's bits are therefore
those of the CPU target. The text of a scheduled program holds fragments only, so all programs of the same fragments
share machine code. Kernels can be run without a GPU as C++.
"""

from __future__ import annotations

import functools
import hashlib
import math
import os
import pickle
import struct
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from numpy.typing import NDArray

from physx_runtime.compiling.code import Code, RowScalar, by_equation, row_of
from physx_runtime.compiling.kernel_cache import package_code, read_cached, write_cached
from physx_runtime.compiling.passes import (
    InstructionSpans,
    fused_products,
    last_readers,
    operands,
    split_spans,
    stores_by_span,
)
from physx_runtime.compiling.program import Pass, Program, counts_of
from physx_runtime.compiling.schedule import IF_ZERO, UNLESS_ZERO, Fragment, Function, Instruction, ScheduledProgram

OPERATORS = {"add": "+", "sub": "-", "mul": "*", "lt": "<", "le": "<=", "eq": "==", "and": "&&", "or": "||"}
CONDITIONS = frozenset(("lt", "le", "eq", "and", "or", "not", "rarely"))
FORMS = {"neg": "-{0}", "not": "!{0}", "rounded": "{0}", "rarely": "{0}", "single": "(real)(float){0}",
         "select": "{0} ? {1} : {2}"}
# Macros of the text that the statements stand in; a compiler must neither fuse nor reorder what they round.
MACROS = {"div": "DIVIDE", "sqrt": "ROOT", "floor": "FLOOR", "abs": "ABSOLUTE"}

# Row scalar -> what holds it in the text.
RowExpression = Callable[[str], str]


def statements(code: Code, dtype: str, row_expression: RowExpression, size: int = 0) -> list[str]:
    """The statements of a code; rows are stored as soon as their value exists and the old one is no longer needed.

    size: operations in a span, all in one where 0. A span loads what it reads, and a fence keeps the compiler from
    reusing loads of another span.
    """
    text = _StatementWriter(code, dtype, row_expression)
    spans = split_spans(code, text.fused, size or len(code.order) or 1)
    stored = stores_by_span(code, text.fused, spans)
    for i, span in enumerate(spans):
        text.emit_span(span, stored.get(i, []))
        if i + 1 < len(spans):
            text.lines.append("FENCE;")
    return text.lines


def literal(value: float, dtype: str) -> str:
    """A number as a hexadecimal literal, exact in the dtype."""
    single = dtype == "float32"
    if single:
        value = struct.unpack("f", struct.pack("f", value))[0]
    if math.isnan(value):
        return "NO_NUMBER"
    if math.isinf(value):
        return "INFINITE" if value > 0 else "(-INFINITE)"
    text = f"{value.hex()}{'f' if single else ''}"
    return text if math.copysign(1.0, value) > 0 else f"({text})"


class _StatementWriter:
    """The lines of one code."""

    def __init__(self, code: Code, dtype: str, row_expression: RowExpression) -> None:
        self.code, self._dtype, self._row_expression = code, dtype, row_expression
        self.fused = fused_products(code)
        self.lines: list[str] = []
        self._equations = {n: equation for n, equation in by_equation(code) if equation}
        self._loaded: dict[int, str] = {}       # of this span
        self._loads = 0

    def emit_span(self, nodes: Sequence[int], stored: Sequence[tuple[str, int]]) -> None:
        """The statements of one span; rows are stored after all loads."""
        self._loaded = {}
        for n in nodes:
            if n in self._equations:
                self.lines.append(f"// {self._equations[n]}")
            self._operation(n)
        values = [(row, self._operand(n)) for row, n in stored]
        self.lines += [f"{self._row_expression(row)} = {value};" for row, value in values]

    def _operand(self, n: int) -> str:
        op, args = self.code.nodes[n]
        if op == "const":
            return literal(float(args[0]), self._dtype)     # type: ignore[arg-type]
        if op != "input":
            return f"t{n}"
        if n not in self._loaded:
            self._loads += 1
            self._loaded[n] = f"l{self._loads}"
            self.lines.append(f"const real l{self._loads} = {self._row_expression(str(args[0]))};")
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


# All rows in registers; what is only read in the memory of the block; what is not alive throughout in the GPU's memory.
IN_REGISTERS, SHARED, STREAMED = "held", "shared", "streamed"
DESIGNS = (IN_REGISTERS, SHARED, STREAMED)
# A thread has 255 registers: with more rows than these some would be spilled.
MAX_REGISTER_ROWS = 200
# Operations in a span of streamed code: short, so that its rows need few registers.
STREAMED_SPAN_SIZE = 60
# Names the design where it is not to be chosen by the program.
DESIGN_VARIABLE = "PHYSX_RUNTIME_CUDA_DESIGN"


def forced_design() -> str:
    """The design that PHYSX_RUNTIME_CUDA_DESIGN names; empty where `choose_design` decides.

    Raises ValueError where the variable names no design.
    """
    forced = os.environ.get(DESIGN_VARIABLE, "")
    if forced and forced not in DESIGNS:
        raise ValueError(f"{DESIGN_VARIABLE} is {forced!r}; set it to one of {', '.join(map(repr, DESIGNS))}, or unset "
                         "it")
    return forced


def choose_design(program: Program) -> str:
    """The design for a program, by the number of rows that its repeated passes keep."""
    return IN_REGISTERS if max_rows(program) <= MAX_REGISTER_ROWS else STREAMED


def max_rows(program: Program) -> int:
    """Number of row scalars that the largest repeated pass reads and changes."""
    return max((len(rows_of(pass_.code)) for pass_ in program.passes if pass_.count), default=0)


def rows_of(code: Code) -> list[str]:
    """The row scalars that a code reads or changes, each once."""
    return list(dict.fromkeys([*code.inputs, *(row for row, _ in code.outputs)]))


def registers_of(code: Code, design: str) -> list[str]:
    """The row scalars that a repeated pass carries in registers from round to round."""
    if design == IN_REGISTERS:
        return rows_of(code)
    changed = [row for row, _ in code.outputs]
    return changed if design == SHARED else _long_lived_rows(code, changed)


def _long_lived_rows(code: Code, rows: Sequence[str]) -> list[str]:
    """Row scalars that are live in registers for more than half of a round, from load to store."""
    fused = fused_products(code)
    spans = split_spans(code, fused, STREAMED_SPAN_SIZE)
    first = _first_readers(code, fused, spans)
    last = last_readers(code, fused, spans)
    for i, stored in stores_by_span(code, fused, spans).items():
        last |= {row: i for row, _ in stored}
    return [row for row in rows if last[row] - first.get(row, last[row]) > len(spans) / 2]


def _first_readers(code: Code, fused: dict[int, int], spans: InstructionSpans) -> dict[str, int]:
    """Row scalar -> the first span that loads it."""
    readers: dict[str, int] = {}
    for i, span in enumerate(spans):
        for n in span:
            for a in operands(code, fused, n):
                if code.nodes[a][0] == "input":
                    readers.setdefault(str(code.nodes[a][1][0]), i)
    return readers


# Worlds in a block of the buffer, and threads in a block of a launch: neighbouring threads read neighbouring words, and
# at a few thousand worlds, about one warp a multiprocessor, blocks of one warp spread over all of them.
LANES = 32
# Operations in a span of code that runs once.
SINGLE_SPAN_SIZE = 100


@dataclass(frozen=True, slots=True)
class Kernel:
    """A pass as a kernel called `name`. count: name of its number of repetitions, empty for once."""

    name: str
    count: str
    shared_rows: int            # row scalars that a block copies into its own memory


@dataclass(frozen=True, slots=True)
class KernelSource:
    """The text of a program's kernels, launched one after the other in each round.

    A kernel takes the buffer (blocks, rows, LANES), temporary memory (blocks, scratch, LANES) and the number of
    worlds; a repeated one also the number of repetitions, and 0.
    """

    text: str
    kernels: tuple[Kernel, ...]
    design: str
    dtype: str
    rows: int
    scratch: int


@dataclass(slots=True)
class _Body:
    """Data of a kernel for the template; pairs are (assigned name, value)."""

    name: str
    title: str
    repeated: bool
    lines: list[str]
    advanced: str = ""
    shared: list[tuple[str, str]] = field(default_factory=list)
    carried: list[tuple[str, str]] = field(default_factory=list)
    stored: list[tuple[str, str]] = field(default_factory=list)


def emit_kernels(program: Program, dtype: str, design: str) -> KernelSource:
    """The kernels of a program; design: one of `DESIGNS`."""
    bodies = [_repeated_body(program, pass_, dtype, design) if pass_.count else _single_body(program, pass_, dtype)
              for pass_ in program.passes]
    kernels = tuple(Kernel(body.name, pass_.count, len(body.shared))
                    for pass_, body in zip(program.passes, bodies, strict=True))
    scratch = max(1, len(program.scratch))
    text = render("kernels.cu.jinja", dtype, design=design, rows=len(program.layout), scratch=scratch, kernels=bodies)
    return KernelSource(text, kernels, design, dtype, len(program.layout), scratch)


def cached_source(key: str, make: Callable[[], KernelSource]) -> KernelSource:
    """The source that `make` writes, read from disk where it was made before.

    key: names what `make` depends on, in addition to the package's own code.
    """
    name = f"source_{hashlib.sha256(f'{key} {package_code()}'.encode()).hexdigest()[:24]}.pickle"
    data = read_cached(name)
    if data is not None:
        return cast(KernelSource, pickle.loads(data))
    source = make()
    write_cached(name, pickle.dumps(source))
    return source


def render(template: str, dtype: str, **variables: object) -> str:
    """The text of a template in which numbers are of this type."""
    single = dtype == "float32"
    return _environment().get_template(template).render(
        dtype="float" if single else "double", single=single, f="f" if single else "", lanes=LANES, **variables)


@functools.cache
def _environment() -> Environment:
    return Environment(loader=PackageLoader("physx_runtime.compiling"), undefined=StrictUndefined, trim_blocks=True,
                       lstrip_blocks=True, keep_trailing_newline=True, autoescape=False)


def _buffer_element(program: Program, row: str) -> str:
    if row in program.scratch:
        return f"s[{program.scratch[row]} * LANES]"
    return f"x[{program.layout[row]} * LANES]"


def _single_body(program: Program, pass_: Pass[Code], dtype: str) -> _Body:
    lines = statements(pass_.code, dtype, functools.partial(_buffer_element, program), SINGLE_SPAN_SIZE)
    return _Body(_kernel_name(pass_), f"{pass_.name}, once", False, lines)


def _repeated_body(program: Program, pass_: Pass[Code], dtype: str, design: str) -> _Body:
    """A counted loop; carried rows are loaded before it, and changed ones stored after it."""
    carried = {row: f"r_{row}" for row in registers_of(pass_.code, design)}
    changed = [row for row, _ in pass_.code.outputs]
    read = [row for row in pass_.code.inputs if row not in carried]
    shared = {row: f"h[{i} * LANES]" for i, row in enumerate(read)} if design == SHARED else {}

    def row_expression(row: str) -> str:
        return carried.get(row) or shared.get(row) or _buffer_element(program, row)

    lines = statements(pass_.code, dtype, row_expression, STREAMED_SPAN_SIZE if design == STREAMED else 0)
    advanced = {IN_REGISTERS: "", SHARED: "h += zero;" if shared else "", STREAMED: "x += zero; s += zero;"}[design]
    return _Body(_kernel_name(pass_), f"{pass_.name}, `{pass_.count}` times", True, lines, advanced,
                 [(to, _buffer_element(program, row)) for row, to in shared.items()],
                 [(variable, _buffer_element(program, row)) for row, variable in carried.items()],
                 [(carried[row], _buffer_element(program, row)) for row in changed if row in carried])


def _kernel_name(pass_: Pass[Code]) -> str:
    return f"pass_{pass_.name}"


KERNEL = "run_schedules"
# Numbers of instructions that are no fragments: the end of a pass, and the two guards.
END, SKIP_UNLESS, SKIP_IF, FIRST = 0, 1, 2, 3


@dataclass(frozen=True, slots=True)
class ScheduleSource:
    """The text of a kernel, and the schedules it reads.

    The kernel takes the buffer (blocks, rows, LANES), memory (blocks, scratch, LANES) that is 0 at first, the bytecode,
    the numbers of worlds and rounds, and a number for each of `counts`.
    """

    text: str
    bytecode: NDArray[np.int32]        # where each pass begins, then instructions, END behind those of each pass
    counts: tuple[str, ...]
    dtype: str
    rows: int
    scratch: int


@dataclass(frozen=True, slots=True)
class _ScheduleBody:
    """Data of a fragment for the template; pairs are (assigned name, value)."""

    name: str
    operands: tuple[str, ...]
    counted: bool
    carried: tuple[tuple[str, str], ...]       # rows that stay, in variables while a counted fragment repeats itself
    changed: tuple[tuple[str, str], ...]
    moving: tuple[tuple[str, int], ...]     # operands that advance, and by how many rows
    lines: tuple[str, ...]


def emit_schedules(program: ScheduledProgram, dtype: str) -> ScheduleSource:
    """The kernel and the bytecode of a scheduled program."""
    fragment_bodies = {i.fragment: _fragment_body(i.fragment, dtype) for pass_ in program.passes
                       for i in pass_.code.instructions
                       if i.fragment not in (UNLESS_ZERO, IF_ZERO)}
    bodies = sorted({body.name: body for body in fragment_bodies.values()}.values(), key=lambda body: body.name)
    opcode_by_name = {body.name: i for i, body in enumerate(bodies, FIRST)}
    opcodes = {UNLESS_ZERO: SKIP_UNLESS, IF_ZERO: SKIP_IF} | {f: opcode_by_name[body.name] for f,
                                                              body in fragment_bodies.items()}
    starts: list[int] = []
    bytecode: list[int] = []
    for pass_ in program.passes:
        starts.append(len(program.passes) + len(bytecode))
        bytecode += [word for i in pass_.code.instructions for word in _encode(i, opcodes)] + [END]
    rows, counts = len(program.layout), counts_of(program.passes)
    text = render("schedules.cu.jinja", dtype, kernel=KERNEL, rows=rows, scratch=program.size - rows, bodies=bodies,
                  passes=[pass_.count for pass_ in program.passes], counts=counts, first=FIRST, end=END,
                  skip_unless=SKIP_UNLESS, skip_if=SKIP_IF)
    return ScheduleSource(text, np.array([*starts, *bytecode], np.int32), counts, dtype, rows, program.size - rows)


def _encode(i: Instruction, opcodes: Mapping[Fragment, int]) -> list[int]:
    """An instruction as the kernel reads it: a number, a count where there is one, rows."""
    return [opcodes[i.fragment], *([i.count] if i.fragment.counted else []), *i.rows]


def _fragment_body(fragment: Fragment, dtype: str) -> _ScheduleBody:
    code = fragment.code
    invariant = {f"{x.name}_{i}" for x in fragment.operands if fragment.counted and not x.moving for i in range(x.size)}
    changed = [row for row, _ in code.outputs if row in invariant]
    carried = {row: f"r_{row}" for row in (*code.inputs, *changed) if row in invariant}

    def row_expression(row: str) -> str:
        return carried.get(row) or _operand_element(row)

    lines = statements(code, dtype, row_expression)
    body = (tuple(x.name for x in fragment.operands), fragment.counted,
            tuple((variable, _operand_element(row)) for row, variable in carried.items()),
            tuple((_operand_element(row), carried[row]) for row in changed),
            tuple((x.name, x.size) for x in fragment.operands if x.moving), tuple(lines))
    return _ScheduleBody(f"f_{hashlib.sha256(repr(body).encode()).hexdigest()[:16]}", *body)


def _operand_element(row: str) -> str:
    """A row of an operand."""
    operand, index = RowScalar.parse(row)
    return f"b_{operand}[{index} * LANES]"


# The kernel of a function, and those that move numbers.
FUNCTION, MOVE, FILL, RAISE, MARK = "function", "move", "fill", "raise", "mark"


@dataclass(frozen=True, slots=True)
class FunctionSource:
    """The text of a function's kernel. arrays: the arguments, then the results that are not written to rows."""

    text: str
    arrays: tuple[tuple[str, int], ...]     # name, numbers a world


def emit_function_kernel(function: Function, layout: Mapping[str, int], dtype: str,
                         row_results: Collection[str] = ()) -> FunctionSource:
    """The kernel of a function on a buffer (blocks, rows, LANES). row_results: results written to rows of it."""
    array_names = {name for name, _ in function.arrays}

    def row_expression(scalar: str) -> str:
        """The expression of a row scalar that is read."""
        name, index = RowScalar.parse(scalar)
        return f"{name}[{index} * {name}_row]" if name in array_names else f"x[{layout[scalar]} * LANES]"

    def result_expression(scalar: str) -> str:
        name, index = RowScalar.parse(scalar)
        return f"x[{layout[scalar]} * LANES]" if name in row_results else f"to_{name}[{index} * to_{name}_row]"

    results = tuple((name, size) for name, size in function.results if name not in row_results)
    outputs = {row for row, _ in function.code.outputs}
    # a result may be called as a row is that it reads: rows are written by their own names alone
    new_names = {row: f"to {row}" for row in outputs if row_of(row) not in row_results}
    code = function.code.renamed(new_names)
    lines = statements(code, dtype, lambda row: result_expression(row[3:]) if row.startswith("to ") else
                       result_expression(row) if row_of(row) in row_results else row_expression(row), SINGLE_SPAN_SIZE)
    arrays = [*(name for name, _ in function.arrays), *(f"to_{name}" for name, _ in results)]
    text = render("function.cu.jinja", dtype, name=FUNCTION, rows=len(layout), arrays=arrays, lines=lines)
    return FunctionSource(text, (*function.arrays, *results))


def movement_source(dtype: str) -> str:
    """The text of the kernels that move numbers of worlds."""
    return render("movement.cu.jinja", dtype)
