"""Owners of rows: what has no rows, such as a spatial tendon without a leaf, owns none."""

from __future__ import annotations

import pytest
from physx_runtime import Simulation
from support.stages.robots import opened
from support.stages.tendon_stages import random_tree


@pytest.mark.parametrize("seed", [0, 1, 4, 5])
def test_every_parameter_of_a_robot_with_chance_tendons_has_a_value_for_each_element(seed: int) -> None:
    simulation = Simulation(opened(random_tree(seed).text()))
    sizes = {name: simulation.parameter(name).shape[1] for name in simulation.parameters}
    assert sizes == {name: len(parameter.elements) for name, parameter in simulation.parameters.items()}
