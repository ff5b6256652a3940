"""What is no longer simulated stays where it came to be, as in PhysX, and goes on from there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from physx_runtime import Session
from pxr import Gf, Sdf, Usd, UsdPhysics
from support.stages.robots import joint, robot
from support.stages.session_stages import DRIVE, DRIVEN, DT, SCENE, arm, link, opened, state, texts, value, world_poses

from physx_schema.description.frames import rotation_matrix

CRATE, LOWER, ELBOW = "/crate", "/Robot/lower", "/Robot/elbow"
STEPS = 10          # as experiments/measure_live_edits.py
FALLEN, FASTER = 0.1371, 1.635      # its numbers: a free body after so many steps, from rest
CLOSE = 1e-3


def falling(**values: object) -> Any:
    """The arm, and a crate that falls beside it."""
    stage = opened(arm() + link("crate", (5, 0, 0)))
    for name, given in values.items():
        set_flag(stage, name, given)
    return stage


def set_flag(stage: Any, name: str, given: object, path: str = CRATE) -> None:
    stage.GetPrimAtPath(path).CreateAttribute(f"physics:{name}", Sdf.ValueTypeNames.Bool, False).Set(given)


def run(session: Session, steps: int = STEPS) -> None:
    for _ in range(steps):
        session.step(DT)


def height(stage: Any, path: str = CRATE) -> float:
    return float(world_poses(stage, (path,))[0, 2])


@pytest.mark.parametrize(("flag", "stopped"), [("kinematicEnabled", True), ("rigidBodyEnabled", False)])
def test_a_body_stopped_while_it_falls_stays_there_and_falls_on_from_rest(flag: str, stopped: bool) -> None:
    stage = falling()
    session = Session(stage)
    run(session)
    assert height(stage) == pytest.approx(-FALLEN, abs=CLOSE)
    set_flag(stage, flag, stopped)
    run(session)
    assert height(stage) == pytest.approx(-FALLEN, abs=CLOSE)
    set_flag(stage, flag, not stopped)
    run(session)
    assert height(stage) == pytest.approx(-2 * FALLEN, abs=CLOSE)
    assert value(stage, f"{CRATE}.physics:velocity")[2] == pytest.approx(-FASTER, abs=CLOSE)


def test_a_body_moved_while_it_is_kinematic_falls_from_there() -> None:
    stage = falling()
    session = Session(stage)
    run(session)
    set_flag(stage, "kinematicEnabled", True)
    run(session, 1)
    stage.GetAttributeAtPath(f"{CRATE}.xformOp:translate").Set(Gf.Vec3d(1, 2, 3))
    run(session, 1)
    assert world_poses(stage, (CRATE,))[0, :3] == pytest.approx([1, 2, 3])
    set_flag(stage, "kinematicEnabled", False)
    run(session)
    assert world_poses(stage, (CRATE,))[0, :3] == pytest.approx([1, 2, 3 - FALLEN], abs=CLOSE)


def test_a_body_authored_asleep_while_it_falls_falls_on() -> None:
    stage, plain = falling(), falling()
    session, other = Session(stage), Session(plain)
    run(session)
    set_flag(stage, "startsAsleep", True)
    run(session)
    run(other, 2 * STEPS)
    assert height(stage) == height(plain)


def test_a_body_switched_off_and_on_goes_on_as_it_was() -> None:
    stage = falling()
    session = Session(stage)
    run(session)
    stage.GetPrimAtPath(CRATE).SetActive(False)
    run(session)
    stage.GetPrimAtPath(CRATE).SetActive(True)
    run(session)
    assert value(stage, f"{CRATE}.physics:velocity")[2] == pytest.approx(-2 * FASTER, abs=CLOSE)
    assert height(stage) < -3 * FALLEN


def off(stage: Any, how: str) -> None:
    robot = stage.GetPrimAtPath("/Robot")
    if how == "disabled":
        robot.AddAppliedSchema("PhysxArticulationAPI")
        robot.CreateAttribute("physxArticulation:articulationEnabled", Sdf.ValueTypeNames.Bool, False).Set(False)
    elif how == "rootless":
        robot.RemoveAPI(UsdPhysics.ArticulationRootAPI)
    else:
        set_flag(stage, "jointEnabled", False, ELBOW)


def on(stage: Any, how: str) -> None:
    robot = stage.GetPrimAtPath("/Robot")
    if how == "disabled":
        robot.GetAttribute("physxArticulation:articulationEnabled").Set(True)
    elif how == "rootless":
        UsdPhysics.ArticulationRootAPI.Apply(robot)
    else:
        set_flag(stage, "jointEnabled", True, ELBOW)


@pytest.mark.parametrize("how", ["disabled"])
def test_a_robot_that_is_no_longer_simulated_is_named_stays_and_goes_on_from_rest(how: str) -> None:
    stage = opened(arm())
    session = Session(stage)
    run(session)
    before, elbow = world_poses(stage, (LOWER, "/Robot/upper")), state(stage, ELBOW)
    off(stage, how)
    run(session)
    assert session.articulations == ()
    assert any(m.kind == "not-simulated" for m in session.messages)
    assert world_poses(stage, (LOWER, "/Robot/upper")) == pytest.approx(before, abs=1e-6)
    on(stage, how)
    session.step(1e-6)
    assert state(stage, ELBOW) == pytest.approx(elbow, rel=1e-5)
    assert state(stage, ELBOW, "velocity") == pytest.approx(0.0, abs=0.1)
    session.reset()
    plain = opened(arm())
    off(plain, how)
    on(plain, how)
    assert texts(stage) == texts(plain)


def test_a_link_cut_off_flies_on_from_where_and_as_it_was() -> None:
    stage = opened(arm())
    session = Session(stage)
    run(session)
    before, speed = world_poses(stage, (LOWER,))[0], np.array(value(stage, f"{LOWER}.physics:velocity"))
    off(stage, "joint")
    session.step(1e-6)
    after = world_poses(stage, (LOWER,))[0]
    assert after == pytest.approx(before, abs=1e-4)
    assert np.array(value(stage, f"{LOWER}.physics:velocity")) == pytest.approx(speed, abs=CLOSE)
    assert np.linalg.det(np.array(rotation_matrix(tuple(after[3:])))) == pytest.approx(1.0, abs=1e-5)


MOVES: dict[str, tuple[str, str, Callable[[], str]]] = {
    "body renamed": (CRATE, "/box", lambda: "/box"),
    "body reparented": (CRATE, "/World/crate", lambda: "/World/crate"),
    "joint renamed": (ELBOW, "/Robot/bend", lambda: LOWER),
    "link renamed": (LOWER, "/Robot/forearm", lambda: "/Robot/forearm"),
    "robot renamed": ("/Robot", "/Arm", lambda: "/Arm/lower"),
    "robot reparented": ("/Robot", "/World/Robot", lambda: "/World/Robot/lower"),
}


def move(stage: Any, old: str, new: str) -> None:
    editor = Usd.NamespaceEditor(stage)
    editor.MovePrimAtPath(old, new)
    assert editor.ApplyEdits()


@pytest.mark.parametrize("name", MOVES)
def test_a_prim_renamed_or_moved_below_another_goes_on_and_takes_its_results_along(name: str) -> None:
    old, new, looked = MOVES[name]
    followed = {CRATE: CRATE, LOWER: LOWER}.get(old, LOWER)
    stage, plain, still = falling(), falling(), falling()
    for each in (stage, plain, still):
        each.DefinePrim("/World", "Xform")
    session, other = Session(stage), Session(still)
    run(session)
    for each in (stage, plain):
        move(each, old, new)
    run(session)
    run(other, 2 * STEPS)
    assert world_poses(stage, (looked(),)) == pytest.approx(world_poses(still, (followed,)), abs=1e-5)
    session.reset()
    assert texts(stage) == texts(plain)


def test_a_body_removed_and_made_again_begins_where_it_is_authored() -> None:
    stage, donor = falling(), falling()
    session = Session(stage)
    run(session)
    stage.RemovePrim(CRATE)
    run(session, 1)
    Sdf.CopySpec(donor.GetRootLayer(), CRATE, stage.GetRootLayer(), CRATE)
    run(session)
    assert height(stage) == pytest.approx(-FALLEN, abs=CLOSE)


@pytest.mark.parametrize("moment", ["start", "while it runs"])
def test_velocities_said_to_be_in_the_axes_of_the_body_are_named(moment: str) -> None:
    stage = falling()
    if moment == "start":
        stage.GetPrimAtPath(CRATE).SetCustomDataByKey("physics:localSpaceVelocities", True)
    session = Session(stage)
    run(session, 1)
    stage.GetPrimAtPath(CRATE).SetCustomDataByKey("physics:localSpaceVelocities", True)
    run(session, 1)
    assert [m.path for m in session.messages if "physics:localSpaceVelocities" in m.text] == [CRATE]


@pytest.mark.parametrize("rate", [1e30, 3e38])
def test_a_link_faster_than_float32_holds_stands_still_through_edits_of_the_structure(rate: float) -> None:
    far = 1000.0                # m from the root: the link's velocity is that many times the root's rate
    at_its_end = {**DRIVE, "point3f physics:localPos0": (far, 0.0, 0.0)}
    reach = joint("Revolute", "shoulder", "base", "upper", DRIVEN, at_its_end)
    stage = opened(robot(link("base", schemas=("PhysicsArticulationRootAPI",)), link("upper", (far, 0, 0)), reach,
                         schemas=(), outside=SCENE))
    session = Session(stage)
    run(session, 1)
    stage.GetPrimAtPath("/Robot/base").GetAttribute("physics:angularVelocity").Set(Gf.Vec3f(0, 0, rate))
    for enabled in (False, True, False):
        set_flag(stage, "jointEnabled", enabled, "/Robot/shoulder")
        run(session, 1)
    assert any("not finite" in message.text for message in session.messages)
