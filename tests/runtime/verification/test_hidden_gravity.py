"""Gravity of a scene that PhysX does not see: it is as authored where PhysX's own is the same."""

from __future__ import annotations

import pytest
from physx_runtime.verification.authored import authored_numbers
from physx_runtime.verification.hidden_gravity import hidden_gravity_rows
from support.stages.robots import base, described, link, prim, robot


def hidden(values: dict[str, object], meters: float = 1.0) -> set[str]:
    scene = prim("PhysicsScene", "scene", ("NewtonSceneAPI",), values)
    description = described(robot(base(), link("a"), meters=meters, outside=scene))
    return {row.property for row in hidden_gravity_rows(description, authored_numbers(description))
            if row.verdict == "as authored" and row.effective == row.authored}


@pytest.mark.parametrize(("magnitude", "meters"), [(9.81, 1.0), (981.0, 0.01)])
def test_earths_gravity_comes_about_all_the_same(magnitude: float, meters: float) -> None:
    values: dict[str, object] = {"vector3f physics:gravityDirection": (0.0, 0.0, -1.0),
                                 "float physics:gravityMagnitude": magnitude}
    assert hidden(values, meters) == {"physics:gravityDirection", "physics:gravityMagnitude"}


@pytest.mark.parametrize("values", [
    {"float physics:gravityMagnitude": 1.62}, {"vector3f physics:gravityDirection": (0.0, -1.0, 0.0)},
    {"float physics:gravityMagnitude": 981.0},
])
def test_another_gravity_does_not(values: dict[str, object]) -> None:
    assert hidden(values) == set()
