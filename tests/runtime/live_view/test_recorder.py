"""Recordings of a live view, and the files that they become."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import physx_runtime
import pytest
from physx_runtime.live_view.recorder import MAX_SECONDS, recording_suffixes
from physx_runtime.live_view.robot import LiveRobot
from pxr import Usd, UsdGeom, UsdPhysics
from support.stages.recorded_arm import LINKS, SHOULDER, arm, saved

from physx_schema import authoring
from physx_schema.errors import UnsupportedError

STEPS = 30


@pytest.fixture
def robot(tmp_path: Path) -> LiveRobot:
    """An arm with a shape on its last link, beside a kinematic body and a box on the ground."""
    stage = arm()
    authoring.drive(stage.GetPrimAtPath(SHOULDER), stiffness=1000.0, damping=200.0, target=5.0)
    UsdGeom.Cube.Define(stage, f"{LINKS[2]}/shape").CreateSizeAttr(0.2)
    authoring.rigid_body(stage, "/World/gate", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(3.0, 0.0, 0.0))
    UsdPhysics.RigidBodyAPI(stage.GetPrimAtPath("/World/gate")).CreateKinematicEnabledAttr(True)
    authoring.rigid_body(stage, "/World/box", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(5.0, 0.0, 0.5))
    for path in ("/World/box/shape", "/World/floor"):
        cube = UsdGeom.Cube.Define(stage, path)
        cube.CreateSizeAttr(1.0)
        UsdPhysics.CollisionAPI.Apply(cube.GetPrim())
    UsdGeom.Xformable(stage.GetPrimAtPath("/World/floor")).AddTranslateOp().Set((5.0, 0.0, -0.5))
    return LiveRobot(Usd.Stage.Open(str(saved(stage, tmp_path / "arm.usda"))))


def recorded(robot: LiveRobot) -> None:
    robot.start_recording()
    for _ in range(STEPS):
        robot.step()


def test_a_recording_is_that_of_simulate(robot: LiveRobot, tmp_path: Path) -> None:
    recorded(robot)
    assert robot.recorder is not None
    ours, theirs = robot.recorder.recording(), physx_runtime.simulate(str(tmp_path / "arm.usda"), steps=STEPS)
    assert (ours.joint_names, ours.body_names, ours.kinematic_names) == (
        theirs.joint_names, theirs.body_names, theirs.kinematic_names)
    np.testing.assert_allclose(ours.time, theirs.time)
    for name in ("joint_position", "joint_velocity", "body_pose", "body_velocity"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=2e-4, err_msg=name)
    assert list(map(len, ours.contacts)) == list(map(len, theirs.contacts))
    assert max(map(len, ours.contacts)) == 4


def test_a_film_is_written_to_a_new_file_each_time(robot: LiveRobot, tmp_path: Path) -> None:
    pytest.importorskip("PIL", reason="pip install '.[report]'")
    names = []
    for _ in range(2):
        recorded(robot)
        names.append(robot.write_recording(tmp_path / "out", ".gif").name)
    assert names == ["arm_motion.gif", "arm_motion_2.gif"]
    assert all((tmp_path / "out" / name).read_bytes().startswith(b"GIF8") for name in names)


def test_a_layer_of_time_samples_lies_over_the_file_and_ends_where_the_motion_does(robot: LiveRobot, tmp_path: Path,
                                                                                   ) -> None:
    recorded(robot)
    path, end = robot.write_recording(tmp_path, ".usda"), robot.poses()
    stage = Usd.Stage.Open(str(path))
    assert list(stage.GetRootLayer().subLayerPaths) == ["./arm.usda"]
    frames = UsdGeom.XformCache(STEPS)
    position = frames.GetLocalToWorldTransform(stage.GetPrimAtPath(LINKS[2])).ExtractTranslation()
    np.testing.assert_allclose(position, end[robot.bodies.index(LINKS[2]), :3], atol=1e-5)


def test_a_layer_of_time_samples_has_the_edits(robot: LiveRobot, tmp_path: Path) -> None:
    (target,) = (knob for knob in robot.knobs if knob.property.endswith("targetPosition"))
    robot.set_value(target, 40.0)
    recorded(robot)
    stage = Usd.Stage.Open(str(robot.write_recording(tmp_path, ".usda")))
    assert stage.GetPropertyAtPath(f"{SHOULDER}.{target.property}").Get() == 40.0


def test_a_page_is_written(robot: LiveRobot, tmp_path: Path) -> None:
    recorded(robot)
    assert "arm" in robot.write_recording(tmp_path, ".html").read_text(encoding="utf-8")


def test_a_recording_without_a_step_is_refused(robot: LiveRobot, tmp_path: Path) -> None:
    robot.start_recording()
    with pytest.raises(UnsupportedError, match="nothing was recorded"):
        robot.write_recording(tmp_path, ".usda")


def test_a_recording_gets_full(robot: LiveRobot) -> None:
    robot.dt = MAX_SECONDS / 2
    robot.start_recording()
    assert robot.recorder is not None
    assert not robot.recorder.full
    for _ in range(2):
        robot.recorder.record(robot.contacts)
    assert robot.recorder.full


def test_films_are_offered_first_and_tables_not_at_all() -> None:
    assert recording_suffixes()[0] == ".gif"
    assert not {".csv", ".npz"} & set(recording_suffixes())
