"""How a repeated pass of a program keeps its rows while a GPU's thread repeats it."""

from __future__ import annotations

import os
from collections.abc import Sequence

from physx_runtime.compiling.code import Code
from physx_runtime.compiling.fusion import fused_products
from physx_runtime.compiling.pieces import Pieces, cut, last_readers, operands, stores
from physx_runtime.compiling.program import Program

# All rows in registers; what is only read in the memory of the block; what is not alive throughout in the GPU's memory.
HELD, SHARED, STREAMED = "held", "shared", "streamed"
DESIGNS = (HELD, SHARED, STREAMED)
# A thread has 255 registers: with more rows than these some would be spilled.
MOST_HELD = 200
# Operations in a piece of what is streamed: short, so that its rows need few registers.
STREAMED_PIECE = 60
# Names the design where it is not to be chosen by the program.
FORCED = "PHYSX_RUNTIME_CUDA_DESIGN"


def forced_design() -> str:
    """The design that PHYSX_RUNTIME_CUDA_DESIGN names, empty where it is to be chosen.

    Raises ValueError where the variable names no design.
    """
    forced = os.environ.get(FORCED, "")
    if forced and forced not in DESIGNS:
        raise ValueError(f"{FORCED} is {forced!r}; allowed are {', '.join(map(repr, DESIGNS))}, or leave it unset")
    return forced


def choose_design(program: Program) -> str:
    """The design for a program, by how many rows its repeated passes keep."""
    return HELD if most_rows(program) <= MOST_HELD else STREAMED


def most_rows(program: Program) -> int:
    """How many row scalars the largest of the repeated passes reads and changes."""
    return max((len(rows_of(one.code)) for one in program.passes if one.count), default=0)


def rows_of(code: Code) -> list[str]:
    """The row scalars that a code reads or changes, each once."""
    return list(dict.fromkeys([*code.inputs, *(row for row, _ in code.outputs)]))


def registers_of(code: Code, design: str) -> list[str]:
    """The row scalars that a repeated pass carries in registers from round to round."""
    if design == HELD:
        return rows_of(code)
    changed = [row for row, _ in code.outputs]
    return changed if design == SHARED else _alive_throughout(code, changed)


def _alive_throughout(code: Code, rows: Sequence[str]) -> list[str]:
    """Those that registers hold anyway for most of a round, from where they are loaded to where they are stored."""
    fused = fused_products(code)
    pieces = cut(code, fused, STREAMED_PIECE)
    first = _first_readers(code, fused, pieces)
    last = last_readers(code, fused, pieces)
    for i, stored in stores(code, fused, pieces).items():
        last |= {row: i for row, _ in stored}
    return [row for row in rows if last[row] - first.get(row, last[row]) > len(pieces) / 2]


def _first_readers(code: Code, fused: dict[int, int], pieces: Pieces) -> dict[str, int]:
    """Row scalar -> the first piece that loads it."""
    found: dict[str, int] = {}
    for i, piece in enumerate(pieces):
        for n in piece:
            for a in operands(code, fused, n):
                if code.nodes[a][0] == "input":
                    found.setdefault(str(code.nodes[a][1][0]), i)
    return found
