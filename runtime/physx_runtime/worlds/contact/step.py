"""One step of worlds whose actors touch each other.

One world's step with the contacts it has: a program whose instructions follow what touches.

What touches in one world, and the order and the surroundings of its patches in an iteration.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.friction_patch import LINK
from physx_runtime.collision.sort_by_link import sorted_by_link
from physx_runtime.model.island import Side
from physx_runtime.solver.contact import program as program_module
from physx_runtime.solver.contact.order import NOTHING, turns_of
from physx_runtime.solver.contact.program import ContactProgram, Held, iteration_of
from physx_runtime.solver.island.plan import Pair, ancestor_of
from physx_runtime.targets.interpreter import run_in_place
from physx_runtime.worlds.buffer import aligned
from physx_runtime.worlds.contact.bytecode import Code
from physx_runtime.worlds.contact.patches import (
    ACTOR0,
    ACTOR1,
    FINAL,
    OWNER0,
    OWNER1,
    PAIR,
    PREPARE,
    PRESS,
    SIDE0,
    SIDE1,
    SOLVE,
    STRUCTURE,
    PatchBlocks,
    PrologueEpilogue,
    Structures,
    give,
    make_blocks,
    take,
    words_between,
    words_of_patches,
)

Array = NDArray[Any]
NO_JOINTS = np.zeros((0, 2), np.int64)


class PatchOrder:
    """The patches of one world at a step's start; met: what they are and hold, as of `Structures.met`."""

    def __init__(self, program: ContactProgram, known: Structures, met: Array) -> None:
        self._program, self._met, self._owners = program, met, met[ACTOR0:ACTOR1 + 1]
        self._inside = np.zeros(met.shape[1], np.bool_)     # of links with what does not move
        self.outer = self.inside = frozenset[Held]()
        self.misread = frozenset[tuple[int, Pair]]()
        if program.plan.trees:
            self._see_links(known)
        self.among = bool(program.listed) or not self._inside.all()

    def _see_links(self, known: Structures) -> None:
        sides = self._met[SIDE0:SIDE1 + 1]
        self._linked, self._links = known.kinds[sides] == LINK, known.links[sides]
        moves = self._owners != NOTHING
        among = moves.all(axis=0)
        self._inside = ~among & self._linked.any(axis=0)
        self.outer, self.inside = (frozenset(self._held(some)) for some in (among, self._inside))
        self._pairs = {i: misread for i in np.flatnonzero(among & self._linked.all(axis=0)).tolist()
                       if (misread := self._ancestor_and_link(i))}
        self.misread = frozenset((self._link(i, 0)[0], pair) for i, pair in self._pairs.items())

    def _held(self, some: Array) -> Iterator[Held]:
        for k in (0, 1):
            for i in np.flatnonzero(some & self._linked[k]).tolist():
                yield self._link(i, k)

    def _link(self, patch: int, k: int) -> Held:
        return int(self._owners[k][patch]), int(self._links[k][patch])

    def _ancestor_and_link(self, patch: int) -> Pair | None:
        """The links of a patch within one articulation that PhysX misreads."""
        (owner, first), (other, second) = self._link(patch, 0), self._link(patch, 1)
        t, tree = self._program.plan.t, self._program.plan.trees[owner].p.t
        return ancestor_of(tree, first, second) if owner == other and not t.coupled else None

    def turns(self) -> tuple[Array, Array]:
        """When joints among patches are solved, as listed, and when patches are, -1 of a link's others."""
        t, listed = self._program.plan.t, self._program.listed
        joints = np.array([[_actor(side) for side in t.joints[j].sides] for j in listed]) if listed else NO_JOINTS
        first, second = self._owners
        return turns_of(joints, self._met[PAIR], first, second, self._inside, len(t.actors), t.pgs)

    def inside_order(self, block_of: Array, blocks: int) -> tuple[dict[Held | None, list[tuple[int, int]]], Array]:
        """Patches of links with what does not move, by link, as ranges of numbers; and the number of each block.

        block_of: the block of each patch.
        """
        patches: dict[Held, list[int]] = {}
        for i in self._inside_by_link():
            patches.setdefault(self._held_inside(i), []).append(i)
        order, ranges, count = np.full(blocks, -1), dict[Held | None, list[tuple[int, int]]](), 0
        for held in self.inside:
            own = block_of[patches[held]]
            order[own] = np.arange(count, count + len(own))
            ranges[held] = [(count, count + len(own))]
            count += len(own)
        return ranges, order

    def _inside_by_link(self) -> Iterator[int]:
        """Patches of links with what does not move, those of each link as they are solved; a pair's stay together."""
        pairs: dict[int, dict[int, list[int]]] = {}
        for i in np.flatnonzero(self._inside).tolist():
            pairs.setdefault(self._held_inside(i)[0], {}).setdefault(int(self._met[PAIR, i]), []).append(i)
        for own in pairs.values():
            listed = list(own.values())
            for k in sorted_by_link(np.array([self._held_inside(patches[0])[1] for patches in listed])):
                yield from listed[k]

    def _held_inside(self, patch: int) -> Held:
        return self._link(patch, int(not self._linked[0][patch]))

    def around(self, code: Code, block_of: Array) -> tuple[PrologueEpilogue, PrologueEpilogue]:
        """What is done before and behind patches that hold links: of those among joints, and of the others.

        block_of: the block of each patch.
        """
        if not self._program.plan.trees:
            return PrologueEpilogue(), PrologueEpilogue()
        outer, inner, seen = PrologueEpilogue(), PrologueEpilogue(), set[Held]()
        among = np.flatnonzero((self._linked[0] | self._linked[1]) & ~self._inside).tolist()
        for i in (*among, *self._inside_by_link()):
            sides = [k for k in (0, 1) if self._linked[k][i]]
            held, block = [self._link(i, k) for k in sides], int(block_of[i])
            if self._inside[i]:
                joins = held[0] in seen or held[0] in self._program.plan.order.inside
                inner.before[block] = code.part(program_module.seeing, held[0], sides[0])
                inner.behind[block] = code.part(program_module.taking, held[0], sides[0], joins)
                seen.add(held[0])
            else:
                pairs = list(zip(held, sides, strict=True))
                if i in self._pairs:
                    above, below = self._pairs[i]
                    own = held[0][0], above
                    outer.before[block] = code.part(program_module.misreading, own, held.index(own), below)
                else:
                    outer.before[block] = np.concatenate([code.part(program_module.reading, *one) for one in pairs])
                outer.behind[block] = np.concatenate([code.part(program_module.raising, *one) for one in pairs])
        return outer, inner


def _actor(side: Side) -> int:
    return side.owner if side.moves else NOTHING


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
        prepare, _ = words_of_patches(self._known, PREPARE, blocks, every, {}, PrologueEpilogue(), row_bytes)
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
