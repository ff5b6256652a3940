"""The order in which the joints of an island are solved, against what was measured of PhysX.

The facts are of random stars and trees of up to nine joints, whose order was found by trying all of them against
PhysX's motion; joints are numbered in the order in which PhysX creates them.

A body with more joints than PhysX has partitions in a round, solved in the order that ours gives.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime.model.body_kind import BODY, KINEMATIC, LINK, STATIC
from physx_runtime.model.island import D6, IslandTopology, JointTopology, SolverBody
from physx_runtime.model.topology import REVOLUTE, ROOT, BodyTopology, LinkTopology, Topology
from physx_runtime.packing.island import PackedIsland, islands_of
from physx_runtime.packing.scene import scene_model
from physx_runtime.solver.islands import SolvingOrder, partitions
from support.mechanics.body_islands import BodyIsland
from support.stages.robots import described, joint, robot
from support.stages.robots import link as robot_link

GROUND, CRANE = SolverBody(STATIC), SolverBody(KINEMATIC)
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


# --- crowded order in PhysX ------------------------------------------------------------------------------------------

# 36 satellites on a hub of 32 partitions a round, every third joined to the next, some hung on the world.
SATELLITES, DT, STEPS, ITERATIONS = 36, 1.0 / 60.0, 2, 4
# Of velocities of some units/s: float64 beside PhysX's float32; joints in another order part by a thousand times more.
ROUNDING = 2e-4
COUNTS = {"int physxRigidBody:solverPositionIterationCount": ITERATIONS}


def crowded() -> str:
    """A hub with its satellites, which move at random."""
    rng = np.random.default_rng(1)
    places = [np.round(rng.uniform(-1, 1, 3), 3) for _ in range(SATELLITES)]
    parts = [robot_link("hub", more=COUNTS, schemas=("PhysxRigidBodyAPI",), mass=5.0)]
    for i, place in enumerate(places):
        own = {"vector3f physics:velocity": _tuple(rng.uniform(-1, 1, 3)), **COUNTS}
        parts.append(robot_link(f"s{i:02}", _tuple(place), ("PhysxRigidBodyAPI",),
                                mass=float(rng.uniform(0.5, 2)), more=own))
        parts.append(_ball(f"j{i:02}", "hub", f"s{i:02}", place / 2, np.zeros(3), place))
    for i in range(0, SATELLITES - 1, 3):
        middle = (places[i] + places[i + 1]) / 2
        parts.append(_ball(f"{'k' if i % 2 else 'a'}{i:02}", f"s{i:02}", f"s{i + 1:02}", middle, places[i],
                           places[i + 1]))
    for i in (2, 5, 30):
        parts.append(_ball(f"w{i:02}", "", f"s{i:02}", places[i], np.zeros(3), places[i]))
    return robot(*parts, schemas=())


def _ball(name: str, body0: str, body1: str, at: NDArray[np.float64], place0: NDArray[np.float64],
          place1: NDArray[np.float64]) -> str:
    return joint("Spherical", name, body0, body1, (), {"point3f physics:localPos0": _tuple(at - place0),
                                                       "point3f physics:localPos1": _tuple(at - place1)})


def _tuple(x: NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(float(value) for value in np.round(x, 4))


def stepped(island: PackedIsland, shuffled: bool) -> Iterator[NDArray[np.float64]]:
    """Velocities (n_body, 6) after each step; shuffled: of joints made in the other order."""
    t = replace(island.topology, actors=tuple(replace(actor, sleeping=False) for actor in island.topology.actors))
    rows: dict[str, object] = {name: [*map(float, values)] for name, values in {**island.parameters,
                                                                             **island.state}.items()}
    rows |= {f"actor{i}_{name}": [value] for i in range(len(t.actors)) for name, value in (
        ("dt", DT), ("h", DT / ITERATIONS))}
    if shuffled:
        last = len(t.joints) - 1
        own = {name: values for name, values in rows.items() if name.startswith("joint")}
        rows |= {f"joint{last - int(name[5:].partition('_')[0])}_{name.partition('_')[2]}": values
                 for name, values in own.items()}
        t = replace(t, joints=t.joints[::-1])
    for _ in range(STEPS):
        rows = BodyIsland(t, rows).step(ITERATIONS, 1)
        yield np.array([rows[f"actor{i}_v"] for i in range(len(t.actors))])


@pytest.mark.parametrize("shuffled", (False, True))
def test_a_crowded_hub_moves_as_in_physx_in_no_order_but_its_own(shuffled: bool, oracle_folder: Path) -> None:
    import scene_recorder

    description = described(crowded())
    [island] = islands_of(description, scene_model(description, description.bodies))
    [real] = scene_recorder.record([{"usd": crowded(), "dt": DT, "steps": STEPS}])
    own = [real["paths"].index(packed.link_names[0]) for packed in island.actors.values()]
    worst = max(float(np.abs(v[:, :3] - real["vel"][n][own]).max())
                for n, v in enumerate(stepped(island, shuffled), 1))
    assert (worst > 100 * ROUNDING) if shuffled else (worst < ROUNDING), worst
