"""Numbers that are proposed: rounded up, in the unit of the property, and put where they belong."""

from __future__ import annotations

import math

import pytest
from physx_runtime.behaviour.remedies import rounded_up, with_values
from support.stages.driven_arms import arm
from support.stages.robots import described


@pytest.mark.parametrize(("value", "rounded"), [
    (1.0, 1.0), (24.525, 24.6), (0.12201, 0.123), (98765.0, 98800.0), (2e-5, 2e-5), (math.inf, math.inf)])
def test_proposed_numbers_have_three_digits_and_are_no_smaller(value: float, rounded: float) -> None:
    assert rounded_up(value) == pytest.approx(rounded, rel=1e-12)


def test_values_are_put_in_place_as_authored_ones_are_read() -> None:
    numbers = {"stiffness": 20.0, "damping": 2.0, "max_force": 7.0, "max_velocity": 45.0}
    changed = with_values(described(arm(stiffness=1.0, maxJointVelocity=1.0)), {"/Robot/j": numbers})
    authored = described(arm(stiffness=20.0, damping=2.0, maxForce=7.0, maxJointVelocity=45.0))
    (ours,), (theirs,) = (item.articulations[0].dofs for item in (changed, authored))
    assert ours.drive is not None and theirs.drive is not None
    assert (ours.drive.stiffness, ours.drive.damping, ours.drive.max_force, ours.max_velocity) == pytest.approx(
        (theirs.drive.stiffness, theirs.drive.damping, theirs.drive.max_force, theirs.max_velocity))


def test_values_of_a_slider_have_no_degrees() -> None:
    changed = with_values(described(arm("Prismatic", stiffness=1.0, limits=(-1.0, 1.0))),
                          {"/Robot/j": {"stiffness": 20.0}})
    drive = changed.articulations[0].dofs[0].drive
    assert drive is not None and drive.stiffness == 20.0
