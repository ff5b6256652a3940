"""One world's step with the contacts it has: a program whose instructions follow what touches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.patches import BODY as OF_BODY
from physx_runtime.collision.patches import KINEMATIC as OF_KINEMATIC
from physx_runtime.collision.patches import LINK as OF_LINK
from physx_runtime.collision.patches import STATIC as OF_STATIC
from physx_runtime.compiling.vector_ir import CACHE_LINE
from physx_runtime.model.contact import ContactTopology
from physx_runtime.model.island import BODY, KINEMATIC, LINK, WORLD, Side
from physx_runtime.solver.contact.program import ContactProgram
from physx_runtime.solver.contact.templates import patch_code
from physx_runtime.targets.interpreter import run_in_place
from physx_runtime.worlds.patch_values import give, take
from physx_runtime.worlds.patch_words import FINAL, PREPARE, SOLVE, Around, PatchGroup, PatchWriter, SideRows
from physx_runtime.worlds.touching import Code, Touching

Array = NDArray[Any]
KINDS = {OF_BODY: BODY, OF_LINK: LINK, OF_KINEMATIC: KINEMATIC, OF_STATIC: WORLD}
# Places for contacts of a patch: so many kinds of code there are.
POINTS = (1, 2, 3, 4, 6, 8)
GROWTH = 1.5


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

    def __init__(self, program: ContactProgram, dtype: str) -> None:
        self._program, self._dtype = program, np.dtype(dtype)
        self._code = Code(program, dtype)
        self._sides = SideRows(program)
        self.memory = _aligned(program.size, self._dtype)
        self._begun: tuple[bytes, list[Array]] = b"", []
        self._key: tuple[bytes, ...] = ()
        self._groups: list[PatchGroup] = []
        self._passes: list[Array] = []

    def load(self, rows: Array) -> None:
        """Take the world's rows for a step."""
        self.memory[:len(rows)] = rows

    def begin(self, awake: Array) -> None:
        """Everything of a step's start that does not ask for contacts.

        awake: (n_actor,) whose; of several calls in a step each is for others.
        """
        if self._begun[0] != awake.tobytes():
            self._code.awake = awake
            self._begun = awake.tobytes(), [np.r_[self._code.words(self._program.start), 0]]
        run_in_place(self.memory, self._begun[1], (1,))

    def finish(self, rows: Array, given: WorldPatches, own: Array, awake: Array, n: int, v: int) -> None:
        """The rest of a step; rows: the world's, changed in place. own: which of the patches are its.

        awake: (n_actor,) whose step it is, the others stay as they are.
        """
        self._arrange(given, own, awake)
        memory = self.memory
        for group in self._groups:
            give(memory, group.base, own[group.index], group.t.points, group.t.anchors, given.patches, given.order,
                 given.contacts, given.rests, given.surfaces, given.frames, given.static)
        run_in_place(memory, self._passes, (1, n, v, 1))
        rows[:self._program.state_size] = memory[:self._program.state_size]
        for group in self._groups:
            layout = group.code.layout
            found = np.array([layout[name].row for name in ("slipped", "impulse", "tangents", "friction_impulse")])
            take(memory, group.base, own[group.index], found, group.t.anchors, given.patches, given.order,
                 given.impulses, given.frictions)

    def _arrange(self, given: WorldPatches, own: Array, awake: Array) -> None:
        """Write the instructions anew where what touches is not what the last ones were for."""
        patches = given.patches[own]
        points = np.searchsorted(POINTS, patches["points"])
        torsional = (given.surfaces[own, -2:] > 0.0).any(axis=1) & (patches["anchors"] == 1)
        shape = np.stack([given.places["kind"][patches["side0"]], given.places["kind"][patches["side1"]],
                          points, patches["anchors"] > 1, torsional], axis=1)
        key = (shape.tobytes(), patches["side0"].tobytes(), patches["side1"].tobytes(), patches["pair"].tobytes(),
               awake.tobytes())
        if key == self._key and self._passes:
            return
        self._key, self._code.awake = key, awake
        self._group(given, patches, shape)
        self._write(Touching(self._program, given.places, patches))

    def _group(self, given: WorldPatches, patches: Array, shape: Array) -> None:
        """Patches by structure, and rows for each."""
        found, which = np.unique(shape, axis=0, return_inverse=True)
        self._groups, first = [], self._program.size
        for i, (kind0, kind1, points, two, torsional) in enumerate(found):
            sides = (Side(KINDS[int(kind0)]), Side(KINDS[int(kind1)]))
            t = ContactTopology(sides, POINTS[points], 2 if two else 1, bool(torsional))
            index, code = np.flatnonzero(which.ravel() == i), patch_code(t)
            base = first + np.arange(len(index)) * code.layout.size
            held = given.places[patches["side0"][index]], given.places[patches["side1"][index]]
            self._groups.append(PatchGroup(t, index, (held[0]["owner"], held[1]["owner"]),
                                           (held[0]["link"], held[1]["link"]), base, code))
            first += len(index) * code.layout.size
        if first > len(self.memory):
            grown = _aligned(int(GROWTH * first), self._dtype)
            grown[:len(self.memory)] = self.memory
            self.memory = grown

    def _write(self, touching: Touching) -> None:
        """All passes but the start."""
        program, code = self._program, self._code
        writer = PatchWriter(self._groups, self._sides, code, self._dtype.itemsize)
        joints, places = touching.ordered()
        inside, order = touching.inside_order()
        outer, inner = touching.around(code)
        prepare, _ = writer.write(PREPARE, np.arange(touching.count), {}, Around())
        self._passes = [np.r_[prepare, 0]]
        for kind in (SOLVE, FINAL):
            one = program.iteration(touching.outer, touching.inside, touching.misread, kind == FINAL)
            among, _ = writer.write(kind, places, {place: code.words(one.joints[j]) for j, place in joints.items()},
                                    outer)
            behind, starts = writer.write(kind, order, {}, inner)
            parts = [code.words(one.pushes), among]
            for words, held in code.opened(one):
                parts.append(words)
                parts += [behind[starts[first]:starts[last]] for first, last in inside.get(held, ())]
            self._passes.append(np.concatenate([*parts, [0]]))
        self._passes.append(np.r_[code.words(program.end), 0])


def _aligned(rows: int, dtype: np.dtype[Any]) -> Array:
    """Zeroed rows that begin on a cache line."""
    memory = np.zeros(rows * dtype.itemsize + CACHE_LINE, np.uint8)
    start = -memory.ctypes.data % CACHE_LINE
    return memory[start:start + rows * dtype.itemsize].view(dtype)
