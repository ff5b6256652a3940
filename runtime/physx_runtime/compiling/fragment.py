"""Fragments: small traced pieces of code with run-time base rows, called one after another by a schedule.

A fragment is traced once for what it works on and serves every such thing in every schedule: the rows it works on are
operands of its instructions. A counted fragment loops over consecutive rows itself.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from physx_runtime.compiling.code import Code
from physx_runtime.compiling.trace import Algorithm, row_of, row_scalars, trace


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
    known = {x.name for x in operands}
    outputs: list[tuple[str, int]] = []
    constants: dict[str, float] = {}
    for row, n in code.outputs:
        op, args = code.nodes[n]
        if row_of(row) in known:
            outputs.append((row, n))
        elif op == "const":
            constants[row] = float(args[0])         # type: ignore[arg-type]
    code = Code(code.nodes, code.origins, (), tuple(outputs)).pruned({row for row, _ in outputs})
    touched = {row_of(row) for row in (*code.inputs, *(row for row, _ in code.outputs))}
    return Fragment(code, tuple(x for x in operands if x.name in touched), counted, constants)
