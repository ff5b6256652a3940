"""The step of one world with contacts, as bytecode that follows its contact patches.

`PatchOrder` orders the patches of a step by partition and link, as PhysX solves them. `ContactStep` holds the memory
of a world, writes the bytecode of the passes and runs them. The bytecode is written again only when patches or
sleeping actors change.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from physx_runtime.arrays import Array
from physx_runtime.collision.sort_by_link import sorted_by_link
from physx_runtime.model.body_kind import LINK
from physx_runtime.model.island import SolverBody
from physx_runtime.solver.contact import program as program_module
from physx_runtime.solver.contact.order import NO_ACTOR, patch_order
from physx_runtime.solver.contact.program import ContactProgram, LinkRef, iteration_of
from physx_runtime.solver.island.plan import Pair, ancestor_of
from physx_runtime.targets.interpreter import run_blocks
from physx_runtime.worlds.buffer import aligned
from physx_runtime.worlds.contact.bytecode import Code
from physx_runtime.worlds.contact.patches import (
    ACTOR0,
    ACTOR1,
    BODY0,
    BODY1,
    FINAL,
    OWNER0,
    OWNER1,
    PAIR,
    PREPARE,
    SOLVE,
    SOLVE_NORMAL,
    STRUCTURE,
    PatchBlocks,
    PatchStructures,
    PrologueEpilogue,
    make_blocks,
    read_patches,
    words_between,
    words_of_patches,
    write_patches,
)

NO_JOINTS = np.zeros((0, 2), np.int64)


class PatchOrder:
    """The order of the patches of one world in a step; descriptions: (8, n) from `PatchStructures.describe`."""

    def __init__(self, program: ContactProgram, tables: PatchStructures, descriptions: Array) -> None:
        self._program, self._descriptions, self._owners = program, descriptions, descriptions[ACTOR0:ACTOR1 + 1]
        self._inside = np.zeros(descriptions.shape[1], np.bool_)     # static contacts of links
        self.outer = self.inside = frozenset[LinkRef]()
        self.misread = frozenset[tuple[int, Pair]]()
        if program.plan.trees:
            self._read_links(tables)
        self.has_joints = bool(program.listed) or not self._inside.all()

    def _read_links(self, tables: PatchStructures) -> None:
        bodies = self._descriptions[BODY0:BODY1 + 1]
        self._linked, self._links = tables.kinds[bodies] == LINK, tables.links[bodies]
        moves = self._owners != NO_ACTOR
        both_move = moves.all(axis=0)
        self._inside = ~both_move & self._linked.any(axis=0)
        self.outer, self.inside = (frozenset(self._links_of(mask)) for mask in (both_move, self._inside))
        self._pairs = {i: misread for i in np.flatnonzero(both_move & self._linked.all(axis=0)).tolist()
                       if (misread := self._ancestor_and_link(i))}
        self.misread = frozenset((self._link(i, 0)[0], pair) for i, pair in self._pairs.items())

    def _links_of(self, mask: Array) -> Iterator[LinkRef]:
        for k in (0, 1):
            for i in np.flatnonzero(mask & self._linked[k]).tolist():
                yield self._link(i, k)

    def _link(self, patch: int, k: int) -> LinkRef:
        return int(self._owners[k][patch]), int(self._links[k][patch])

    def _ancestor_and_link(self, patch: int) -> Pair | None:
        """The links of a patch within one articulation that PhysX misreads."""
        (owner, first), (other, second) = self._link(patch, 0), self._link(patch, 1)
        t, tree = self._program.plan.t, self._program.plan.trees[owner].p.t
        return ancestor_of(tree, first, second) if owner == other and not t.coupled else None

    def partitions(self) -> tuple[Array, Array]:
        """The partitions of the listed joints and of the patches; -1 for static contacts of links."""
        t, listed = self._program.plan.t, self._program.listed
        joints = np.array([[_actor_index(body) for body in t.joints[j].solver_bodies]
                           for j in listed]) if listed else NO_JOINTS
        first, second = self._owners
        return patch_order(joints, self._descriptions[PAIR], first, second, self._inside, len(t.actors), t.pgs)

    def inside_order(self, block_of: Array, blocks: int) -> tuple[dict[LinkRef | None, list[tuple[int, int]]], Array]:
        """Static contacts of links as ranges of places by link, and the place of each block.

        block_of: the block of each patch.
        """
        patches: dict[LinkRef, list[int]] = {}
        for i in self._inside_by_link():
            patches.setdefault(self._inside_link(i), []).append(i)
        order, ranges, count = np.full(blocks, -1), dict[LinkRef | None, list[tuple[int, int]]](), 0
        for actor_link in self.inside:
            link_blocks = block_of[patches[actor_link]]
            order[link_blocks] = np.arange(count, count + len(link_blocks))
            ranges[actor_link] = [(count, count + len(link_blocks))]
            count += len(link_blocks)
        return ranges, order

    def _inside_by_link(self) -> Iterator[int]:
        """Static contacts of links in the order of solving; patches of one pair are neighbours."""
        pairs: dict[int, dict[int, list[int]]] = {}
        for i in np.flatnonzero(self._inside).tolist():
            pairs.setdefault(self._inside_link(i)[0], {}).setdefault(int(self._descriptions[PAIR, i]), []).append(i)
        for actor_pairs in pairs.values():
            listed = list(actor_pairs.values())
            for k in sorted_by_link(np.array([self._inside_link(patches[0])[1] for patches in listed])):
                yield from listed[k]

    def _inside_link(self, patch: int) -> LinkRef:
        return self._link(patch, int(not self._linked[0][patch]))

    def prologue_epilogue(self, code: Code, block_of: Array) -> tuple[PrologueEpilogue, PrologueEpilogue]:
        """Words before and after patches with links: of those among joints, and of static contacts.

        block_of: the block of each patch.
        """
        if not self._program.plan.trees:
            return PrologueEpilogue(), PrologueEpilogue()
        outer, inner, visited = PrologueEpilogue(), PrologueEpilogue(), set[LinkRef]()
        link_patches = np.flatnonzero((self._linked[0] | self._linked[1]) & ~self._inside).tolist()
        for i in (*link_patches, *self._inside_by_link()):
            ends = [k for k in (0, 1) if self._linked[k][i]]
            actor_links, block = [self._link(i, k) for k in ends], int(block_of[i])
            if self._inside[i]:
                joins = actor_links[0] in visited or actor_links[0] in self._program.plan.order.inside
                inner.prologue[block] = code.patch_words(program_module.pre_static_patch, actor_links[0], ends[0])
                inner.epilogue[block] = code.patch_words(program_module.post_static_patch, actor_links[0], ends[0],
                                                         joins)
                visited.add(actor_links[0])
            else:
                pairs = list(zip(actor_links, ends, strict=True))
                if i in self._pairs:
                    above, below = self._pairs[i]
                    actor_link = actor_links[0][0], above
                    outer.prologue[block] = code.patch_words(program_module.pre_ancestor_patch, actor_link,
                                                             actor_links.index(actor_link), below)
                else:
                    outer.prologue[block] = np.concatenate([code.patch_words(program_module.pre_patch, *pair)
                                                            for pair in pairs])
                outer.epilogue[block] = np.concatenate([code.patch_words(program_module.post_patch, *pair)
                                                        for pair in pairs])
        return outer, inner


def _actor_index(body: SolverBody) -> int:
    return body.owner if body.moves else NO_ACTOR


GROWTH = 1.5
NO_WORDS, END = np.zeros(0, np.int64), np.zeros(1, np.int64)
NO_LINKS = frozenset[Any]()
# The last position iterations of PGS, in which there is friction (DySolverControl.cpp).
FRICTION_ITERATIONS = 3


@dataclass(frozen=True, slots=True)
class WorldPatches:
    """The contact patches of all worlds at the start of a step."""

    bodies: Array
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

    def __init__(self, program: ContactProgram, code: Code, tables: PatchStructures, dtype: str) -> None:
        self._program, self._code, self._tables, self._dtype = program, code, tables, dtype
        self._pgs = program.plan.t.pgs
        self.memory = aligned((program.size,), dtype)
        self._start_words: tuple[bytes, list[Array]] = b"", []        # awake actors, and their words
        self._end_words: tuple[bytes, Array] = b"", NO_WORDS
        # of the current passes
        self._descriptions, self._arranged_awake = np.zeros((0, 0), np.int64), np.zeros(0, np.bool_)
        self._first = NO_WORDS      # first row of every patch
        self._passes: list[Array] = []

    def load(self, rows: Array) -> None:
        """Take the world's rows for a step."""
        self.memory[:len(rows)] = rows

    def begin(self, awake: Array) -> None:
        """Run the part of a step before contacts are known.

        awake: (n_actor,) the actors to run it for; each call within a step has other actors.
        """
        if self._start_words[0] != awake.tobytes():
            self._start_words = awake.tobytes(), [np.r_[self._code.start(awake), END]]
        run_blocks(self.memory, self._start_words[1], (1,))

    def finish(self, rows: Array, world_patches: WorldPatches, indices: Array, awake: Array, n: int, v: int) -> None:
        """Run the rest of a step; rows: of the world, changed in place. indices: the patches of this world.

        awake: (n_actor,) the actors that move; the others stay as they are.
        """
        self._update_passes(world_patches, indices, awake)
        memory, tables, structures, first = self.memory, self._tables, self._descriptions[STRUCTURE], self._first
        write_patches(memory, first, structures, tables.vector_widths, tables.points, tables.anchors, indices,
                      world_patches.patches, world_patches.order,
                      world_patches.contacts, world_patches.pairs, world_patches.surfaces, world_patches.frames,
                      world_patches.static)
        run_blocks(memory, self._passes, self._counts(n, v))
        rows[:self._program.state_size] = memory[:self._program.state_size]
        read_patches(memory, first, structures, tables.vector_widths, tables.output_rows, tables.anchors, indices,
                     world_patches.patches, world_patches.order,
                     world_patches.impulses, world_patches.frictions)

    def _counts(self, n: int, v: int) -> tuple[int, ...]:
        """The number of runs of each pass."""
        early = max(n - FRICTION_ITERATIONS, 0) if self._pgs else 0
        return (1, early, n - early, v, 1) if self._pgs else (1, n, v, 1)

    def _update_passes(self, world_patches: WorldPatches, indices: Array, awake: Array) -> None:
        """Write the bytecode of the passes again where patches or awake actors have changed."""
        descriptions = self._tables.describe(indices, world_patches.patches, world_patches.surfaces)
        unchanged = (descriptions.tobytes() == self._descriptions.tobytes()
                     and awake.tobytes() == self._arranged_awake.tobytes())
        if unchanged and self._passes:
            return
        self._descriptions, self._arranged_awake = descriptions, awake.copy()
        patch_order = PatchOrder(self._program, self._tables, descriptions)
        joints, partitions = patch_order.partitions()
        blocks = make_blocks(self._tables, descriptions[STRUCTURE], partitions,
                             (descriptions[OWNER0], descriptions[OWNER1]), self._program.size)
        self._first, block_of = blocks.locations
        self._grow(blocks.size)
        if self._program.listed or self._program.plan.trees:
            self._write(patch_order, blocks, block_of, joints, partitions, awake)
        else:
            self._write_patches(patch_order.has_joints, blocks, awake)

    def _grow(self, size: int) -> None:
        if size > len(self.memory):
            grown = aligned((int(GROWTH * size),), self._dtype)
            grown[:len(self.memory)] = self.memory
            self.memory = grown

    def _write(self, patch_order: PatchOrder, blocks: PatchBlocks, block_of: Array, joints: Array, partitions: Array,
               awake: Array) -> None:
        """All passes but the start."""
        program, code, row_bytes = self._program, self._code, self.memory.itemsize
        all_blocks = np.arange(len(blocks.base))
        block_partitions = partitions[blocks.members[blocks.starts[:-1]]]       # -1 for static contacts of links
        included = block_partitions >= 0
        order = np.argsort(np.concatenate([joints, block_partitions[included]]), kind="stable")
        numbers, positions = np.empty(len(order), np.int64), np.full(len(all_blocks), -1)
        numbers[order] = np.arange(len(order))
        positions[included] = numbers[len(joints):]
        inside, static_order = patch_order.inside_order(block_of, len(all_blocks))
        outer, inner = patch_order.prologue_epilogue(code, block_of)
        prepare, _ = words_of_patches(self._tables, PREPARE, blocks, all_blocks, {}, PrologueEpilogue(), row_bytes)
        self._passes = [np.r_[prepare, END]]
        for kind in (SOLVE_NORMAL, SOLVE, FINAL) if self._pgs else (SOLVE, FINAL):
            iteration = iteration_of(program, patch_order.outer, patch_order.inside, patch_order.misread,
                                     patch_order.has_joints,
                                     kind == FINAL)
            solved = {int(numbers[k]): code.joint(iteration, j, awake) for k, j in enumerate(program.listed)}
            first, _ = words_of_patches(self._tables, kind, blocks, positions, solved, outer, row_bytes)
            # PGS leaves out the friction of early iterations, except that of static contacts of links
            static_words, starts = words_of_patches(self._tables, SOLVE if kind == SOLVE_NORMAL else kind, blocks,
                                                    static_order, {},
                                                    inner, row_bytes) if inside else (NO_WORDS, NO_WORDS)
            parts = [code.external_forces(iteration, awake), first]
            for words, actor_link in code.split_at_insertions(iteration, awake):
                parts.append(words)
                parts += [static_words[starts[a]:starts[b]] for a, b in inside.get(actor_link, ())]
            self._passes.append(np.concatenate([*parts, END]))
        self._passes.append(self._end(awake))

    def _write_patches(self, has_joints: bool, blocks: PatchBlocks, awake: Array) -> None:
        """As `_write` where there are neither links nor joints: patches come between the instructions of bodies."""
        tables, row_bytes = self._tables, self.memory.itemsize
        self._passes = [words_between(tables, PREPARE, blocks, row_bytes, NO_WORDS, END)]
        for kind in (SOLVE_NORMAL, SOLVE, FINAL) if self._pgs else (SOLVE, FINAL):
            head, tail = self._code.prologue_epilogue(iteration_of(self._program, NO_LINKS, NO_LINKS, NO_LINKS,
                                                                   has_joints,
                                                                   kind == FINAL), awake)
            self._passes.append(words_between(tables, kind, blocks, row_bytes, head, tail))
        self._passes.append(self._end(awake))

    def _end(self, awake: Array) -> Array:
        """The words of the end of a step of these actors."""
        if self._end_words[0] != awake.tobytes():
            self._end_words = awake.tobytes(), np.r_[self._code.end(awake), END]
        return self._end_words[1]
