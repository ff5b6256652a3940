"""`emit_kernel` lowers a program to the Python source of a numba-cuda kernel: scalar statements, one thread for each
world.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from jinja2 import Environment, PackageLoader, StrictUndefined

from physx_runtime.compiling.code import Code, by_equation
from physx_runtime.compiling.program import Program, counts_of

OPERATORS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "lt": "<", "le": "<=", "eq": "==", "and": "&", "or": "|"}
DEVICE_FUNCTIONS = {"sqrt": "sqrt", "floor": "floor", "abs": "fabs", "select": "cuda.selp"}


@dataclass(frozen=True, slots=True)
class Statements:
    """The statements of a pass in a thread. count: name of its number of repetitions, empty for once."""

    name: str
    count: str
    lines: tuple[str, ...]


def emit_kernel(program: Program, dtype: str, lanes: int, simulated: bool) -> str:
    """The source of ``program(x, worlds, rounds, ...)`` with the program's counts; x of shape (blocks, rows, lanes).

    simulated: for numba's simulator of a GPU, which has no libdevice.
    """
    constants: dict[float, str] = {}
    passes = [Statements(pass_.name, pass_.count, tuple(_statements(pass_.code, f"p{i}n", constants)))
              for i, pass_ in enumerate(program.passes)]
    environment = Environment(loader=PackageLoader("physx_runtime.compiling"), undefined=StrictUndefined,
                              trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, autoescape=False)
    return environment.get_template("cuda_program.py.jinja").render(
        constants=[(name, value) for value, name in constants.items()], loads=_loads(program), passes=passes,
        stores=[(row, program.layout[row]) for row in sorted(program.state, key=program.layout.__getitem__)],
        counts=counts_of(program.passes), dtype=dtype, lanes=lanes, simulated=simulated)


def _loads(program: Program) -> list[tuple[str, int]]:
    """(row scalar, row of the buffer) of the rows that a thread keeps in variables."""
    first = program.passes[0].code
    first_outputs = {row for row, _ in first.outputs}
    used = {row for pass_ in program.passes for row in pass_.code.inputs}
    loads = {*(used - first_outputs), *first.inputs, *program.state}
    return sorted(((row, index) for row, index in program.layout.items() if row in loads), key=lambda item: item[1])


def _statements(code: Code, prefix: str, constants: dict[float, str]) -> Iterator[str]:
    """One statement a node, then the assignments to the rows that the code changes."""

    def operand(n: int) -> str:
        op, args = code.nodes[n]
        if op != "const":
            return f"{prefix}{n}"
        return constants.setdefault(float(args[0]), f"C{len(constants)}")      # type: ignore[arg-type]

    for n, equation in by_equation(code):
        op, args = code.nodes[n]
        if equation:
            yield f"# {equation}"
        if op == "const":
            continue
        if op == "input":
            yield f"{prefix}{n} = {args[0]}"
            continue
        x = [operand(int(a)) for a in args]     # type: ignore[call-overload]
        if op in OPERATORS:
            yield f"{prefix}{n} = {x[0]} {OPERATORS[op]} {x[1]}"
        elif op == "neg":
            yield f"{prefix}{n} = -{x[0]}"
        elif op in ("rounded", "rarely"):
            yield f"{prefix}{n} = {x[0]}"
        elif op == "single":
            yield f"{prefix}{n} = real(np.float32({x[0]}))"
        elif op == "not":
            yield f"{prefix}{n} = not {x[0]}"
        else:
            yield f"{prefix}{n} = {DEVICE_FUNCTIONS[op]}({', '.join(x)})"
    for row, n in code.outputs:
        yield f"{row} = {operand(n)}"
