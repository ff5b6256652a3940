"""Bodies pulled with a pointer, against simulations to which the same wrench is given in another way."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from physx_runtime import Scene, Simulation
from physx_runtime.live_view.pull import FREQUENCY
from physx_runtime.live_view.robot import LiveRobot
from pxr import Gf, Usd, UsdGeom, UsdPhysics
from support.stages.recorded_arm import LINKS, arm, saved

from physx_schema import authoring
from physx_schema.errors import UnsupportedError

BODY = "/World/box"
STEPS = 60
TIP = np.array([0.0, 0.0, 2.0])         # of the arm as it stands
TARGET = np.array([0.6, 0.0, 1.6])


def open_robot(stage: Usd.Stage, path: Path) -> LiveRobot:
    return LiveRobot(Usd.Stage.Open(str(saved(stage, path))))


def box(kinematic: bool = False) -> Usd.Stage:
    """A box of mass 2 that floats without gravity."""
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    stage.SetDefaultPrim(UsdGeom.Xform.Define(stage, "/World").GetPrim())
    scene = UsdPhysics.Scene.Define(stage, "/World/scene")
    scene.CreateGravityMagnitudeAttr(0.0)
    authoring.rigid_body(stage, BODY, mass=2.0, inertia=(0.1, 0.2, 0.3), position=(0.0, 0.0, 1.0))
    if kinematic:
        UsdPhysics.RigidBodyAPI(stage.GetPrimAtPath(BODY)).CreateKinematicEnabledAttr(True)
        authoring.rigid_body(stage, "/World/free", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(3.0, 0.0, 0.0))
    return stage


def test_a_pulled_pendulum_moves_as_under_the_same_torques(tmp_path: Path) -> None:
    """The force acts at a point; the joints' efforts that are equal to it are those of plane trigonometry."""
    robot = open_robot(arm(), tmp_path / "arm.usda")
    sim = Simulation(str(tmp_path / "arm.usda"))
    robot.pulls.grab("mouse", LINKS[2], TIP)
    robot.pulls.move("mouse", TARGET)
    for _ in range(STEPS):
        q = sim.joint_position[0].astype(np.float64)
        elbow = np.array([np.sin(q[0]), np.cos(q[0])])                      # x and z
        tip = elbow + np.array([np.sin(q.sum()), np.cos(q.sum())])
        robot.step()
        x, _, z = robot.pulls.forces["mouse"]
        sim.set("joint_effort", [[tip[1] * x - tip[0] * z, (tip - elbow)[1] * x - (tip - elbow)[0] * z]])
        sim.step()
    np.testing.assert_allclose(robot._session.simulation("/World").joint_position, sim.joint_position, atol=2e-4)
    assert np.abs(sim.joint_position).max() > 0.1


def test_the_spring_of_a_free_body_has_its_frequency(tmp_path: Path) -> None:
    """Pulled at its centre, a body follows x(t) of a critically damped spring."""
    robot = open_robot(box(), tmp_path / "box.usda")
    robot.dt = 1 / 600
    robot.pulls.grab("mouse", BODY, (0.0, 0.0, 1.0))
    robot.pulls.move("mouse", (0.1, 0.0, 1.0))
    for _ in range(STEPS):
        robot.step()
    t = STEPS / 600 * FREQUENCY
    np.testing.assert_allclose(robot.poses()[0, :3], [0.1 * (1 - (1 + t) * np.exp(-t)), 0.0, 1.0], atol=1e-3)


def test_the_mass_at_a_corner_is_that_of_the_bodys_response(tmp_path: Path) -> None:
    """A scene's own answer: how fast the picked point gets under unit forces in one short step, over directions."""
    robot = open_robot(box(), tmp_path / "box.usda")
    point, dt = np.array([0.3, 0.2, 1.1]), 1e-3
    robot.pulls.grab("mouse", BODY, point)
    scene = Scene(str(tmp_path / "box.usda"), worlds=3, dt=dt)
    scene[BODY].apply_force(np.eye(3), point=np.tile(point, (3, 1)))
    scene.step()
    motion = scene.body_velocity[:, 0].astype(np.float64)
    speeds = motion[:, :3] + np.cross(motion[:, 3:], point - [0.0, 0.0, 1.0])
    assert robot.pulls._pulls["mouse"].mass == pytest.approx(3.0 * dt / np.trace(speeds), rel=1e-3)


def test_the_mass_at_a_link_is_that_of_the_arms_response(tmp_path: Path) -> None:
    stage = arm()
    UsdPhysics.Scene(stage.GetPrimAtPath("/World/scene")).CreateGravityMagnitudeAttr(0.0)
    robot, dt = open_robot(stage, tmp_path / "arm.usda"), 1e-3
    robot.pulls.grab("mouse", LINKS[2], TIP)
    scene = Scene(str(tmp_path / "arm.usda"), worlds=3, dt=dt)
    scene["/World"].apply_force(np.eye(3), link=LINKS[2], point=np.tile(TIP, (3, 1)))
    scene.step()
    motion = scene["/World"].link_velocity[:, 2].astype(np.float64)
    center = scene["/World"].link_pose[:, 2, :3].astype(np.float64)
    speeds = motion[:, :3] + np.cross(motion[:, 3:], TIP - center)
    assert robot.pulls._pulls["mouse"].mass == pytest.approx(3.0 * dt / np.trace(speeds), rel=1e-2)


def test_a_released_body_is_pulled_no_more(tmp_path: Path) -> None:
    robot = open_robot(box(), tmp_path / "box.usda")
    robot.pulls.grab("mouse", BODY, (0.0, 0.0, 1.0))
    robot.pulls.move("mouse", (1.0, 0.0, 1.0))
    robot.step()
    robot.pulls.release("mouse")
    assert robot.pulls.lines().shape == (0, 2, 3)
    before = robot._session.simulation(BODY).link_velocity.copy()
    robot.step()
    np.testing.assert_array_equal(robot._session.simulation(BODY).link_velocity, before)


def test_a_line_is_drawn_from_the_picked_point_to_the_pointer(tmp_path: Path) -> None:
    robot = open_robot(box(), tmp_path / "box.usda")
    robot.pulls.grab("mouse", BODY, (0.1, 0.0, 1.0))
    robot.pulls.move("mouse", (1.0, 2.0, 3.0))
    np.testing.assert_allclose(robot.pulls.lines(), [[[0.1, 0.0, 1.0], [1.0, 2.0, 3.0]]], atol=1e-6)


@pytest.mark.parametrize(("stage", "body", "message"), [
    (box(kinematic=True), BODY, "kinematic or not simulated"), (arm(), LINKS[0], "fixed to the world")])
def test_what_no_force_moves_is_refused_in_a_line(stage: Usd.Stage, body: str, message: str, tmp_path: Path) -> None:
    robot = open_robot(stage, tmp_path / "stage.usda")
    with pytest.raises(UnsupportedError, match=message):
        robot.pulls.grab("mouse", body, (0.0, 0.0, 0.0))
    robot.step()


def test_a_sleeping_body_is_woken(tmp_path: Path) -> None:
    stage = box()
    robot = open_robot(stage, tmp_path / "box.usda")
    for _ in range(STEPS):
        robot.step()
    assert robot._session.simulation(BODY).asleep.all()
    robot.pulls.grab("mouse", BODY, (0.0, 0.0, 1.0))
    robot.pulls.move("mouse", Gf.Vec3d(0.2, 0.0, 1.0))
    for _ in range(STEPS):
        robot.step()
    assert robot.poses()[0, 0] > 0.1


@pytest.mark.parametrize("far", [1e20, 1e35])
def test_a_body_that_diverges_is_not_pulled(far: float, tmp_path: Path) -> None:
    robot = open_robot(box(), tmp_path / "box.usda")
    robot.step()
    robot.pulls.grab("mouse", BODY, (0.0, 0.0, 1.0))
    actor = robot._session.simulation(BODY)
    actor.reset(root_pose=[far, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0])
    robot.step()
    assert robot.pulls.force_by_body == {BODY: 0.0}
