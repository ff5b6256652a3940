"""One world's step with the contacts it has: a program whose instructions follow what touches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.solver.contact.program import ContactProgram, iteration_of
from physx_runtime.targets.interpreter import run_in_place
from physx_runtime.worlds.buffer import aligned
from physx_runtime.worlds.patch_structures import FINAL, POINTS, PREPARE, PRESS, SOLVE, Structures
from physx_runtime.worlds.patch_values import give, take
from physx_runtime.worlds.patch_words import Around, PatchRows, words_of_patches
from physx_runtime.worlds.touching import PatchOrder
from physx_runtime.worlds.written import Code

Array = NDArray[Any]
GROWTH = 1.5
# The last position iterations of PGS, in which there is friction (DySolverControl.cpp).
WITH_FRICTION = 3


@dataclass(frozen=True, slots=True)
class WorldPatches:
    """What touches in all worlds at a step's start."""

    places: Array
    patches: Array
    order: Array            # rows of contacts by patch
    contacts: Array
    surfaces: Array
    rests: Array
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
        self._begun: tuple[bytes, list[Array]] = b"", []
        self._key: tuple[bytes, ...] = ()
        self._rows = PatchRows(*(np.zeros(0, np.int64),) * 2, (np.zeros(0, np.int64),) * 2)
        self._passes: list[Array] = []

    def load(self, rows: Array) -> None:
        """Take the world's rows for a step."""
        self.memory[:len(rows)] = rows

    def begin(self, awake: Array) -> None:
        """Everything of a step's start that does not ask for contacts.

        awake: (n_actor,) whose; of several calls in a step each is for others.
        """
        if self._begun[0] != awake.tobytes():
            self._begun = awake.tobytes(), [np.r_[self._code.start(awake), 0]]
        run_in_place(self.memory, self._begun[1], (1,))

    def finish(self, rows: Array, given: WorldPatches, own: Array, awake: Array, n: int, v: int) -> None:
        """The rest of a step; rows: the world's, changed in place. own: which of the patches are its.

        awake: (n_actor,) whose step it is, the others stay as they are.
        """
        self._arrange(given, own, awake)
        memory, known, structures, base = self.memory, self._known, self._rows.structures, self._rows.base
        anchors = known.anchors[structures]
        give(memory, base, own, known.points[structures], anchors, given.patches, given.order, given.contacts,
             given.rests, given.surfaces, given.frames, given.static)
        run_in_place(memory, self._passes, self._counts(n, v))
        rows[:self._program.state_size] = memory[:self._program.state_size]
        take(memory, base, own, known.left[structures], anchors, given.patches, given.order, given.impulses,
             given.frictions)

    def _counts(self, n: int, v: int) -> tuple[int, ...]:
        """How often each pass runs."""
        early = max(n - WITH_FRICTION, 0) if self._pgs else 0
        return (1, early, n - early, v, 1) if self._pgs else (1, n, v, 1)

    def _arrange(self, given: WorldPatches, own: Array, awake: Array) -> None:
        """Write the instructions anew where what touches is not what the last ones were for."""
        patches, kinds = given.patches[own], given.places["kind"]
        sides, anchors = (patches["side0"], patches["side1"]), patches["anchors"]
        torsional = (given.surfaces[own, -2:] > 0.0).any(axis=1) & (anchors == 1) & (not self._pgs)
        shape = (kinds[sides[0]], kinds[sides[1]], np.searchsorted(POINTS, patches["points"]),
                 (anchors > 1).astype(np.int64), torsional.astype(np.int64))
        key = (*(column.tobytes() for column in (*shape, *sides, patches["pair"])), awake.tobytes())
        if key == self._key and self._passes:
            return
        self._key, structures = key, self._known.numbers(shape)
        sizes = self._known.sizes[structures]
        base = self._program.size + np.cumsum(sizes) - sizes
        owner = self._known.owner
        self._rows = PatchRows(structures, base, (owner[sides[0]], owner[sides[1]]))
        self._make_room(self._program.size + int(sizes.sum()))
        self._write(PatchOrder(self._program, given.places, patches), awake)

    def _make_room(self, size: int) -> None:
        if size > len(self.memory):
            grown = aligned((int(GROWTH * size),), self._dtype)
            grown[:len(self.memory)] = self.memory
            self.memory = grown

    def _write(self, touching: PatchOrder, awake: Array) -> None:
        """All passes but the start."""
        program, code, row_bytes = self._program, self._code, self.memory.itemsize
        joints, places = touching.ordered()
        inside, order = touching.inside_order()
        outer, inner = touching.around(code)
        prepare, _ = words_of_patches(self._known, PREPARE, self._rows, np.arange(touching.count), {}, Around(),
                                      row_bytes)
        self._passes = [np.r_[prepare, 0]]
        for kind in (PRESS, SOLVE, FINAL) if self._pgs else (SOLVE, FINAL):
            one = iteration_of(program, touching.outer, touching.inside, touching.misread, touching.among,
                               kind == FINAL)
            solved = {place: code.joint(one, j, awake) for j, place in joints.items()}
            among, _ = words_of_patches(self._known, kind, self._rows, places, solved, outer, row_bytes)
            # PGS leaves out friction of early iterations but that of links with what does not move
            behind, starts = words_of_patches(self._known, SOLVE if kind == PRESS else kind, self._rows, order, {},
                                              inner, row_bytes)
            parts = [code.pushes(one, awake), among]
            for words, held in code.opened(one, awake):
                parts.append(words)
                parts += [behind[starts[first]:starts[last]] for first, last in inside.get(held, ())]
            self._passes.append(np.concatenate([*parts, [0]]))
        self._passes.append(np.r_[code.end(awake), 0])
