"""A traced step as scalar Python statements, a thread a world: the source numba-cuda compiles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from physx_runtime.compiling.code import Body, by_equation
from physx_runtime.compiling.program import StepProgram

BINARY = {"add": "+", "sub": "-", "mul": "*", "div": "/", "lt": "<", "le": "<=", "eq": "==", "and": "&", "or": "|"}
CALLS = {"sqrt": "sqrt", "floor": "floor", "abs": "fabs", "select": "cuda.selp"}


@dataclass(frozen=True, slots=True)
class Source:
    """What the kernel's template needs: typed constants and the statements of the bodies.

    Row scalars are local variables; `loads` and `stores` are (row scalar, row of the buffer).
    """

    constants: tuple[tuple[str, float], ...]
    loads: tuple[tuple[str, int], ...]
    begin: tuple[str, ...]
    position: tuple[str, ...]
    velocity: tuple[str, ...]
    finish: tuple[str, ...]
    stores: tuple[tuple[str, int], ...]


def emit_source(program: StepProgram) -> Source:
    """The statements of a step, with sqrt, floor, fabs and cuda.selp to be supplied by the target."""
    constants: dict[float, str] = {}
    bodies = {name: getattr(program, name) for name in ("begin", "position", "velocity", "finish")}
    statements = {name: tuple(_statements(body, name[0], constants)) for name, body in bodies.items()}
    made = {row for row, _ in program.begin.outputs}
    used = {row for body in bodies.values() for row in body.inputs}
    loads = {*(row for row in used if row not in made), *program.begin.inputs, *program.state}
    ordered = sorted(program.layout.items(), key=lambda item: item[1])
    return Source(constants=tuple((name, value) for value, name in constants.items()),
                  loads=tuple(item for item in ordered if item[0] in loads),
                  stores=tuple(item for item in ordered if item[0] in program.state), **statements)


def _statements(body: Body, prefix: str, constants: dict[float, str]) -> Iterator[str]:
    """One statement a node, then the assignments to the rows the body changes."""

    def operand(n: int) -> str:
        op, args = body.nodes[n]
        if op != "const":
            return f"{prefix}{n}"
        return constants.setdefault(float(args[0]), f"C{len(constants)}")      # type: ignore[arg-type]

    for n, equation in by_equation(body):
        op, args = body.nodes[n]
        if equation:
            yield f"# {equation}"
        if op == "const":
            continue
        if op == "input":
            yield f"{prefix}{n} = {args[0]}"
            continue
        x = [operand(int(a)) for a in args]     # type: ignore[call-overload]
        if op in BINARY:
            yield f"{prefix}{n} = {x[0]} {BINARY[op]} {x[1]}"
        elif op == "neg":
            yield f"{prefix}{n} = -{x[0]}"
        elif op == "single":
            yield f"{prefix}{n} = real(np.float32({x[0]}))"
        elif op == "not":
            yield f"{prefix}{n} = not {x[0]}"
        else:
            yield f"{prefix}{n} = {CALLS[op]}({', '.join(x)})"
    for row, n in body.outputs:
        yield f"{row} = {operand(n)}"
