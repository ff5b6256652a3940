"""The order of joints and touching pairs, against the order of joints that was measured of PhysX."""

from __future__ import annotations

import numpy as np
import pytest
from physx_runtime.model.body_kind import BODY, STATIC
from physx_runtime.model.island import D6, IslandTopology, JointTopology, SolverBody
from physx_runtime.model.topology import PGS, TGS, BodyTopology
from physx_runtime.solver.contact.order import NO_ACTOR, partitions_of, patch_order, solving_order
from physx_runtime.solver.islands import listed_order, partitions

FREE_BODY = BodyTopology(True)


def order(*pairs: tuple[int, int], actors: int = 40) -> list[int]:
    first, second = np.array(pairs).reshape(-1, 2).T
    return [int(i) for i in solving_order(first, second, actors)]


@pytest.mark.parametrize("seed", range(8))
def test_pairs_are_solved_in_the_order_of_joints_that_hold_the_same(seed: int) -> None:
    random = np.random.default_rng(seed)
    ends = [tuple(map(int, random.choice(12, 2, replace=False))) for _ in range(30)]
    ends += [(int(body), NO_ACTOR) for body in random.integers(0, 12, 8)]
    random.shuffle(ends)
    joints = tuple(JointTopology(D6, tuple(SolverBody(STATIC) if end == NO_ACTOR else SolverBody(BODY, end)
                                           for end in pair)) for pair in ends)
    t = IslandTopology((FREE_BODY,) * 12, joints)
    listed = listed_order(t)
    found = order(*(ends[j] for j in listed), actors=12)
    assert tuple(listed[i] for i in found) == partitions(t).between


def test_a_hub_with_more_pairs_than_a_round_has_partitions_keeps_their_order() -> None:
    assert order(*((0, i) for i in range(1, 39))) == list(range(38))


@pytest.mark.parametrize("pgs", [False, True])
def test_pairs_beyond_the_partitions_of_tgs_are_solved_first(pgs: bool) -> None:
    hub, others = np.zeros(70, np.int64), np.arange(1, 71)
    first, second = np.r_[hub, 0], np.r_[others, NO_ACTOR]
    found = solving_order(first, second, 71, pgs).tolist()
    assert found == [*range(64 if not pgs else 70, 70), *range(64 if not pgs else 70), 70]
    joints = tuple(JointTopology(D6, tuple(SolverBody(STATIC) if end == NO_ACTOR else SolverBody(BODY, int(end))
                                           for end in pair))
                   for pair in zip(first, second, strict=True))
    t = IslandTopology((BodyTopology(True, PGS if pgs else TGS),) * 71, joints)
    listed = listed_order(t)
    again = solving_order(first[listed], second[listed], 71, pgs)
    assert partitions(t).between == tuple(listed[i] for i in again)


def test_a_bodys_static_pairs_come_behind_its_others_one_after_the_other() -> None:
    # 0 and 1 in the first two partitions; body 2's pairs with statics behind both, body 3's at once
    assert order((2, NO_ACTOR), (2, 0), (2, 1), (3, NO_ACTOR), (2, NO_ACTOR)) == [1, 3, 2, 0, 4]


@pytest.mark.parametrize("seed", range(4))
def test_what_is_in_one_partition_holds_no_actor_in_common(seed: int) -> None:
    random = np.random.default_rng(seed)
    first, second = random.integers(0, 20, 90), random.integers(-1, 20, 90)
    second[second == first] = NO_ACTOR
    partitions = partitions_of(first, second, 20)
    for partition in range(partitions.max() + 1):
        own = partitions == partition
        held = np.r_[first[own], second[own]]
        held = held[held != NO_ACTOR]
        assert len(np.unique(held)) == len(held)


def test_patches_of_a_pair_follow_each_other_in_turns_of_their_own() -> None:
    pairs, first, second = np.array([7, 7, 9, 4]), np.array([0, 0, 2, 0]), np.array([1, 1, 3, 2])
    joints, turns = patch_order(np.zeros((0, 2), np.int64), pairs, first, second, np.zeros(4, np.bool_), 4)
    # pairs 7 and 9 hold nothing in common and share a partition, of two turns; 4 waits for both
    assert turns.tolist() == [0, 1, 0, 2]
    assert len(joints) == 0


def test_a_joint_is_solved_before_the_pairs_that_hold_its_actors() -> None:
    pairs, first, second = np.array([5, 6]), np.array([0, 2]), np.array([2, NO_ACTOR])
    joints, turns = patch_order(np.array([(0, 1)]), pairs, first, second, np.zeros(2, np.bool_), 3)
    assert (joints.tolist(), turns.tolist()) == ([0], [1, 2])


def test_patches_apart_have_no_turn_and_hold_up_nobody() -> None:
    apart = np.array([True, False])
    _, turns = patch_order(np.zeros((0, 2), np.int64), np.array([1, 2]), np.array([0, 0]), np.array([1, 2]), apart, 3)
    assert turns.tolist() == [-1, 0]
