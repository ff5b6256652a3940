"""A session steps what joints outside articulations hold as a scene does, and follows edits of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from physx_runtime import Scene, Session
from physx_runtime.session import session as session_module
from physx_runtime.worlds.store import SCHEDULED
from pxr import Gf, Sdf
from support.stages.iteration_stages import DT, KINEMATIC, free, opened, prim, slider, stage

HINGE = prim("PhysicsRevoluteJoint", "hinge", "PhysicsDriveAPI:angular", {
    "rel physics:body0": "</K>", "rel physics:body1": "</B>", "uniform token physics:axis": '"Y"',
    "point3f physics:localPos0": "(-1, 0, 0)", "point3f physics:localPos1": "(-1, 0, 0)",
    "float drive:angular:physics:stiffness": "5", "float drive:angular:physics:damping": "0.1"})
WELD = prim("PhysicsFixedJoint", "weld", "", {
    "rel physics:body0": "</S/tip>", "rel physics:body1": "</C>", "point3f physics:localPos0": "(0, 1, 0)",
    "point3f physics:localPos1": "(-9, 1, 0)"})
TEXT = stage(slider("S", x=0.0), free("B", x=0.0), free("C", x=9.0), free("K", x=0.0, more=KINEMATIC), HINGE, WELD)


def started() -> tuple[Any, Session, Scene]:
    """A stage, a session of it and a scene."""
    found = opened(TEXT)
    return found, Session(found), Scene(opened(TEXT), dt=DT, path=SCHEDULED, sleeping=False)


def assert_alike(session: Session, scene: Scene) -> None:
    """The session's actors are where the scene's are, bit for bit."""
    for name in scene.actors:
        for row, values in scene[name].state().items():
            assert np.array_equal(values, session.simulation(name).get(row)), (name, row)


def test_islands_of_a_session_move_bit_for_bit_as_in_a_scene() -> None:
    _, session, scene = started()
    assert session.articulations == scene.actors
    assert not [m for m in session.messages if m.kind == "not-simulated"]
    for _ in range(20):
        session.step(DT)
        scene.step()
    assert_alike(session, scene)


def test_reset_takes_islands_back_to_the_start() -> None:
    _, session, scene = started()
    for _ in range(10):
        session.step(DT)
    session.reset()
    for _ in range(10):
        session.step(DT)
        scene.step()
    assert_alike(session, scene)


def test_a_kinematic_body_that_is_moved_on_the_stage_is_a_target() -> None:
    found, session, scene = started()
    session.step(DT)
    scene.step()
    found.GetAttributeAtPath("/K.xformOp:translate").Set(Gf.Vec3d(0.01, 0.0, 0.0))
    scene.set_kinematic_target("/K", [0.01, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    for _ in range(3):
        session.step(DT)
        scene.step()
    for name in scene.actors:       # reading the stage again rounds
        assert session.simulation(name).get("v") == pytest.approx(scene[name].get("v"), abs=1e-5)


def test_moving_a_kinematic_body_reads_nothing_else_of_the_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    found, session, scene = started()
    session.step(DT)
    scene.step()
    with monkeypatch.context() as patch:
        patch.setattr(session_module, "describe", lambda stage: pytest.fail("the stage was read again"))
        for x in (0.01, 0.03, 0.03):
            found.GetAttributeAtPath("/K.xformOp:translate").Set(Gf.Vec3d(x, 0.0, 0.0))
            scene.set_kinematic_target("/K", [x, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
            session.step(DT)
            scene.step()
            assert_alike(session, scene)
    found.GetAttributeAtPath("/B.physics:mass").Set(1.5)       # which has the stage read again
    scene["/B"].set_parameter("mass", 1.5)
    session.step(DT)
    scene.step()
    assert session.simulation("/B").get("v") == pytest.approx(scene["/B"].get("v"), abs=1e-5)
    found.GetAttributeAtPath("/K.xformOp:translate").Set(Gf.Vec3d(0.5, 0.0, 0.0))
    session.step(DT)
    session.reset()                                             # goes back to where the stage has it now
    restarted = Scene(found, dt=DT, path=SCHEDULED, sleeping=False)
    session.step(DT)
    restarted.step()
    assert_alike(session, restarted)


def test_a_kinematic_body_that_carries_another_has_the_stage_read_again() -> None:
    nested = free("K", x=0.0, more=KINEMATIC).removesuffix("}\n") + free("inner", more=KINEMATIC) + "}\n"
    found = opened(stage(free("B", x=9.0), nested))
    session = Session(found)
    session.step(DT)
    found.GetAttributeAtPath("/K.xformOp:translate").Set(Gf.Vec3d(1.0, 0.0, 0.0))
    session.step(DT)
    bodies = dict(zip(session._scene.body_names, session._scene.body_pose[0], strict=True))
    assert bodies["/K/inner"][0] == pytest.approx(51.0)


def test_a_joint_that_is_switched_off_lets_go_and_holds_again() -> None:
    found, session, _ = started()
    session.step(DT)
    enabled = found.GetPrimAtPath("/hinge").CreateAttribute("physics:jointEnabled", found.GetAttributeAtPath(
        "/K.physics:kinematicEnabled").GetTypeName())
    enabled.Set(False)
    before = session.simulation("/B").get("v")[0, 2]
    for _ in range(5):
        session.step(DT)
    assert session.simulation("/B").get("v")[0, 2] - before == pytest.approx(-10.0 * 5 * DT, rel=1e-4)
    enabled.Set(True)
    for _ in range(20):
        session.step(DT)
    hinge = session.simulation("/B").link_pose[0, 0]
    turn = 2.0 * np.arctan2(hinge[4], hinge[6])
    assert hinge[:3] == pytest.approx([np.cos(turn) - 1.0, 0.0, -np.sin(turn)], abs=0.01)


def test_an_edited_drive_of_a_joint_is_taken_up() -> None:
    found, session, _ = started()
    session.step(DT)
    found.GetAttributeAtPath("/hinge.drive:angular:physics:stiffness").Set(5000.0)
    for _ in range(100):
        session.step(DT)
    turn = session.simulation("/B").link_pose[0, 0, 4]
    assert abs(turn) < 1e-3


GEAR = prim("PhysxPhysicsGearJoint", "gear", "", {
    "rel physics:body0": "</B>", "rel physics:body1": "</C>", "rel physics:hinge0": "</hinge>",
    "float physics:gearRatio": "nan"})


def test_a_joint_that_is_refused_leaves_its_own_island_standing_and_no_other() -> None:
    ball = prim("PhysicsSphericalJoint", "ball", "", {"rel physics:body1": "</D>", "rel physics:body0": "</E>"})
    refused = TEXT.replace(WELD, "") + GEAR + free("D", x=30.0) + free("E", x=30.0) + ball + free("F", x=60.0)
    with Session(opened(refused)) as session:
        for _ in range(5):
            session.step(DT)
        assert set(session.articulations) == {"/S", "/D", "/E", "/F"}
        assert all(session.simulation(name).link_pose[0, 0, 2] < 0.0 for name in ("/D", "/E", "/F"))
        said = [(m.code, m.path) for m in session.messages if m.kind == "not-simulated"]
        assert ("session/unsupported", "/") in said
        assert {("session/held", "/B"), ("session/held", "/C")} <= set(said)


def test_an_island_with_a_velocity_of_nan_stands_and_no_other() -> None:
    ball = prim("PhysicsSphericalJoint", "ball", "", {"rel physics:body1": "</D>", "rel physics:body0": "</E>"})
    found = opened(TEXT + free("D", x=30.0) + free("E", x=30.0) + ball + free("F", x=60.0))
    found.GetPrimAtPath("/D").CreateAttribute("physics:velocity", Sdf.ValueTypeNames.Vector3f).Set(
        Gf.Vec3f(float("nan"), 0, 0))
    with Session(found) as session:
        session.step(DT)
        assert not {"/D", "/E"} & set(session.articulations) and "/F" in session.articulations
        assert {"/D", "/E"} <= {m.path for m in session.messages if m.code == "session/held"}
