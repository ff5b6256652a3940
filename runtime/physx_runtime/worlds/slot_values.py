"""What touches in worlds of links on what stands still, found and written into the slots of their blocks."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.fixed_pairs import AllPairs, Colliders, line_up, meet_link, touching_links
from physx_runtime.collision.patches import ANCHORS, renew
from physx_runtime.collision.sort_by_link import room_to_sort, sort_by_link
from physx_runtime.collision.vectors import Pose
from physx_runtime.compiling.scalar_code import borrowing_code, borrowing_entry
from physx_runtime.worlds.patch_values import SURFACE_SIZE, give_arms, give_one, take_one
from physx_runtime.worlds.slot_blocks import SlotBlocks
from physx_runtime.worlds.slot_rest import NEVER, RestingRows, tell

Array = NDArray[Any]

# Of one link with slots: where its numbers are in a block, and its pairs in a world.
SLOTS = np.dtype([
    ("owner", "i4"),            # which actor's link it is
    ("origin", "i4"),           # rows of F and of the centre of mass
    ("rotation", "i4"),
    ("center", "i4"),
    ("first", "i4"),            # its pairs
    ("end", "i4"),
    ("points", "i4"),           # places of each of its slots, of which it has one for each pair
    ("made", "i4", 4),          # from a slot's first row: slipped, impulse, tangents, friction_impulse
])
UP = 2      # of a patch's rows: the last of its normal


class PairPatches(NamedTuple):
    """The one patch of each pair of all worlds, and what it is made of."""

    patches: Array          # PATCH
    order: Array            # of contacts, as they lie
    centers: Array          # frames of places, those of links to be filled in
    surfaces: Array         # (n, 11)
    surface_of: Array       # which of these each pair has
    threshold: float        # as of `collision.patches.Patches`
    correlation: float


class Queue(NamedTuple):
    """Memory in which the pairs of a block's worlds that touch are put in order."""

    links: Array            # (n_pair,) which of the links each pair of a world is of
    slots: Array            # (lanes, n_pair) the pair in each slot of a world, -1 of none
    listed: Array
    order: Array
    runs: Array


def queue_of(links: Array, lanes: int) -> Queue:
    """For worlds whose pairs are of these links."""
    count = len(links)
    return Queue(np.asarray(links, np.int64), np.full((lanes, count), -1), np.zeros(count, np.int64),
                 np.zeros(count, np.int64), room_to_sort(count))


@functools.cache
def filling(kinds: tuple[tuple[int, int], ...]) -> Any:
    """What fills the slots of worlds where pairs of shapes of these kinds meet."""
    touch_link = touching_links(kinds)

    @borrowing_entry
    def fill(blocks: SlotBlocks, first_world: int, links: Array, slots: Array, pairs: AllPairs, colliders: Colliders,
             known: PairPatches, queue: Queue, rows: RestingRows, worlds: Array) -> None:
        """Make the contacts of the worlds of some blocks, and write their patches into slots.

        links: SLOTS. slots: where the rows of each begin, the flag first; a link has them where it has its pairs.
        worlds: REST; those that rest have none in their slots.
        """
        lanes, count = blocks.lanes, len(slots)
        for block in range(len(blocks.held)):
            first = first_world + block * lanes
            own = min(lanes, len(worlds) - first)       # the last block has lanes without a world
            for link in links:              # the rows of one link's slots stay near while all worlds write them
                for lane in range(own):
                    pose = _pose(blocks.memory, block * blocks.size * lanes + lane, lanes, link)
                    begin, end = (first + lane) * count + link["first"], (first + lane) * count + link["end"]
                    if worlds[first + lane].awake:
                        touch_link(pairs, begin, end, pose, colliders)
                    elif worlds[first + lane].fresh:
                        meet_link(pairs, begin, end, pose, colliders)
            for lane in range(own):
                queue.slots[lane] = -1
                if worlds[first + lane].awake:
                    _line_up_by_link(pairs, (first + lane) * count, links, colliders, queue, lane)
            for link in links:
                for lane in range(own):
                    p = (first + lane) * count + link["first"]
                    if queue.slots[lane, link["first"]] >= 0:
                        _read_frame(blocks.memory, block * blocks.size * lanes + lane, lanes, link,
                                    known.centers[known.patches[p]["side0"]])
                    _put(blocks, block, lane, link, slots, queue.slots[lane], pairs, known)
            if rows.asleep != NEVER:
                for lane in range(own):
                    if worlds[first + lane].awake:
                        tell(blocks.memory, block * blocks.size * lanes + lane, lanes, rows, worlds[first + lane],
                             pairs, (first + lane) * count, links)

    return fill


@borrowing_code
def _line_up_by_link(pairs: AllPairs, first: int, links: Array, colliders: Colliders, queue: Queue, lane: int) -> None:
    """Put the pairs of a world that touch into its slots as they are solved."""
    number, count = 0, line_up(pairs, first, first + len(queue.links), colliders, queue.listed)
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
            queue.slots[lane, links[link].first + at] = first + k
        while number < len(links) and links[number].owner == owner:
            number += 1


@borrowing_code
def _put(blocks: SlotBlocks, block: int, lane: int, link: Any, slots: Array, chosen: Array, pairs: AllPairs,
         known: PairPatches) -> None:
    """Write the patches of pairs of a link into its slots, one after the other, and nothing into the others.

    chosen: the pair of each of the world's slots, -1 of none.
    """
    lanes = blocks.lanes
    for k in range(link["end"] - link["first"]):
        slot = link["first"] + k
        m = (block * blocks.size + slots[slot]) * lanes + lane
        before = blocks.held[block, slot, lane]
        blocks.held[block, slot, lane] = chosen[slot]
        if chosen[slot] >= 0:
            blocks.memory[m] = 1.0
            _give(blocks.memory, m + lanes, lanes, link["points"], chosen[slot], pairs, known)
        elif before >= 0:
            blocks.memory[m] = 0.0
            _clear(blocks.memory, m + lanes, lanes, link["points"])


@borrowing_code
def _pose(memory: Array, base: int, lanes: int, link: Any) -> Pose:
    """F of a link in float32."""
    p, q = base + link["origin"] * lanes, base + link["rotation"] * lanes
    return ((np.float32(memory[p]), np.float32(memory[p + lanes]), np.float32(memory[p + 2 * lanes])),
            (np.float32(memory[q]), np.float32(memory[q + lanes]), np.float32(memory[q + 2 * lanes]),
             np.float32(memory[q + 3 * lanes])))


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


@borrowing_entry
def drain(blocks: SlotBlocks, links: Array, slots: Array, known: PairPatches, impulses: Array,
          frictions: Array) -> None:
    """Read what patches gave out of the slots of some blocks."""
    for block in range(len(blocks.held)):
        for link in links:
            for slot in range(link["first"], link["end"]):
                for lane in range(blocks.lanes):
                    p = blocks.held[block, slot, lane]
                    if p >= 0:
                        m = (block * blocks.size + slots[slot] + 1) * blocks.lanes + lane
                        take_one(blocks.memory, m, blocks.lanes, link["made"], ANCHORS, known.patches[p], known.order,
                                 impulses, frictions[p])
