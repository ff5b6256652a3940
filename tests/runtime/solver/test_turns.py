"""Hinges that turn on and on: PhysX brings positions back by two turns, but not those of joints with limits."""

from __future__ import annotations

import math

import pytest
from physx_runtime import simulate
from support.places import DOUBLE_PENDULUM
from support.stages.robots import opened

WIDE = "\n    float physics:lowerLimit = -1000\n    float physics:upperLimit = 1000\n"


# The first hinge from 6 rad; velocity, steps and what ovphysx 0.7.0 gives, rounded to a thousandth.
@pytest.mark.parametrize(("limits", "velocity", "steps", "position"), [
    ("", 3.0, 6, -6.254), ("", 3.0, 9, -6.097), (WIDE, 3.0, 6, 6.312), (WIDE, 3.0, 9, 6.469),
    ("", 500.0, 3, -4.0 * math.pi),
])
def test_a_hinge_comes_back_by_two_turns_unless_it_has_limits(limits: str, velocity: float, steps: int,
                                                             position: float) -> None:
    text = DOUBLE_PENDULUM.read_text()
    start = text.index("{", text.index("PhysicsRevoluteJoint")) + 1
    ours = simulate(opened(text[:start] + limits + text[start:]), 1 / 60, steps, joint_position=[6.0, 0.0],
                    joint_velocity=[velocity, 0.0])
    assert ours.joint_position[-1, 0, 0] == pytest.approx(position, abs=6e-4)
