"""A body with more joints than PhysX has partitions in a round, solved in the order that ours gives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime.packing.island import PackedIsland, islands_of
from physx_runtime.packing.scene import scene_model
from support.mechanics.body_islands import BodyIsland
from support.stages.robots import described, joint, robot
from support.stages.robots import link as robot_link

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
