"""Every name that public code calls on PhysxSchema resolves, and the calls on classes work on a stage.

The list is a sample of what static analysis found in the PhysX repository, Isaac Sim, Isaac Lab, OmniDrones, Pegasus,
orbit and OmniIsaacGymEnvs: ``Class.member uses``, a line each.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
from pxr import Sdf, Tf, Usd, UsdGeom, UsdPhysics
from support.places import DATA

import physx_schema as PhysxSchema

RECORDS = [line.rpartition(" ")[0] for line in
           (DATA / "compat_calls.txt").read_text(encoding="utf-8").splitlines()]
PASSED = re.compile(r"<class passed to (.*)>")


@pytest.fixture(autouse=True)
def without_deprecation_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)     # many of the calls are of retired classes
        yield


@pytest.fixture
def stage() -> Usd.Stage:
    return Usd.Stage.CreateInMemory()


def instance(cls: Any) -> tuple[str, ...]:
    return ("rotX",) if cls.IsMultipleApplyAPISchema() else ()


def carrier(cls: Any, stage: Usd.Stage) -> Usd.Prim:
    """A prim of the class, or one that its schema is not on yet."""
    return cls.Define(stage, "/prim").GetPrim() if cls.IsTyped() else stage.DefinePrim("/prim", "PhysicsRevoluteJoint")


def passed(cls: Any, function: str, stage: Usd.Stage) -> bool:
    """Whether a class object works as an argument of USD's functions, which all others end in."""
    prim, name = carrier(cls, stage), instance(cls)
    assert Tf.Type.Find(cls).pythonClass is cls and getattr(PhysxSchema, cls.__name__) is cls
    if cls.IsTyped():
        return prim.IsA(cls) and not stage.DefinePrim("/other", "Xform").IsA(cls)
    steps = [prim.HasAPI(cls) is False, prim.CanApplyAPI(cls, *name), prim.ApplyAPI(cls, *name), prim.HasAPI(cls),
             prim.HasAPI(cls, *name), not prim.IsA(cls) if function == "IsA" else True,
             prim.RemoveAPI(cls, *name), prim.HasAPI(cls) is False]
    return all(steps)


def constructed(cls: Any, stage: Usd.Stage) -> bool:
    """Whether the constructors work: X(prim), X(prim, name), X(schemaObject), X(schemaObject, name)."""
    prim, name = carrier(cls, stage), instance(cls)
    if not cls.IsTyped():
        assert prim.ApplyAPI(cls, *name)
    other = UsdGeom.Imageable(prim)
    made = [cls(prim, *name), cls(other, *name), cls(prim=prim, **dict(zip(("name",), name, strict=False))),
            cls(schemaObj=other, **dict(zip(("name",), name, strict=False)))]
    return all(bool(api) and api.GetPrim() == prim for api in made) and not cls()


@pytest.mark.parametrize("record", RECORDS)
def test_a_name_that_public_code_uses_resolves(record: str, stage: Usd.Stage) -> None:
    class_name, _, member = record.partition(".")
    cls = getattr(PhysxSchema, class_name)
    if class_name == "Tokens":
        assert isinstance(getattr(cls, member), str)
    elif call := PASSED.fullmatch(member):
        assert passed(cls, call[1], stage)
    elif member == "__init__":
        assert constructed(cls, stage)
    elif member == "__name__":
        assert cls.__name__ == class_name
    else:
        assert callable(getattr(cls, member))


@pytest.mark.parametrize("record", [
    record for record in RECORDS if record.endswith(("Attr", "Rel")) and not record.endswith(".GetActorRel")])
def test_accessors_that_public_code_calls_work_on_a_prim(record: str, stage: Usd.Stage) -> None:
    class_name, _, member = record.partition(".")
    cls = getattr(PhysxSchema, class_name)
    prim, name = carrier(cls, stage), instance(cls)
    api = cls(prim) if cls.IsTyped() else cls.Apply(prim, *name)
    created = getattr(api, member.replace("Get", "Create", 1))()
    assert created.IsAuthored() and created == getattr(api, member.replace("Create", "Get", 1))()


def test_the_list_is_the_whole_sample() -> None:
    assert len(RECORDS) == 697 and len({record.partition(".")[0] for record in RECORDS}) == 78


def test_a_class_is_found_by_its_name(stage: Usd.Stage) -> None:
    prim = stage.DefinePrim("/prim", "Xform")
    assert getattr(PhysxSchema, "PhysxRigidBodyAPI") is PhysxSchema.PhysxRigidBodyAPI       # noqa: B009
    assert getattr(PhysxSchema, "PhysxNoSuchAPI", None) is None
    assert getattr(PhysxSchema, PhysxSchema.PhysxTriggerAPI.__name__).Apply(prim)


def test_attributes_are_set_by_name_through_create_methods(stage: Usd.Stage) -> None:
    """Isaac Lab's ``safe_set_attribute_on_usd_schema``."""
    api: Usd.APISchemaBase = PhysxSchema.PhysxRigidBodyAPI.Apply(stage.DefinePrim("/prim"))
    for name, value in {"linear_damping": 0.5, "disable_gravity": True, "no_such_thing": 1}.items():
        camel = "".join(word.capitalize() for word in name.split("_"))
        create = getattr(api, f"Create{camel}Attr", None)
        assert (create is None) == (name == "no_such_thing")
        if create is not None:
            create().Set(value)
    assert api.GetLinearDampingAttr().Get() == 0.5 and api.GetDisableGravityAttr().Get() is True


def test_commands_read_prefix_and_class_as_kit_commands_do(stage: Usd.Stage) -> None:
    """Kit's ApplyAPISchema command: api, prim, api_prefix, multiple_api_token."""
    api, prefix, token = (PhysxSchema.PhysxMimicJointAPI, PhysxSchema.Tokens.physxMimicJoint,
                          UsdPhysics.Tokens.rotX)
    prim = stage.DefinePrim("/joint", "PhysicsRevoluteJoint")
    applied = api.Apply(prim, token)
    assert prim.HasAPI(api, token) and prefix == "physxMimicJoint"
    applied.CreateGearingAttr(2.0)
    assert prim.GetAttribute(f"{prefix}:{token}:gearing").Get() == 2.0
    assert prim.RemoveAPI(api, token) and not prim.HasAPI(api)


def test_derived_types_give_their_python_classes() -> None:
    """omni.physx: ``[t.pythonClass for t in schema._GetStaticTfType().GetAllDerivedTypes()]``."""
    def derived(cls: Any) -> list[Any]:
        return [found.pythonClass for found in cls._GetStaticTfType().GetAllDerivedTypes()]

    assert derived(PhysxSchema.PhysxPhysicsInstancer) == [PhysxSchema.PhysxPhysicsJointInstancer]
    assert PhysxSchema.PhysxPhysicsGearJoint in derived(UsdPhysics.Joint)
    attachments = derived(PhysxSchema.OmniPhysics.Attachment)
    assert len(attachments) == 7 and PhysxSchema.OmniPhysics.VtxXformAttachment in attachments


def test_one_schema_object_makes_another(stage: Usd.Stage) -> None:
    prim = stage.DefinePrim("/joint", "PhysicsRevoluteJoint")
    root = PhysxSchema.PhysxTendonAttachmentRootAPI.Apply(prim, "flexor")
    PhysxSchema.PhysxTendonAttachmentAPI(root, "flexor").CreateGearingAttr(2.0)
    assert prim.GetAttribute("physxTendon:flexor:gearing").Get() == 2.0
    body = PhysxSchema.PhysxDeformableBodyAPI.Apply(prim)
    assert PhysxSchema.PhysxDeformableAPI(body) and PhysxSchema.PhysxDeformableAPI(body).GetPrim() == prim


def test_prim_types_have_the_methods_of_their_parents(stage: Usd.Stage) -> None:
    gear = PhysxSchema.PhysxPhysicsGearJoint.Define(stage, "/gear")
    gear.CreateBody0Rel().SetTargets(["/a"])
    gear.CreateLocalPos1Attr((1, 2, 3))
    gear.CreateHinge0Rel().SetTargets(["/b"])
    assert isinstance(gear, UsdPhysics.Joint) and gear.GetBody0Rel().GetTargets() == [Sdf.Path("/a")]
    rack = PhysxSchema.PhysxPhysicsRackAndPinionJoint.Define(stage, "/rack")
    assert rack.CreateBody1Rel() and rack.GetExcludeFromArticulationAttr().Get() is False
    system = PhysxSchema.PhysxParticleSystem.Define(stage, "/system")
    system.GetVisibilityAttr().Set("invisible")
    assert isinstance(system, UsdGeom.Gprim) and system.ComputeVisibility() == "invisible"
    assert isinstance(PhysxSchema.PhysxPhysicsJointInstancer.Define(stage, "/many"), PhysxSchema.PhysxPhysicsInstancer)


def test_prim_types_are_found_by_path_and_refuse_other_prims(stage: Usd.Stage) -> None:
    PhysxSchema.PhysxParticleSystem.Define(stage, "/system")
    assert PhysxSchema.PhysxParticleSystem.Get(stage, "/system")
    assert not PhysxSchema.PhysxParticleSystem.Get(stage, "/nowhere")
    assert not PhysxSchema.PhysxPhysicsGearJoint(stage.DefinePrim("/revolute", "PhysicsRevoluteJoint"))


def test_compiled_classes_take_objects_of_ours(stage: Usd.Stage) -> None:
    body = PhysxSchema.PhysxRigidBodyAPI.Apply(stage.DefinePrim("/body", "Xform"))
    assert isinstance(body, Usd.APISchemaBase)
    assert UsdGeom.Xformable(body) and UsdPhysics.RigidBodyAPI(body).GetPrim() == body.GetPrim()
    assert UsdPhysics.RigidBodyAPI.Apply(body.GetPrim()) and UsdPhysics.RigidBodyAPI(body)


def test_instances_are_found_by_prim_and_by_path(stage: Usd.Stage) -> None:
    prim = stage.DefinePrim("/joint", "PhysicsRevoluteJoint")
    cls = PhysxSchema.PhysxLimitAPI
    cls.Apply(prim, "rotX")
    found = [cls.Get(prim, "rotX"), cls.Get(prim=prim, name="rotX"), cls.Get(stage, "/joint.physxLimit:rotX"),
             cls.Get(stage=stage, path=Sdf.Path("/joint.physxLimit:rotX")), *cls.GetAll(prim)]
    assert [(api.GetPrim(), api.GetName(), bool(api)) for api in found] == [(prim, "rotX", True)] * 5


def test_attachments_find_points_of_either_actor_by_index(stage: Usd.Stage) -> None:
    attachment = PhysxSchema.PhysxPhysicsAttachment.Define(stage, "/attachment")
    attachment.CreatePoints0Attr([(1, 2, 3)])
    attachment.CreateActor1Rel().SetTargets(["/rigid"])
    assert attachment.GetPointsAttr(0) == attachment.GetPoints0Attr()
    assert attachment.GetActorRel(1) == attachment.GetActor1Rel()
    assert attachment.GetFilterTypeAttr(1) == attachment.GetFilterType1Attr()
    assert attachment.GetCollisionFilterIndicesAttr(0) == attachment.GetCollisionFilterIndices0Attr()
    assert attachment.GetFilterTypeAttr(index=True).GetName() == "filterType1"
    for wrong in ("0", 1.0):
        with pytest.raises(TypeError):
            attachment.GetPointsAttr(wrong)
    with pytest.raises(IndexError, match="must be 0 or 1"):
        attachment.GetActorRel(2)
