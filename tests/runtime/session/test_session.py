"""A session's life: misuse, messages, answers, several sessions, closing."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from physx_runtime import Session
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics
from support.stages.session_stages import DT, arm, joint, link, opened, prim, state, texts

from physx_schema.errors import AuthoringError

CUBE = prim("Cube", "shape", ("PhysicsCollisionAPI",), {"double size": 0.1})


@pytest.mark.parametrize("stage", ["robot.usda", Path("robot.usda"), None])
def test_what_is_no_stage_is_refused(stage: object) -> None:
    with pytest.raises(TypeError, match=r"stage is \w+; give an open stage, such as Usd.Stage.Open"):
        Session(stage)


@pytest.mark.parametrize(("argument", "message"), [
    ({"into": "root"}, "into is 'root'; allowed are 'session', 'edit_target'"),
    ({"dtype": "float16"}, "dtype is 'float16'; allowed are 'float32', 'float64'"),
    ({"solver": "mujoco"}, "solver is 'mujoco'; allowed are 'physx', 'ideal'")])
def test_arguments_out_of_range_are_refused(argument: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Session(opened(arm()), **argument)      # type: ignore[arg-type]


@pytest.mark.parametrize("dt", [0.0, -1.0, float("nan"), float("inf")])
def test_a_step_that_is_no_positive_time_is_refused(dt: float) -> None:
    session = Session(opened(arm()))
    with pytest.raises(ValueError, match="give a positive, finite time in seconds"):
        session.step(dt)


def test_a_layer_that_cannot_be_edited_is_refused() -> None:
    stage = opened(arm())
    stage.GetRootLayer().SetPermissionToEdit(False)
    with pytest.raises(AuthoringError, match="results are written to this layer, and it is not editable"):
        Session(stage, into="edit_target")


def test_a_second_session_of_a_stage_is_refused_until_the_first_is_closed() -> None:
    stage = opened(arm())
    first = Session(stage)
    with pytest.raises(ValueError, match="another session simulates this stage; close it first"):
        Session(stage)
    first.close()
    Session(stage).close()


def test_a_closed_session_refuses_work_and_hears_nothing() -> None:
    stage = opened(arm())
    with Session(stage) as session:
        session.step(DT)
    assert session.closed
    assert state(stage, "/Robot/elbow") != 0.0
    stage.GetPrimAtPath("/Robot").SetActive(False)
    session.close()
    for use in (session.step, session.reset, session.simulation, session.__enter__,
                lambda: session.counts, lambda: session.mass_properties):
        with pytest.raises(RuntimeError, match="the session is closed; create a new Session"):
            use()
    assert session.messages == ()


def test_what_is_not_simulated_is_named_once() -> None:
    hinge = prim("PhysicsRevoluteJoint", "hinge", (), {"rel physics:body0": "</crate>", "rel physics:body1": "</lid>"})
    lower = link("lower", (2, 0, 0), children=CUBE)
    crate = link("crate", (5, 0, 0), ("PhysxRigidBodyAPI",), children=CUBE, more={
        "float physxRigidBody:contactSlopCoefficient": 1.0})
    stage = opened(arm(lower=lower) + crate + link("lid", (5, 0, 1)) + hinge)
    session = Session(stage)
    session.step(DT)
    stage.GetAttributeAtPath("/Robot/lower.physics:mass").Set(2.0)      # read again
    session.step(DT)
    found = [(m.code, m.path) for m in session.messages if m.kind == "not-simulated"]
    assert len(found) == len(set(found))
    assert set(found) == {("session/contact", "/crate")}
    assert session.articulations == ("/Robot", "/crate", "/lid")
    assert len(set(session.messages)) == len(session.messages)


def test_several_trees_below_one_root_prim_are_stepped_each() -> None:
    stage = opened(arm(link("crate", (5, 0, 0)), link("lid", (5, 0, 1)), joint("Revolute", "hinge", "crate", "lid")))
    session = Session(stage)
    assert session.articulations == ("/Robot/base", "/Robot/crate")
    session.step(DT)
    assert stage.GetAttributeAtPath("/Robot/crate.physics:velocity").Get()[2] < 0.0
    stage.RemovePrim("/Robot/hinge")
    elbow = state(stage, "/Robot/elbow")
    session.step(1e-6)
    assert session.articulations == ("/Robot", "/Robot/crate", "/Robot/lid")        # free bodies now
    assert state(stage, "/Robot/elbow") == pytest.approx(elbow, abs=1e-3)


def test_a_stage_without_articulations_says_so_and_steps() -> None:
    stage = Usd.Stage.CreateInMemory()
    session = Session(stage)
    session.step(DT)
    said = "/: not simulated: the stage has neither an articulation nor a free body; nothing moves"
    assert said in map(str, session.messages)
    assert stage.GetSessionLayer().empty


def test_an_articulation_that_the_step_does_not_handle_is_named_and_others_move() -> None:
    stage = opened(arm())
    stage.GetPrimAtPath("/Robot").CreateAttribute(
        "physxArticulation:articulationEnabled", Sdf.ValueTypeNames.Bool).Set(False)
    stage.GetPrimAtPath("/Robot").AddAppliedSchema("PhysxArticulationAPI")
    session = Session(stage)
    assert session.articulations == ()
    assert any("articulationEnabled is false" in m.text for m in session.messages if m.kind == "not-simulated")


def test_robots_inside_instances_are_named_and_not_simulated() -> None:
    stage = Usd.Stage.CreateInMemory()
    inner = Sdf.Layer.CreateAnonymous(".usda")
    inner.ImportFromString(arm())
    instance = stage.DefinePrim("/World/copy")
    instance.GetReferences().AddReference(inner.identifier, "/Robot")
    inner.GetPrimAtPath("/Robot").SetInfo("apiSchemas", Sdf.TokenListOp())
    stage.DefinePrim("/World/inner").GetReferences().AddReference(inner.identifier, "/Robot")
    for path in ("/World/copy", "/World/inner"):
        stage.GetPrimAtPath(path).SetInstanceable(True)
    outer = stage.DefinePrim("/World/robots")
    UsdPhysics.ArticulationRootAPI.Apply(outer)
    session = Session(stage)
    session.step(DT)
    assert session.articulations == ()
    assert any(m.path.startswith("/World/copy") for m in session.messages)


def test_messages_carry_what_the_reader_found() -> None:
    stage = opened(arm())
    stage.GetPrimAtPath("/Robot/elbow").CreateAttribute(
        "drive:angular:physics:stifness", Sdf.ValueTypeNames.Float).Set(3.0)
    session = Session(stage)
    found = [m for m in session.messages if m.property == "drive:angular:physics:stifness"]
    assert [m.kind for m in found] == ["unused"]
    assert str(found[0]).startswith("/Robot/elbow.drive:angular:physics:stifness: unused: ")


def test_own_results_cause_no_messages() -> None:
    stage = opened(arm())
    session = Session(stage)
    said = session.messages
    session.step(DT)
    stage.GetAttributeAtPath("/Robot/lower.physics:mass").Set(2.0)
    session.step(DT)
    assert session.messages == said


def test_an_articulation_that_diverges_is_named_and_stands_still_until_reset() -> None:
    stage = opened(arm())
    session = Session(stage)
    session.step(DT)
    session.simulation().set("joint_effort", [1e38, 1e38])
    for _ in range(5):
        session.step(DT)
    assert [(m.kind, m.path) for m in session.messages if m.severity == "error"] == [("diverged", "/Robot")]
    assert np.isfinite(state(stage, "/Robot/elbow"))
    session.simulation().set("joint_effort", [0.0, 0.0])
    session.reset()
    session.step(DT)
    assert np.isfinite(state(stage, "/Robot/elbow", "velocity"))
    assert state(stage, "/Robot/elbow", "velocity") != 0.0


def test_mass_properties_and_counts_are_answered() -> None:
    stage = opened(arm(link("crate", (5, 0, 0), mass=3.0)))
    stage.GetAttributeAtPath("/Robot/lower.physics:diagonalInertia").Set(Gf.Vec3f(3, 2, 1))
    turn = Gf.Quatf(Gf.Rotation(Gf.Vec3d(0, 0, 1), 30).GetQuat())
    UsdPhysics.MassAPI(stage.GetPrimAtPath("/Robot/lower")).CreatePrincipalAxesAttr(turn)
    session = Session(stage)
    counts = session.counts
    assert (counts.articulations, counts.links, counts.dofs, counts.bodies, counts.joints, counts.tendons,
            counts.mimics) == (1, 3, 2, 1, 3, 0, 0)
    assert session.mass_properties["/Robot/crate"].mass == 3.0
    lower = session.mass_properties["/Robot/lower"]
    axes = np.array(Gf.Matrix3d(Gf.Rotation(Gf.Quatd(turn)))).reshape(3, 3).T
    assert np.array(lower.inertia) == pytest.approx(axes @ np.diag([3, 2, 1]) @ axes.T, abs=1e-6)
    assert lower.principal_moments == pytest.approx((3, 2, 1), abs=1e-5)


def test_efforts_are_set_through_the_simulation() -> None:
    moved = []
    for effort in (0.0, 5.0):
        stage = opened(arm())
        session = Session(stage)
        session.simulation("/Robot").set("joint_effort", [0.0, effort])
        session.step(DT)
        moved.append(state(stage, "/Robot/elbow", "velocity"))
    assert moved[0] != moved[1]
    with pytest.raises(ValueError, match="/Nowhere is not a simulated articulation or free body; give one of /Robot"):
        session.simulation("/Nowhere")


def test_an_animated_camera_and_other_layers_stay_as_they_are() -> None:
    stage = opened(arm())
    camera = UsdGeom.Camera.Define(stage, "/Eye")
    camera.AddTranslateOp().Set(Gf.Vec3d(1, 2, 3), 1.0)
    before = texts(stage)[1]
    with Session(stage) as session:
        session.step(DT)
    assert texts(stage)[1] == before


@pytest.mark.parametrize(("path", "name", "given", "code"), [
    ("/Robot/lower", "physics:mass", -1.0, "value/range"),
    ("/Robot/upper", "physics:mass", math.nan, "value/not-finite"),
    ("/Robot/lower", "physics:density", -5.0, "value/range"),
    ("/Robot/elbow", "drive:angular:physics:stiffness", -3.0, "value/range"),
    ("/Robot/shoulder", "drive:angular:physics:maxForce", math.nan, "value/not-finite"),
])
@pytest.mark.parametrize("layered", [False, True])
def test_value_that_physx_refuses_is_named_when_it_is_set_while_running(path: str, name: str, given: float, code: str,
                                                                        layered: bool) -> None:
    stage = opened(arm())
    with Session(stage) as session:
        session.step(DT)
        assert not [m for m in session.messages if m.kind == "problem"]
        with Usd.EditContext(stage, stage.GetSessionLayer() if layered else stage.GetRootLayer()):
            prim = stage.GetPrimAtPath(path)
            (prim.GetAttribute(name) or prim.CreateAttribute(name, Sdf.ValueTypeNames.Float)).Set(given)
        session.step(DT)
        [message] = [m for m in session.messages if m.severity == "error"]
    assert (message.path, message.property, message.code, message.severity) == (path, name, code, "error")
    assert f"{given:g} is not" in message.text


def test_value_that_physx_refuses_is_named_from_the_start() -> None:
    stage = opened(arm())
    stage.GetAttributeAtPath("/Robot/lower.physics:mass").Set(-1.0)
    with Session(stage) as session:
        assert [m.code for m in session.messages if m.path == "/Robot/lower"] == ["value/range"]
