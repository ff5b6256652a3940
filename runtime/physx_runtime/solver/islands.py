"""The solving order of an island's joints: PhysX's partitions (DyConstraintPartition.cpp).

A partition is a set of joints of which no two share an actor; an articulation is one actor with all its links. Joints
to the world follow all others of their body. `partitions` returns the order, `listed_order` PhysX's input order.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from physx_runtime.model.body_kind import BODY, LINK
from physx_runtime.model.island import IslandTopology, JointTopology

# Partitions of one round (MAX_NUM_PARTITIONS); joints without a free one go to the next round.
MAX_NUM_PARTITIONS = 32
# Rounds of TGS (DyTGSDynamics.cpp, 64 partitions); the remaining joints are solved first. PGS has no limit.
ROUNDS = 2


@dataclass(frozen=True, slots=True)
class SolvingOrder:
    """Solving order of the joints of an island, by index."""

    between: tuple[int, ...]                            # solved before the articulations, in this order
    inside: dict[tuple[int, int], tuple[int, ...]]      # of a link (actor, link) to the world or a kinematic body:
                                                        # solved after the constraints of its own joint


def partitions(t: IslandTopology) -> SolvingOrder:
    """The solving order of the joints of an island."""
    # dynamic joints: greedy colouring, first free partition of both actors
    # (DyConstraintPartition.cpp, partitionContactConstraints)
    joints = [(j, t.joints[j]) for j in listed_order(t)]
    moving = [(j, _actors_of(joint)) for j,
              joint in joints if all(solver_body.moves for solver_body in joint.solver_bodies)]
    static_joints = [(j, joint) for j,
                     joint in joints if not all(solver_body.moves for solver_body in joint.solver_bodies)]
    partition = dict(_assign_partitions(moving, math.inf if t.pgs else ROUNDS))
    # joints with the world: behind the last partition of the actor  (DyConstraintPartition.cpp, recordStaticConstraint)
    ends: dict[int, int] = {}
    for j, actors in moving:
        for actor in actors:
            ends[actor] = max(ends.get(actor, 0), partition[j] + 1)
    inside: dict[tuple[int, int], list[int]] = {}
    for j, joint in static_joints:
        solver_body = next(solver_body for solver_body in joint.solver_bodies if solver_body.moves)
        # of links: inside the articulation's recursion  (DyConstraintPartition.cpp, recordArticulationStaticConstraint)
        if solver_body.kind == LINK:
            inside.setdefault((solver_body.owner, solver_body.link), []).append(j)
        else:
            partition[j] = ends.get(solver_body.owner, 0)
            ends[solver_body.owner] = partition[j] + 1
    between = sorted((j for j, _ in joints if j in partition), key=partition.__getitem__)
    return SolvingOrder(tuple(between), {link: tuple(indices) for link, indices in inside.items()})


def listed_order(t: IslandTopology) -> list[int]:
    """Joints in the order of the solver's list: the one whose sides were last in the scene comes first.

    Bodies are in the scene before any joint; links come after them, one by one.
    """
    def entered(j: int) -> tuple[int, int, int]:
        links = [(solver_body.owner, solver_body.link) for solver_body in t.joints[j].solver_bodies if solver_body.kind
                 == LINK]
        return (*max(links, default=(-1, -1)), j)
    return sorted(range(len(t.joints)), key=entered, reverse=True)


def _actors_of(joint: JointTopology) -> set[int]:
    """The actors at a joint's sides."""
    return {solver_body.owner for solver_body in joint.solver_bodies if solver_body.kind in (BODY, LINK)}


def _assign_partitions(joints: Iterable[tuple[int, set[int]]], rounds: float) -> Iterator[tuple[int, int]]:
    """(joint, partition): each joint in the first partition free for its actors, negative where there is none."""
    # MAX_NUM_PARTITIONS at a time; what is left begins a new round  (DyConstraintPartition.cpp, classifyConstraintDesc)
    remaining, first = list(joints), 0
    while remaining and first < rounds * MAX_NUM_PARTITIONS:
        used: dict[int, set[int]] = {}
        overflow = []
        for j, actors in remaining:
            occupied = set().union(*(used.setdefault(actor, set()) for actor in actors))
            partition = next((p for p in range(MAX_NUM_PARTITIONS) if p not in occupied), None)
            if partition is None:
                overflow.append((j, actors))
                continue
            for actor in actors:
                used[actor].add(partition)
            yield j, first + partition
        remaining, first = overflow, first + MAX_NUM_PARTITIONS
    # those without a partition are solved before all others  (DyConstraintPartition.cpp, outputOverflowConstraints)
    yield from ((j, i - len(remaining)) for i, (j, _) in enumerate(remaining))
