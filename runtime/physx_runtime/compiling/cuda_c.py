"""A program as CUDA C that is C++ as well: a kernel a pass, a thread a world.

Products are fused where the CPU target fuses them, and the compiler is told to fuse nothing, so that a world's bits are
those of the CPU target. Because the text is C++ too, what a GPU gets can be run without one.
"""

from __future__ import annotations

import functools
import hashlib
import pickle
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

from jinja2 import Environment, PackageLoader, StrictUndefined

from physx_runtime.compiling.code import Code
from physx_runtime.compiling.kernel_cache import keep, kept, package_code
from physx_runtime.compiling.kernel_design import HELD, SHARED, STREAMED, STREAMED_PIECE, registers_of
from physx_runtime.compiling.program import Pass, Program
from physx_runtime.compiling.scalar_c import statements

# Worlds in a block of the buffer, and threads in a block of a launch: neighbouring threads read neighbouring words, and
# at a few thousand worlds, about one warp a multiprocessor, blocks of one warp spread over all of them.
LANES = 32
# Operations in a piece of what runs once.
SINGLE_PIECE = 100


@dataclass(frozen=True, slots=True)
class Kernel:
    """A pass as a kernel called `name`; count: the number that says how often it repeats itself, once where empty."""

    name: str
    count: str
    shared_rows: int            # row scalars that a block copies into its own memory


@dataclass(frozen=True, slots=True)
class KernelSource:
    """The text of a program's kernels, launched one after the other in each round.

    A kernel takes the buffer (blocks, rows, LANES), memory (blocks, scratch, LANES) that nothing outlives, and the
    number of worlds; one that repeats itself also how often, and 0.
    """

    text: str
    kernels: tuple[Kernel, ...]
    design: str
    dtype: str
    rows: int
    scratch: int


@dataclass(slots=True)
class _Body:
    """What the template writes of a kernel; pairs are (what is set, to what)."""

    name: str
    title: str
    repeated: bool
    lines: list[str]
    advanced: str = ""
    shared: list[tuple[str, str]] = field(default_factory=list)
    carried: list[tuple[str, str]] = field(default_factory=list)
    kept: list[tuple[str, str]] = field(default_factory=list)


def emit_kernels(program: Program, dtype: str, design: str) -> KernelSource:
    """The kernels of a program; design: one of `kernel_design.DESIGNS`."""
    bodies = [_repeated(program, one, dtype, design) if one.count else _single(program, one, dtype)
              for one in program.passes]
    kernels = tuple(Kernel(body.name, one.count, len(body.shared))
                    for one, body in zip(program.passes, bodies, strict=True))
    scratch = max(1, len(program.scratch))
    text = render("kernels.cu.jinja", dtype, design=design, rows=len(program.layout), scratch=scratch, kernels=bodies)
    return KernelSource(text, kernels, design, dtype, len(program.layout), scratch)


def kept_source(key: str, make: Callable[[], KernelSource]) -> KernelSource:
    """What `make` writes, taken from disk where it was made before.

    key: names what `make` depends on, besides the package's own code.
    """
    name = f"made_{hashlib.sha256(f'{key} {package_code()}'.encode()).hexdigest()[:24]}.pickle"
    data = kept(name)
    if data is not None:
        return cast(KernelSource, pickle.loads(data))
    source = make()
    keep(name, pickle.dumps(source))
    return source


def render(template: str, dtype: str, **more: object) -> str:
    """The text of a template in which numbers are of this type."""
    single = dtype == "float32"
    return _environment().get_template(template).render(
        dtype="float" if single else "double", single=single, f="f" if single else "", lanes=LANES, **more)


@functools.cache
def _environment() -> Environment:
    return Environment(loader=PackageLoader("physx_runtime.compiling"), undefined=StrictUndefined, trim_blocks=True,
                       lstrip_blocks=True, keep_trailing_newline=True, autoescape=False)


def _memory(program: Program, row: str) -> str:
    if row in program.scratch:
        return f"s[{program.scratch[row]} * LANES]"
    return f"x[{program.layout[row]} * LANES]"


def _single(program: Program, one: Pass[Code], dtype: str) -> _Body:
    lines = statements(one.code, dtype, functools.partial(_memory, program), SINGLE_PIECE)
    return _Body(_name(one), f"{one.name}, once", False, lines)


def _repeated(program: Program, one: Pass[Code], dtype: str, design: str) -> _Body:
    """A counted loop; what it carries is loaded before it and what it changed is stored behind it."""
    carried = {row: f"r_{row}" for row in registers_of(one.code, design)}
    changed = [row for row, _ in one.code.outputs]
    read = [row for row in one.code.inputs if row not in carried]
    shared = {row: f"h[{i} * LANES]" for i, row in enumerate(read)} if design == SHARED else {}

    def place(row: str) -> str:
        return carried.get(row) or shared.get(row) or _memory(program, row)

    lines = statements(one.code, dtype, place, STREAMED_PIECE if design == STREAMED else 0)
    advanced = {HELD: "", SHARED: "h += zero;" if shared else "", STREAMED: "x += zero; s += zero;"}[design]
    return _Body(_name(one), f"{one.name}, `{one.count}` times", True, lines, advanced,
                 [(to, _memory(program, row)) for row, to in shared.items()],
                 [(variable, _memory(program, row)) for row, variable in carried.items()],
                 [(carried[row], _memory(program, row)) for row in changed if row in carried])


def _name(one: Pass[Code]) -> str:
    return f"pass_{one.name}"
