"""One step of worlds whose links touch what is static.

Steps of blocks of worlds of links on what stands still: what touches is found and written into slots.

Who rests in worlds of one articulation on what stands still, by itself: as `resting` has it where worlds differ.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.friction_patch import ANCHORS, renew
from physx_runtime.collision.sort_by_link import room_to_sort, sort_by_link
from physx_runtime.collision.static_pairs import (
    AWAY,
    NOWHERE,
    AllPairs,
    Colliders,
    any_near,
    line_up,
    may_be_near,
    meet_link,
    take_note,
    touching_links,
)
from physx_runtime.compiling.numba_functions import borrowing_code, borrowing_entry
from physx_runtime.model.island_rows import ACTOR_GROUP
from physx_runtime.solver.contact.program import KEPT_AWAKE, PAIRS_HELD
from physx_runtime.solver.contact.static_slots import SlotProgram
from physx_runtime.solver.sleep import WOKEN
from physx_runtime.targets.interpreter import run_words, settle_guards
from physx_runtime.worlds.contact.islands import push_rows, rows_named
from physx_runtime.worlds.contact.patches import SURFACE_SIZE, give_arms, give_one, take_one
from physx_runtime.worlds.static_contact.plane_pairs import (
    MetRows,
    PairPatches,
    SlotBlock,
    bring,
    copy_numbers,
    hush,
    keep,
    pose_of_link,
    take_note_of_changes,
)

Array = NDArray[Any]
NEVER = -1              # in place of the row `asleep` where nothing sleeps
# Of a world.
REST = np.dtype([
    ("awake", "?"),             # the step moves it
    ("fresh", "?"),             # the step before moved it, or it was set anew
    ("ready", "?"),             # every counter is 0
    ("falling", "?"),           # it rests with the step's end
])


class RestingRows(NamedTuple):
    """Rows of a block that say whether its worlds rest, and those that are told."""

    asleep: int
    stirred: int
    kept: int
    counters: Array
    pushes: Array
    held: Array             # by link with pairs


def resting_rows(program: SlotProgram, links: Sequence[tuple[int, int]]) -> RestingRows:
    """Of the first actor, where it sleeps; links: those with pairs."""
    t, plan = program.plan.t.actors[0], program.plan.actors[0]
    none = np.zeros(0, np.int64)
    if not t.sleeping:
        return RestingRows(NEVER, 0, 0, none, none, none)

    def rows(*names: str) -> Array:
        return np.array([row for name in names for row in rows_named(program.layout, f"{ACTOR_GROUP}0_{name}")],
                        np.int64)

    moving, held = t.tree.moving_links, plan.layout[PAIRS_HELD].row
    return RestingRows(int(rows("asleep")[0]), int(rows("stirred")[0]), plan.layout[KEPT_AWAKE].row,
                       rows("wake_counter"), rows(*push_rows(t)) if t.pushed else none,
                       np.array([held + moving.index(link) if link in moving else NEVER for _, link in links],
                                np.int64))


@borrowing_code
def heed(block: SlotBlock, first_world: int, rows: RestingRows, worlds: Array, pairs: AllPairs,
         patches: Array) -> Any:
    """Heed what was done to the worlds of a block: how many are awake, and how many are to be looked at.

    worlds: REST. Pairs of those that rest lose what they remember, but for that they touch.
    """
    if rows.asleep == NEVER:
        return block.lanes, 1
    awake, looked_at, count = 0, 0, len(pairs.rows) // len(worlds)
    for lane in range(block.lanes):
        world = first_world + lane
        if world >= len(worlds):
            awake += 1                      # the last block has lanes without a world
            continue
        own = worlds[world]
        woken = (block.memory[lane + rows.stirred * block.lanes] >= WOKEN
                 or _any(block.memory, lane, block.lanes, rows.pushes))
        fell, own.fresh = own.falling, own.awake
        own.awake = woken or not block.memory[lane + rows.asleep * block.lanes] > 0.5
        own.ready = not (woken or _any(block.memory, lane, block.lanes, rows.counters))
        own.falling = False
        if fell or not own.awake:
            _lie_still(pairs, patches, world * count, (world + 1) * count)
        awake += own.awake
        looked_at += own.awake or own.fresh
    return awake, looked_at


@borrowing_code
def _any(memory: Array, base: int, lanes: int, rows: Array) -> bool:
    """Whether one of some rows of a world is not 0."""
    found = False
    for row in rows:
        found |= memory[base + row * lanes] != 0.0
    return found


@borrowing_code
def _lie_still(pairs: AllPairs, patches: Array, first: int, end: int) -> None:
    for k in range(first, end):
        pair = pairs.rows[k]
        pair.known, pair.points, pair.contacts, pair.warm = 0, 0, 0, 0
        patches[k].anchors, pairs.memory[k].slot = 0, NOWHERE


@borrowing_code
def tell(memory: Array, base: int, lanes: int, rows: RestingRows, own: Any, pairs: AllPairs, first: int,
         links: Array) -> None:
    """Tell a world that is awake whether it rests with the step, its pairs from row `first` on being met."""
    loosened = False
    for link in range(len(links)):
        near = 0
        for k in range(first + links[link]["first"], first + links[link]["end"]):
            loosened |= pairs.memory[k].parted != 0
            near += pairs.memory[k].near != AWAY
        if rows.held[link] != NEVER:
            memory[base + rows.held[link] * lanes] = near
    own.falling = own.ready and not loosened
    memory[base + rows.kept * lanes] = not own.falling
    stirred = base + rows.stirred * lanes
    if loosened:
        memory[stirred] = max(memory[stirred], WOKEN)


# Of one link with slots: where its numbers are in a block, and its pairs in a world.
SLOTS = np.dtype([
    ("owner", "i4"),            # which actor's link it is
    ("pose", "i4"),             # rows of the mass frame's pose, of F's rotation and of the centre of mass
    ("rotation", "i4"),
    ("center", "i4"),
    ("first", "i4"),            # its pairs
    ("end", "i4"),
    ("points", "i4"),           # places of each of its slots, of which it has one for each pair
    ("met", "?"),               # its one pair is met by rows
    ("made", "i4", 4),          # from a slot's first row: slipped, impulse, tangents, friction_impulse
])
FLAGS = 2   # rows of a slot before those of its patch: whether it is used, whether by several contacts or anchors
UP = 2      # of a patch's rows: the last of its normal


class StepPrograms(NamedTuple):
    """The passes of a step, by addresses."""

    interpreter: int
    start: Array            # words of one pass
    start_times: Array
    rest: Array             # words of the passes behind it
    rest_times: Array       # (counts, passes) how often each, under the iterations of every count
    position: Array         # words of position iterations, and their guards, GUARD
    guards: Array


class PairQueue(NamedTuple):
    """Memory in which pairs of a block's worlds are looked at, and those that touch put in order."""

    links: Array            # (n_pair,) which of the links each pair of a world is of
    slots: Array            # (lanes, n_pair) the pair in each slot of a world, -1 of none
    listed: Array
    order: Array
    runs: Array
    close: Array            # (lanes, n_pair) whether a pair may be near
    none: Array             # `slots` in which nothing is
    busy: Array             # by link, whether one of its pairs is or may be near


def queue_of(links: Array, lanes: int) -> PairQueue:
    """For worlds whose pairs are of these links."""
    count = len(links)
    return PairQueue(np.asarray(links, np.int64), np.full((lanes, count), -1), np.zeros(count, np.int64),
                     np.zeros(count, np.int64), room_to_sort(count), np.zeros((lanes, count), np.bool_),
                     np.full((lanes, count), -1), np.zeros(count, np.bool_))


class BlockScratch(NamedTuple):
    """Memory of a thread for one block."""

    rows: Array             # (rows, lanes)
    held: Array             # (slots, lanes)
    queue: PairQueue
    kept: Array             # what worlds that rest go back to: as many rows as the state has, or none
    begun: Array            # all rows where counts differ, twice, or none
    position: Array         # words of the block's position iterations, which come by no guard
    rest: Array             # as in `StepPrograms`, with these


@functools.cache
def advancing(kinds: tuple[tuple[int, int], ...]) -> Any:
    """What steps blocks of worlds where pairs of shapes of these kinds meet."""
    touch_link = touching_links(kinds)

    @borrowing_code
    def fill(block: SlotBlock, first: int, links: Array, slots: Array, pairs: AllPairs, colliders: Colliders,
              known: PairPatches, queue: PairQueue, rows: RestingRows, worlds: Array, met: MetRows) -> None:
        """Make the contacts of the worlds of a block, the first of them `first`, and write their patches into slots.

        links: SLOTS. slots: where the rows of each begin, the flags first; a link has them where it has its pairs.
        worlds: REST; those that rest have none in their slots.
        """
        lanes, count = block.lanes, len(slots)
        own = min(lanes, len(worlds) - first)       # the last block has lanes without a world
        some = take_note_of_changes(met, block, own, links, pairs, first * count, colliders)
        for number in range(len(links)):        # the rows of one link's slots stay near while all worlds write them
            link = links[number]
            queue.busy[number] = not link["met"] and (
                _look_around(block, link, pairs, queue.close) or any_near(pairs, first * count, own, count, link))
            if not queue.busy[number]:
                continue
            some = True
            for lane in range(own):
                begin, end = (first + lane) * count + link["first"], (first + lane) * count + link["end"]
                pose, close = pose_of_link(block, lane, link), queue.close[lane, link["first"]:]
                if worlds[first + lane].awake:
                    touch_link(pairs, begin, end, pose, colliders, close)
                elif worlds[first + lane].fresh:
                    meet_link(pairs, begin, end, pose, colliders, close)
        if some:
            _put_in_order(first, own, count, links, pairs, colliders, queue, worlds)
            hush(met, own, pairs, first * count, count)
        for number in range(len(links)):
            link = links[number]
            if not link["met"] and (queue.busy[number] or _any_held(block, link)):
                _fill_link(block, first, own, link, slots, queue.slots if queue.busy[number] else queue.none, pairs,
                           known)
        if rows.asleep != NEVER:
            for lane in range(own):
                if worlds[first + lane].awake:
                    tell(block.memory, lane, lanes, rows, worlds[first + lane], pairs, (first + lane) * count, links)

    @borrowing_entry
    def advance(host: Array, first: int, last: int, steps: int, state: int, passes: StepPrograms, which: Array,
                room: BlockScratch,
                links: Array, slots: Array, pairs: AllPairs, colliders: Colliders, known: PairPatches,
                resting: RestingRows, worlds: Array, met: MetRows, stepped_rows: Array, stepped: Array,
                impulses: Array, frictions: Array) -> None:
        """Step the blocks `first` to `last` so often.

        which: of each world, the line of `passes.rest_times` that it is stepped under. worlds: REST. stepped_rows,
        stepped: of `StateTracker`. impulses, frictions: are given what patches gave.
        """
        inputs, lanes = host.shape[1], host.shape[2]
        own = SlotBlock(room.rows, room.rows.reshape(room.rows.size), lanes, room.held)
        for block in range(first, last):
            copy_numbers(host[block], 0, room.rows, 0, inputs)
            bring(met, block, room.rows)
            for step in range(steps):
                first_world = block * lanes
                awake, looked_at = heed(own, first_world, resting, worlds, pairs, known.patches)
                if not looked_at:
                    continue
                if awake < lanes:
                    copy_numbers(room.rows, 0, room.kept, 0, state)
                for i in range(len(stepped_rows)):
                    for lane in range(lanes):
                        room.rows[stepped_rows[i], lane] = step > 0 or stepped[block, i, lane]
                run_words(passes.interpreter, room.rows, passes.start, passes.start_times)
                fill(own, first_world, links, slots, pairs, colliders, known, room.queue, resting, worlds, met)
                settle_guards(passes.position, passes.guards, room.rows, room.position)
                _finish(room, passes, which, first_world)
                _drain(own, min(lanes, len(worlds) - first_world), links, slots, known, impulses, frictions)
                if awake < lanes:
                    for lane in range(lanes):
                        if not worlds[min(first_world + lane, len(worlds) - 1)].awake:
                            _copy_lane(room.kept, room.rows, state, lane)
            copy_numbers(room.rows, 0, host[block], 0, state)
            keep(met, block, room.rows)

    return advance


@borrowing_code
def _finish(room: BlockScratch, passes: StepPrograms, which: Array, first_world: int) -> None:
    """The rest of a step; under counts that differ all worlds take it under each, and keep that under their own."""
    if len(passes.rest_times) == 1:
        run_words(passes.interpreter, room.rows, room.rest, passes.rest_times[0])
        return
    size = len(room.rows)
    copy_numbers(room.rows, 0, room.begun[0], 0, size)
    for i in range(len(passes.rest_times)):
        copy_numbers(room.begun[0], 0, room.rows, 0, size)
        run_words(passes.interpreter, room.rows, room.rest, passes.rest_times[i])
        for lane in range(room.rows.shape[1]):
            if which[min(first_world + lane, len(which) - 1)] == i:
                _copy_lane(room.rows, room.begun[1], size, lane)
    copy_numbers(room.begun[1], 0, room.rows, 0, size)


@borrowing_code
def _copy_lane(source: Array, target: Array, count: int, lane: int) -> None:
    """Copy the first rows of one world."""
    for row in range(count):
        target[row, lane] = source[row, lane]


@borrowing_code
def _look_around(block: SlotBlock, link: Any, pairs: AllPairs, close: Array) -> bool:
    """Tell of the pairs of a link in all lanes whether they may be near, and whether some are."""
    some = False
    for k in range(link["first"], link["end"]):
        for lane in range(block.lanes):
            close[lane, k] = may_be_near(pairs.balls[k], pose_of_link(block, lane, link))
        for lane in range(block.lanes):
            some |= close[lane, k]
    return some


@borrowing_code
def _any_held(block: SlotBlock, link: Any) -> bool:
    """Whether something is in a slot of a link."""
    some = False
    for slot in range(link["first"], link["end"]):
        for lane in range(block.lanes):
            some |= block.held[slot, lane] >= 0
    return some


@borrowing_code
def _put_in_order(first: int, own: int, count: int, links: Array, pairs: AllPairs, colliders: Colliders,
                  queue: PairQueue, worlds: Array) -> None:
    """Find the slots of the pairs that touch in the `own` worlds from `first` on; count: pairs of a world."""
    for lane in range(own):
        queue.slots[lane] = -1
        if worlds[first + lane].awake:
            if take_note(pairs, (first + lane) * count, (first + lane + 1) * count, colliders):
                _line_up_by_link(pairs, (first + lane) * count, links, queue)
            for k in range((first + lane) * count, (first + lane + 1) * count):
                if pairs.memory[k].touching:
                    queue.slots[lane, pairs.memory[k].slot] = k


@borrowing_code
def _fill_link(block: SlotBlock, first: int, own: int, link: Any, slots: Array, chosen: Array, pairs: AllPairs,
               known: PairPatches) -> None:
    """Write the patches of a link in the `own` worlds from `first` on; chosen: the pair in each slot of each."""
    for lane in range(own):
        if chosen[lane, link["first"]] >= 0:
            patch = known.patches[(first + lane) * len(slots) + link["first"]]
            _read_frame(block.memory, lane, block.lanes, link, known.centers[patch["side0"]])
        _put(block, lane, link, slots, chosen[lane], pairs, known)


@borrowing_code
def _line_up_by_link(pairs: AllPairs, first: int, links: Array, queue: PairQueue) -> None:
    """Tell the pairs of a world that touch in which slot they are: the order in which they are solved."""
    number, count = 0, line_up(pairs, first, first + len(queue.links), queue.listed)
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
def _put(block: SlotBlock, lane: int, link: Any, slots: Array, chosen: Array, pairs: AllPairs,
         known: PairPatches) -> None:
    """Write the patches of pairs of a link into its slots, one after the other, and nothing into the others.

    chosen: the pair of each of the world's slots, -1 of none.
    """
    lanes = block.lanes
    for k in range(link["end"] - link["first"]):
        slot = link["first"] + k
        m = slots[slot] * lanes + lane
        before = block.held[slot, lane]
        block.held[slot, lane] = chosen[slot]
        if chosen[slot] >= 0:
            block.memory[m] = 1.0
            _give(block.memory, m + FLAGS * lanes, lanes, link["points"], chosen[slot], pairs, known)
            patch = known.patches[chosen[slot]]
            block.memory[m + lanes] = 1.0 if patch["points"] > 1 or patch["anchors"] > 1 else 0.0
        elif before >= 0:
            block.memory[m] = block.memory[m + lanes] = 0.0
            _clear(block.memory, m + FLAGS * lanes, lanes, link["points"])


@borrowing_code
def _read_frame(memory: Array, base: int, lanes: int, link: Any, frame: Array) -> None:
    """The frame of a link's centre of mass."""
    for i in range(3):
        frame[i] = memory[base + (link["center"] + i) * lanes]
    for i in range(4):
        frame[3 + i] = memory[base + (link["rotation"] + i) * lanes]


@borrowing_code
def _give(memory: Array, m: int, lanes: int, points: int, p: int, pairs: AllPairs, known: PairPatches) -> None:
    """Write the patch of a pair as it is in this step into a slot."""
    patch, pair = known.patches[p], pairs.rows[p]
    frame0, frame1 = known.centers[patch["side0"]], known.centers[patch["side1"]]
    renew(known.patches, p, pair, pairs.memory[p]["begun"], pairs.contacts, known.order, frame0, frame1,
          known.threshold, known.correlation)
    give_one(memory, m, lanes, points, patch, known.order, pairs.contacts, pair["rest"],
             known.surfaces[known.surface_of[p]])
    at = m + lanes * (3 + SURFACE_SIZE + 5 * points)
    give_arms(memory, at, lanes, ANCHORS, patch, patch["anchor0"], frame0, False)
    give_arms(memory, at + lanes * 3 * ANCHORS, lanes, ANCHORS, patch, patch["anchor1"], frame1, True)
    for j in range(ANCHORS):
        memory[at + lanes * (6 * ANCHORS + j)] = 1.0 if j < patch["anchors"] else 0.0


@borrowing_code
def _clear(memory: Array, m: int, lanes: int, points: int) -> None:
    """Leave nothing of the patch that was in a slot but numbers that do nothing."""
    for i in range(3 + SURFACE_SIZE + 5 * points + 7 * ANCHORS):
        memory[m + lanes * i] = 1.0 if i == UP else 0.0


@borrowing_code
def _drain(block: SlotBlock, worlds: int, links: Array, slots: Array, known: PairPatches, impulses: Array,
           frictions: Array) -> None:
    """Read what patches gave out of the slots of a block; the last one has lanes without a world."""
    for link in links:
        for slot in range(link["first"], 0 if link["met"] else link["end"]):
            for lane in range(worlds):
                p = block.held[slot, lane]
                if p >= 0:
                    m = (slots[slot] + FLAGS) * block.lanes + lane
                    take_one(block.memory, m, block.lanes, link["made"], ANCHORS, known.patches[p], known.order,
                             impulses, frictions[p])
