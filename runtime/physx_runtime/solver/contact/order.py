"""The order in which joints and touching pairs of a world are solved: PhysX's partitions (DyConstraintPartition.cpp).

The same rule as of joints alone (`solver.islands`): the smallest partition in which nothing else holds an actor, and
what holds one actor alone behind all others of that actor, one after the other. What finds no partition is before all.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.compiling.numba_functions import scalar_entry
from physx_runtime.solver.islands import ROUND, ROUNDS

Array = NDArray[Any]
NOTHING = -1        # in place of an actor: what no force moves


def solving_order(first: Array, second: Array, actors: int, pgs: bool = False) -> Array:
    """Indices of joints and pairs in the order of an iteration; arguments as of `partitions_of`."""
    return np.argsort(partitions_of(first, second, actors, pgs), kind="stable")


def partitions_of(first: Array, second: Array, actors: int, pgs: bool = False) -> Array:
    """The partition of each of some joints and pairs; those of one partition hold no actor in common.

    first, second: (n,) the actors of each, NOTHING for what no force moves, in input order: joints as PhysX lists them,
    then pairs of colliders since they touch. actors: how many there are.
    """
    a, b = np.asarray(first, np.int32), np.asarray(second, np.int32)
    places = np.zeros(len(a), np.int32)
    _partition(a, b, pgs, places, np.zeros(actors, np.int32), np.zeros(actors, np.uint32))
    return places


def turns_of(joints: Array, pair: Array, first: Array, second: Array, apart: Array, actors: int, pgs: bool = False,
             ) -> tuple[Array, Array]:
    """When joints and patches of pairs are solved: what has one turn holds no actor in common.

    joints: (n, 2) the actors of each, as PhysX lists them. pair, first, second: the pair of each patch, and its actors,
    NOTHING for what no force moves; patches of a pair are neighbours. apart: which patches have no turn, but -1.
    """
    turns = np.empty(len(joints) + len(pair), np.int64)
    _take_turns(joints, pair, first, second, apart, actors, pgs, turns)
    return turns[:len(joints)], turns[len(joints):]


@scalar_entry
def _take_turns(joints: Any, pair: Any, first: Any, second: Any, apart: Any, actors: Any, pgs: Any,
                turns: Any) -> None:
    count, size = len(joints), len(joints) + len(pair)
    held0, held1, heads, most = np.empty(size, np.int32), np.empty(size, np.int32), count, 1
    head, among = np.empty(len(pair), np.int32), 0
    for i in range(count):
        held0[i], held1[i] = joints[i, 0], joints[i, 1]
    last = NOTHING
    for i in range(len(pair)):
        if apart[i]:
            continue
        among += 1
        if pair[i] != last:
            last, among = pair[i], 0
            held0[heads], held1[heads] = first[i], second[i]
            heads += 1
        head[i], turns[count + i] = heads - 1, among
        most = max(most, among + 1)
    places = np.empty(heads, np.int32)
    _partition(held0[:heads], held1[:heads], pgs, places, np.zeros(actors, np.int32), np.zeros(actors, np.uint32))
    for i in range(count):
        turns[i] = places[i] * most
    for i in range(len(pair)):
        turns[count + i] = -1 if apart[i] else places[head[i]] * most + turns[count + i]


@scalar_entry
def _partition(first: Array, second: Array, pgs: Any, places: Array, behind: Array, used: Array) -> None:
    """The partition of every pair; behind: of every actor, the one after its last."""
    round_, left = 0, 0
    for i in range(len(first)):
        places[i] = -1
        left += first[i] >= 0 and second[i] >= 0
    while left and (pgs or round_ < ROUNDS * ROUND):
        used[:] = 0
        for i in range(len(first)):
            a, b = first[i], second[i]
            if places[i] >= 0 or a < 0 or b < 0:
                continue
            taken = used[a] | used[b]
            for p in range(ROUND):
                bit = np.uint32(1) << np.uint32(p)
                if not taken & bit:
                    used[a] |= bit
                    used[b] |= bit
                    places[i] = round_ + p
                    behind[a], behind[b] = max(behind[a], places[i] + 1), max(behind[b], places[i] + 1)
                    left -= 1
                    break
        round_ += ROUND
    ahead = 0
    for i in range(len(first)):
        if places[i] >= 0:
            places[i] += left
        elif first[i] >= 0 and second[i] >= 0:
            places[i] = ahead
            ahead += 1
        else:
            actor = max(first[i], second[i])
            places[i] = left + behind[actor]
            behind[actor] += 1
