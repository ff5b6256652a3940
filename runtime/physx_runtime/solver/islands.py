"""The order in which an island's joints are solved: PhysX's partitions (DyConstraintPartition.cpp).

A partition is a run of joints of which no two hold the same actor; an articulation is one actor however many links it
has. Joints that hold what does not move come behind all others of their body.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from physx_runtime.model.island import BODY, LINK, IslandTopology, JointTopology

# Partitions of one round (MAX_NUM_PARTITIONS): joints that find no room in one begin the next.
ROUND = 32
# Rounds of TGS (DyTGSDynamics.cpp, 64 partitions): what finds no room is solved before all else; PGS has no end.
ROUNDS = 2


@dataclass(frozen=True, slots=True)
class SolvingOrder:
    """Joints of an island, by their index in it."""

    between: tuple[int, ...]                            # solved before the articulations, in this order
    inside: dict[tuple[int, int], tuple[int, ...]]      # of a link (actor, link) to the world or a kinematic body:
                                                        # solved behind the constraints of its own joint


def partitions(t: IslandTopology) -> SolvingOrder:
    """When each joint of an island is solved in an iteration."""
    joints = [(j, t.joints[j]) for j in as_listed(t)]
    moving = [(j, _held(joint)) for j, joint in joints if all(side.moves for side in joint.sides)]
    anchored = [(j, joint) for j, joint in joints if not all(side.moves for side in joint.sides)]
    place = dict(_packed(moving, math.inf if t.pgs else ROUNDS))
    behind: dict[int, int] = {}
    for j, held in moving:
        for actor in held:
            behind[actor] = max(behind.get(actor, 0), place[j] + 1)
    inside: dict[tuple[int, int], list[int]] = {}
    for j, joint in anchored:
        side = next(side for side in joint.sides if side.moves)
        if side.kind == LINK:
            inside.setdefault((side.owner, side.link), []).append(j)
        else:
            place[j] = behind.get(side.owner, 0)
            behind[side.owner] = place[j] + 1
    between = sorted((j for j, _ in joints if j in place), key=place.__getitem__)
    return SolvingOrder(tuple(between), {link: tuple(found) for link, found in inside.items()})


def as_listed(t: IslandTopology) -> list[int]:
    """Joints in the order of the solver's list: the last first that came to have both its sides in the scene.

    Bodies are there before any joint, links come after all of those, one by one.
    """
    def entered(j: int) -> tuple[int, int, int]:
        links = [(side.owner, side.link) for side in t.joints[j].sides if side.kind == LINK]
        return (*max(links, default=(-1, -1)), j)
    return sorted(range(len(t.joints)), key=entered, reverse=True)


def _held(joint: JointTopology) -> set[int]:
    """The actors at a joint's sides."""
    return {side.owner for side in joint.sides if side.kind in (BODY, LINK)}


def _packed(joints: Iterable[tuple[int, set[int]]], rounds: float) -> Iterator[tuple[int, int]]:
    """(joint, partition): each joint in the first partition that has none at its actors yet, below 0 where none is."""
    left, first = list(joints), 0
    while left and first < rounds * ROUND:
        used: dict[int, set[int]] = {}
        crowded = []
        for j, held in left:
            taken = set().union(*(used.setdefault(actor, set()) for actor in held))
            free = next((p for p in range(ROUND) if p not in taken), None)
            if free is None:
                crowded.append((j, held))
                continue
            for actor in held:
                used[actor].add(free)
            yield j, first + free
        left, first = crowded, first + ROUND
    yield from ((j, i - len(left)) for i, (j, _) in enumerate(left))
