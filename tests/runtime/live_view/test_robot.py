"""A stage that is stepped while it is edited."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from physx_runtime.live_view.robot import DRIVES, JOINTS, TARGETS, TENDONS, Knob, LiveRobot
from pxr import Sdf, Usd
from support.stages.recorded_arm import LINKS, SHOULDER, arm, saved

from physx_schema import authoring
from physx_schema.errors import UnsupportedError

TARGET = "drive:angular:physics:targetPosition"
SHORT, LONG = 30, 240       # steps
NEAR = 0.5                  # degrees: a stiff, damped drive under gravity


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """An arm with a drive at its shoulder and a tendon."""
    stage = arm(tendon=True)
    authoring.drive(stage.GetPrimAtPath(SHOULDER), stiffness=1000.0, damping=200.0, target=5.0)
    return saved(stage, tmp_path / "arm.usda")


@pytest.fixture
def robot(file: Path) -> LiveRobot:
    return LiveRobot(Usd.Stage.Open(str(file)))


def knob(robot: LiveRobot, group: str, name: str = SHOULDER) -> Knob:
    return next(item for item in robot.knobs if item.group == group and item.path == name)


def test_joints_targets_drives_and_tendons_have_knobs_with_authored_values(robot: LiveRobot) -> None:
    assert {item.group for item in robot.knobs} == {JOINTS, TARGETS, DRIVES, TENDONS}
    target = knob(robot, TARGETS)
    assert (target.property, target.value) == (TARGET, 5.0)
    assert all(item.low <= item.value <= item.high for item in robot.knobs)


def test_turning_a_target_moves_the_link_that_it_drives(robot: LiveRobot) -> None:
    robot.step(1 / 60)
    robot.set_value(knob(robot, TARGETS), 40.0)
    for _ in range(LONG):
        robot.step(1 / 60)
    (state,) = (robot._session.simulation(path).get("q")[0] for path in robot._session.articulations)
    assert np.degrees(state[0]) == pytest.approx(40.0, abs=NEAR)


def test_a_joint_is_put_where_its_knob_says_and_authors_nothing(robot: LiveRobot) -> None:
    before = robot.poses()
    robot.set_value(knob(robot, JOINTS), 30.0)
    robot.step(1e-4)
    moved = robot.poses()[robot.bodies.index(LINKS[-1])]
    assert np.abs(moved - before[robot.bodies.index(LINKS[-1])]).max() > 0.1
    assert not Sdf.Layer.Find(robot.stage.GetRootLayer().identifier).rootPrims


def test_edits_are_saved_as_a_layer_over_the_file_without_the_motion(file: Path, robot: LiveRobot) -> None:
    robot.set_value(knob(robot, TARGETS), 40.0)
    for _ in range(SHORT):
        robot.step(1 / 60)
    robot.save(file.with_name("edits.usda"))
    layer = Sdf.Layer.FindOrOpen(str(file.with_name("edits.usda")))
    assert list(layer.subLayerPaths) == ["./arm.usda"]
    said: list[str] = []
    layer.Traverse("/", lambda path: said.append(str(path)) if path.IsPropertyPath() else None)
    assert said == [f"{SHOULDER}.{TARGET}"]
    assert Usd.Stage.Open(layer).GetPropertyAtPath(said[0]).Get() == 40.0


def test_reset_goes_back_to_the_start_with_the_edits(robot: LiveRobot) -> None:
    before = robot.poses()
    robot.set_value(knob(robot, TARGETS), 40.0)
    for _ in range(SHORT):
        robot.step(1 / 60)
    assert np.abs(robot.poses() - before).max() > 0.1
    robot.reset()
    np.testing.assert_allclose(robot.poses(), before, atol=1e-9)
    assert robot.stage.GetPropertyAtPath(f"{SHOULDER}.{TARGET}").Get() == 40.0


def test_the_file_itself_is_not_written_over(file: Path, robot: LiveRobot) -> None:
    with pytest.raises(UnsupportedError, match="a file of the stage"):
        robot.save(file)
