"""One world's step with the contacts it has: a program whose instructions follow what touches."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.patches import BODY as OF_BODY
from physx_runtime.collision.patches import KINEMATIC as OF_KINEMATIC
from physx_runtime.collision.patches import LINK as OF_LINK
from physx_runtime.collision.patches import STATIC as OF_STATIC
from physx_runtime.compiling.fragment import Fragment
from physx_runtime.compiling.schedule import Schedule
from physx_runtime.compiling.vector_ir import CACHE_LINE
from physx_runtime.model.contact import ContactTopology
from physx_runtime.model.island import BODY, KINEMATIC, LINK, WORLD, Side
from physx_runtime.solver.contact.order import NOTHING, starts_of
from physx_runtime.solver.contact.program import ContactProgram
from physx_runtime.solver.contact.templates import patch_code
from physx_runtime.targets.interpreter import load_fragments, run_in_place, words_of
from physx_runtime.worlds.patch_values import give, take
from physx_runtime.worlds.patch_words import PatchGroup, SideRows, written

Array = NDArray[Any]
KINDS = {OF_BODY: BODY, OF_LINK: LINK, OF_KINEMATIC: KINEMATIC, OF_STATIC: WORLD}
# Places for contacts of a patch: so many kinds of code there are, and the last one's multiples.
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
    frames: Array
    static: Array


class ContactStep:
    """The memory and the instructions of one world."""

    def __init__(self, program: ContactProgram, dtype: str) -> None:
        self._program, self._dtype = program, np.dtype(dtype)
        self._code = _Code(program, dtype)
        self._sides = SideRows(program)
        self._memory = _aligned(program.size, self._dtype)
        self._key: tuple[bytes, ...] = ()
        self._groups: list[PatchGroup] = []
        self._passes: list[Array] = []

    def step(self, rows: Array, given: WorldPatches, own: Array, n: int, v: int, impulses: Array,
             frictions: Array) -> None:
        """Advance the world; rows: its rows, changed in place. own: which of the patches are its."""
        self._arrange(given, own)
        program, memory = self._program, self._memory
        memory[:len(rows)] = rows
        for group in self._groups:
            give(memory, group.base, own[group.index], group.t.points, group.t.anchors, given.patches, given.order,
                 given.contacts, given.rests, given.surfaces, given.frames, given.static)
        run_in_place(memory, self._passes, (1, n, v, 1))
        rows[:program.state_size] = memory[:program.state_size]
        for group in self._groups:
            layout = group.code.layout
            found = np.array([layout[name].row for name in ("slipped", "impulse", "tangents", "friction_impulse")])
            take(memory, group.base, own[group.index], found, group.t.anchors, given.patches, given.order, impulses,
                 frictions)

    def _arrange(self, given: WorldPatches, own: Array) -> None:
        """Write the instructions anew where what touches is not what the last ones were for."""
        patches = given.patches[own]
        points = np.searchsorted(POINTS, patches["points"])
        torsional = (given.surfaces[own, -2:] > 0.0).any(axis=1) & (patches["anchors"] == 1)
        shape = np.stack([given.places["kind"][patches["side0"]], given.places["kind"][patches["side1"]],
                          points, patches["anchors"] > 1, torsional], axis=1)
        key = (shape.tobytes(), patches["side0"].tobytes(), patches["side1"].tobytes(), patches["pair"].tobytes())
        if key == self._key and self._passes:
            return
        self._key = key
        self._group(given, patches, shape)
        self._write(given, patches)

    def _group(self, given: WorldPatches, patches: Array, shape: Array) -> None:
        """Patches by structure, and rows for each."""
        found, which = np.unique(shape, axis=0, return_inverse=True)
        self._groups, first = [], self._program.size
        for i, (kind0, kind1, points, two, torsional) in enumerate(found):
            sides = (Side(KINDS[int(kind0)]), Side(KINDS[int(kind1)]))
            t = ContactTopology(sides, POINTS[points], 2 if two else 1, bool(torsional))
            index = np.flatnonzero(which.ravel() == i)
            owners = given.places["owner"][patches["side0"][index]], given.places["owner"][patches["side1"][index]]
            size = patch_code(t).layout.size
            self._groups.append(PatchGroup(t, index, owners, first + np.arange(len(index)) * size))
            first += len(index) * size
        if first > len(self._memory):
            self._memory = _aligned(int(GROWTH * first), self._dtype)

    def _write(self, given: WorldPatches, patches: Array) -> None:
        """All passes."""
        program, code, start = self._program, self._code, np.arange(len(patches))
        joints, places = self._ordered(given, patches)
        write = functools.partial(written, self._groups, rows=self._sides, addresses=code,
                                  row_bytes=self._dtype.itemsize)
        self._passes = [np.r_[code.words(program.start), write("prepare", start, {}), 0]]
        for one, kind in ((program.position, "solve"), (program.velocity, "final")):
            others = {place: code.words(one.joints[j]) for j, place in joints.items()}
            self._passes.append(np.r_[code.words(one.pushes), write(kind, places, others), code.words(one.rest), 0])
        self._passes.append(np.r_[code.words(program.end), 0])

    def _ordered(self, given: WorldPatches, patches: Array) -> tuple[dict[int, int], Array]:
        """The numbers, in the order of an iteration, of joints and of patches; those of a pair stay together."""
        listed = self._program.listed
        held = [self._program.plan.t.joints[j].sides for j in listed]
        new = np.r_[True, patches["pair"][1:] != patches["pair"][:-1]][:len(patches)]
        first, second = (np.r_[[_actor(sides[k]) for sides in held], _actors(given.places, patches[name][new])]
                         for k, name in enumerate(("side0", "side1")))
        sizes = np.diff(np.r_[np.flatnonzero(new), len(patches)])
        starts = starts_of(np.r_[np.ones(len(listed), int), sizes], first, second, len(self._program.plan.t.actors))
        pair = np.cumsum(new) - 1
        within = np.arange(len(patches)) - np.flatnonzero(new)[pair]
        joints = dict(zip(listed, starts[:len(listed)].tolist(), strict=True))
        return joints, starts[len(listed):][pair] + within


class _Code(dict[Fragment, int]):
    """Addresses of fragments, loaded as they are asked for, and words of schedules."""

    def __init__(self, program: ContactProgram, dtype: str) -> None:
        super().__init__()
        self._dtype, self._words = dtype, dict[int, Array]()
        self.update(load_fragments({i.fragment for one in _schedules(program) for i in one.instructions}, dtype, 1))

    def __missing__(self, fragment: Fragment) -> int:
        self.update(load_fragments([fragment], self._dtype, 1))
        return self[fragment]

    def words(self, schedule: Schedule) -> Array:
        """A schedule in the interpreter's words, without an end."""
        if id(schedule) not in self._words:
            found = words_of(schedule.instructions, self, np.dtype(self._dtype).itemsize)
            self._words[id(schedule)] = np.array(found, np.int64)
        return self._words[id(schedule)]


def _schedules(program: ContactProgram) -> Iterator[Schedule]:
    yield from (program.start, program.end)
    for one in (program.position, program.velocity):
        yield from (one.pushes, one.rest, *one.joints.values())


def _actor(side: Side) -> int:
    return side.owner if side.moves else NOTHING


def _actors(places: Array, sides: Array) -> Array:
    moves = places["kind"][sides] <= OF_LINK
    return np.where(moves, places["owner"][sides], NOTHING)


def _aligned(rows: int, dtype: np.dtype[Any]) -> Array:
    """Zeroed rows that begin on a cache line."""
    memory = np.zeros(rows * dtype.itemsize + CACHE_LINE, np.uint8)
    start = -memory.ctypes.data % CACHE_LINE
    return memory[start:start + rows * dtype.itemsize].view(dtype)
