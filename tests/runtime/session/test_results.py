"""What a session writes is what `simulate` records, in the frames, types and units that the stage has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from physx_runtime import Session, simulate
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics
from support.chance.articulations import Features, random_articulation
from support.stages.session_stages import (
    DT,
    arm,
    floating,
    link,
    opened,
    pose_error,
    prim,
    state,
    texts,
    value,
    world_poses,
)

STEPS = 12
FLOAT32 = 2e-6      # poses of order 1, through float32 states and quatf orientations


def stepped(stage: Any, **switches: Any) -> tuple[Session, Any]:
    """A session after STEPS steps, and the recording of the same steps."""
    recorded = simulate(stage, DT, STEPS, path="generic")        # the path of sessions
    session = Session(stage, **switches)
    for _ in range(STEPS):
        session.step(DT)
    return session, recorded


def assert_as_recorded(stage: Any, recorded: Any, tolerance: float = FLOAT32) -> None:
    assert np.abs(recorded.joint_position[-1] - recorded.joint_position[0]).max() > 1e-2
    assert pose_error(world_poses(stage, recorded.link_names), recorded.link_pose[-1, 0]) < tolerance


@pytest.mark.parametrize("text", [arm(), floating(), arm(meters=0.01, kilograms=0.001),
                                  random_articulation(7, Features(links=(3, 3))).text])
def test_written_poses_states_and_velocities_are_those_that_simulate_records(text: str) -> None:
    stage = opened(text)
    _, recorded = stepped(stage)
    assert_as_recorded(stage, recorded)
    for i, name in enumerate(recorded.joint_names):
        turns = stage.GetPrimAtPath(name).IsA(UsdPhysics.RevoluteJoint)
        unit, instance = (180 / np.pi, "angular") if turns else (1.0, "linear")
        expected = recorded.joint_position[-1, 0, i] * unit, recorded.joint_velocity[-1, 0, i] * unit
        found = [state(stage, name, base, instance) for base in ("position", "velocity")]
        assert found == pytest.approx(expected, rel=1e-6)
    for i, name in enumerate(recorded.link_names):
        linear, angular = np.split(recorded.link_velocity[-1, 0, i], 2)
        assert np.allclose(value(stage, f"{name}.physics:velocity"), linear, rtol=1e-6, atol=1e-6)
        assert np.allclose(value(stage, f"{name}.physics:angularVelocity"), np.degrees(angular), rtol=1e-6, atol=1e-5)


def test_results_go_into_the_session_layer_and_reset_leaves_every_byte_as_it_was() -> None:
    stage = opened(arm())
    stage.SetEditTarget(stage.GetSessionLayer())
    UsdGeom.Xformable(stage.GetPrimAtPath("/Robot/base")).GetPrim().SetDocumentation("in the session layer")
    stage.GetAttributeAtPath("/Robot/elbow.state:angular:physics:position").Set(5.0)
    stage.SetEditTarget(stage.GetRootLayer())
    before = texts(stage)
    session, _ = stepped(stage)
    assert texts(stage)[0] != before[0]
    assert texts(stage)[1] == before[1]
    session.reset()
    assert texts(stage) == before


def test_the_first_run_and_the_run_after_a_reset_write_the_same() -> None:
    stage = opened(arm())
    session, _ = stepped(stage)
    first = texts(stage)
    session.reset()
    assert session.time == 0.0
    for _ in range(STEPS):
        session.step(DT)
    assert texts(stage) == first


def test_results_go_to_the_edit_target_when_asked_and_reset_takes_them_back() -> None:
    stage = opened(arm())
    before = texts(stage)
    session, recorded = stepped(stage, into="edit_target")
    assert_as_recorded(stage, recorded)
    assert texts(stage)[0] == before[0]
    assert texts(stage)[1] != before[1]
    session.reset()
    assert texts(stage) == before


def test_results_reach_a_variant_through_its_edit_target() -> None:
    stage = opened(arm())
    robot = stage.GetPrimAtPath("/Robot")
    sets = robot.GetVariantSets().AddVariantSet("motion")
    sets.AddVariant("moved")
    sets.SetVariantSelection("moved")
    stage.SetEditTarget(sets.GetVariantEditTarget())
    for path in ("/Robot/upper", "/Robot/lower"):        # a local opinion would be stronger than the variant's
        for name in ("xformOp:translate", "xformOp:orient"):
            stage.GetRootLayer().GetAttributeAtPath(f"{path}.{name}").ClearDefaultValue()
    before = texts(stage)
    session = Session(stage, into="edit_target", joint_states=False)
    session.step(DT)
    assert stage.GetRootLayer().GetPrimAtPath("/Robot{motion=moved}upper")
    session.reset()
    assert texts(stage) == before


def test_a_stronger_opinion_that_hides_results_is_named() -> None:
    stage = opened(arm())
    with Usd.EditContext(stage, stage.GetSessionLayer()):
        stage.GetAttributeAtPath("/Robot/lower.xformOp:translate").Set(Gf.Vec3d(9, 9, 9))
    session, _ = stepped(stage, into="edit_target")
    hidden = [m for m in session.messages if "stronger opinion" in m.text]
    assert [(m.path, m.property) for m in hidden] == [("/Robot/lower", "xformOp:translate")]


@pytest.mark.parametrize(("switch", "name"), [
    ("transforms", "xformOp:translate"), ("velocities", "vector3f physics:velocity"),
    ("joint_states", "state:angular:physics:position")])
def test_each_kind_of_result_can_be_switched_off(switch: str, name: str) -> None:
    stage = opened(arm())
    stepped(stage, **{switch: False})
    others = {"xformOp:translate", "vector3f physics:velocity", "state:angular:physics:position"} - {name}
    written = texts(stage)[0]
    assert name not in written
    assert all(other in written for other in others)


def replaced_ops(stage: Any, path: str, order: list[str], **ops: tuple[str, Any]) -> None:
    """Give a prim other transform operations that put it where it is."""
    prim = stage.GetPrimAtPath(path)
    for name in ("xformOp:translate", "xformOp:orient", "xformOp:scale"):
        prim.RemoveProperty(name)
    for name, (type_name, given) in ops.items():
        attribute = prim.CreateAttribute(f"xformOp:{name}", Sdf.ValueTypeNames.Find(type_name))
        attribute.Set(given)
    prim.GetAttribute("xformOpOrder").Set(order)


PLACES = {
    "matrix": (["xformOp:transform"], {
        "transform": ("matrix4d", Gf.Matrix4d().SetScale(2) * Gf.Matrix4d().SetTranslate(Gf.Vec3d(1, 0, 0)))}),
    "float": (["xformOp:translate", "xformOp:orient"], {
        "translate": ("float3", Gf.Vec3f(1, 0, 0)), "orient": ("quatd", Gf.Quatd(1))}),
    "half": (["xformOp:translate", "xformOp:orient"], {
        "translate": ("half3", Gf.Vec3h(1, 0, 0)), "orient": ("quath", Gf.Quath(1))}),
    "euler": (["xformOp:translate", "xformOp:rotateXYZ", "xformOp:scale"], {
        "translate": ("double3", Gf.Vec3d(1, 0, 0)), "rotateXYZ": ("float3", Gf.Vec3f(10, 20, 30)),
        "scale": ("float3", Gf.Vec3f(1, 2, 3))}),
    "pivot": (["xformOp:translate:pivot", "xformOp:rotateZ", "!invert!xformOp:translate:pivot"], {
        "translate:pivot": ("double3", Gf.Vec3d(1, 0, 0)), "rotateZ": ("float", 15.0)}),
    "none": ([], {}),
    "mirrored": (["xformOp:translate", "xformOp:scale"], {
        "translate": ("double3", Gf.Vec3d(1, 0, 0)), "scale": ("float3", Gf.Vec3f(-1, 1, 1))}),
}


@pytest.mark.parametrize("place", PLACES)
def test_any_operations_of_a_prim_come_to_the_simulated_pose_and_keep_its_scale(place: str) -> None:
    stage = opened(arm())
    order, ops = PLACES[place]
    replaced_ops(stage, "/Robot/upper", order, **ops)
    before, matrix = texts(stage), local(stage, "/Robot/upper")
    session, recorded = stepped(stage)
    assert_as_recorded(stage, recorded)
    assert np.linalg.det(local(stage, "/Robot/upper")) == pytest.approx(np.linalg.det(matrix), rel=1e-5)
    session.reset()
    assert texts(stage) == before


def local(stage: Any, path: str) -> Any:
    return np.array(UsdGeom.Xformable(stage.GetPrimAtPath(path)).GetLocalTransformation())[:3, :3]


def test_own_translate_and_orient_keep_their_types_and_order() -> None:
    stage = opened(arm())
    replaced_ops(stage, "/Robot/upper", *PLACES["float"][:1], **PLACES["float"][1])
    stepped(stage)
    prim = stage.GetPrimAtPath("/Robot/upper")
    assert list(prim.GetAttribute("xformOpOrder").Get()) == PLACES["float"][0]
    assert not stage.GetSessionLayer().GetAttributeAtPath("/Robot/upper.xformOpOrder")
    assert prim.GetAttribute("xformOp:translate").GetTypeName() == "float3"


def test_replaced_operations_are_named() -> None:
    stage = opened(arm())
    replaced_ops(stage, "/Robot/upper", PLACES["euler"][0], **PLACES["euler"][1])
    session, _ = stepped(stage)
    said = [str(m) for m in session.messages if m.property == "xformOpOrder"]
    assert said == ["/Robot/upper.xformOpOrder: its transform operations (xformOp:translate, xformOp:rotateXYZ, "
                    "xformOp:scale) cannot store every pose; they are replaced"]


def nested(scale: tuple[float, float, float], reset: bool = False) -> Any:
    """The arm with /Robot/upper/inner/lower below a moving link and a scaled, turned, displaced group."""
    inner = link("lower", (1, 0, 0)).replace("\n{\n", "\n{\n", 1)
    group = prim("Xform", "inner", (), {
        "double3 xformOp:translate": (0.2, 0.1, 0.0), "float xformOp:rotateZ": 40.0, "float3 xformOp:scale": scale,
        "uniform token[] xformOpOrder": ["xformOp:translate", "xformOp:rotateZ", "xformOp:scale"]}, inner)
    text = arm(upper=link("upper", (1, 0, 0), children=group), lower=" ")
    stage = opened(text.replace("</Robot/lower>", "</Robot/upper/inner/lower>"))
    if reset:
        attribute = stage.GetAttributeAtPath("/Robot/upper/inner/lower.xformOpOrder")
        attribute.Set(["!resetXformStack!", *attribute.Get()])
    return stage


@pytest.mark.parametrize(("scale", "reset"), [((2, 2, 2), False), ((1, 2, 3), False), ((1, 2, 3), True)])
def test_links_below_moving_links_and_scaled_parents_come_to_the_simulated_pose(
        scale: tuple[float, float, float], reset: bool) -> None:
    stage = nested(scale, reset)
    before = texts(stage)
    session, recorded = stepped(stage)
    assert_as_recorded(stage, recorded, 5e-6)
    assert UsdGeom.Xformable(stage.GetPrimAtPath("/Robot/upper/inner/lower")).GetResetXformStack() is reset
    session.reset()
    assert texts(stage) == before


def test_several_articulations_move_each_as_if_alone() -> None:
    stage = opened(arm())
    text = arm().replace("/Robot", "/Other").replace('"Robot"', '"Other"')
    other = Sdf.Layer.CreateAnonymous(".usda")
    other.ImportFromString(text)
    Sdf.CopySpec(other, "/Other", stage.GetRootLayer(), "/Other")
    stage.GetAttributeAtPath("/Other/elbow.drive:angular:physics:targetPosition").Set(-50.0)
    recorded = [simulate(stage, DT, STEPS, articulation=path, path="generic") for path in ("/Robot", "/Other")]
    session = Session(stage)
    assert session.articulations == ("/Robot", "/Other")
    for _ in range(STEPS):
        session.step(DT)
    for found in recorded:
        assert_as_recorded(stage, found)


def test_another_time_step_counts_from_the_step_it_is_given_to() -> None:
    stage = opened(arm())
    session = Session(stage)
    session.step(DT)
    session.step(DT / 4)
    assert session.time == pytest.approx(1.25 * DT)
    alone = opened(arm())
    with Session(alone) as other:
        other.step(DT)
        first = state(alone, "/Robot/elbow")
        other.step(DT)
    assert abs(state(stage, "/Robot/elbow") - first) < 0.6 * abs(state(alone, "/Robot/elbow") - first)


def test_a_session_on_a_written_and_saved_stage_goes_on_from_there() -> None:
    stage = opened(arm())
    session = Session(stage, into="edit_target")
    for _ in range(STEPS):
        session.step(DT)
    saved = opened(stage.GetRootLayer().ExportToString())
    with Session(saved) as other:
        other.step(DT)
    session.step(DT)
    for name in ("/Robot/shoulder", "/Robot/elbow"):
        assert state(saved, name) == pytest.approx(state(stage, name), abs=2e-5)


@pytest.mark.parametrize("authored", [{}, {"double xformOp:nope": 1.0}, {"string xformOp:rotateX": "a"}])
def test_operations_that_usd_does_not_know_are_replaced(authored: dict[str, Any]) -> None:
    order = next(iter(authored), " xformOp:nope").partition(" ")[2]
    stage = opened("#usda 1.0\n" + prim("Xform", "body", ("PhysicsRigidBodyAPI", "PhysicsMassAPI"), {
        "float physics:mass": 1.0, "uniform token[] xformOpOrder": [order], **authored}))
    with Session(stage) as session:
        session.step(DT)
        (height,) = world_poses(stage, ("/body",))[:, 1]
        assert height == pytest.approx(-981 * DT**2 * 17 / 32, rel=1e-3)        # centimetres, in 16 iterations
        assert any("they are replaced" in message.text for message in session.messages)
