"""Who rests in worlds of one articulation on what stands still, by itself: as `resting` has it where worlds differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.fixed_pairs import AWAY, NOWHERE, AllPairs
from physx_runtime.compiling.scalar_code import borrowing_code
from physx_runtime.model.island_rows import ACTOR_GROUP
from physx_runtime.solver.contact.sleep import KEPT_AWAKE, PAIRS_HELD
from physx_runtime.solver.contact.slots import SlotProgram
from physx_runtime.solver.sleep import WOKEN
from physx_runtime.worlds.rest_rows import push_rows, rows_named
from physx_runtime.worlds.slot_blocks import SlotBlock

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
