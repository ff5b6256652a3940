"""A traced function as CUDA C that is C++ as well: a thread a line of a call, arrays wherever they lie."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from physx_runtime.compiling.cuda_c import SINGLE_PIECE, render
from physx_runtime.compiling.function import Function
from physx_runtime.compiling.scalar_c import statements
from physx_runtime.compiling.trace import row_of

# The kernel of a function, and those that move numbers.
FUNCTION, MOVE, FILL, RAISE, MARK = "function", "move", "fill", "raise", "mark"


@dataclass(frozen=True, slots=True)
class FunctionSource:
    """The text of a function's kernel; arrays: the given ones, then the results that become no rows."""

    text: str
    arrays: tuple[tuple[str, int], ...]     # name, numbers a world


def emit_function_kernel(function: Function, layout: Mapping[str, int], dtype: str,
                         written: Collection[str] = ()) -> FunctionSource:
    """The kernel of a function on a buffer (blocks, rows, LANES); written: results that are rows of that buffer."""
    given = {name for name, _ in function.given}

    def place(scalar: str) -> str:
        """Where a row scalar lies that is read."""
        name, _, index = scalar.rpartition("_")
        return f"{name}[{index} * {name}_row]" if name in given else f"x[{layout[scalar]} * LANES]"

    def target(scalar: str) -> str:
        name, _, index = scalar.rpartition("_")
        return f"x[{layout[scalar]} * LANES]" if name in written else f"to_{name}[{index} * to_{name}_row]"

    results = tuple((name, size) for name, size in function.results if name not in written)
    made = {row for row, _ in function.code.outputs}
    # a result may be called as a row is that it reads: rows are written by their own names alone
    renamed = {row: f"to {row}" for row in made if row_of(row) not in written}
    code = function.code.renamed(renamed)
    lines = statements(code, dtype, lambda row: target(row[3:]) if row.startswith("to ") else
                       target(row) if row_of(row) in written else place(row), SINGLE_PIECE)
    arrays = [*(name for name, _ in function.given), *(f"to_{name}" for name, _ in results)]
    text = render("function.cu.jinja", dtype, name=FUNCTION, rows=len(layout), arrays=arrays, lines=lines)
    return FunctionSource(text, (*function.given, *results))


def movement_source(dtype: str) -> str:
    """The text of the kernels that move numbers of worlds."""
    return render("movement.cu.jinja", dtype)
