"""A stage that is stepped while it is edited."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime.live_view.knobs import JOINTS, TARGETS, Knob
from physx_runtime.live_view.robot import LiveRobot
from pxr import Sdf, Usd, UsdGeom
from support.stages.recorded_arm import LINKS, SHOULDER, arm, saved

from physx_schema import authoring
from physx_schema.errors import UnreadableError, UnsupportedError

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


def stepped(robot: LiveRobot, count: int) -> NDArray[np.float64]:
    """(count + 1, n_body, 7) the poses before and after each step."""
    poses = [robot.poses()]
    for _ in range(count):
        robot.step()
        poses.append(robot.poses())
    return np.array(poses)


def test_turning_a_target_moves_the_link_that_it_drives(robot: LiveRobot) -> None:
    robot.step()
    robot.set_value(knob(robot, TARGETS), 40.0)
    stepped(robot, LONG)
    (state,) = (robot._session.simulation(path).get("q")[0] for path in robot._session.articulations)
    assert np.degrees(state[0]) == pytest.approx(40.0, abs=NEAR)


def test_a_joint_is_put_where_its_knob_says_and_authors_nothing(robot: LiveRobot) -> None:
    before = robot.poses()
    robot.set_value(knob(robot, JOINTS), 30.0)
    robot.dt = 1e-4
    robot.step()
    moved = robot.poses()[robot.bodies.index(LINKS[-1])]
    assert np.abs(moved - before[robot.bodies.index(LINKS[-1])]).max() > 0.1
    assert robot.edits.empty


def test_edits_are_saved_as_a_layer_over_the_file_without_the_motion(file: Path, robot: LiveRobot) -> None:
    robot.set_value(knob(robot, TARGETS), 40.0)
    stepped(robot, SHORT)
    saved_paths = [robot.save_edits(file.parent / "out") for _ in range(2)]
    assert [path.name for path in saved_paths] == ["arm_edits.usda", "arm_edits_2.usda"]
    layer = Sdf.Layer.FindOrOpen(str(saved_paths[0]))
    assert list(layer.subLayerPaths) == ["../arm.usda"]
    said: list[str] = []
    layer.Traverse("/", lambda path: said.append(str(path)) if path.IsPropertyPath() else None)
    assert said == [f"{SHOULDER}.{TARGET}"]
    assert Usd.Stage.Open(layer).GetPropertyAtPath(said[0]).Get() == 40.0


def test_reset_goes_back_to_the_start_to_the_bit_with_the_edits(robot: LiveRobot) -> None:
    robot.set_value(knob(robot, TARGETS), 40.0)
    first = stepped(robot, SHORT)
    assert np.abs(first[-1] - first[0]).max() > 0.1
    robot.pulls.grab("mouse", LINKS[-1], (0.0, 0.0, 2.0))
    robot.pulls.move("mouse", (1.0, 0.0, 1.0))
    stepped(robot, SHORT)
    robot.reset()
    np.testing.assert_array_equal(stepped(robot, SHORT), first)
    assert robot.stage.GetPropertyAtPath(f"{SHOULDER}.{TARGET}").Get() == 40.0


def test_undone_edits_take_effect_while_it_moves(robot: LiveRobot) -> None:
    robot.set_value(knob(robot, TARGETS), 40.0)
    stepped(robot, LONG)
    robot.edits.undo()
    stepped(robot, LONG)
    (state,) = (robot._session.simulation(path).get("q")[0] for path in robot._session.articulations)
    assert np.degrees(state[0]) == pytest.approx(5.0, abs=NEAR)


def test_robots_of_one_stage_have_knobs_of_their_own(tmp_path: Path) -> None:
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    source = arm()
    authoring.drive(source.GetPrimAtPath(SHOULDER), stiffness=1000.0, damping=200.0)
    source.GetRootLayer().Export(str(tmp_path / "arm.usda"))
    for name in ("left", "right"):
        stage.DefinePrim(f"/{name}").GetReferences().AddReference("./arm.usda")
    stage.GetRootLayer().Export(str(tmp_path / "two.usda"))
    robot = LiveRobot(Usd.Stage.Open(str(tmp_path / "two.usda")))
    targets = [item for item in robot.knobs if item.group == TARGETS]
    assert [item.robot for item in targets] == ["/left", "/right"]
    robot.step()
    robot.set_value(targets[1], 40.0)
    stepped(robot, LONG)
    angles = [np.degrees(robot._session.simulation(path).get("q")[0, 0]) for path in ("/left", "/right")]
    assert angles == [pytest.approx(0.0, abs=NEAR), pytest.approx(40.0, abs=NEAR)]


@pytest.mark.parametrize(("entry", "error"), [
    ("kilogramsPerUnit = 0", "wrong.usda: kilogramsPerUnit is 0"), ("upAxis = {}", "wrong.usda: upAxis has another")])
def test_a_stage_that_physx_refuses_is_named_in_a_line(entry: str, error: str, tmp_path: Path) -> None:
    path = saved(arm(), tmp_path / "wrong.usda")
    path.write_text(path.read_text(encoding="utf-8").replace("metersPerUnit = 1\n", f"{entry}\n").replace(
        'upAxis = "Z"', "" if entry.startswith("upAxis") else 'upAxis = "Z"'), encoding="utf-8")
    with pytest.raises((UnreadableError, UnsupportedError), match=error) as caught:
        LiveRobot(Usd.Stage.Open(str(path)))
    assert "\n" not in str(caught.value)


def test_a_stage_on_which_nothing_moves_is_shown_and_not_recorded(tmp_path: Path) -> None:
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.Cube.Define(stage, "/World/cube")
    robot = LiveRobot(Usd.Stage.Open(str(saved(stage, tmp_path / "still.usda"))))
    robot.step()
    assert len(robot.poses()) == 0
    with pytest.raises(UnsupportedError, match="nothing on the stage moves"):
        robot.start_recording()
