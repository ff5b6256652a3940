"""Whoever watches an actor is told of the states that are set and of the steps at either end of a call."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from physx_runtime import Simulation
from support.stages.robots import opened

BALL = """#usda 1.0
(metersPerUnit = 1)
def PhysicsScene "scene" {}
def Xform "ball" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
{
    float physics:mass = 2
    float3 physics:diagonalInertia = (0.1, 0.2, 0.3)
    vector3f physics:velocity = (1, 0, 0)
}
"""


class Log:
    """How many steps had been taken whenever something was told."""

    def __init__(self, sim: Simulation) -> None:
        self._sim, self.told, self.written = sim, list[tuple[str, int]](), list[list[int]]()
        sim.watch(self)

    def state_changed(self, worlds: NDArray[np.int64]) -> None:
        self.written.append(worlds.tolist())

    def about_to_step(self) -> None:
        self.told.append(("before", self._sim.steps_taken))

    def stepped(self) -> None:
        self.told.append(("after", self._sim.steps_taken))


def test_the_first_and_the_last_step_of_a_call_are_told_by_themselves() -> None:
    log = Log(sim := Simulation(opened(BALL)))
    sim.step(10)
    assert log.told == [("before", 0), ("after", 1), ("before", 1), ("after", 9), ("before", 9), ("after", 10)]


def test_nothing_is_told_of_no_steps() -> None:
    log = Log(sim := Simulation(opened(BALL)))
    sim.step(0)
    assert not log.told


def test_worlds_move_alike_whether_or_not_somebody_watches() -> None:
    alone, watched = (Simulation(opened(BALL), 3) for _ in range(2))
    Log(watched)
    for sim in (alone, watched):
        sim.step(7)
    assert np.array_equal(alone.link_pose, watched.link_pose)


def test_worlds_whose_state_is_set_are_named_and_others_rows_are_not_told() -> None:
    log = Log(sim := Simulation(opened(BALL), 3))
    sim.set("v", np.ones(6), [0, 2])
    sim.set("link_force", np.ones(3))
    sim.set_parameters({"mass": 3.0})
    assert log.written == [[0, 2]]
