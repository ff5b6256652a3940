"""Schedules in words of the interpreter.

Schedules of a program in the interpreter's words, without those of actors at rest.

Of which actors the instructions of a program are, so that those of actors at rest can be left out.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.compiling.llvm.programs import Gathered
from physx_runtime.compiling.schedule import Fragment, Instruction, Schedule
from physx_runtime.solver.contact.program import ContactProgram, Held, Iteration
from physx_runtime.targets.interpreter import load_fragments, load_gathered, vector_width, words_of

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


class Code(dict[Fragment, int]):
    """Addresses of fragments, loaded as they are asked for, and words of schedules; all worlds of a program share them.

    Of whom words are asked for is `awake`, (n_actor,).
    """

    def __init__(self, program: ContactProgram, dtype: str) -> None:
        super().__init__()
        self._program, self._dtype = program, np.dtype(dtype)
        self._owners = owners_of(program)
        self._parts: dict[tuple[Any, ...], Array] = {}
        self._around: dict[Iteration, tuple[Any, tuple[Array, Array]]] = {}     # of whom, and the words
        self._gathered: dict[tuple[Gathered, int], int] = {}
        self.side_by_side = vector_width(dtype)     # patches that are solved at once

    def __missing__(self, fragment: Fragment) -> int:
        self.update(load_fragments([fragment], self._dtype.name, 1))
        return self[fragment]

    def of_patches(self, codes: Sequence[Gathered], lanes: Sequence[int]) -> Array:
        """Addresses of instructions of patches, so many of each side by side."""
        wanted = list(zip(codes, lanes, strict=True))
        new = [one for one in wanted if one not in self._gathered]
        self._gathered.update(zip(new, load_gathered(new, self._dtype.name), strict=True))
        return np.array([self._gathered[one] for one in wanted], np.int64)

    def start(self, awake: Array) -> Array:
        """What a step begins with."""
        return self._words(self._program.written, self._program.start, awake)

    def end(self, awake: Array) -> Array:
        """What a step ends with."""
        return self._words(self._program.written, self._program.end, awake)

    def pushes(self, one: Iteration, awake: Array) -> Array:
        """What an iteration does before joints and patches."""
        return self._words(one.written, one.pushes, awake)

    def joint(self, one: Iteration, j: int, awake: Array) -> Array:
        """A joint that is solved among patches."""
        return self._words(one.written, one.joints[j], awake)

    def opened(self, one: Iteration, awake: Array) -> Iterator[tuple[Array, Held | None]]:
        """What comes behind patches among joints, cut where a link's others belong, and whose these are."""
        at = 0
        for index, held in one.openings:
            yield self._words(one.written, one.rest, awake, at, index), held
            at = index
        yield self._words(one.written, one.rest, awake, at), None

    def around(self, one: Iteration, awake: Array) -> tuple[Array, Array]:
        """What comes before patches, and behind them with an end, in an iteration without links or joints."""
        key = awake.tobytes()
        if self._around.get(one, (None,))[0] != key:
            behind = [words for words, _ in self.opened(one, awake)]
            self._around[one] = key, (self.pushes(one, awake), np.concatenate([*behind, np.zeros(1, np.int64)]))
        return self._around[one][1]

    def part(self, write: Any, held: Held, k: int, *more: int) -> Array:
        """One of the parts of `solver.contact.program` around a patch."""
        key = (write, held, k, more)
        if key not in self._parts:
            self._parts[key] = self._written(write(self._program.plan, held, k, *more).instructions)
        return self._parts[key]

    def _words(self, known: MutableMapping[object, Any], schedule: Schedule, awake: Array, first: int = 0,
               last: int | None = None) -> Array:
        """A part of a schedule without an end; known: what was written of whatever owns the schedule."""
        key = (self._dtype, id(schedule), first, last)
        if key not in known:
            instructions = schedule.instructions[first:last]
            known[key] = self._owners.owned(self._written(instructions), instructions)
        found: OwnedWords = known[key]
        return found.of(awake)

    def _written(self, instructions: list[Instruction]) -> Array:
        self.update(load_fragments([i.fragment for i in instructions if i.fragment not in self], self._dtype.name, 1))
        return np.array(words_of(instructions, self, self._dtype.itemsize), np.int64)
