"""rigid_body, the joints, articulation_root, drive and joint_axis: the USD they write and what they refuse."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from pxr import Gf, Usd, UsdGeom, UsdPhysics
from support.schemas.authored import clean, one_line, properties, refusal, schemas
from support.stages.robots import finger, opened

from physx_schema.authoring import (
    articulation_root,
    drive,
    fixed_joint,
    joint_axis,
    prismatic_joint,
    revolute_joint,
    rigid_body,
)
from physx_schema.description import Articulation, describe

JOINT = "/Robot/j"
BALL = {"mass": 2.0, "inertia": (0.1, 0.2, 0.25)}


@pytest.fixture
def empty() -> Usd.Stage:
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    return stage


@pytest.fixture
def pair(empty: Usd.Stage) -> Usd.Stage:
    """Two bodies, the second turned by 90 degrees about z and scaled by 2."""
    rigid_body(empty, "/Robot/a", **BALL)
    rigid_body(empty, "/Robot/b", **BALL, position=(1.0, 0.0, 0.0))
    common = UsdGeom.XformCommonAPI(empty.GetPrimAtPath("/Robot/b"))
    common.SetRotate(Gf.Vec3f(0.0, 0.0, 90.0))
    common.SetScale(Gf.Vec3f(2.0, 2.0, 2.0))
    return empty


@pytest.fixture
def stage() -> Usd.Stage:
    """A base and a link on /Robot/j."""
    return opened(finger())


def only_articulation(stage: Usd.Stage) -> Articulation:
    """The single articulation of a stage on which nothing is wrong or unused."""
    (found,) = clean(stage).articulations
    return found


def test_rigid_body_is_an_xform_with_mass_properties(empty: Usd.Stage) -> None:
    rigid_body(empty, "/Robot/a", **BALL, center_of_mass=(0.5, 0.0, 0.0), position=(1.0, 2.0, 3.0))
    assert empty.GetPrimAtPath("/Robot/a").GetTypeName() == "Xform"
    assert set(schemas(empty, "/Robot/a")) == {"PhysicsRigidBodyAPI", "PhysicsMassAPI"}
    assert properties(empty, "/Robot/a", "physics") == {
        "physics:mass": "float = 2.0",
        "physics:diagonalInertia": f"float3 = {Gf.Vec3f(0.1, 0.2, 0.25)}",
        "physics:principalAxes": "quatf = (1, 0, 0, 0)",
        "physics:centerOfMass": "point3f = (0.5, 0, 0)",
    }
    assert properties(empty, "/Robot/a", "xformOp") == {"xformOp:translate": "double3 = (1, 2, 3)"}


def test_reader_finds_the_mass_properties(empty: Usd.Stage) -> None:
    rigid_body(empty, "/Robot/a", **BALL, center_of_mass=(0.5, 0.0, 0.0), position=(1.0, 2.0, 3.0))
    (body,) = describe(empty).bodies
    assert (body.mass, body.center_of_mass, body.pose[0]) == (2.0, (0.5, 0.0, 0.0), (1.0, 2.0, 3.0))
    assert [body.inertia[axis][axis] for axis in range(3)] == pytest.approx([0.1, 0.2, 0.25])


def test_numbers_and_vectors_may_be_numpys(empty: Usd.Stage) -> None:
    ones = np.ones(3, np.float32)
    for path in ("/a", "/b"):
        rigid_body(empty, path, mass=np.float32(2.0), inertia=ones, position=np.zeros(3, np.int64))
    joint = revolute_joint(empty, "/j", "/a", "/b", anchor=ones, lower=np.float32(-1), upper=np.int64(1))
    drive(joint, stiffness=np.float32(3.0), max_force=np.float64(math.inf))
    assert (joint.GetLowerLimitAttr().Get(), joint.GetLocalPos0Attr().Get()) == (-1.0, Gf.Vec3f(1.0))
    assert properties(empty, "/j", "drive")["drive:angular:physics:stiffness"] == "float = 3.0"


@pytest.mark.parametrize(("name", "value"), [
    ("mass", 0.0), ("mass", -1.0), ("mass", math.nan), ("mass", math.inf), ("mass", "2"), ("position", (1.0, 2.0)),
    ("inertia", (1.0, 0.0, 1.0)),
    ("inertia", (1.0, 1.0, math.inf)), ("center_of_mass", (math.nan, 0.0, 0.0)), ("position", (0.0, math.inf, 0.0)),
])
def test_body_with_numbers_physx_would_replace_is_refused(empty: Usd.Stage, name: str, value: object) -> None:
    one_line(refusal(empty, lambda: rigid_body(empty, "/Robot/a", **{**BALL, name: value})), f"/Robot/a: {name}:")


def test_body_where_there_is_a_prim_is_refused(pair: Usd.Stage) -> None:
    one_line(refusal(pair, lambda: rigid_body(pair, "/Robot/a", **BALL)), "/Robot/a:",
             "a prim of type Xform exists already")


@pytest.mark.parametrize("path", ["a", "", "/", "/Robot/1x", "/Robot.attribute"])
def test_body_at_what_is_no_prim_path_is_refused(empty: Usd.Stage, path: str) -> None:
    lines = refusal(empty, lambda: rigid_body(empty, path, **BALL))
    one_line(lines, f"{path or repr(path)}:", "not an absolute prim path")


def test_revolute_joint_has_bodies_frames_axis_and_limits(pair: Usd.Stage) -> None:
    revolute_joint(pair, JOINT, "/Robot/a", "/Robot/b", axis="Z", anchor=(0.5, 0.0, 0.0), lower=-10.0, upper=90.0)
    assert pair.GetPrimAtPath(JOINT).GetTypeName() == "PhysicsRevoluteJoint"
    written = properties(pair, JOINT, "physics")
    child_frame = [written.pop("physics:localPos1"), written.pop("physics:localRot1")]
    assert [value.partition(" = ")[0] for value in child_frame] == ["point3f", "quatf"]
    assert written == {
        "physics:body0": "rel = /Robot/a",
        "physics:body1": "rel = /Robot/b",
        "physics:localPos0": "point3f = (0.5, 0, 0)",
        "physics:localRot0": "quatf = (1, 0, 0, 0)",
        "physics:axis": "uniform token = Z",
        "physics:lowerLimit": "float = -10.0",
        "physics:upperLimit": "float = 90.0",
    }


def test_joint_frames_meet_in_a_turned_and_scaled_child(pair: Usd.Stage) -> None:
    joint = revolute_joint(pair, JOINT, "/Robot/a", "/Robot/b", anchor=(0.5, 0.0, 0.0))
    # b sits at (1, 0, 0), turned 90 degrees about z and twice as large: the anchor is 0.5 along -x, which is b's +y
    assert joint.GetLocalPos1Attr().Get() == pytest.approx((0.0, 0.25, 0.0), abs=1e-6)
    turn = joint.GetLocalRot1Attr().Get()
    half = math.sqrt(0.5)
    assert (turn.GetReal(), *turn.GetImaginary()) == pytest.approx((half, 0.0, 0.0, -half), abs=1e-6)


def test_reader_places_the_child_at_joint_position_zero(pair: Usd.Stage) -> None:
    revolute_joint(pair, JOINT, "/Robot/a", "/Robot/b", anchor=(0.25, 0.5, 0.0), lower=-90.0, upper=90.0)
    articulation_root(pair.GetPrimAtPath("/Robot"))
    joint = only_articulation(pair).links[1].joint
    assert joint is not None
    assert joint.parent_frame[0] == pytest.approx((0.25, 0.5, 0.0))
    # lengths of the child's frame are scaled: (0.25, 0.5) - (1, 0) = (-0.75, 0.5), turned by -90 degrees
    assert joint.child_frame[0] == pytest.approx((0.5, 0.75, 0.0), abs=1e-6)
    assert joint.dofs[0].upper == pytest.approx(math.pi / 2)


def test_anchor_left_out_is_the_origin_of_the_child(pair: Usd.Stage) -> None:
    joint = prismatic_joint(pair, JOINT, "/Robot/a", "/Robot/b", axis="Y", lower=0.0, upper=0.5)
    assert joint.GetLocalPos0Attr().Get() == Gf.Vec3f(1.0, 0.0, 0.0)
    assert joint.GetLocalPos1Attr().Get() == pytest.approx((0.0, 0.0, 0.0), abs=1e-6)
    assert (joint.GetAxisAttr().Get(), joint.GetUpperLimitAttr().Get()) == ("Y", 0.5)


def test_joint_without_limits_writes_none(pair: Usd.Stage) -> None:
    joint = revolute_joint(pair, JOINT, "/Robot/a", "/Robot/b")
    assert not joint.GetLowerLimitAttr().HasAuthoredValue()


def test_fixed_joint_to_the_world_makes_a_fixed_base(pair: Usd.Stage) -> None:
    fixed_joint(pair, "/Robot/anchor", None, "/Robot/a")
    revolute_joint(pair, JOINT, "/Robot/a", "/Robot/b")
    articulation_root(pair.GetPrimAtPath("/Robot"))
    assert "physics:body0" not in properties(pair, "/Robot/anchor", "physics")
    assert only_articulation(pair).fixed_base


A, B = "/Robot/a", "/Robot/b"
Refused = Callable[[Usd.Stage], object]
BAD_JOINTS: dict[str, tuple[Refused, str]] = {
    "no body": (lambda on: fixed_joint(on, JOINT, None, "/Robot"), "/Robot: the prim has no PhysicsRigidBodyAPI"),
    "missing body": (lambda on: fixed_joint(on, JOINT, "/Robot/x", A), "/Robot/x: no such prim"),
    "same body": (lambda on: fixed_joint(on, JOINT, A, A), f"{JOINT}: /Robot/a is both"),
    "taken path": (lambda on: fixed_joint(on, A, None, B), "/Robot/a: a prim of type Xform"),
    "one limit": (lambda on: revolute_joint(on, JOINT, A, B, lower=0.0), f"{JOINT}: only one limit"),
    "order": (lambda on: revolute_joint(on, JOINT, A, B, lower=1.0, upper=0.0), f"{JOINT}: lower limit"),
    "infinite": (lambda on: revolute_joint(on, JOINT, A, B, lower=0.0, upper=math.inf), f"{JOINT}: upper"),
    "axis": (lambda on: revolute_joint(on, JOINT, A, B, axis="W"), f"{JOINT}.physics:axis: token"),
    "anchor": (lambda on: revolute_joint(on, JOINT, A, B, anchor=(0.0, math.nan, 0.0)), f"{JOINT}: anchor"),
}


@pytest.mark.parametrize("name", BAD_JOINTS)
def test_joint_that_physx_would_not_make_is_refused(pair: Usd.Stage, name: str) -> None:
    call, line = BAD_JOINTS[name]
    one_line(refusal(pair, lambda: call(pair)), line)


def test_articulation_root_carries_the_iteration_counts(pair: Usd.Stage) -> None:
    revolute_joint(pair, JOINT, "/Robot/a", "/Robot/b")
    articulation_root(pair.GetPrimAtPath("/Robot"), position_iterations=16, velocity_iterations=0)
    assert set(schemas(pair, "/Robot")) == {"PhysicsArticulationRootAPI", "PhysxArticulationAPI"}
    assert properties(pair, "/Robot", "physxArticulation") == {
        "physxArticulation:solverPositionIterationCount": "int = 16",
        "physxArticulation:solverVelocityIterationCount": "int = 0",
    }
    found = only_articulation(pair)
    assert (found.position_iterations, found.velocity_iterations) == (16, 0)


def test_settings_of_an_articulation_can_be_changed_alone(pair: Usd.Stage) -> None:
    revolute_joint(pair, JOINT, "/Robot/a", "/Robot/b")
    articulation_root(pair.GetPrimAtPath("/Robot"), position_iterations=16, velocity_iterations=0)
    articulation_root(pair.GetPrimAtPath("/Robot"), position_iterations=8)
    found = only_articulation(pair)
    assert (found.position_iterations, found.velocity_iterations) == (8, 0)


@pytest.mark.parametrize(("name", "value"), [("position_iterations", 0), ("position_iterations", 256),
                                             ("velocity_iterations", -1), ("velocity_iterations", 256)])
def test_iteration_counts_out_of_range_are_refused(pair: Usd.Stage, name: str, value: int) -> None:
    lines = refusal(pair, lambda: articulation_root(pair.GetPrimAtPath("/Robot"), **{name: value}))
    one_line(lines, "/Robot.physxArticulation:solver", str(value))


def test_root_without_bodies_is_refused(empty: Usd.Stage) -> None:
    empty.DefinePrim("/Robot", "Xform")
    lines = refusal(empty, lambda: articulation_root(empty.GetPrimAtPath("/Robot")))
    one_line(lines, "/Robot:", "no rigid body")


@pytest.mark.parametrize(("there", "new"), [("/Robot", "/Robot/a"), ("/Robot/a", "/Robot")])
def test_nested_roots_are_refused(pair: Usd.Stage, there: str, new: str) -> None:
    articulation_root(pair.GetPrimAtPath(there))
    one_line(refusal(pair, lambda: articulation_root(pair.GetPrimAtPath(new))), f"{new}:", there, "nested")


def test_drive_is_written_under_the_kind_of_the_joint(stage: Usd.Stage) -> None:
    drive(stage.GetPrimAtPath(JOINT), stiffness=2.0, damping=0.5, target=30.0, target_velocity=1.0, max_force=8.0,
          type="acceleration")
    assert schemas(stage, JOINT) == ["PhysicsDriveAPI:angular"]
    assert properties(stage, JOINT, "drive") == {
        "drive:angular:physics:stiffness": "float = 2.0",
        "drive:angular:physics:damping": "float = 0.5",
        "drive:angular:physics:targetPosition": "float = 30.0",
        "drive:angular:physics:targetVelocity": "float = 1.0",
        "drive:angular:physics:maxForce": "float = 8.0",
        "drive:angular:physics:type": "uniform token = acceleration",
    }


def test_reader_finds_the_drive_per_radian(stage: Usd.Stage) -> None:
    drive(stage.GetPrimAtPath(JOINT), stiffness=2.0, damping=0.5, target=30.0)
    found = only_articulation(stage).dofs[0].drive
    assert found is not None
    assert found.stiffness == pytest.approx(2.0 * 180.0 / math.pi)
    assert found.target_position == pytest.approx(math.pi / 6)
    assert (found.acceleration, found.max_force) == (False, math.inf)


def test_drive_of_a_slider_is_linear() -> None:
    stage = opened(finger(kind="Prismatic"))
    drive(UsdPhysics.PrismaticJoint.Get(stage, JOINT), stiffness=2.0, max_force=math.inf)
    assert set(properties(stage, JOINT, "drive")) == {
        "drive:linear:physics:stiffness", "drive:linear:physics:maxForce",
    }


def test_values_of_a_drive_can_be_changed_alone(stage: Usd.Stage) -> None:
    drive(stage.GetPrimAtPath(JOINT), stiffness=2.0, damping=0.5)
    drive(stage.GetPrimAtPath(JOINT), damping=1.0)
    assert properties(stage, JOINT, "drive") == {
        "drive:angular:physics:stiffness": "float = 2.0", "drive:angular:physics:damping": "float = 1.0",
    }


@pytest.mark.parametrize(("keyword", "base", "value"), [
    ("stiffness", "stiffness", -1.0), ("stiffness", "stiffness", math.inf), ("damping", "damping", math.nan),
    ("damping", "damping", -0.5), ("target", "targetPosition", math.inf), ("max_force", "maxForce", -2.0),
    ("max_force", "maxForce", math.nan), ("target_velocity", "targetVelocity", -math.inf), ("type", "type", "spring"),
])
def test_drive_values_that_physx_refuses_are_refused(stage: Usd.Stage, keyword: str, base: str, value: object) -> None:
    lines = refusal(stage, lambda: drive(stage.GetPrimAtPath(JOINT), **{keyword: value}))
    one_line(lines, f"{JOINT}.drive:angular:physics:{base}:")


@pytest.mark.parametrize("helper", [drive, joint_axis])
def test_prim_that_is_no_one_axis_joint_is_refused(stage: Usd.Stage, helper: Callable[..., object]) -> None:
    one_line(refusal(stage, lambda: helper(stage.GetPrimAtPath("/Robot/tip"))), "/Robot/tip:", "revolute or prismatic")


def test_joint_axis_is_written_under_the_kind_of_the_joint(stage: Usd.Stage) -> None:
    joint_axis(stage.GetPrimAtPath(JOINT), armature=0.5, static_friction=3.0, dynamic_friction=2.0,
               viscous_friction=0.25, max_velocity=90.0)
    assert schemas(stage, JOINT) == ["PhysxJointAxisAPI:angular"]
    assert properties(stage, JOINT, "physxJointAxis") == {
        "physxJointAxis:angular:armature": "float = 0.5",
        "physxJointAxis:angular:staticFrictionEffort": "float = 3.0",
        "physxJointAxis:angular:dynamicFrictionEffort": "float = 2.0",
        "physxJointAxis:angular:viscousFrictionCoefficient": "float = 0.25",
        "physxJointAxis:angular:maxJointVelocity": "float = 90.0",
    }
    dof = only_articulation(stage).dofs[0]
    assert (dof.armature, dof.static_friction, dof.dynamic_friction) == (0.5, 3.0, 2.0)
    assert dof.max_velocity == pytest.approx(math.pi / 2)


def test_dynamic_friction_above_static_friction_is_refused(stage: Usd.Stage) -> None:
    lines = refusal(stage, lambda: joint_axis(stage.GetPrimAtPath(JOINT), dynamic_friction=1.0))
    one_line(lines, f"{JOINT}.physxJointAxis:angular:dynamicFrictionEffort:", "staticFrictionEffort")


def test_dynamic_friction_below_the_static_friction_that_is_there_is_accepted(stage: Usd.Stage) -> None:
    joint_axis(stage.GetPrimAtPath(JOINT), static_friction=3.0)
    joint_axis(stage.GetPrimAtPath(JOINT), dynamic_friction=1.0)
    assert only_articulation(stage).dofs[0].dynamic_friction == 1.0


def test_axis_of_a_joint_outside_the_articulation_is_refused(stage: Usd.Stage) -> None:
    stage.GetPrimAtPath(JOINT).GetAttribute("physics:excludeFromArticulation").Set(True)
    lines = refusal(stage, lambda: joint_axis(stage.GetPrimAtPath(JOINT), armature=1.0))
    one_line(lines, f"{JOINT}:", "excludeFromArticulation")
