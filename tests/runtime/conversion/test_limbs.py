"""The limbs of a robot, and which of them it stands on."""

from __future__ import annotations

import numpy as np
import pytest
from physx_runtime.conversion.limbs import Limb, Stance, stance_of, upward
from support.converted_robots import converted, only_robot, repaired
from support.stages.robots import base, described, joint, link, robot

from physx_schema.description.frames import start_poses_by_body

UP = np.array([0.0, 0.0, 1.0])


def test_quadruped_stands_on_its_four_legs() -> None:
    description, robot = only_robot(converted("quadruped"))
    stance = stance_of(robot, start_poses_by_body(description), UP)
    assert [limb.dofs for limb in stance.legs] == [3, 3, 3, 3]
    assert {robot.links[limb.links[0]].path.rpartition("/")[2] for limb in stance.legs} == {
        "FL_hip", "FR_hip", "RL_hip", "RR_hip"}
    assert (stance.base_lowest, stance.legs[0].lowest) == pytest.approx((-0.05, -0.42))


@pytest.mark.parametrize("name", ["cart", "hopper"])
def test_robot_with_one_limb_has_no_legs(name: str) -> None:
    description, robot = only_robot(repaired(name)[0])
    assert stance_of(robot, start_poses_by_body(description), UP).legs == ()


def test_arms_that_hang_to_the_ground_beside_a_pedestal_are_no_legs() -> None:
    arm = Limb((1, 2), 2, False, -1.0)
    assert Stance((arm, arm), -1.0, -0.9).legs == ()


@pytest.mark.parametrize(("count", "legs"), [(2, 2), (3, 0), (4, 4), (5, 0), (6, 6)])
def test_legs_come_in_pairs_and_fingers_above_a_table_need_not(count: int, legs: int) -> None:
    limb = Limb((1, 2), 2, False, -1.0)
    assert len(Stance((limb,) * count, 0.0, -0.9).legs) == legs


@pytest.mark.parametrize(("limits", "wheels"), [((), 2), ((-1e9, 1e9), 2), ((-90.0, 90.0), 0)])
def test_hinge_that_turns_on_and_on_is_a_wheel(limits: tuple[float, ...], wheels: int) -> None:
    values = dict(zip(("float physics:lowerLimit", "float physics:upperLimit"), limits, strict=False))
    text = robot(base(), *(link(name) for name in "ab"),
                 *(joint("Revolute", f"j{name}", "base", name, (), values) for name in "ab"))
    description = described(text)
    (found,) = description.articulations
    assert len(stance_of(found, start_poses_by_body(description), UP).wheels) == wheels


@pytest.mark.parametrize(("gravity", "up"), [((0.0, -9.81, 0.0), (0, 1, 0)), ((0.0, 0.0, 0.0), (0, 0, 1)),
                                             ((0.0, 0.0, float("inf")), (0, 0, 1))])
def test_up_is_against_gravity_or_along_the_stages_axis(gravity: tuple[float, float, float], up: object) -> None:
    assert upward(gravity, "Z") == pytest.approx(up)
