"""Which numbers of a stage have a slider, and between what."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from physx_runtime.live_view.knobs import (
    DRIVES,
    FREE_ANGLE,
    FREE_SPEED,
    FRICTION,
    JOINTS,
    MATERIALS,
    OTHER_JOINTS,
    TARGETS,
    TENDONS,
    Knob,
    knobs,
)
from pxr import Usd, UsdGeom, UsdPhysics, UsdShade
from support.stages.recorded_arm import ELBOW, SHOULDER, arm

from physx_schema import authoring, describe

POSITION, VELOCITY = "drive:angular:physics:targetPosition", "drive:angular:physics:targetVelocity"


def of(stage: Usd.Stage, **fields: str) -> list[Knob]:
    """The knobs of a stage with these fields."""
    return [knob for knob in knobs(stage, describe(stage))
            if all(getattr(knob, name) == value for name, value in fields.items())]


def bodies(*names: str) -> Usd.Stage:
    """Bodies in a row, in a stage of centimetres."""
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(stage, 0.01)
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    stage.SetDefaultPrim(UsdGeom.Xform.Define(stage, "/World").GetPrim())
    UsdPhysics.Scene.Define(stage, "/World/scene")
    for i, name in enumerate(names):
        authoring.rigid_body(stage, f"/World/{name}", mass=1.0, inertia=(100.0,) * 3, position=(50.0 * i, 0.0, 0.0))
    return stage


def test_every_group_has_the_authored_values() -> None:
    stage = arm(tendon=True)
    authoring.drive(stage.GetPrimAtPath(SHOULDER), stiffness=1000.0, damping=200.0, target=5.0)
    authoring.joint_axis(stage.GetPrimAtPath(ELBOW), static_friction=2.0, dynamic_friction=1.0)
    found = knobs(stage, describe(stage))
    assert {knob.group for knob in found} == {JOINTS, TARGETS, DRIVES, FRICTION, TENDONS}
    assert all(knob.robot == "/World" and knob.low <= knob.value <= knob.high for knob in found)
    (target,) = of(stage, group=TARGETS)
    assert (target.property, target.value, target.low, target.label) == (POSITION, 5.0, pytest.approx(-30.0),
                                                                         "shoulder [°]")
    assert [knob.value for knob in of(stage, group=FRICTION)][:2] == [2.0, 1.0]


def test_a_drive_without_stiffness_has_a_target_velocity() -> None:
    stage = arm()
    authoring.drive(stage.GetPrimAtPath(SHOULDER), stiffness=0.0, damping=10.0)
    authoring.joint_axis(stage.GetPrimAtPath(SHOULDER), max_velocity=90.0)
    authoring.drive(stage.GetPrimAtPath(ELBOW), stiffness=0.0, damping=10.0)
    found = of(stage, group=TARGETS)
    assert [knob.property for knob in found] == [VELOCITY, VELOCITY]
    assert [knob.high for knob in found] == [pytest.approx(90.0), FREE_SPEED]
    assert found[0].label == "shoulder velocity [°/s]"


def test_a_prismatic_joint_is_moved_in_the_stages_lengths() -> None:
    stage = bodies("rail", "cart")
    authoring.fixed_joint(stage, "/World/hold", None, "/World/rail")
    joint = authoring.prismatic_joint(stage, "/World/slide", "/World/rail", "/World/cart", axis="X", lower=-20.0,
                                      upper=30.0)
    authoring.drive(joint, stiffness=10.0, damping=1.0, target=7.0)
    authoring.articulation_root(stage.GetPrimAtPath("/World"))
    (target,) = of(stage, group=TARGETS)
    assert (target.label, target.low, target.high, target.value) == (
        "slide [cm]", pytest.approx(-20.0), pytest.approx(30.0), 7.0)


def test_a_prismatic_joint_without_limits_is_moved_a_metre_either_way() -> None:
    stage = bodies("rail", "cart")
    authoring.fixed_joint(stage, "/World/hold", None, "/World/rail")
    joint = authoring.prismatic_joint(stage, "/World/slide", "/World/rail", "/World/cart", axis="X")
    authoring.drive(joint, stiffness=10.0, damping=1.0)
    authoring.articulation_root(stage.GetPrimAtPath("/World"))
    assert [(knob.low, knob.high) for knob in of(stage, group=TARGETS)] == [(-100.0, 100.0)]


def test_every_axis_of_a_joint_has_its_own_target() -> None:
    stage = bodies("base", "head")
    authoring.fixed_joint(stage, "/World/hold", None, "/World/base")
    joint = UsdPhysics.Joint.Define(stage, "/World/neck")
    joint.CreateBody0Rel().SetTargets(["/World/base"])
    joint.CreateBody1Rel().SetTargets(["/World/head"])
    for axis in ("transX", "transY", "transZ", "rotX"):
        limit = UsdPhysics.LimitAPI.Apply(joint.GetPrim(), axis)
        limit.CreateLowAttr(1.0)
        limit.CreateHighAttr(-1.0)
    for axis, target in (("rotY", 3.0), ("rotZ", 4.0)):
        drive = UsdPhysics.DriveAPI.Apply(joint.GetPrim(), axis)
        drive.CreateStiffnessAttr(5.0)
        drive.CreateTargetPositionAttr(target)
    authoring.articulation_root(stage.GetPrimAtPath("/World"))
    assert [(knob.label, knob.value) for knob in of(stage, group=TARGETS)] == [
        ("neck:rotY [°]", 3.0), ("neck:rotZ [°]", 4.0)]


def test_driven_joints_outside_robots_have_targets() -> None:
    stage = bodies("wall", "door")
    joint = authoring.revolute_joint(stage, "/World/hinge", "/World/wall", "/World/door", axis="Z")
    authoring.drive(joint, stiffness=5.0, damping=1.0, target=12.0)
    (target,) = of(stage, robot=OTHER_JOINTS, group=TARGETS)
    assert (target.path, target.property, target.value) == ("/World/hinge", POSITION, 12.0)
    assert (target.low, target.high) == (-FREE_ANGLE, FREE_ANGLE)


def test_physics_materials_have_frictions() -> None:
    stage = bodies("box")
    material = UsdShade.Material.Define(stage, "/World/rubber")
    UsdPhysics.MaterialAPI.Apply(material.GetPrim()).CreateDynamicFrictionAttr(0.8)
    found = of(stage, robot=MATERIALS)
    assert [(knob.label, knob.value) for knob in found][1] == ("rubber dynamicFriction", pytest.approx(0.8))


@pytest.mark.parametrize("target", [math.nan, math.inf])
def test_what_is_not_finite_has_no_slider(target: float) -> None:
    stage = arm()
    drive = UsdPhysics.DriveAPI.Apply(stage.GetPrimAtPath(SHOULDER), "angular")
    drive.CreateStiffnessAttr(10.0)
    drive.CreateTargetPositionAttr(target)
    assert of(stage, group=TARGETS) == []


def test_limits_in_the_wrong_order_bound_a_slider_in_order() -> None:
    stage = arm()
    authoring.drive(stage.GetPrimAtPath(SHOULDER), stiffness=10.0, damping=1.0, target=5.0)
    joint = UsdPhysics.RevoluteJoint(stage.GetPrimAtPath(SHOULDER))
    joint.CreateLowerLimitAttr(40.0)
    joint.CreateUpperLimitAttr(-40.0)
    assert all(knob.low <= knob.value <= knob.high for knob in knobs(stage, describe(stage)))


def test_values_that_physx_refuses_have_a_slider_from_them_to_allowed_ones() -> None:
    stage = arm()
    UsdPhysics.DriveAPI.Apply(stage.GetPrimAtPath(SHOULDER), "angular").CreateStiffnessAttr(-5.0)
    material = UsdPhysics.MaterialAPI.Apply(UsdShade.Material.Define(stage, "/World/rubber").GetPrim())
    material.CreateStaticFrictionAttr(-1.0)
    found = [knob for knob in (*of(stage, group=DRIVES), *of(stage, robot=MATERIALS)) if knob.value < 0.0]
    assert [(knob.low, knob.value) for knob in found] == [(-5.0, -5.0), (-1.0, -1.0)]
    assert all(knob.high >= 1.0 for knob in found)


def test_prims_inside_instances_have_no_slider_that_authors(tmp_path: Path) -> None:
    source = arm()
    authoring.drive(source.GetPrimAtPath(SHOULDER), stiffness=10.0, damping=1.0)
    source.GetRootLayer().Export(str(tmp_path / "arm.usda"))
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    prim = stage.DefinePrim("/Robot")
    prim.GetReferences().AddReference(str(tmp_path / "arm.usda"))
    prim.SetInstanceable(True)
    assert [knob for knob in knobs(stage, describe(stage)) if knob.property] == []
