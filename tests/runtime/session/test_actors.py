"""A session steps what joints outside articulations hold as a scene does, and follows edits of them.

Actors of one structure share a buffer in a session, and go on to the bit where others of them come and go.

A robot that cannot move gives its iteration counts to others until it falls asleep, as in real PhysX.

What touches goes on with all that it remembers when a stage is read again for a value that is not its own.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from physx_runtime import Scene, Session
from physx_runtime.session import session as session_module
from physx_runtime.worlds.store import SCHEDULED
from pxr import Gf, Sdf, Usd, UsdPhysics
from support.stages.iteration_stages import DT, KINEMATIC, free, opened, prim, slider, stage
from support.stages.parts import scene
from support.stages.resting_stages import CASES
from support.stages.resting_stages import DT as CONTACT_DT
from support.stages.robots import HEAD, base, link, placed
from support.stages.robots import opened as opened_robot
from support.stages.robots import prim as robot_prim
from support.stages.session_stages import world_poses

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


# --- shared buffers --------------------------------------------------------------------------------------------------

SPUN = {"vector3f physics:angularVelocity": "(10, 20, 30)", "float3 physics:diagonalInertia": "(0.1, 0.2, 0.3)"}
COUNT = 5
BODIES = [free(f"B{i}", x=3.0 * i, more=SPUN) for i in range(COUNT)]
BODIES_TEXT = stage(*BODIES)
Edit = Callable[[Usd.Stage], Any]
EDITS: dict[str, Edit] = {
    "one removed": lambda live: live.RemovePrim("/B2"),
    "one deactivated": lambda live: live.GetPrimAtPath("/B2").SetActive(False),
    "one of another structure": lambda live: live.GetPrimAtPath("/B2").CreateAttribute(
        "physxRigidBody:lockedRotAxis", Sdf.ValueTypeNames.Int).Set(2),
    "one heavier": lambda live: live.GetPrimAtPath("/B2").GetAttribute("physics:mass").Set(7.0),
}


def rows(session: Session, name: str) -> dict[str, Any]:
    actor = session.simulation(name)
    return {row: actor.store.rows(row) for row in (*actor.model.state, "wake_counter", "asleep")}


def test_alike_bodies_are_stepped_by_one_call() -> None:
    with Session(opened(BODIES_TEXT)) as session:
        assert len({session.simulation(name).group for name in session.articulations}) == 1


@pytest.mark.parametrize("name", EDITS)
def test_others_go_on_to_the_bit_as_in_a_session_without_the_edit(name: str) -> None:
    live, alone = opened(BODIES_TEXT), opened(BODIES_TEXT)
    with Session(live) as session, Session(alone) as other:
        for _ in range(7):
            session.step(DT)
            other.step(DT)
        EDITS[name](live)
        for _ in range(7):
            session.step(DT)
            other.step(DT)
        for body in ("/B0", "/B1", "/B3", "/B4"):
            expected = rows(other, body)
            for row, values in rows(session, body).items():
                assert np.array_equal(values, expected[row]), (body, row)


def test_a_force_that_is_held_goes_on_where_another_body_leaves() -> None:
    live = opened(BODIES_TEXT)
    with Session(live) as session:
        session.simulation("/B1").set("link_force", [3.0, 0.0, 0.0])
        session.step(DT)
        live.RemovePrim("/B2")
        session.step(DT)
        assert session.simulation("/B1").get("link_force")[0].tolist() == [3.0, 0.0, 0.0]
        assert session.simulation("/B1").link_velocity[0, 0, 0] == pytest.approx(2 * 3.0 * DT, rel=1e-5)


def test_a_body_whose_mass_is_edited_sleeps_on_as_in_physx() -> None:
    weightless = {"bool physxRigidBody:disableGravity": "1"}
    live = opened(stage(free("A", more=weightless), free("B", x=3.0, more=weightless)))
    with Session(live) as session:
        for _ in range(60):
            session.step(DT)
        assert session.simulation("/A").asleep[0]
        live.GetPrimAtPath("/B").GetAttribute("physics:mass").Set(7.0)
        session.step(DT)
        assert session.simulation("/A").asleep[0]
        assert session.simulation("/B").asleep[0]
        assert session.simulation("/B").model.actor.links[0].mass == 7.0


def test_an_edit_of_the_default_transform_of_a_sampled_body_is_named() -> None:
    place = "double3 xformOp:translate"
    live = opened(stage(free("B"), free("K", x=0.0, more={
        **KINEMATIC, f"{place}.timeSamples": "{ 0: (1, 0, 0), 48: (1, 2, 0) }"})))
    with Session(live) as session:
        session.step(DT)
        attribute = live.GetPrimAtPath("/K").GetAttribute("xformOp:translate")
        attribute.Set((1, 4, 0), 48)
        session.step(DT)
        assert not [m for m in session.messages if m.kind == "ignored-edit"]
        attribute.Set((5, 5, 5))
        session.step(DT)
        assert [(m.path, m.property) for m in session.messages if m.kind == "ignored-edit"] == [("/K", "xformOpOrder")]


# --- standing --------------------------------------------------------------------------------------------------------

ROBOT_DT, STEPS = 1 / 60, 60
# s; what stands still for so long sleeps in the next step
AWAKE = 0.4
PLACE = 2e-6        # of a fall of 5 m in float32; two counts part by 1e-4 and more
COUNTS: dict[str, object] = {"int physxArticulation:solverPositionIterationCount": 32}


def beside_a_welded_robot() -> str:
    """A free body of 16/1 beside a base and a link welded to it, at 32."""
    weld = robot_prim("PhysicsFixedJoint", "weld", (), {"rel physics:body0": "</Robot/base>",
                                                        "rel physics:body1": "</Robot/arm>"})
    ball = robot_prim("Xform", "Ball", ("PhysicsRigidBodyAPI", "PhysicsMassAPI"),
                      {**placed((3, 0, 2)), "float physics:mass": 1.0})
    joined = robot_prim("Xform", "Robot", ("PhysicsArticulationRootAPI", "PhysxArticulationAPI"), COUNTS,
                        base() + link("arm") + weld)
    return HEAD.format(meters=1.0, kilograms=1.0) + joined + scene(9.81) + ball


def test_robot_that_cannot_move_gives_its_counts_until_it_sleeps() -> None:
    counts = []
    with Session(opened_robot(beside_a_welded_robot())) as session:
        for _ in range(STEPS):
            session.step(ROBOT_DT)
            counts.append(session.simulation("/Ball").iterations.position)
    assert counts[:int(AWAKE / ROBOT_DT)] == [32] * int(AWAKE / ROBOT_DT)
    assert counts[-1] == 16


def test_body_beside_a_robot_that_cannot_move_falls_as_in_physx(oracle_folder: Path) -> None:
    from scene_recorder import record

    real = record([{"usd": beside_a_welded_robot(), "dt": ROBOT_DT, "steps": STEPS}])[0]
    place = real["paths"].index("/Ball")
    stage = opened_robot(beside_a_welded_robot())
    with Session(stage) as session:
        for step in range(1, STEPS + 1):
            session.step(ROBOT_DT)
            mine = session.simulation("/Ball").link_pose[0, 0, :3]
            assert np.abs(mine - real["pos"][step, place]).max() < PLACE, step


# --- edits beside contacts -------------------------------------------------------------------------------------------

STACK = CASES["a velocity of 0 in a stack"].text
BOXES = ("/T0", "/T1", "/T2")
FALLING, RESTING = 20, 45       # steps after which a stack still settles, and after which it sleeps


def of_friction(stage: Usd.Stage) -> None:
    """A material that nothing is made of."""
    UsdPhysics.MaterialAPI.Apply(stage.DefinePrim("/unused", "Material")).CreateStaticFrictionAttr(0.1)


def of_filtering(stage: Usd.Stage) -> None:
    """A collision group of nothing."""
    UsdPhysics.CollisionGroup.Define(stage, "/group")


def moved(steps: int, edit: Callable[[Usd.Stage], None] | None, after: int = 40) -> tuple[np.ndarray, int, int]:
    """The poses of a stack some steps after an edit, how many contacts it then has, and how many with the first one."""
    stage = opened(STACK)
    session = Session(stage)
    for _ in range(steps):
        session.step(CONTACT_DT)
    if edit:
        edit(stage)
    session.step(CONTACT_DT)
    first = len(session.contacts)
    for _ in range(after):
        session.step(CONTACT_DT)
    return world_poses(stage, BOXES), len(session.contacts), first


@pytest.mark.parametrize("edit", [of_friction, of_filtering])
@pytest.mark.parametrize("steps", [FALLING, RESTING])
def test_a_stack_goes_on_as_without_an_edit_that_is_not_its_own(steps: int, edit: Callable[[Usd.Stage], None]) -> None:
    left, edited = moved(steps, None), moved(steps, edit)
    assert edited[1:] == left[1:]
    assert np.array_equal(edited[0], left[0])


def test_a_body_that_is_placed_when_the_stage_is_read_again_falls_from_there() -> None:
    def edit(stage: Usd.Stage) -> None:
        of_friction(stage)
        stage.GetPrimAtPath(BOXES[2]).GetAttribute("xformOp:translate").Set(Gf.Vec3d(0, 0, 4))

    poses, _, _ = moved(RESTING, edit, after=20)
    assert 4 - poses[2, 2] == pytest.approx(9.81 / 2 * (21 * CONTACT_DT) ** 2, rel=0.1)
