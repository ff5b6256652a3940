"""What a fleet does with a world: its parameters, its motion, and what is measured."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from physx_runtime import Simulation, Spread, Variation
from physx_runtime.fleet import Experiment
from support.fleet_functions import angle, tilt
from support.stages.cart_pole import cart_pole, resting_ball

SPREAD = Variation(300, {"mass": Spread(0.8, 1.2, True)}, seed=7)
STEPS = 30


@pytest.fixture
def stage(tmp_path: Path) -> str:
    source, path = cart_pole(), tmp_path / "cart_pole.usda"
    source.GetRootLayer().Export(str(path))
    return str(path)


def test_world_0_has_the_authored_parameters_and_the_others_lie_in_the_bounds(stage: str) -> None:
    values = Experiment(stage, SPREAD, STEPS, angle).parameters(range(40))
    simulation = Simulation(stage)
    assert [column[0] for column in values.values()] == simulation.parameter("mass")[0].tolist()
    for column in values.values():
        factors = column[1:] / column[0]
        assert factors.min() >= 0.8 and factors.max() <= 1.2 and len(set(factors)) == len(factors)


def test_a_simulation_with_the_parameters_of_a_world_has_its_motion(stage: str) -> None:
    experiment, world = Experiment(stage, SPREAD, STEPS, angle, tilt), range(123, 124)
    simulation = Simulation(stage)
    simulation.set_parameter("mass", [column[0] for column in experiment.parameters(world).values()])
    simulation.reset(joint_position=[0.0, 0.1 + 0.001 * (world.start % 100)])
    simulation.step(STEPS)
    assert float(simulation.joint_position[0, 1]) == experiment.measured(world)["angle"][0]


def test_only_the_elements_of_a_spread_vary(stage: str) -> None:
    spread = Variation(5, {"mass": Spread(2.0, 3.0, False, ("pole",))})
    columns = Experiment(stage, spread, STEPS, angle).parameters(range(5))
    assert list(columns) == ["mass /CartPole/pole"]
    drawn = columns["mass /CartPole/pole"]
    assert np.all((drawn[1:] >= 2.0) & (drawn[1:] <= 3.0)) and drawn[0] == np.float32(0.1)


def test_names_measure_every_joint_axis_and_body(stage: str) -> None:
    names = ("joint_position", "joint_velocity", "body_position")
    numbers = Experiment(stage, SPREAD, STEPS, names, tilt).measured(range(2))
    assert {"joint_position /CartPole/slider", "joint_velocity /CartPole/hinge", "body_position /CartPole/pole z",
            "diverged"} <= numbers.keys()
    assert np.array_equal(numbers["joint_position /CartPole/hinge"],
                          Experiment(stage, SPREAD, STEPS, angle, tilt).measured(range(2))["angle"])


def test_a_parameter_that_no_actor_has_is_refused(stage: str) -> None:
    spread = Variation(5, {"gain": Spread(2.0, 3.0, False)})
    with pytest.raises(ValueError, match="gain is not a parameter of the simulated actors"):
        Experiment(stage, spread, STEPS, angle).scene(range(5))


def test_a_world_in_contact_has_the_same_bits_beside_others(tmp_path: Path) -> None:
    source, path = resting_ball(), tmp_path / "ball.usda"
    source.GetRootLayer().Export(str(path))
    experiment = Experiment(str(path), SPREAD, STEPS, ("joint_position", "body_position"))
    together, alone = experiment.measured(range(8)), experiment.measured(range(5, 6))
    assert {name: values[5] for name, values in together.items()} == {
        name: values[0] for name, values in alone.items()}
