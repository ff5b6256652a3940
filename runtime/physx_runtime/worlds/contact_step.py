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
from physx_runtime.solver.contact.order import NOTHING, solving_order
from physx_runtime.solver.contact.program import ContactProgram, Iteration
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
            group = PatchGroup(t, index, first + np.arange(len(index)) * 0, owners)
            group.base = first + np.arange(len(index)) * group.code.layout.size
            first += len(index) * group.code.layout.size
            self._groups.append(group)
        if first > len(self._memory):
            self._memory = _aligned(int(GROWTH * first), self._dtype)

    def _write(self, given: WorldPatches, patches: Array) -> None:
        """All passes."""
        program, count = self._program, len(patches)
        listed = [program.plan.t.joints[j].sides for j in program.listed]
        first, second = (np.concatenate([[_actor(sides[k]) for sides in listed], _actors(given.places, patches[name])])
                         for k, name in enumerate(("side0", "side1")))
        # patches of one pair stay together: the first one stands for all
        heads = np.flatnonzero(np.r_[True, patches["pair"][1:] != patches["pair"][:-1]]) if count else np.zeros(0, int)
        items = np.r_[np.arange(len(listed)), len(listed) + heads].astype(int)
        order = items[solving_order(first[items], second[items], len(program.plan.t.actors))]
        sizes = np.diff(np.r_[heads, count])
        lengths = np.r_[np.ones(len(listed), int), sizes]
        length_of = dict(zip(items.tolist(), lengths.tolist(), strict=True))
        places, joints = np.zeros(count, int), {}
        at = 0
        for item in order.tolist():
            if item < len(listed):
                joints[program.listed[item]] = at
                at += 1
            else:
                head = item - len(listed)
                places[head:head + length_of[item]] = at + np.arange(length_of[item])
                at += length_of[item]
        write = functools.partial(written, self._groups, rows=self._sides, addresses=self._code,
                                  row_bytes=self._dtype.itemsize)
        code = self._code
        position = write("solve", places, {at: code.joint(program.position, j) for j, at in joints.items()})
        velocity = write("final", places, {at: code.joint(program.velocity, j) for j, at in joints.items()})
        self._passes = [
            np.r_[code.words(program.start), write("prepare", np.arange(count), {}), 0],
            np.r_[code.words(program.position.pushes), position, code.words(program.position.rest), 0],
            np.r_[code.words(program.velocity.pushes), velocity, code.words(program.velocity.rest), 0],
            np.r_[code.words(program.end), 0]]


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

    def joint(self, iteration: Iteration, j: int) -> Array:
        """The words of one joint's solution."""
        return self.words(iteration.joints[j])


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
