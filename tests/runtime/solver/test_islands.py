"""The order in which the joints of an island are solved, against what was measured of PhysX.

The facts are of random stars and trees of up to nine joints, whose order was found by trying all of them against
PhysX's motion; joints are numbered in the order in which PhysX creates them.
"""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.model.island import BODY, D6, KINEMATIC, LINK, WORLD, IslandTopology, JointTopology, SolverBody
from physx_runtime.model.topology import REVOLUTE, ROOT, BodyTopology, LinkTopology, Topology
from physx_runtime.solver.islands import SolvingOrder, partitions

GROUND, CRANE = SolverBody(WORLD), SolverBody(KINEMATIC)
FREE_BODY = BodyTopology(True)


def arm(links: int) -> Topology:
    """An articulation whose links are one row."""
    return Topology(True, True, (LinkTopology(-1, ROOT), *(LinkTopology(i, REVOLUTE) for i in range(links - 1))), ())


def body(i: int) -> SolverBody:
    return SolverBody(BODY, i)


def link(i: int, actor: int = 0) -> SolverBody:
    return SolverBody(LINK, actor, i)


def order(*joints: Sequence[SolverBody], actors: Sequence[Topology | BodyTopology] = (FREE_BODY,) * 40) -> SolvingOrder:
    return partitions(IslandTopology(tuple(actors), tuple(JointTopology(D6, (a, b)) for a, b in joints)))


def test_a_chain_at_the_world_is_solved_from_its_end() -> None:
    assert order((GROUND, body(0)), (body(0), body(1)), (body(1), body(2))).between == (2, 1, 0)


def test_joints_that_share_no_body_are_solved_together() -> None:
    # listed 3, 2, 1, 0: 3 and 1 share none, nor do 2 and 0
    row = [(body(i), body(i + 1)) for i in range(4)]
    assert order(*row).between == (3, 1, 2, 0)


def test_joints_to_the_world_come_behind_all_others_of_their_body() -> None:
    found = order((GROUND, body(0)), (body(0), body(1)), (GROUND, body(1)), (body(0), CRANE)).between
    assert found == (1, 3, 2, 0)


def test_joints_to_the_world_do_not_wait_for_bodies_that_they_do_not_hold() -> None:
    # body 2 hangs on the world alone: its joint is in the first partition, between others of it
    assert order((body(0), body(1)), (GROUND, body(2)), (GROUND, body(0))).between == (1, 0, 2)


def test_a_hub_with_more_joints_than_a_round_has_partitions_keeps_their_order() -> None:
    star = [(body(0), body(i)) for i in range(1, 39)]
    assert order(*star).between == tuple(reversed(range(38)))


def test_joints_between_links_are_listed_as_their_links_enter() -> None:
    # 0 enters with link 3, 1 with link 2, 2 (a body and link 1) with link 1; the list is read from its end,
    # and an articulation is one actor, so that no two share a partition
    found = order((link(1), link(3)), (link(0), link(2)), (body(1), link(1)), actors=(arm(4), FREE_BODY))
    assert found.between == (0, 1, 2)


def test_joints_of_links_come_before_those_that_have_none() -> None:
    found = order((link(1), body(2)), (body(1), body(2)), actors=(arm(3), FREE_BODY, FREE_BODY))
    assert found.between == (0, 1)


def test_joints_of_links_to_what_does_not_move_are_inside_the_articulation() -> None:
    found = order((GROUND, link(2)), (link(1), CRANE), (link(2), CRANE), (link(1), body(1)),
                  actors=(arm(3), FREE_BODY))
    assert found.between == (3,)
    assert found.inside == {(0, 2): (2, 0), (0, 1): (1,)}


def test_the_articulation_that_is_later_in_the_scene_enters_later() -> None:
    found = order((link(2, 0), link(1, 1)), (link(2, 0), body(2)), actors=(arm(3), arm(3), FREE_BODY))
    assert found.between == (0, 1)
