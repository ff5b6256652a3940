"""The order of joints and touching pairs, against the order of joints that was measured of PhysX."""

from __future__ import annotations

import numpy as np
import pytest
from physx_runtime.model.island import BODY, D6, WORLD, IslandTopology, JointTopology, Side
from physx_runtime.model.topology import BodyTopology
from physx_runtime.solver.contact.order import NOTHING, partitions_of, solving_order
from physx_runtime.solver.islands import as_listed, partitions

FREE_BODY = BodyTopology(True)


def order(*pairs: tuple[int, int], actors: int = 40) -> list[int]:
    first, second = np.array(pairs).reshape(-1, 2).T
    return [int(i) for i in solving_order(first, second, actors)]


@pytest.mark.parametrize("seed", range(8))
def test_pairs_are_solved_in_the_order_of_joints_that_hold_the_same(seed: int) -> None:
    random = np.random.default_rng(seed)
    ends = [tuple(map(int, random.choice(12, 2, replace=False))) for _ in range(30)]
    ends += [(int(body), NOTHING) for body in random.integers(0, 12, 8)]
    random.shuffle(ends)
    joints = tuple(JointTopology(D6, tuple(Side(WORLD) if end == NOTHING else Side(BODY, end) for end in pair))
                   for pair in ends)
    t = IslandTopology((FREE_BODY,) * 12, joints)
    listed = as_listed(t)
    found = order(*(ends[j] for j in listed), actors=12)
    assert tuple(listed[i] for i in found) == partitions(t).between


def test_a_hub_with_more_pairs_than_a_round_has_partitions_keeps_their_order() -> None:
    assert order(*((0, i) for i in range(1, 39))) == list(range(38))


def test_a_bodys_static_pairs_come_behind_its_others_one_after_the_other() -> None:
    # 0 and 1 in the first two partitions; body 2's pairs with statics behind both, body 3's at once
    assert order((2, NOTHING), (2, 0), (2, 1), (3, NOTHING), (2, NOTHING)) == [1, 3, 2, 0, 4]


@pytest.mark.parametrize("seed", range(4))
def test_what_is_in_one_partition_holds_no_actor_in_common(seed: int) -> None:
    random = np.random.default_rng(seed)
    first, second = random.integers(0, 20, 90), random.integers(-1, 20, 90)
    second[second == first] = NOTHING
    partitions = partitions_of(first, second, 20)
    for partition in range(partitions.max() + 1):
        own = partitions == partition
        held = np.r_[first[own], second[own]]
        held = held[held != NOTHING]
        assert len(np.unique(held)) == len(held)
