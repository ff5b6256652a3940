"""`python_function` lowers straight-line code to a plain Python function, for occasional calls on few numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from physx_runtime.compiling.code import Code, by_equation
from physx_runtime.compiling.cuda_source import OPERATORS

MATH_FUNCTIONS = {"sqrt": "sqrt", "floor": "floor", "abs": "fabs"}


def python_function(code: Code, inputs: Sequence[str]) -> Callable[[Sequence[float]], list[float]]:
    """The function from values of the row scalars `inputs`, in this order, to the values of the code's outputs."""
    lines = [f"    ({', '.join(inputs)},) = values", *(f"    {line}" for line in _statements(code)),
             f"    return [{', '.join(_operand(code, n) for _, n in code.outputs)}]"]
    scope: dict[str, Any] = {"sqrt": math.sqrt, "floor": math.floor, "fabs": math.fabs, "inf": math.inf,
                             "quotient": _quotient}
    exec(compile("def function(values):\n" + "\n".join(lines), "<traced>", "exec"), scope)
    function: Callable[[Sequence[float]], list[float]] = scope["function"]
    return function


def _quotient(a: float, b: float) -> float:
    """a / b, infinite or NaN where b is 0, as in machine code."""
    return a / b if b else math.copysign(math.inf, a) if a and a == a else math.nan


def _operand(code: Code, n: int) -> str:
    op, args = code.nodes[n]
    return f"({args[0]!r})" if op == "const" else str(args[0]) if op == "input" else f"x{n}"


def _statements(code: Code) -> Iterator[str]:
    """One assignment a node, under the name of its equation."""
    for n, equation in by_equation(code):
        op = code.nodes[n][0]
        if equation:
            yield f"# {equation}"
        if op in ("const", "input"):
            continue
        x = [_operand(code, a) for a in code.arguments(n)]
        if op == "div":
            value = f"quotient({x[0]}, {x[1]})"
        elif op in OPERATORS:
            value = f"{x[0]} {OPERATORS[op]} {x[1]}"
        elif op == "select":
            value = f"{x[1]} if {x[0]} else {x[2]}"
        else:
            plain = {"neg": f"-{x[0]}", "not": f"not {x[0]}", "rounded": x[0], "rarely": x[0]}
            value = plain.get(op) or f"{MATH_FUNCTIONS[op]}({x[0]})"
        yield f"x{n} = {value}"
