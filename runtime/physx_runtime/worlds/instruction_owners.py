"""Of which actors the instructions of a program are, so that those of actors at rest can be left out."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.compiling.schedule import Instruction
from physx_runtime.solver.contact.program import ContactProgram

Array = NDArray[Any]
NOBODY = -1
SHARED_ROWS = ("dt", "h")       # which joints and the world read of one actor for all


@dataclass(frozen=True, slots=True)
class OwnedWords:
    """Instructions in the interpreter's words; of every word the actors that its instruction is of, NOBODY twice for
    what is of none."""

    words: Array
    first: Array
    second: Array

    def of(self, awake: Array) -> Array:
        """Without what is of an actor at rest; awake: (n_actor,)."""
        if awake.all():
            return self.words
        told = np.append(awake, True)       # NOBODY is its last
        return np.asarray(self.words[told[self.first] & told[self.second]])


@functools.lru_cache(maxsize=16)
def owners_of(program: ContactProgram) -> InstructionOwners:
    """Those of a program, which all its worlds share."""
    return InstructionOwners(program)


class InstructionOwners:
    """Whose every row of a program is."""

    def __init__(self, program: ContactProgram) -> None:
        self._of_row = np.full(program.size, NOBODY, np.int32)
        for i, actor in enumerate(program.plan.actors):
            for name, span in actor.layout.groups.items():
                if name not in SHARED_ROWS:
                    self._of_row[span.row:span.row + span.size] = i

    def owned(self, words: Array, instructions: list[Instruction]) -> OwnedWords:
        """Words with their owners; an instruction has at most two."""
        if not instructions:
            return OwnedWords(words, words, words)
        sizes = np.array([len(i.rows) for i in instructions])
        found = self._of_row[np.fromiter(chain.from_iterable(i.rows for i in instructions), np.int64, int(sizes.sum()))]
        starts = np.cumsum(sizes) - sizes
        last = np.maximum.reduceat(found, starts)
        first = np.minimum.reduceat(np.where(found == NOBODY, np.repeat(last, sizes), found), starts)
        widths = sizes + 1 + np.array([int(i.fragment.counted) for i in instructions])
        return OwnedWords(words, np.repeat(first, widths), np.repeat(last, widths))
