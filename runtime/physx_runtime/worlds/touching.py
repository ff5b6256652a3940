"""What touches in one world, and the order and the surroundings of its patches in an iteration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.patches import LINK
from physx_runtime.collision.sort_by_link import sorted_by_link
from physx_runtime.model.island import Side
from physx_runtime.solver.contact import links
from physx_runtime.solver.contact.links import Held
from physx_runtime.solver.contact.order import NOTHING, turns_of
from physx_runtime.solver.contact.program import ContactProgram
from physx_runtime.solver.island.plan import Pair, ancestor_of
from physx_runtime.worlds.patch_structures import ACTOR0, ACTOR1, PAIR, SIDE0, SIDE1, Structures
from physx_runtime.worlds.patch_words import Around
from physx_runtime.worlds.written import Code

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
        return turns_of(joints, self._met[PAIR], first, second, self._inside, len(t.actors))

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

    def around(self, code: Code, block_of: Array) -> tuple[Around, Around]:
        """What is done before and behind patches that hold links: of those among joints, and of the others.

        block_of: the block of each patch.
        """
        if not self._program.plan.trees:
            return Around(), Around()
        outer, inner, seen = Around(), Around(), set[Held]()
        among = np.flatnonzero((self._linked[0] | self._linked[1]) & ~self._inside).tolist()
        for i in (*among, *self._inside_by_link()):
            sides = [k for k in (0, 1) if self._linked[k][i]]
            held, block = [self._link(i, k) for k in sides], int(block_of[i])
            if self._inside[i]:
                joins = held[0] in seen or held[0] in self._program.plan.order.inside
                inner.before[block] = code.part(links.seeing, held[0], sides[0])
                inner.behind[block] = code.part(links.taking, held[0], sides[0], joins)
                seen.add(held[0])
            else:
                pairs = list(zip(held, sides, strict=True))
                if i in self._pairs:
                    above, below = self._pairs[i]
                    own = held[0][0], above
                    outer.before[block] = code.part(links.misreading, own, held.index(own), below)
                else:
                    outer.before[block] = np.concatenate([code.part(links.reading, *one) for one in pairs])
                outer.behind[block] = np.concatenate([code.part(links.raising, *one) for one in pairs])
        return outer, inner


def _actor(side: Side) -> int:
    return side.owner if side.moves else NOTHING
