"""Bytecode of the schedules of a contact program, without the instructions of sleeping actors.

`InstructionOwners` finds the actors of each instruction. `OwnedWords` filters the words of an instruction list by
awake actors. `Code` loads fragments and encodes and caches the parts of a step.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from physx_runtime.arrays import Array
from physx_runtime.compiling.llvm.programs import GatherFragment
from physx_runtime.compiling.schedule import Fragment, Instruction, Schedule
from physx_runtime.solver.contact.program import ContactProgram, Iteration, LinkRef
from physx_runtime.targets.interpreter import bytecode_of, load_fragments, load_gather_fragments, vector_width

NO_ACTOR = -1
SHARED_ROWS = ("dt", "h")       # which joints and the world read of one actor for all


@dataclass(frozen=True, slots=True)
class OwnedWords:
    """Instructions as bytecode, and for each word the two actors of its instruction, NO_ACTOR where there is none."""

    words: Array
    first: Array
    second: Array

    def of(self, awake: Array) -> Array:
        """The words without instructions of sleeping actors; awake: (n_actor,)."""
        if awake.all():
            return self.words
        included = np.append(awake, True)       # NO_ACTOR indexes the last entry
        return np.asarray(self.words[included[self.first] & included[self.second]])


@functools.lru_cache(maxsize=16)
def owners_of(program: ContactProgram) -> InstructionOwners:
    """The instruction owners of a program, shared by all its worlds."""
    return InstructionOwners(program)


class InstructionOwners:
    """The actor that owns each row of a program."""

    def __init__(self, program: ContactProgram) -> None:
        self._of_row = np.full(program.size, NO_ACTOR, np.int32)
        for i, actor in enumerate(program.plan.actors):
            for name, span in actor.layout.groups.items():
                if name not in SHARED_ROWS:
                    self._of_row[span.row:span.row + span.size] = i

    def owned(self, words: Array, instructions: list[Instruction]) -> OwnedWords:
        """Words with their owners; an instruction has at most two owners."""
        if not instructions:
            return OwnedWords(words, words, words)
        sizes = np.array([len(i.rows) for i in instructions])
        row_owners = self._of_row[np.fromiter(chain.from_iterable(i.rows for i in instructions), np.int64,
                                              int(sizes.sum()))]
        starts = np.cumsum(sizes) - sizes
        last = np.maximum.reduceat(row_owners, starts)
        first = np.minimum.reduceat(np.where(row_owners == NO_ACTOR, np.repeat(last, sizes), row_owners), starts)
        widths = sizes + 1 + np.array([int(i.fragment.counted) for i in instructions])
        return OwnedWords(words, np.repeat(first, widths), np.repeat(last, widths))


class Code(dict[Fragment, int]):
    """Addresses of fragments, loaded on demand, and bytecode of schedules; all worlds of a program share them.

    Methods return the words of awake actors only; `awake`: (n_actor,).
    """

    def __init__(self, program: ContactProgram, dtype: str) -> None:
        super().__init__()
        self._program, self._dtype = program, np.dtype(dtype)
        self._owners = owners_of(program)
        self._parts: dict[tuple[Any, ...], Array] = {}
        self._prologue_epilogue: dict[Iteration, tuple[Any, tuple[Array, Array]]] = {}     # awake, words
        self._gathered: dict[tuple[GatherFragment, int], int] = {}
        self.vector_width = vector_width(dtype)     # patches that are solved as one vector

    def __missing__(self, fragment: Fragment) -> int:
        self.update(load_fragments([fragment], self._dtype.name, 1))
        return self[fragment]

    def of_patches(self, codes: Sequence[GatherFragment], widths: Sequence[int]) -> Array:
        """Addresses of patch fragments; `widths`: the patches that one call of each solves as a vector."""
        keys = list(zip(codes, widths, strict=True))
        new = [key for key in keys if key not in self._gathered]
        self._gathered.update(zip(new, load_gather_fragments(new, self._dtype.name), strict=True))
        return np.array([self._gathered[key] for key in keys], np.int64)

    def start(self, awake: Array) -> Array:
        """The words of the start of a step."""
        return self._awake_words(self._program.bytecode, self._program.start, awake)

    def end(self, awake: Array) -> Array:
        """The words of the end of a step."""
        return self._awake_words(self._program.bytecode, self._program.end, awake)

    def external_forces(self, iteration: Iteration, awake: Array) -> Array:
        """The words of an iteration before joints and patches."""
        return self._awake_words(iteration.bytecode, iteration.forces, awake)

    def joint(self, iteration: Iteration, j: int, awake: Array) -> Array:
        """The words of joint `j`, which is solved among the patches."""
        return self._awake_words(iteration.bytecode, iteration.joints[j], awake)

    def split_at_insertions(self, iteration: Iteration, awake: Array) -> Iterator[tuple[Array, LinkRef | None]]:
        """The words after the patches among joints, split where static contacts of links go."""
        at = 0
        for index, actor_link in iteration.insertion_points:
            yield self._awake_words(iteration.bytecode, iteration.tail, awake, at, index), actor_link
            at = index
        yield self._awake_words(iteration.bytecode, iteration.tail, awake, at), None

    def prologue_epilogue(self, iteration: Iteration, awake: Array) -> tuple[Array, Array]:
        """The words before and after the patches of an iteration without links or joints; the latter with the end."""
        key = awake.tobytes()
        if self._prologue_epilogue.get(iteration, (None,))[0] != key:
            tail = [words for words, _ in self.split_at_insertions(iteration, awake)]
            self._prologue_epilogue[iteration] = key, (self.external_forces(iteration, awake),
                                                       np.concatenate([*tail, np.zeros(1, np.int64)]))
        return self._prologue_epilogue[iteration][1]

    def patch_words(self, write: Callable[..., Schedule], actor_link: LinkRef, k: int, *arguments: int) -> Array:
        """The words of a part of `solver.contact.program` around a patch."""
        key = (write, actor_link, k, arguments)
        if key not in self._parts:
            self._parts[key] = self._encode(write(self._program.plan, actor_link, k, *arguments).instructions)
        return self._parts[key]

    def _awake_words(self, cache: MutableMapping[object, Any], schedule: Schedule, awake: Array, first: int = 0,
                     last: int | None = None) -> Array:
        """A part of a schedule without an end; cache: words that were encoded for the owner of the schedule."""
        key = (self._dtype, id(schedule), first, last)
        if key not in cache:
            instructions = schedule.instructions[first:last]
            cache[key] = self._owners.owned(self._encode(instructions), instructions)
        owned_words: OwnedWords = cache[key]
        return owned_words.of(awake)

    def _encode(self, instructions: list[Instruction]) -> Array:
        self.update(load_fragments([i.fragment for i in instructions if i.fragment not in self], self._dtype.name, 1))
        return np.array(bytecode_of(instructions, self, self._dtype.itemsize), np.int64)
