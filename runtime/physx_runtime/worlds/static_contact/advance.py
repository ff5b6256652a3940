"""The step of blocks of worlds whose links touch static shapes only.

`make_advance` compiles the loop over blocks: contacts are found, written into the fixed slots of links, and solved by
bytecode. `read_wake_state` and `write_wake_state` handle the sleep of worlds with one articulation. `contact.islands`
does so where worlds differ.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from physx_runtime.arrays import Array, Integer, Record
from physx_runtime.collision.friction_patch import ANCHORS, correlate_patch
from physx_runtime.collision.sort_by_link import sort_buffer, sort_by_link
from physx_runtime.collision.static_pairs import (
    NO_SLOT,
    SEPARATE,
    AllPairs,
    Colliders,
    any_overlapping,
    contact_generator,
    may_overlap,
    sort_by_touch,
    update_link_overlaps,
    update_pair_events,
)
from physx_runtime.compiling.numba_functions import borrowing_code, borrowing_entry
from physx_runtime.model.row_specs import ACTOR_GROUP, RowKey
from physx_runtime.solver.contact.program import PAIR_COUNTS, STAYS_AWAKE
from physx_runtime.solver.contact.static_slots import SlotProgram
from physx_runtime.solver.sleep import WAKE_REQUEST_WAKE
from physx_runtime.targets.interpreter import resolve_guards, run_bytecode
from physx_runtime.worlds.contact.islands import external_force_row_names, rows_named
from physx_runtime.worlds.contact.patches import END_OFFSET, read_patch, row_at, write_anchors, write_patch
from physx_runtime.worlds.static_contact.plane_pairs import (
    PairPatches,
    PlanePairRows,
    SlotBlock,
    clear_touch_lost,
    copy_block_rows,
    load_plane_pairs,
    pose_of_link,
    store_plane_pairs,
    update_plane_pairs,
)

NO_ROW = -1              # in place of the row `asleep` where nothing sleeps
# Of a world.
WAKE_STATE = np.dtype([
    ("awake", "?"),                 # the step moves it
    ("was_awake", "?"),             # the step before moved it, or it was reset
    ("can_sleep", "?"),             # every counter is 0
    ("falling_asleep", "?"),        # it falls asleep at the end of the step
])


class WakeRows(NamedTuple):
    """Rows of a block with the sleep state of its worlds."""

    asleep: int
    wake_request: int
    stays_awake: int
    wake_counters: Array
    external_forces: Array
    pair_counts: Array             # by link with pairs


def wake_rows(program: SlotProgram, links: Sequence[tuple[int, int]]) -> WakeRows:
    """The rows of the first actor, if it can sleep; links: those with pairs."""
    t, plan = program.plan.t.actors[0], program.plan.actors[0]
    none = np.zeros(0, np.int64)
    if not t.sleeping:
        return WakeRows(NO_ROW, 0, 0, none, none, none)

    def rows(*names: str) -> Array:
        keys = (RowKey(ACTOR_GROUP, 0, name) for name in names)
        return np.array([row for key in keys for row in rows_named(program.layout, str(key))],
                        np.int64)

    moving, pair_count_row = t.tree.moving_links, plan.layout[PAIR_COUNTS].row
    return WakeRows(int(rows("asleep")[0]), int(rows("wake_request")[0]), plan.layout[STAYS_AWAKE].row,
                    rows("wake_counter"), rows(*external_force_row_names(t)) if t.has_external_forces else none,
                    np.array([pair_count_row + moving.index(link) if link in moving else NO_ROW for _, link in links],
                             np.int64))


@borrowing_code
def read_wake_state(block: SlotBlock, first_world: int, rows: WakeRows, worlds: Array, pairs: AllPairs,
                    patches: Array) -> tuple[Integer, Integer]:
    """Update the wake states of the worlds of a block; return the number of awake worlds and of active ones.

    worlds: WAKE_STATE. Pairs of sleeping worlds lose their manifolds and anchors; they keep touching.
    """
    if rows.asleep == NO_ROW:
        return block.size, 1
    awake, active, count = 0, 0, len(pairs.rows) // len(worlds)
    for i in range(block.size):
        world = first_world + i
        if world >= len(worlds):
            awake += 1                      # the last block has lanes without a world
            continue
        state = worlds[world]
        woken = (block.memory[i + rows.wake_request * block.size] >= WAKE_REQUEST_WAKE
                 or _any(block.memory, i, block.size, rows.external_forces))
        fell, state.was_awake = state.falling_asleep, state.awake
        state.awake = woken or not block.memory[i + rows.asleep * block.size] > 0.5
        state.can_sleep = not (woken or _any(block.memory, i, block.size, rows.wake_counters))
        state.falling_asleep = False
        if fell or not state.awake:
            _clear_manifolds(pairs, patches, world * count, (world + 1) * count)
        awake += state.awake
        active += state.awake or state.was_awake
    return awake, active


@borrowing_code
def _any(memory: Array, base: int, stride: int, rows: Array) -> bool:
    """Whether any of these rows of a world is not 0."""
    any_nonzero = False
    for row in rows:
        any_nonzero |= memory[base + row * stride] != 0.0
    return any_nonzero


@borrowing_code
def _clear_manifolds(pairs: AllPairs, patches: Array, first: int, end: int) -> None:
    for k in range(first, end):
        pair = pairs.rows[k]
        pair.known, pair.points, pair.contacts, pair.warm_start_count = 0, 0, 0, 0
        patches[k].anchors, pairs.memory[k].slot = 0, NO_SLOT


@borrowing_code
def write_wake_state(memory: Array, base: int, stride: int, rows: WakeRows, state: Record, pairs: AllPairs, first: int,
                     links: Array) -> None:
    """Write whether an awake world falls asleep with the step, after its pairs from `first` on were updated."""
    static_touch_lost = False
    for link in range(len(links)):
        overlaps = 0
        for k in range(first + links[link]["first"], first + links[link]["end"]):
            static_touch_lost |= pairs.memory[k].touch_lost != 0
            overlaps += pairs.memory[k].overlapping != SEPARATE
        if rows.pair_counts[link] != NO_ROW:
            memory[base + rows.pair_counts[link] * stride] = overlaps
    state.falling_asleep = state.can_sleep and not static_touch_lost
    memory[base + rows.stays_awake * stride] = not state.falling_asleep
    wake_row = base + rows.wake_request * stride
    if static_touch_lost:
        memory[wake_row] = max(memory[wake_row], WAKE_REQUEST_WAKE)


# One link with slots: its rows in a block, and its pairs in a world.
LINK_SLOTS = np.dtype([
    ("owner", "i4"),            # the actor of the link
    ("pose", "i4"),             # rows of the mass frame's pose, of F's rotation and of the centre of mass
    ("rotation", "i4"),
    ("center", "i4"),
    ("first", "i4"),            # its pairs
    ("end", "i4"),
    ("points", "i4"),           # capacity of each of its slots for contact points; it has one slot for each pair
    ("is_plane_pair", "?"),     # its only pair is one of `PlanePairs`
    ("output_offsets", "i4", 4),  # from a slot's first row: broken, impulse, tangents, friction_impulse
])
FLAG_ROWS = 2   # rows of a slot before those of its patch: whether it is used, whether by several contacts or anchors
NORMAL_Z = 2      # of a patch's rows: the last of its normal


class StepPrograms(NamedTuple):
    """The passes of a step, as bytecode."""

    interpreter: int
    start: Array            # words of one pass
    start_times: Array
    remainder: Array             # words of the passes after it
    remainder_times: Array       # (counts, passes) runs of each pass for each iteration count
    position: Array         # words of position iterations, and their guards, GUARD
    guards: Array


class PairQueue(NamedTuple):
    """Memory for finding the pairs of a block's worlds, and for ordering those that touch."""

    links: Array            # (n_pair,) index of the link of each pair of a world
    slots: Array            # (lanes, n_pair) the pair in each slot of a world, -1 of none
    listed: Array
    order: Array
    runs: Array
    candidates: Array            # (lanes, n_pair) whether the bounds of a pair may overlap
    empty_slots: Array             # the same, all empty
    is_active: Array             # by link, whether one of its pairs overlaps or may overlap


def make_queue(links: Array, block_size: int) -> PairQueue:
    """A queue for worlds with pairs of these links."""
    count = len(links)
    return PairQueue(np.asarray(links, np.int64), np.full((block_size, count), -1), np.zeros(count, np.int64),
                     np.zeros(count, np.int64), sort_buffer(count), np.zeros((block_size, count), np.bool_),
                     np.full((block_size, count), -1), np.zeros(count, np.bool_))


class BlockScratch(NamedTuple):
    """Memory of a thread for one block."""

    rows: Array             # (rows, lanes)
    slot_pairs: Array             # (slots, lanes)
    queue: PairQueue
    saved_state: Array             # state of sleeping worlds, which is restored; or no rows
    saved_rows: Array            # all rows where counts differ, twice, or none
    position: Array         # words of the block's position iterations, with guards resolved
    remainder: Array             # as in `StepPrograms`, with these words


@functools.cache
def make_advance(kinds: tuple[tuple[int, int], ...]) -> Callable[..., None]:
    """The compiled function that steps blocks of worlds with pairs of these kinds of shapes."""
    touch_link = contact_generator(kinds)

    @borrowing_code
    def fill(block: SlotBlock, first: int, links: Array, slots: Array, pairs: AllPairs, colliders: Colliders,
              pair_patches: PairPatches, queue: PairQueue, wake_rows: WakeRows, states: Array,
             plane_rows: PlanePairRows) -> None:
        """Make the contacts of the worlds of a block, from world `first` on, and write their patches into slots.

        links: LINK_SLOTS. slots: the first row of each, where its flags are; slots are indexed like pairs.
        states: WAKE_STATE; slots of sleeping worlds are empty.
        """
        block_size, count = block.size, len(slots)
        world_count = min(block_size, len(states) - first)       # the last block has lanes without a world
        any_active = update_plane_pairs(plane_rows, block, world_count, links, pairs, first * count, colliders)
        for number in range(len(links)):        # the rows of one link's slots stay near while all worlds write them
            link = links[number]
            queue.is_active[number] = not link["is_plane_pair"] and (
                _find_candidates(block, link, pairs, queue.candidates) or any_overlapping(pairs, first * count,
                                                                                          world_count, count, link))
            if not queue.is_active[number]:
                continue
            any_active = True
            for world in range(world_count):
                begin, end = (first + world) * count + link["first"], (first + world) * count + link["end"]
                pose, candidates = pose_of_link(block, world, link), queue.candidates[world, link["first"]:]
                if states[first + world].awake:
                    touch_link(pairs, begin, end, pose, colliders, candidates)
                elif states[first + world].was_awake:
                    update_link_overlaps(pairs, begin, end, pose, colliders, candidates)
        if any_active:
            _assign_slots(first, world_count, count, links, pairs, colliders, queue, states)
            clear_touch_lost(plane_rows, world_count, pairs, first * count, count)
        for number in range(len(links)):
            link = links[number]
            if not link["is_plane_pair"] and (queue.is_active[number] or _any_filled(block, link)):
                _fill_link(block, first, world_count, link, slots,
                           queue.slots if queue.is_active[number] else queue.empty_slots, pairs,
                           pair_patches)
        if wake_rows.asleep != NO_ROW:
            for world in range(world_count):
                if states[first + world].awake:
                    write_wake_state(block.memory, world, block_size, wake_rows, states[first + world], pairs,
                                     (first + world) * count, links)

    @borrowing_entry
    def advance(host: Array, first: int, last: int, steps: int, state_size: int, passes: StepPrograms,
                count_index: Array,
                scratch: BlockScratch,
                links: Array, slots: Array, pairs: AllPairs, colliders: Colliders, pair_patches: PairPatches,
                wake_rows: WakeRows, states: Array, plane_rows: PlanePairRows, stepped_rows: Array, stepped: Array,
                impulses: Array, frictions: Array) -> None:
        """Advance the blocks `first` to `last` by `steps` steps.

        count_index: by world, its line of `passes.remainder_times`. states: WAKE_STATE. stepped_rows, stepped: of
        `StateTracker`. impulses, frictions: are filled with the results of patches.
        """
        inputs, block_size = host.shape[1], host.shape[2]
        slot_block = SlotBlock(scratch.rows, scratch.rows.reshape(scratch.rows.size), block_size, scratch.slot_pairs)
        for block in range(first, last):
            copy_block_rows(host[block], 0, scratch.rows, 0, inputs)
            load_plane_pairs(plane_rows, block, scratch.rows)
            for step in range(steps):
                first_world = block * block_size
                awake, active = read_wake_state(slot_block, first_world, wake_rows, states, pairs, pair_patches.patches)
                if not active:
                    continue
                if awake < block_size:
                    copy_block_rows(scratch.rows, 0, scratch.saved_state, 0, state_size)
                for i in range(len(stepped_rows)):
                    for world in range(block_size):
                        scratch.rows[stepped_rows[i], world] = step > 0 or stepped[block, i, world]
                run_bytecode(passes.interpreter, scratch.rows, passes.start, passes.start_times)
                fill(slot_block, first_world, links, slots, pairs, colliders, pair_patches, scratch.queue, wake_rows,
                     states, plane_rows)
                resolve_guards(passes.position, passes.guards, scratch.rows, scratch.position)
                _run_remainder(scratch, passes, count_index, first_world)
                _read_slots(slot_block, min(block_size, len(states) - first_world), links, slots, pair_patches,
                            impulses, frictions)
                if awake < block_size:
                    for world in range(block_size):
                        if not states[min(first_world + world, len(states) - 1)].awake:
                            _copy_world(scratch.saved_state, scratch.rows, state_size, world)
            copy_block_rows(scratch.rows, 0, host[block], 0, state_size)
            store_plane_pairs(plane_rows, block, scratch.rows)

    return advance


@borrowing_code
def _run_remainder(scratch: BlockScratch, passes: StepPrograms, count_index: Array, first_world: int) -> None:
    """Run the rest of a step; with different iteration counts all worlds run each and keep their own result."""
    if len(passes.remainder_times) == 1:
        run_bytecode(passes.interpreter, scratch.rows, scratch.remainder, passes.remainder_times[0])
        return
    size = len(scratch.rows)
    copy_block_rows(scratch.rows, 0, scratch.saved_rows[0], 0, size)
    for i in range(len(passes.remainder_times)):
        copy_block_rows(scratch.saved_rows[0], 0, scratch.rows, 0, size)
        run_bytecode(passes.interpreter, scratch.rows, scratch.remainder, passes.remainder_times[i])
        for world in range(scratch.rows.shape[1]):
            if count_index[min(first_world + world, len(count_index) - 1)] == i:
                _copy_world(scratch.rows, scratch.saved_rows[1], size, world)
    copy_block_rows(scratch.saved_rows[1], 0, scratch.rows, 0, size)


@borrowing_code
def _copy_world(source: Array, target: Array, count: int, world: int) -> None:
    """Copy the first rows of one world."""
    for row in range(count):
        target[row, world] = source[row, world]


@borrowing_code
def _find_candidates(block: SlotBlock, link: Record, pairs: AllPairs, candidates: Array) -> bool:
    """Fill in which pairs of a link may overlap in each lane; return whether any does."""
    any_active = False
    for k in range(link["first"], link["end"]):
        for world in range(block.size):
            candidates[world, k] = may_overlap(pairs.bounding_spheres[k], pose_of_link(block, world, link))
        for world in range(block.size):
            any_active |= candidates[world, k]
    return any_active


@borrowing_code
def _any_filled(block: SlotBlock, link: Record) -> bool:
    """Whether any slot of a link holds a pair."""
    any_filled = False
    for slot in range(link["first"], link["end"]):
        for world in range(block.size):
            any_filled |= block.slot_pairs[slot, world] >= 0
    return any_filled


@borrowing_code
def _assign_slots(first: int, world_count: int, count: int, links: Array, pairs: AllPairs, colliders: Colliders,
                  queue: PairQueue, states: Array) -> None:
    """Fill `queue.slots` with the touching pairs of `world_count` worlds from `first` on; count: pairs of a world."""
    for world in range(world_count):
        queue.slots[world] = -1
        if states[first + world].awake:
            if update_pair_events(pairs, (first + world) * count, (first + world + 1) * count, colliders):
                _assign_slots_by_link(pairs, (first + world) * count, links, queue)
            for k in range((first + world) * count, (first + world + 1) * count):
                if pairs.memory[k].touching:
                    queue.slots[world, pairs.memory[k].slot] = k


@borrowing_code
def _fill_link(block: SlotBlock, first: int, world_count: int, link: Record, slots: Array, slot_pairs: Array,
               pairs: AllPairs,
               pair_patches: PairPatches) -> None:
    """Write the patches of a link in worlds from `first` on; slot_pairs: (lanes, n_slot) the pair of each slot."""
    for world in range(world_count):
        if slot_pairs[world, link["first"]] >= 0:
            patch = pair_patches.patches[(first + world) * len(slots) + link["first"]]
            _read_frame(block.memory, world, block.size, link, pair_patches.centers[patch["body0"]])
        _write_slots(block, world, link, slots, slot_pairs[world], pairs, pair_patches)


@borrowing_code
def _assign_slots_by_link(pairs: AllPairs, first: int, links: Array, queue: PairQueue) -> None:
    """Assign slots to the touching pairs of a world, in the order in which PhysX solves them."""
    number, count = 0, sort_by_touch(pairs, first, first + len(queue.links), queue.listed)
    while number < len(links):
        owner, of_owner = links[number].owner, 0
        for k in queue.listed[:count]:
            if links[queue.links[k]].owner == owner:
                queue.order[of_owner] = k
                of_owner += 1
        sort_by_link(queue.order, of_owner, queue.links, queue.runs)
        at, link = 0, -1
        for k in queue.order[:of_owner]:
            at = at + 1 if queue.links[k] == link else 0
            link = queue.links[k]
            pairs.memory[first + k].slot = links[link].first + at
        while number < len(links) and links[number].owner == owner:
            number += 1


@borrowing_code
def _write_slots(block: SlotBlock, world: int, link: Record, slots: Array, slot_pairs: Array, pairs: AllPairs,
                 pair_patches: PairPatches) -> None:
    """Write the patches of pairs of a link into its slots, and clear the slots without a pair.

    slot_pairs: the pair of each of the world's slots, -1 for none.
    """
    block_size = block.size
    for k in range(link["end"] - link["first"]):
        slot = link["first"] + k
        m = slots[slot] * block_size + world
        previous = block.slot_pairs[slot, world]
        block.slot_pairs[slot, world] = slot_pairs[slot]
        if slot_pairs[slot] >= 0:
            block.memory[m] = 1.0
            _write_slot_patch(block.memory, m + FLAG_ROWS * block_size, block_size, link["points"], slot_pairs[slot],
                              pairs, pair_patches)
            patch = pair_patches.patches[slot_pairs[slot]]
            block.memory[m + block_size] = 1.0 if patch["points"] > 1 or patch["anchors"] > 1 else 0.0
        elif previous >= 0:
            block.memory[m] = block.memory[m + block_size] = 0.0
            _clear_slot_patch(block.memory, m + FLAG_ROWS * block_size, block_size, link["points"])


@borrowing_code
def _read_frame(memory: Array, base: int, stride: int, link: Record, frame: Array) -> None:
    """The frame of a link's centre of mass."""
    for i in range(3):
        frame[i] = memory[base + (link["center"] + i) * stride]
    for i in range(4):
        frame[3 + i] = memory[base + (link["rotation"] + i) * stride]


@borrowing_code
def _write_slot_patch(memory: Array, m: int, stride: int, points: int, p: int, pairs: AllPairs,
                      pair_patches: PairPatches) -> None:
    """Write the patch of a pair into a slot."""
    patch, pair = pair_patches.patches[p], pairs.rows[p]
    frame0, frame1 = pair_patches.centers[patch["body0"]], pair_patches.centers[patch["body1"]]
    correlate_patch(pair_patches.patches, p, pair, pairs.memory[p]["touch_index"], pairs.contacts, pair_patches.order,
                    frame0,
                    frame1,
                    pair_patches.threshold, pair_patches.correlation)
    write_patch(memory, m, stride, points, patch, pair_patches.order, pairs.contacts, pair["rest_distance"],
                pair_patches.surfaces[pair_patches.surface_of[p]])
    write_anchors(memory, m, stride, points, ANCHORS, patch, frame0, frame1, False, True)


@borrowing_code
def _clear_slot_patch(memory: Array, m: int, stride: int, points: int) -> None:
    """Clear the patch in a slot, so that it has no effect."""
    for i in range(row_at(END_OFFSET, points, ANCHORS)):
        memory[m + stride * i] = 1.0 if i == NORMAL_Z else 0.0


@borrowing_code
def _read_slots(block: SlotBlock, world_count: int, links: Array, slots: Array, pair_patches: PairPatches,
                impulses: Array,
                frictions: Array) -> None:
    """Read the results of patches from the slots of a block; the last block has lanes without a world."""
    for link in links:
        for slot in range(link["first"], 0 if link["is_plane_pair"] else link["end"]):
            for world in range(world_count):
                p = block.slot_pairs[slot, world]
                if p >= 0:
                    m = (slots[slot] + FLAG_ROWS) * block.size + world
                    read_patch(block.memory, m, block.size, link["output_offsets"], ANCHORS, pair_patches.patches[p],
                               pair_patches.order,
                               impulses, frictions[p])
