"""Edits between steps are followed, one kind at a time, and a session's own writing is none of them.

Edits between steps of what sleeps and has colliders; with which of them PhysX wakes is measured.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from physx_runtime import Session
from physx_runtime.session import session as session_module
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics
from support.chance.articulations import Features, random_articulation
from support.chance.self_touching_robots import sleeping_robots
from support.stages.iteration_stages import opened as opened_scene
from support.stages.session_stages import (
    DT,
    ELBOW,
    SHOULDER,
    VALUES,
    arm,
    floating,
    joint,
    link,
    opened,
    prim,
    state,
    texts,
    value,
    world_poses,
)

from physx_schema.description import describe

BEFORE, AFTER = 10, 10


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Counts how often a stage is read as a whole."""
    count: list[int] = []

    def counted(stage: Any) -> Any:
        count.append(1)
        return describe(stage)

    monkeypatch.setattr(session_module, "describe", counted)
    return count


def run(session: Session, steps: int) -> None:
    for _ in range(steps):
        session.step(DT)


def joints(stage: Any) -> list[float]:
    return [state(stage, path, base) for path in (SHOULDER, ELBOW) for base in ("position", "velocity")]


def set_state(stage: Any, values: list[float]) -> None:
    """Author a start, in degrees."""
    pairs = ((path, base) for path in (SHOULDER, ELBOW) for base in ("position", "velocity"))
    for (path, base), given in zip(pairs, values, strict=True):
        stage.GetPrimAtPath(path).CreateAttribute(
            f"state:angular:physics:{base}", Sdf.ValueTypeNames.Float).Set(given)


def test_own_writing_is_no_edit(readings: list[int]) -> None:
    session = Session(opened(arm()))
    run(session, 5)
    assert len(readings) == 1


def test_writing_inside_an_open_change_block_is_no_edit(readings: list[int]) -> None:
    stage, plain = opened(arm()), opened(arm())
    session, other = Session(stage), Session(plain)
    run(session, 2)
    with Sdf.ChangeBlock():
        session.step(DT)
    run(session, 2)
    run(other, 5)
    assert len(readings) == 2
    assert joints(stage) == joints(plain)


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("layer", ["root", "session"])
def test_after_an_edit_the_stage_moves_as_one_authored_so_from_this_state(name: str, layer: str) -> None:
    stage = opened(arm())
    session = Session(stage, velocities=False)
    run(session, BEFORE)
    reached = joints(stage)
    target = stage.GetRootLayer() if layer == "root" else stage.GetSessionLayer()
    with Usd.EditContext(stage, target):
        VALUES[name](stage)
    run(session, AFTER)

    authored, untouched = opened(arm()), opened(arm())
    for other in (authored, untouched):
        set_state(other, reached)
    VALUES[name](authored)
    for other in (authored, untouched):
        run(Session(other), AFTER)
    assert np.allclose(joints(stage), joints(authored), rtol=2e-5, atol=2e-5)
    if name != "units":         # changes nothing about stage units but the length scale of softened constraints
        assert not np.allclose(joints(stage), joints(untouched), rtol=1e-3, atol=1e-3)


def test_values_of_joints_are_taken_up_without_reading_the_stage_again(readings: list[int]) -> None:
    stage = opened(arm())
    session = Session(stage)
    run(session, 2)
    for name in ("target", "stiffness", "damping"):
        VALUES[name](stage)
        session.step(DT)
    assert len(readings) == 1


@pytest.mark.parametrize("edit", [
    lambda stage: stage.DefinePrim("/Looks/shader", "Shader").CreateAttribute(
        "inputs:x", Sdf.ValueTypeNames.Float).Set(1.0),
])
def test_a_look_changes_nothing(edit: Callable[[Any], None]) -> None:
    stage, plain = opened(arm()), opened(arm())
    sessions = Session(stage), Session(plain)
    run(sessions[0], 3)
    edit(stage)
    run(sessions[0], 3)
    run(sessions[1], 6)
    assert joints(stage) == joints(plain)


def test_moving_a_camera_and_colouring_do_not_read_the_stage_again(readings: list[int]) -> None:
    stage = opened(arm(prim("Xform", "eye", (), {
        "double3 xformOp:translate": (0, 0, 0), "uniform token[] xformOpOrder": ["xformOp:translate"],
        "color3f[] primvars:displayColor": [(1, 0, 0)]})))
    session = Session(stage)
    run(session, 2)
    stage.GetAttributeAtPath("/Robot/eye.xformOp:translate").Set(Gf.Vec3d(1, 1, 1))
    stage.GetAttributeAtPath("/Robot/eye.primvars:displayColor").Set([Gf.Vec3f(0, 1, 0)])
    stage.GetPrimAtPath("/Robot/upper").SetDocumentation("the upper arm")
    run(session, 2)
    assert len(readings) == 1


@pytest.mark.parametrize("layer", ["root", "session"])
def test_an_edited_joint_state_sets_the_state(layer: str) -> None:
    stage = opened(arm())
    session = Session(stage)
    run(session, BEFORE)
    shoulder = state(stage, SHOULDER)
    target = stage.GetRootLayer() if layer == "root" else stage.GetSessionLayer()
    with Usd.EditContext(stage, target):
        stage.GetAttributeAtPath(f"{ELBOW}.state:angular:physics:position").Set(77.0)
    session.step(1e-5)
    assert state(stage, ELBOW) == pytest.approx(77.0, abs=0.01)
    assert state(stage, SHOULDER) == pytest.approx(shoulder, abs=0.01)


@pytest.mark.parametrize("layer", ["root", "session"])
def test_an_edited_transform_of_a_floating_root_sets_its_pose(layer: str) -> None:
    stage = opened(floating())
    session = Session(stage)
    run(session, BEFORE)
    elbow, turned = state(stage, SHOULDER), world_poses(stage, ("/Robot/base",))[0, 3:]
    target = stage.GetRootLayer() if layer == "root" else stage.GetSessionLayer()
    with Usd.EditContext(stage, target):
        stage.GetAttributeAtPath("/Robot/base.xformOp:translate").Set(Gf.Vec3d(3, 4, 5))
    session.step(1e-5)
    found = world_poses(stage, ("/Robot/base",))[0]
    assert found[:3] == pytest.approx([3, 4, 5], abs=1e-4)
    assert found[3:] == pytest.approx(turned, abs=1e-3)
    assert state(stage, SHOULDER) == pytest.approx(elbow, abs=0.01)


def test_an_edited_rotation_that_results_replace_sets_the_pose_of_a_floating_root() -> None:
    stage = opened(floating())
    root = stage.GetPrimAtPath("/Robot/base")
    for name in ("xformOp:orient", "xformOp:scale"):
        root.RemoveProperty(name)
    root.CreateAttribute("xformOp:rotateXYZ", Sdf.ValueTypeNames.Float3).Set(Gf.Vec3f(0, 0, 10))
    root.GetAttribute("xformOpOrder").Set(["xformOp:translate", "xformOp:rotateXYZ"])
    session = Session(stage)
    run(session, BEFORE)
    root.GetAttribute("xformOp:rotateXYZ").Set(Gf.Vec3f(0, 0, 60))
    session.step(1e-5)
    assert world_poses(stage, ("/Robot/base",))[0, 3:] == pytest.approx([0, 0, 0.5, 0.75**0.5], abs=1e-3)


def test_values_of_a_tendon_are_taken_up_without_losing_the_state() -> None:
    stage = opened(random_articulation(5, Features(links=(4, 4), fixed_tendon=1.0, mimic=0.0)).text)
    session = Session(stage)
    run(session, 3)
    tendon = describe(stage).articulations[0].fixed_tendons[0]
    before = session.simulation().joint_position.copy()
    stage.GetPrimAtPath(tendon.path).GetAttribute(f"{tendon.prefix}stiffness").Set(123.0)
    session.step(1e-6)
    assert session.simulation().get("fixed_tendon_stiffness")[0, 0] == 123.0
    assert np.allclose(session.simulation().joint_position, before, atol=1e-4)


def test_moving_a_prim_above_the_robot_takes_it_along() -> None:
    stage = opened(floating())
    session = Session(stage)
    run(session, BEFORE)
    before = world_poses(stage, ("/Robot/base", "/Robot/upper"))
    UsdGeom.Xformable(stage.GetPrimAtPath("/Robot")).AddTranslateOp().Set(Gf.Vec3d(0, 0, 7))
    session.step(1e-5)
    moved = world_poses(stage, ("/Robot/base", "/Robot/upper")) - before
    assert moved[:, :3] == pytest.approx(np.array([[0, 0, 7], [0, 0, 7]]), abs=1e-3)


def test_an_edited_velocity_of_a_floating_root_sets_it_and_one_of_another_link_is_named() -> None:
    stage = opened(floating())
    session = Session(stage)
    run(session, 2)
    stage.GetAttributeAtPath("/Robot/base.physics:velocity").Set(Gf.Vec3f(2, 0, 0))
    stage.GetAttributeAtPath("/Robot/base.physics:angularVelocity").Set(Gf.Vec3f(0, 0, 90))
    stage.GetAttributeAtPath("/Robot/upper.physics:velocity").Set(Gf.Vec3f(2, 0, 0))
    session.step(1e-5)
    assert value(stage, "/Robot/base.physics:velocity")[0] == pytest.approx(2.0, abs=1e-2)
    assert value(stage, "/Robot/base.physics:angularVelocity")[2] == pytest.approx(90.0, abs=1.0)
    assert [m.path for m in session.messages if m.kind == "ignored-edit"] == ["/Robot/upper"]


def test_an_edited_transform_of_a_link_that_joints_hold_is_named_and_changes_nothing() -> None:
    stage, plain = opened(arm()), opened(arm())
    session, other = Session(stage), Session(plain)
    run(session, 3)
    stage.GetAttributeAtPath("/Robot/lower.xformOp:translate").Set(Gf.Vec3d(9, 9, 9))
    run(session, 3)
    run(other, 6)
    assert [m.path for m in session.messages if m.kind == "ignored-edit"] == ["/Robot/lower"]
    assert joints(stage) == joints(plain)


def test_an_added_link_moves_and_the_others_keep_their_state() -> None:
    stage = opened(arm())
    session = Session(stage)
    run(session, BEFORE)
    reached = joints(stage)
    added = opened(arm(link("hand", (3, 0, 0)), joint("Revolute", "wrist", "lower", "hand", (), {
        "uniform token physics:axis": "Y", "point3f physics:localPos0": (1.0, 0.0, 0.0)})))
    with Sdf.ChangeBlock():
        for path in ("/Robot/hand", "/Robot/wrist"):
            Sdf.CopySpec(added.GetRootLayer(), path, stage.GetRootLayer(), path)
    session.step(1e-6)
    assert session.counts.dofs == 3
    assert np.allclose(joints(stage), reached, rtol=1e-3, atol=1e-2)
    run(session, 5)
    assert abs(state(stage, "/Robot/wrist")) > 0.1


def test_a_removed_link_is_gone_and_the_others_keep_their_state() -> None:
    stage = opened(arm())
    session = Session(stage)
    run(session, BEFORE)
    reached = joints(stage)[:2]
    for path in (ELBOW, "/Robot/lower"):
        stage.RemovePrim(path)
    session.step(1e-6)
    assert session.counts.dofs == 1
    assert np.allclose([state(stage, SHOULDER), state(stage, SHOULDER, "velocity")], reached, rtol=1e-3, atol=1e-2)
    assert not stage.GetSessionLayer().GetPrimAtPath("/Robot/lower")


def test_a_relationship_edit_rebuilds_the_tree() -> None:
    stage = opened(arm())
    session = Session(stage)
    run(session, 3)
    stage.GetRelationshipAtPath(f"{ELBOW}.physics:body0").SetTargets(["/Robot/base"])
    session.step(DT)
    parents = [link.parent for link in session.simulation().topology.links]
    assert sorted(parents) == [-1, 0, 0]


def test_a_variant_switch_and_deactivation_rebuild_and_come_back() -> None:
    stage = opened(arm())
    root = stage.GetPrimAtPath("/Robot")
    sets = root.GetVariantSets().AddVariantSet("arm")
    for name in ("short", "long"):
        sets.AddVariant(name)
    sets.SetVariantSelection("short")
    with sets.GetVariantEditContext():
        stage.GetPrimAtPath(ELBOW).SetActive(False)
        stage.GetPrimAtPath("/Robot/lower").SetActive(False)
    session = Session(stage)
    run(session, 2)
    assert session.counts.dofs == 1
    sets.SetVariantSelection("long")
    session.step(DT)
    assert session.counts.dofs == 2
    assert state(stage, SHOULDER) != 0.0


def test_an_articulation_that_loses_its_root_goes_on_as_bodies_that_its_joints_hold_and_back() -> None:
    stage = opened(arm())
    session = Session(stage)
    run(session, 2)
    elbow, speed = state(stage, ELBOW), state(stage, ELBOW, "velocity")
    stage.GetPrimAtPath("/Robot").RemoveAPI(UsdPhysics.ArticulationRootAPI)
    session.step(1e-6)
    assert session.articulations == ("/Robot/base", "/Robot/upper", "/Robot/lower")
    UsdPhysics.ArticulationRootAPI.Apply(stage.GetPrimAtPath("/Robot"))
    session.step(1e-6)
    assert session.articulations == ("/Robot",)
    assert state(stage, ELBOW) == pytest.approx(elbow, abs=1e-2)        # degrees
    assert state(stage, ELBOW, "velocity") == pytest.approx(speed, abs=0.1)


def test_an_edit_before_the_first_step_is_part_of_the_start() -> None:
    stage = opened(arm())
    session = Session(stage)
    stage.GetAttributeAtPath(f"{ELBOW}.state:angular:physics:position").Set(50.0)
    session.step(1e-5)
    assert state(stage, ELBOW) == pytest.approx(50.0, abs=0.01)


def test_reset_keeps_what_others_edited_and_starts_from_it() -> None:
    stage = opened(arm())
    session = Session(stage)
    run(session, 3)
    stage.GetAttributeAtPath(f"{ELBOW}.state:angular:physics:position").Set(50.0)
    VALUES["mass"](stage)
    run(session, 3)
    session.reset()
    assert texts(stage)[0] == opened(arm()).GetSessionLayer().ExportToString()
    session.step(1e-5)
    assert state(stage, ELBOW) == pytest.approx(50.0, abs=0.01)
    assert session.mass_properties["/Robot/lower"].mass == 4.0


def test_clearing_the_session_layer_under_a_session_does_no_harm() -> None:
    stage, plain = opened(arm()), opened(arm())
    session, other = Session(stage), Session(plain)
    run(session, 3)
    stage.GetSessionLayer().Clear()
    run(session, 3)
    run(other, 6)
    assert joints(stage) == joints(plain)
    session.reset()
    assert texts(stage) == texts(opened(arm()))


def test_a_forgotten_session_hears_nothing_and_frees_the_stage() -> None:
    stage = opened(arm())
    forgotten = Session(stage)
    forgotten.step(DT)
    gone = weakref.ref(forgotten)
    del forgotten
    assert gone() is None
    Session(stage).close()      # a stage that another session simulates would be refused


@pytest.mark.parametrize("given", [float("nan"), float("inf")])
def test_a_state_that_is_no_finite_number_is_named_and_not_taken(given: float) -> None:
    stage = opened(arm())
    session = Session(stage)
    run(session, 3)
    with Usd.EditContext(stage, stage.GetSessionLayer()):
        stage.GetAttributeAtPath(f"{ELBOW}.state:angular:physics:position").Set(given)
        stage.GetAttributeAtPath("/Robot/base.xformOp:translate").Set(Gf.Vec3d(given, 0, 0))
    run(session, 2)
    assert np.isfinite(state(stage, ELBOW))
    assert {m.path for m in session.messages if m.kind == "ignored-edit"} == {ELBOW, "/Robot/base"}


def test_gravity_edited_to_nan_leaves_the_robot_standing_until_it_is_a_number_again() -> None:
    stage = opened(arm())
    with Session(stage) as session:
        run(session, 3)
        stage.GetAttributeAtPath("/scene.physics:gravityMagnitude").Set(float("nan"))
        run(session, 2)
        assert session.articulations == ()
        assert "gravity of world 0 at /scene x is nan" in session.messages[-1].text
        assert np.isfinite(world_poses(stage, ("/Robot/lower",))).all()
        stage.GetAttributeAtPath("/scene.physics:gravityMagnitude").Set(9.81)
        run(session, 1)
        assert session.articulations == ("/Robot",)


# --- edits of sleepers -----------------------------------------------------------------------------------------------

ALONE, PAIR = 7, 1              # seeds: one robot on the ground, two weightless robots and a box
WITHOUT_TARGET = 16             # its first joint has no target velocity
RESTED = 120
STILL = 1e-6                    # m: nothing that sleeps may move
FLOAT, BOOL = Sdf.ValueTypeNames.Float, Sdf.ValueTypeNames.Bool
# What PhysX wakes with, and what it does not: sleeping pairs of hinged boxes on a plane, one value edited in each.
WAKES = {"drive:angular:physics:stiffness": 9.0, "drive:angular:physics:damping": 3.0,
         "drive:angular:physics:maxForce": 400.0, "drive:angular:physics:targetVelocity": 10.0,
         "physics:lowerLimit": -50.0, "physxJointAxis:angular:armature": 0.05,
         "physxJointAxis:angular:staticFrictionEffort": 0.1, "physxJointAxis:angular:viscousFrictionCoefficient": 0.1}
SLEEPS_ON = {"j0": ("physxJointAxis:angular:maxJointVelocity", 500.0), "l1": ("physics:mass", 3.0),
             "l0": ("physxRigidBody:angularDamping", 1.0), "l0/shape": ("physxCollision:contactOffset", 0.03)}


def resting(seed: int) -> tuple[Any, Session, tuple[str, ...]]:
    """A stage of robots that sleep, its session, and its links."""
    made = sleeping_robots(seed)
    stage = opened_scene(made.text)
    session = Session(stage)
    for _ in range(RESTED):
        session.step(DT)
    assert all(session.simulation(actor).asleep[0] for actor in made.actors)
    return stage, session, made.links


def author(stage: Any, path: str, name: str, value: float | bool) -> None:
    stage.GetPrimAtPath(path).CreateAttribute(name, BOOL if isinstance(value, bool) else FLOAT, False).Set(value)


@pytest.mark.parametrize("seed", [ALONE, PAIR])
@pytest.mark.parametrize("name", WAKES)
def test_values_of_joints_wake_a_robot_with_colliders(seed: int, name: str) -> None:
    stage, session, _ = resting(seed)
    author(stage, "/R0/j0", name, WAKES[name])
    session.step(DT)
    assert not session.simulation("/R0").asleep[0]


def test_a_value_of_a_drive_that_was_not_authored_wakes_a_robot_with_colliders() -> None:
    stage, session, _ = resting(WITHOUT_TARGET)
    assert not stage.GetAttributeAtPath("/R0/j0.drive:angular:physics:targetVelocity").HasAuthoredValue()
    author(stage, "/R0/j0", "drive:angular:physics:targetVelocity", 10.0)
    session.step(DT)
    assert not session.simulation("/R0").asleep[0]
    assert np.abs(session.simulation("/R0").get("v")[0, -1]) > 0.0


@pytest.mark.parametrize("seed", [ALONE, PAIR])
@pytest.mark.parametrize("of", SLEEPS_ON)
def test_masses_and_what_colliders_keep_wake_nothing(seed: int, of: str) -> None:
    stage, session, _ = resting(seed)
    author(stage, f"/R0/{of}", *SLEEPS_ON[of])
    session.step(DT)
    assert session.simulation("/R0").asleep[0]


def test_gravity_that_comes_back_wakes() -> None:
    stage, session, _ = resting(ALONE)
    for wanted, asleep in ((True, True), (False, False)):
        author(stage, "/R0/l0", "physxRigidBody:disableGravity", wanted)
        session.step(DT)
        assert session.simulation("/R0").asleep[0] == asleep


def test_a_robot_that_sleeps_stays_where_it_is_when_another_is_edited_while_it_moves() -> None:
    stage, session, links = resting(PAIR)
    others = tuple(link for link in links if not link.startswith("/R0"))
    before = world_poses(stage, others)
    author(stage, "/R0/j0", "drive:angular:physics:targetPosition", 10.0)
    session.step(DT)
    author(stage, "/R0/l0", "physics:mass", 1.5)        # the stage is read again, while some sleep and some do not
    session.step(DT)
    assert np.abs(world_poses(stage, others) - before).max() < STILL
    assert session.simulation("/R1").asleep[0]
