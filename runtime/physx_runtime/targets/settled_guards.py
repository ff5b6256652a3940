"""Passes without their guards, where what these ask does not change while a pass is repeated.

The interpreter asks a guard each time it comes by. What is asked once a step instead leaves, of many places of which
few are used, instructions alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.compiling.fragment import IF_ZERO, UNLESS_ZERO
from physx_runtime.compiling.scalar_code import borrowing_code
from physx_runtime.compiling.schedule import Instruction

Array = NDArray[Any]
# A guard among the words of a pass.
GUARD = np.dtype([
    ("place", "i8"),            # its first word
    ("flag", "i8"),             # the row that it asks
    ("words", "i8"),            # how many it passes over
    ("if_set", "?"),            # where the row is not 0 in some lane; otherwise where it is 0 in all
])
GUARD_WORDS = 3                 # the address, how many words it passes over, its row


def guards_of(instructions: Sequence[Instruction]) -> Array:
    """Of dtype GUARD, those of a pass in their order. Raises ValueError where the pass itself changes what one asks."""
    found, place, written = [], 0, set[int]()
    for i in instructions:
        if i.fragment in (UNLESS_ZERO, IF_ZERO):
            found.append((place, i.rows[0], i.count, i.fragment is IF_ZERO))
        else:
            written.update(_written_rows(i))
        place += i.words
    changed = sorted({flag for _, flag, _, _ in found} & written)
    if changed:
        raise ValueError(f"the pass writes rows {changed}, which its guards ask; they cannot be asked before it")
    return np.array(found, GUARD)


def _written_rows(i: Instruction) -> set[int]:
    """The rows that an instruction changes."""
    outputs, rows = {row for row, _ in i.fragment.code.outputs}, set[int]()
    for first, operand in zip(i.rows, i.fragment.operands, strict=True):
        own = [first + k for k in range(operand.size) if f"{operand.name}_{k}" in outputs]
        rounds = i.count if operand.moving else 1
        rows.update(row + operand.size * n for row in own for n in range(rounds))
    return rows


@borrowing_code
def settle_guards(words: Array, guards: Array, rows: Array, settled: Array) -> None:
    """Write the words that a block with these rows comes by, without the guards themselves.

    words: of a pass, with the 0 at its end. rows: (rows, lanes).
    """
    at = end = 0
    for guard in guards:
        if guard.place < at:
            continue                        # within what another one passes over
        for k in range(at, guard.place):
            settled[end] = words[k]
            end += 1
        some = False
        for lane in range(rows.shape[1]):
            some |= rows[guard.flag, lane] != 0.0
        at = guard.place + GUARD_WORDS
        if some == guard.if_set:
            at += guard.words
    for k in range(at, len(words)):
        settled[end] = words[k]
        end += 1
