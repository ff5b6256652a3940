"""One world's step with the contacts it has: a program whose instructions follow what touches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.solver.contact.program import ContactProgram, iteration_of
from physx_runtime.targets.interpreter import run_in_place
from physx_runtime.worlds.buffer import aligned
from physx_runtime.worlds.patch_blocks import PatchBlocks, make_blocks
from physx_runtime.worlds.patch_structures import FINAL, OWNER0, OWNER1, PREPARE, PRESS, SOLVE, STRUCTURE, Structures
from physx_runtime.worlds.patch_values import give, take
from physx_runtime.worlds.patch_words import Around, words_between, words_of_patches
from physx_runtime.worlds.touching import PatchOrder
from physx_runtime.worlds.written import Code

Array = NDArray[Any]
GROWTH = 1.5
NO_WORDS, END = np.zeros(0, np.int64), np.zeros(1, np.int64)
NO_LINKS = frozenset[Any]()
# The last position iterations of PGS, in which there is friction (DySolverControl.cpp).
WITH_FRICTION = 3


@dataclass(frozen=True, slots=True)
class WorldPatches:
    """What touches in all worlds at a step's start."""

    places: Array
    patches: Array
    order: Array            # rows of contacts by patch
    contacts: Array
    pairs: Array            # that patches refer to
    surfaces: Array
    frames: Array           # of the centres of mass
    static: Array
    impulses: Array         # of every contact, to be filled
    frictions: Array        # of every patch's anchors, to be filled


class ContactStep:
    """The memory and the instructions of one world."""

    def __init__(self, program: ContactProgram, code: Code, known: Structures, dtype: str) -> None:
        self._program, self._code, self._known, self._dtype = program, code, known, dtype
        self._pgs = program.plan.t.pgs
        self.memory = aligned((program.size,), dtype)
        self._begun: tuple[bytes, list[Array]] = b"", []        # of whom, and the words
        self._ended: tuple[bytes, Array] = b"", NO_WORDS
        self._met, self._arranged = np.zeros((0, 0), np.int64), np.zeros(0, np.bool_)     # that the passes are for
        self._first = NO_WORDS      # first row of every patch
        self._passes: list[Array] = []

    def load(self, rows: Array) -> None:
        """Take the world's rows for a step."""
        self.memory[:len(rows)] = rows

    def begin(self, awake: Array) -> None:
        """Everything of a step's start that does not ask for contacts.

        awake: (n_actor,) whose; of several calls in a step each is for others.
        """
        if self._begun[0] != awake.tobytes():
            self._begun = awake.tobytes(), [np.r_[self._code.start(awake), END]]
        run_in_place(self.memory, self._begun[1], (1,))

    def finish(self, rows: Array, given: WorldPatches, own: Array, awake: Array, n: int, v: int) -> None:
        """The rest of a step; rows: the world's, changed in place. own: which of the patches are its.

        awake: (n_actor,) whose step it is, the others stay as they are.
        """
        self._arrange(given, own, awake)
        memory, known, structures, first = self.memory, self._known, self._met[STRUCTURE], self._first
        give(memory, first, structures, known.lanes, known.points, known.anchors, own, given.patches, given.order,
             given.contacts, given.pairs, given.surfaces, given.frames, given.static)
        run_in_place(memory, self._passes, self._counts(n, v))
        rows[:self._program.state_size] = memory[:self._program.state_size]
        take(memory, first, structures, known.lanes, known.left, known.anchors, own, given.patches, given.order,
             given.impulses, given.frictions)

    def _counts(self, n: int, v: int) -> tuple[int, ...]:
        """How often each pass runs."""
        early = max(n - WITH_FRICTION, 0) if self._pgs else 0
        return (1, early, n - early, v, 1) if self._pgs else (1, n, v, 1)

    def _arrange(self, given: WorldPatches, own: Array, awake: Array) -> None:
        """Write the instructions anew where what touches is not what the last ones were for."""
        met = self._known.met(own, given.patches, given.surfaces)
        if met.tobytes() == self._met.tobytes() and awake.tobytes() == self._arranged.tobytes() and self._passes:
            return
        self._met, self._arranged = met, awake.copy()
        touching = PatchOrder(self._program, self._known, met)
        joints, turns = touching.turns()
        blocks = make_blocks(self._known, met[STRUCTURE], turns, (met[OWNER0], met[OWNER1]), self._program.size)
        self._first, block_of = blocks.lanes
        self._make_room(blocks.size)
        if self._program.listed or self._program.plan.trees:
            self._write(touching, blocks, block_of, joints, turns, awake)
        else:
            self._write_patches(touching.among, blocks, awake)

    def _make_room(self, size: int) -> None:
        if size > len(self.memory):
            grown = aligned((int(GROWTH * size),), self._dtype)
            grown[:len(self.memory)] = self.memory
            self.memory = grown

    def _write(self, touching: PatchOrder, blocks: PatchBlocks, block_of: Array, joints: Array, turns: Array,
               awake: Array) -> None:
        """All passes but the start."""
        program, code, row_bytes = self._program, self._code, self.memory.itemsize
        every = np.arange(len(blocks.base))
        among = turns[blocks.members[blocks.starts[:-1]]]       # -1 of a link's others
        chosen = among >= 0
        order = np.argsort(np.concatenate([joints, among[chosen]]), kind="stable")
        numbers, places = np.empty(len(order), np.int64), np.full(len(every), -1)
        numbers[order] = np.arange(len(order))
        places[chosen] = numbers[len(joints):]
        inside, behind_joints = touching.inside_order(block_of, len(every))
        outer, inner = touching.around(code, block_of)
        prepare, _ = words_of_patches(self._known, PREPARE, blocks, every, {}, Around(), row_bytes)
        self._passes = [np.r_[prepare, END]]
        for kind in (PRESS, SOLVE, FINAL) if self._pgs else (SOLVE, FINAL):
            one = iteration_of(program, touching.outer, touching.inside, touching.misread, touching.among,
                               kind == FINAL)
            solved = {int(numbers[k]): code.joint(one, j, awake) for k, j in enumerate(program.listed)}
            first, _ = words_of_patches(self._known, kind, blocks, places, solved, outer, row_bytes)
            # PGS leaves out friction of early iterations but that of links with what does not move
            behind, starts = words_of_patches(self._known, SOLVE if kind == PRESS else kind, blocks, behind_joints, {},
                                              inner, row_bytes) if inside else (NO_WORDS, NO_WORDS)
            parts = [code.pushes(one, awake), first]
            for words, held in code.opened(one, awake):
                parts.append(words)
                parts += [behind[starts[a]:starts[b]] for a, b in inside.get(held, ())]
            self._passes.append(np.concatenate([*parts, END]))
        self._passes.append(self._end(awake))

    def _write_patches(self, among: bool, blocks: PatchBlocks, awake: Array) -> None:
        """As `_write` where there are neither links nor joints: patches stand between what is done for bodies."""
        known, row_bytes = self._known, self.memory.itemsize
        self._passes = [words_between(known, PREPARE, blocks, row_bytes, NO_WORDS, END)]
        for kind in (PRESS, SOLVE, FINAL) if self._pgs else (SOLVE, FINAL):
            head, tail = self._code.around(iteration_of(self._program, NO_LINKS, NO_LINKS, NO_LINKS, among,
                                                        kind == FINAL), awake)
            self._passes.append(words_between(known, kind, blocks, row_bytes, head, tail))
        self._passes.append(self._end(awake))

    def _end(self, awake: Array) -> Array:
        """What a step of these actors ends with."""
        if self._ended[0] != awake.tobytes():
            self._ended = awake.tobytes(), np.r_[self._code.end(awake), END]
        return self._ended[1]
