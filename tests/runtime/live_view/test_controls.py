"""Ends and steps of sliders, and the names of robots' folders."""

from __future__ import annotations

import pytest
from physx_runtime.live_view.controls import ROBOT, robot_label, slider_range
from physx_runtime.live_view.knobs import MATERIALS, OTHER_JOINTS, TARGETS, Knob


def knob(low: float, high: float, value: float) -> Knob:
    return Knob("/robot", TARGETS, "/robot/joint", "drive:angular:physics:targetPosition", "joint", low, high, value)


@pytest.mark.parametrize(("low", "high", "value", "shown"), [
    (-166.003067, 166.003067, 0.0, (-166.0, 166.0, 1.0)), (-0.0123456, 0.0123456, 0.0, (-0.0123, 0.0123, 0.0001)),
    (-176.001175, -3.999245, -3.9993, (-176.0, -3.9993, 0.1)), (5.0, 5.0, 5.0, (5.0, 5.0, 1.0)),
    (0.0, 3e8, 1e8, (0.0, 3e8, 1e6))])
def test_a_slider_has_few_digits_inside_the_limits_and_around_the_value(
        low: float, high: float, value: float, shown: tuple[float, float, float]) -> None:
    assert slider_range(knob(low, high, value)) == pytest.approx(shown)


def test_a_robot_has_the_name_that_tells_it_from_the_others() -> None:
    robots = ["/World/left/root_joint", "/World/right/root_joint", OTHER_JOINTS]
    assert [robot_label(robot, robots) for robot in robots] == ["left", "right", OTHER_JOINTS]
    assert robot_label("/World/arm", ["/World/arm", MATERIALS]) == ROBOT
    assert [robot_label(robot, ["/arm", "/arm/hand"]) for robot in ("/arm", "/arm/hand")] == ["arm", "hand"]
