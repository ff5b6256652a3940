"""Traced functions of a world: rows and given arrays in, arrays out.

Unlike a program, a function changes no row. It reads rows of the worlds' buffer and arrays that its caller keeps one
line a world (`given`), and makes arrays with one line a world (`results`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from physx_runtime.compiling.code import Code
from physx_runtime.compiling.trace import Algorithm, row_scalars, trace

Sizes = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Function:
    """Straight-line code of a function; every output of the code is called "result name_index"."""

    code: Code
    given: Sizes                        # arrays of the caller: name, numbers a world
    results: Sizes


def trace_function(algorithm: Algorithm, rows: Mapping[str, int], given: Sizes = ()) -> Function:
    """Trace an algorithm on rows of these sizes and on `given` arrays, which it finds among the rows."""
    code, results = trace(algorithm, row_scalars({**rows, **dict(given)}))
    return Function(_as_needed(code), given, tuple(results.items()))


def _as_needed(code: Code) -> Code:
    """The code with the live nodes as they were recorded, but each input just before its first use: registers are few.
    """
    live: set[int] = set()
    stack = [n for _, n in code.outputs]
    while stack:
        n = stack.pop()
        if n not in live:
            live.add(n)
            stack += code.arguments(n)
    order: list[int] = []
    placed: set[int] = set()
    for n in sorted(live):
        if code.nodes[n][0] != "input":
            for needed in (*code.arguments(n), n):
                if needed not in placed:
                    placed.add(needed)
                    order.append(needed)
    return replace(code, order=(*order, *sorted(live - placed)))
