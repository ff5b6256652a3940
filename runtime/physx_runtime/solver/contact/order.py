"""The solving order of joints and contact pairs of a world: PhysX's partitions (DyConstraintPartition.cpp).

Each is put in the smallest partition without another constraint of its actors, as for joints only (`solver.islands`).
Constraints of a single actor follow all others of that actor, one after the other. Constraints without a partition
come first. `partitions_of` computes the partitions, `patch_order` those of contact patches.
"""

from __future__ import annotations

import numpy as np

from physx_runtime.arrays import Array, Condition, Integer
from physx_runtime.compiling.numba_functions import scalar_entry
from physx_runtime.solver.islands import MAX_NUM_PARTITIONS, ROUNDS

NO_ACTOR = -1        # in place of an actor: a side that no force moves


def solving_order(first: Array, second: Array, actors: int, pgs: bool = False) -> Array:
    """Indices of joints and pairs in the order of an iteration; arguments as of `partitions_of`."""
    return np.argsort(partitions_of(first, second, actors, pgs), kind="stable")


def partitions_of(first: Array, second: Array, actors: int, pgs: bool = False) -> Array:
    """The partitions of joints and pairs; those in one partition share no actor.

    first, second: (n,) the actors of each, NO_ACTOR for sides that no force moves, in input order: joints as PhysX
    lists them, then pairs of colliders in the order of contact. actors: their number.
    """
    a, b = np.asarray(first, np.int32), np.asarray(second, np.int32)
    partitions = np.zeros(len(a), np.int32)
    _partition(a, b, pgs, partitions, np.zeros(actors, np.int32), np.zeros(actors, np.uint32))
    return partitions


def patch_order(joints: Array, pair: Array, first: Array, second: Array, skipped: Array, actors: int, pgs: bool = False,
                ) -> tuple[Array, Array]:
    """The places of joints and patches in the solving order; those with one place share no actor.

    joints: (n, 2) the actors of each, as PhysX lists them. pair, first, second: the pair of each patch, and its actors,
    NO_ACTOR for sides that no force moves; patches of a pair are contiguous. skipped: patches that get -1.
    """
    order = np.empty(len(joints) + len(pair), np.int64)
    _order_patches(joints, pair, first, second, skipped, actors, pgs, order)
    return order[:len(joints)], order[len(joints):]


@scalar_entry
def _order_patches(joints: Array, pair: Array, first: Array, second: Array, skipped: Array, actors: Integer,
                   pgs: Condition, order: Array) -> None:
    count, size = len(joints), len(joints) + len(pair)
    actor0, actor1, heads, max_patches = np.empty(size, np.int32), np.empty(size, np.int32), count, 1
    head, patch_index = np.empty(len(pair), np.int32), 0
    for i in range(count):
        actor0[i], actor1[i] = joints[i, 0], joints[i, 1]
    last = NO_ACTOR
    for i in range(len(pair)):
        if skipped[i]:
            continue
        # Partition by greedy colouring  (DyConstraintPartition.cpp, classifyConstraintDesc)
        patch_index += 1
        if pair[i] != last:
            last, patch_index = pair[i], 0
            # Only the first patch of a pair is classified; the others follow it in the same partition.
            actor0[heads], actor1[heads] = first[i], second[i]
            heads += 1
        head[i], order[count + i] = heads - 1, patch_index
        max_patches = max(max_patches, patch_index + 1)
    partitions = np.empty(heads, np.int32)
    _partition(actor0[:heads], actor1[:heads], pgs, partitions, np.zeros(actors, np.int32), np.zeros(actors, np.uint32))
    for i in range(count):
        order[i] = partitions[i] * max_patches
    for i in range(len(pair)):
        order[count + i] = -1 if skipped[i] else partitions[head[i]] * max_patches + order[count + i]


@scalar_entry
def _partition(first: Array, second: Array, pgs: Condition, partitions: Array, ends: Array, used: Array) -> None:
    """Fill in the partition of every pair; ends: by actor, the one after its last."""
    round_, remaining = 0, 0
    for i in range(len(first)):
        partitions[i] = -1
        remaining += first[i] >= 0 and second[i] >= 0
    # lowest bit that is free for both bodies: ctz(~(used_a | used_b))
    # (DyConstraintPartition.cpp, computeAvailablePartition)
    while remaining and (pgs or round_ < ROUNDS * MAX_NUM_PARTITIONS):
        used[:] = 0
        for i in range(len(first)):
            a, b = first[i], second[i]
            if partitions[i] >= 0 or a < 0 or b < 0:
                continue
            occupied = used[a] | used[b]
            for p in range(MAX_NUM_PARTITIONS):
                bit = np.uint32(1) << np.uint32(p)
                if not occupied & bit:
                    used[a] |= bit
                    used[b] |= bit
                    partitions[i] = round_ + p
                    ends[a], ends[b] = max(ends[a], partitions[i] + 1), max(ends[b], partitions[i] + 1)
                    remaining -= 1
                    break
        round_ += MAX_NUM_PARTITIONS
    # constraints without a partition come first  (DyConstraintPartition.cpp, outputOverflowConstraints)
    ahead = 0
    for i in range(len(first)):
        if partitions[i] >= 0:
            partitions[i] += remaining
        elif first[i] >= 0 and second[i] >= 0:
            partitions[i] = ahead
            ahead += 1
        else:
            # against the world: behind the last partition of the actor
            # (DyConstraintPartition.cpp, getStaticContactWriteIndex)
            actor = max(first[i], second[i])
            partitions[i] = remaining + ends[actor]
            ends[actor] += 1
