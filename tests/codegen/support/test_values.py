"""Keyword values of Apply and set: checked, converted, and written all or none."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from pxr import Gf, Sdf, Usd, Vt

import physx_schema as PhysxSchema
from physx_schema.errors import AuthoringError

AxisRoot, Attachment = PhysxSchema.PhysxTendonAxisRootAPI, PhysxSchema.PhysxTendonAttachmentAPI
Mimic, Body, Scene = PhysxSchema.PhysxMimicJointAPI, PhysxSchema.PhysxRigidBodyAPI, PhysxSchema.PhysxSceneAPI
Axis = PhysxSchema.PhysxJointAxisAPI
INF = float("inf")


@pytest.fixture
def joint() -> Iterator[Usd.Prim]:
    stage = Usd.Stage.CreateInMemory()
    yield stage.DefinePrim("/joint", "PhysicsRevoluteJoint")


def authored(prim: Usd.Prim) -> dict[str, Any]:
    return {prop.GetName(): prop.Get() for prop in prim.GetAuthoredAttributes()}


def test_keywords_author_what_create_methods_author() -> None:
    layers = []
    for style in ("keywords", "methods"):
        stage = Usd.Stage.CreateInMemory()
        prim = stage.DefinePrim("/joint", "PhysicsRevoluteJoint")
        if style == "keywords":
            AxisRoot.Apply(
                prim, "t", stiffness=50, gearing=[0.1], jointAxis=["rotX"], tendonEnabled=False, upperLimit=INF)
            Mimic.Apply(prim, "rotX", referenceJointAxis="rotY", gearing=-2.5, referenceJoint="/other")
        else:
            root = AxisRoot.Apply(prim, "t")
            root.CreateStiffnessAttr(50)
            root.CreateGearingAttr([0.1])
            root.CreateJointAxisAttr(["rotX"])
            root.CreateTendonEnabledAttr(False)
            root.CreateUpperLimitAttr(INF)
            mimic = Mimic.Apply(prim, "rotX")
            mimic.CreateReferenceJointAxisAttr("rotY")
            mimic.CreateGearingAttr(-2.5)
            mimic.CreateReferenceJointRel().SetTargets(["/other"])
        layers.append(stage.GetRootLayer().ExportToString())
    assert layers[0] == layers[1]


@pytest.mark.parametrize(("cls", "keyword", "value", "expected"), [
    (AxisRoot, "stiffness", 2, 2.0),
    (AxisRoot, "stiffness", np.float32(2.5), 2.5),
    (AxisRoot, "stiffness", np.int64(3), 3.0),
    (AxisRoot, "lowerLimit", -INF, -INF),
    (AxisRoot, "tendonEnabled", np.bool_(False), False),
    (AxisRoot, "gearing", np.array([1.0, 2.0]), [1.0, 2.0]),
    (AxisRoot, "gearing", (1, 2), [1.0, 2.0]),
    (AxisRoot, "jointAxis", ["rotX", "transZ"], ["rotX", "transZ"]),
    (AxisRoot, "jointAxis", [], []),
    (Attachment, "localPos", (1, 2, 3), Gf.Vec3f(1, 2, 3)),
    (Attachment, "localPos", np.array([1.0, 2.0, 3.0]), Gf.Vec3f(1, 2, 3)),
    (Attachment, "localPos", Gf.Vec3d(1, 2, 3), Gf.Vec3f(1, 2, 3)),
    (Attachment, "parentAttachment", "anything", "anything"),
])
def test_values_are_converted_to_the_declared_type(
    cls: Any, keyword: str, value: object, expected: object, joint: Usd.Prim
) -> None:
    api = cls.Apply(joint, "t", **{keyword: value})
    found = joint.GetAttribute(f"physxTendon:t:{keyword}").Get()
    assert (list(found) if isinstance(expected, list) else found) == expected
    assert api and api.GetName() == "t"


@pytest.mark.parametrize(("cls", "keyword", "value", "message"), [
    (AxisRoot, "stiffness", -1, "-1 is outside [0, inf) (force / distance)"),
    (AxisRoot, "stiffness", INF, "inf is not finite"),
    (AxisRoot, "stiffness", float("nan"), "nan is not a number"),
    (AxisRoot, "stiffness", 1e39, "1e+39 does not fit type float"),
    (AxisRoot, "stiffness", True, "True is not a number"),
    (AxisRoot, "stiffness", "1", "'1' is not a number"),
    (AxisRoot, "stiffness", None, "None is not a number"),
    (AxisRoot, "lowerLimit", INF, "inf is not finite"),
    (AxisRoot, "tendonEnabled", 1, "1 is not a bool"),
    (AxisRoot, "gearing", 1.0, "1.0 is not a list"),
    (AxisRoot, "gearing", "1", "'1' is not a list"),
    (AxisRoot, "gearing", [1.0, float("nan")], "nan is not a number"),
    (AxisRoot, "jointAxis", ["rotx"],
     "token 'rotx' is not one of transX, transY, transZ, rotX, rotY, rotZ; did you mean 'rotX'?"),
    (AxisRoot, "jointAxis", [1], "1 is not a token"),
    (Attachment, "localPos", (1, 2), "(1, 2) is not a point3f; give 3 numbers"),
    (Attachment, "localPos", 1, "1 is not a point3f"),
    (Attachment, "parentLink", "link", "path 'link' is relative"),
    (Attachment, "parentLink", "not a path", "'not a path' is not a path"),
    (Attachment, "parentLink", ["/a", "/b"], "2 targets where one is allowed"),
    (Attachment, "parentLink", Usd.Prim(), "the target is an invalid prim"),
    (Attachment, "parentLink", 5, "5 is not a target"),
    (Attachment, "parentLink", "/a{side=left}b", "'/a{side=left}b' is not a prim or property path"),
    (Attachment, "parentLink", "/a.rel[/b]", "'/a.rel[/b]' is not a prim or property path"),
    (Attachment, "parentLink", "/", "'/' is not a prim or property path"),
    (Attachment, "parentLink", "/\ud800", "'/\ud800' is not a path"),
    (Attachment, "parentAttachment", "\ud800", "'\ud800' is not text that USD can store"),
    (Attachment, "parentAttachment", "a\0b", "'a\0b' is not text that USD can store"),
])
def test_a_refused_value_is_named_with_prim_and_property_and_nothing_is_written(
    cls: Any, keyword: str, value: object, message: str, joint: Usd.Prim
) -> None:
    before = joint.GetStage().GetRootLayer().ExportToString()
    with pytest.raises(AuthoringError) as caught:
        cls.Apply(joint, "t", **{keyword: value})
    assert str(caught.value).startswith(f"/joint.physxTendon:t:{keyword}: {message.encode('unicode_escape').decode()}")
    assert joint.GetStage().GetRootLayer().ExportToString() == before


POINTS = np.arange(12.0).reshape(4, 3)


@pytest.mark.parametrize("value", [
    POINTS, POINTS.astype("float32"), POINTS.astype("int16"), POINTS.astype("float16"), POINTS[:, ::-1][:, ::-1],
    np.asfortranarray(POINTS), Vt.Vec3fArray.FromNumpy(POINTS), Vt.Vec3dArray.FromNumpy(POINTS), POINTS.astype(">f4"),
    POINTS.tolist(),
], ids=["double", "float", "int", "half", "view", "fortran", "Vt", "Vt double", "big-endian", "list"])
def test_points_are_taken_from_arrays_of_any_layout(value: Any, joint: Usd.Prim) -> None:
    found = PhysxSchema.PhysxParticleSetAPI.Apply(joint, simulationPoints=value).GetSimulationPointsAttr().Get()
    assert type(found) is Vt.Vec3fArray and np.array_equal(np.array(found), POINTS)


@pytest.mark.parametrize(("value", "message"), [
    (np.full((4, 3), np.nan), "nan is not a number"), (np.full((4, 3), 1e39), r"1e\+39 does not fit type point3f"),
    (np.zeros((3, 4)), "is not a point3f; give 3 numbers"), (np.zeros(12), "is not a point3f; give 3 numbers"),
    (b"123", "is not a list"), (np.zeros((2, 3), bool), "is not a number"),
    (np.zeros((2, 3), complex), "is not a number"),
])
def test_points_in_arrays_are_checked(value: Any, message: str, joint: Usd.Prim) -> None:
    with pytest.raises(AuthoringError, match=message):
        PhysxSchema.PhysxParticleSetAPI.Apply(joint, simulationPoints=value)


@pytest.mark.parametrize(("value", "message"), [
    (np.array([0, 2**31]), "2147483648 does not fit type int"), (np.array([0.0]), "is not a whole number"),
    (np.array([True]), "is not a whole number"), (np.array([[1, 2]]), "is not a whole number"),
])
def test_indices_in_arrays_are_checked(value: Any, message: str, joint: Usd.Prim) -> None:
    instancer = PhysxSchema.PhysxPhysicsJointInstancer.Define(joint.GetStage(), "/instancer")
    instancer.set(body0Indices=np.arange(3))
    assert list(instancer.GetPhysicsBody0IndicesAttr().Get()) == [0, 1, 2]
    with pytest.raises(AuthoringError, match=message):
        instancer.set(body0Indices=value)


def test_a_large_array_is_checked_in_no_time(joint: Usd.Prim) -> None:
    points = np.random.default_rng(0).random((100_000, 3))
    start = time.process_time()
    PhysxSchema.PhysxParticleSetAPI.Apply(joint, simulationPoints=points)
    assert time.process_time() - start < 0.5       # about 0.03 s; 2 s where each point is looked at


@pytest.mark.parametrize(("value", "message"), [
    (256, "256 is outside [1, 255]"), (1.0, "1.0 is not a whole number"), (True, "True is not a whole number"),
    (2**31, "2147483648 does not fit type int"),
])
def test_integers_are_checked(value: object, message: str, joint: Usd.Prim) -> None:
    with pytest.raises(AuthoringError, match=message.replace("[", r"\[")):
        Body.Apply(joint, solverPositionIterationCount=value)


def test_every_problem_is_reported_at_once(joint: Usd.Prim) -> None:
    with pytest.raises(AuthoringError) as caught:
        AxisRoot.Apply(joint, "t", stiffness=-1.0, damping="x", stifness=1.0)
    lines = str(caught.value).splitlines()
    assert [line.partition(": ")[0] for line in lines] == [
        "/joint.physxTendon:t:damping", "/joint.physxTendon:t:stiffness", "/joint"]
    assert lines[-1].endswith("no property 'stifness'; did you mean 'stiffness'?")


def test_an_error_is_a_value_error() -> None:
    assert issubclass(AuthoringError, ValueError) and AuthoringError is PhysxSchema.AuthoringError


def test_a_range_may_name_a_value_of_the_same_call(joint: Usd.Prim) -> None:
    AxisRoot.Apply(joint, "t", lowerLimit=1.0, upperLimit=2.0)
    with pytest.raises(AuthoringError, match="3 is outside"):
        AxisRoot.Apply(joint, "u", lowerLimit=3.0, upperLimit=2.0)


def test_a_range_may_name_a_value_on_the_stage(joint: Usd.Prim) -> None:
    api = AxisRoot.Apply(joint, "t", lowerLimit=1.0)
    with pytest.raises(AuthoringError, match=r"upperLimit: 0.5 is outside \[lowerLimit, inf\], here 1 to inf"):
        api.set(upperLimit=0.5)


def test_moving_a_bound_past_the_bounded_value_is_refused(joint: Usd.Prim) -> None:
    api = Axis.Apply(joint, "angular", staticFrictionEffort=2.0, dynamicFrictionEffort=1.0)
    with pytest.raises(AuthoringError, match=r"dynamicFrictionEffort: 1 is outside \[0, staticFrictionEffort\]"):
        api.set(staticFrictionEffort=0.5)
    api.set(staticFrictionEffort=0.5, dynamicFrictionEffort=0.5)


def test_set_needs_the_schema_on_the_prim(joint: Usd.Prim) -> None:
    for api in (AxisRoot(joint, "t"), Body(joint), AxisRoot(), Body()):
        with pytest.raises(AuthoringError, match="is not on this prim; apply or define this schema first"):
            api.set()


def test_set_overwrites_values_and_keeps_their_specs(joint: Usd.Prim) -> None:
    api = Mimic.Apply(joint, "rotX", gearing=1.0, referenceJoint=["/a"])
    api.set(gearing=2.0, referenceJoint=joint)
    assert api.GetGearingAttr().Get() == 2.0
    assert api.GetReferenceJointRel().GetTargets() == [Sdf.Path("/joint")]
    api.set(referenceJoint=[])
    assert api.GetReferenceJointRel().GetTargets() == []


def test_single_apply_keywords_have_short_names(joint: Usd.Prim) -> None:
    Body.Apply(joint, angularDamping=0.0, maxContactImpulse=INF)
    assert authored(joint) == {"physxRigidBody:angularDamping": 0.0, "physxRigidBody:maxContactImpulse": INF}


def test_joint_state_keywords_have_short_names(joint: Usd.Prim) -> None:
    PhysxSchema.JointStateAPI.Apply(joint, "angular", position=30.0)
    assert authored(joint) == {"state:angular:physics:position": 30.0}


def test_values_go_to_the_edit_target(joint: Usd.Prim) -> None:
    stage = joint.GetStage()
    stage.SetEditTarget(stage.GetSessionLayer())
    Body.Apply(joint, linearDamping=1.0)
    assert stage.GetSessionLayer().GetAttributeAtPath("/joint.physxRigidBody:linearDamping").default == 1.0
    assert stage.GetRootLayer().GetAttributeAtPath("/joint.physxRigidBody:linearDamping") is None


def test_values_go_into_the_variant_being_edited(joint: Usd.Prim) -> None:
    variants = joint.GetVariantSets().AddVariantSet("size")
    variants.AddVariant("big")
    variants.SetVariantSelection("big")
    with variants.GetVariantEditContext():
        Mimic.Apply(joint, "rotX", gearing=3.0, referenceJoint="/joint")
    layer = joint.GetStage().GetRootLayer()
    assert layer.GetAttributeAtPath("/joint{size=big}.physxMimicJoint:rotX:gearing").default == 3.0
    assert layer.GetAttributeAtPath("/joint.physxMimicJoint:rotX:gearing") is None
    assert Mimic(joint, "rotX").GetReferenceJointRel().GetTargets() == [Sdf.Path("/joint")]


def test_prims_inside_instances_are_refused(joint: Usd.Prim) -> None:
    stage = joint.GetStage()
    stage.DefinePrim("/asset/link", "Xform")
    instance = stage.DefinePrim("/copy")
    instance.GetReferences().AddInternalReference("/asset")
    instance.SetInstanceable(True)
    with pytest.raises(AuthoringError, match="/copy/link: the prim is inside an instance"):
        Body.Apply(stage.GetPrimAtPath("/copy/link"), linearDamping=1.0)


def test_read_only_layers_are_refused(joint: Usd.Prim) -> None:
    Body.Apply(joint)
    joint.GetStage().GetRootLayer().SetPermissionToEdit(False)
    with pytest.raises(AuthoringError, match="is not editable; choose another edit target"):
        Body(joint).set(linearDamping=1.0)


def test_a_property_authored_with_another_type_is_refused(joint: Usd.Prim) -> None:
    joint.CreateAttribute("physxTendon:t:stiffness", Sdf.ValueTypeNames.Double).Set(1.0)
    with pytest.raises(AuthoringError, match=r"t:stiffness: the property is already authored as double in anon"):
        AxisRoot.Apply(joint, "t", damping=1.0, stiffness=1.0)
    assert not joint.HasAPI(AxisRoot) and not joint.GetAttribute("physxTendon:t:damping")


def test_axis_and_attachment_must_not_share_an_instance_name(joint: Usd.Prim) -> None:
    AxisRoot.Apply(joint, "t")
    with pytest.raises(AuthoringError, match="instance name 't' is already used by PhysxTendonAxisAPI"):
        Attachment.Apply(joint, "t", gearing=1.0)
    Attachment.Apply(joint, "u", gearing=1.0)


def test_instance_names_that_physx_ignores_are_refused_with_values_only(joint: Usd.Prim) -> None:
    message = "/joint: PhysxMimicJointAPI instance name 'transZ' is not one of rotX, rotY, rotZ"
    with pytest.raises(AuthoringError, match=message):
        Mimic.Apply(joint, "transZ", gearing=1.0)
    assert Mimic.Apply(joint, "transZ")         # as compiled bindings do


@pytest.mark.parametrize(("name", "message"), [
    ("has space", "is not an identifier"), ("stiffness", "is also the name of a property of this schema"),
    ("gearing", "is also the name of a property of this schema"), ("1st", "is not an identifier"),
    ("__INSTANCE_NAME__", "is the placeholder that USD writes for an instance name"),
])
def test_instance_names_that_usd_cannot_tell_apart_are_refused_with_values(
    name: str, message: str, joint: Usd.Prim
) -> None:
    with pytest.raises(AuthoringError, match=message):
        AxisRoot.Apply(joint, name, stiffness=1.0)
    assert not joint.GetAppliedSchemas()


@pytest.mark.parametrize(("name", "usable"), [
    ("my tendon", "my_tendon"), ("2nd", "_2nd"), ("flexor-1", "flexor_1"), ("a::b", "a_b")])
def test_instance_names_without_a_property_name_are_refused_with_one_that_has(
    name: str, usable: str, joint: Usd.Prim,
) -> None:
    with pytest.raises(AuthoringError) as raised:
        AxisRoot.Apply(joint, name)
    assert str(raised.value) == (f"/joint: PhysxTendonAxisRootAPI instance name {name!r} is not an identifier; use "
                                 f"letters, digits and underscores, such as {usable!r}")
    assert not joint.GetAppliedSchemas()


@pytest.mark.parametrize("path", ["", Sdf.Path(), "/", "joint", "/joint.x", "/joint{side=left}x", "/a b"])
def test_paths_where_no_prim_can_be_defined_are_refused_with_values(path: str | Sdf.Path, joint: Usd.Prim) -> None:
    before = joint.GetStage().GetRootLayer().ExportToString()
    with pytest.raises(AuthoringError, match="not an absolute prim path"):
        PhysxSchema.PhysxPhysicsGearJoint.Define(joint.GetStage(), path, gearRatio=2.0)
    assert joint.GetStage().GetRootLayer().ExportToString() == before


@pytest.mark.parametrize("keywords", [{"strict": True}, {"gearRatio": 2.0}])
def test_a_prim_that_does_not_become_of_the_type_is_not_left_behind(keywords: dict[str, Any]) -> None:
    stage = Usd.Stage.CreateInMemory()
    stage.DefinePrim("/off", "Xform").SetActive(False)
    stage.DefinePrim("/model", "Xform")
    weaker = Sdf.Layer.CreateAnonymous()
    Sdf.CreatePrimInLayer(weaker, "/typed/there").typeName = "Scope"
    stage.GetRootLayer().subLayerPaths.append(weaker.identifier)
    stage.OverridePrim("/typed/there").SetTypeName("PhysicsFixedJoint")
    stage.OverridePrim("/typed/new").SetTypeName("PhysicsFixedJoint")
    before = {layer: layer.ExportToString() for layer in (stage.GetRootLayer(), weaker)}
    Gear = PhysxSchema.PhysxPhysicsGearJoint
    with pytest.raises(AuthoringError, match="/off/a/b: the authored PhysxPhysicsGearJoint has no effect"):
        Gear.Define(stage, "/off/a/b", **keywords)
    stage.SetEditTarget(weaker)
    if "strict" not in keywords:            # which does not replace types anyway
        for path in ("/typed/there", "/typed/new"):
            with pytest.raises(AuthoringError, match=f"{path}: the authored PhysxPhysicsGearJoint has no effect"):
                Gear.Define(stage, path, **keywords)
    assert {layer: layer.ExportToString() for layer in before} == before


@pytest.mark.parametrize("keywords", [{"strict": True}, {"linearDamping": 1.0}])
def test_invalid_prims_are_refused_by_name(keywords: dict[str, Any], joint: Usd.Prim) -> None:
    stage = joint.GetStage()
    stage.RemovePrim("/joint")
    for prim in (joint, Usd.Prim()):
        with pytest.raises(AuthoringError, match="the prim is invalid; give a prim of an open stage"):
            Body.Apply(prim, **keywords)
    with pytest.raises(AuthoringError, match="the prim is invalid; give a prim of an open stage"):
        AxisRoot.Apply(joint, "t", stiffness=1.0)


def test_apply_refuses_before_applying(joint: Usd.Prim) -> None:
    with pytest.raises(AuthoringError):
        Scene.Apply(joint, solverType="tgs")
    assert not joint.HasAPI(Scene)
