"""The classes behave like the compiled ones: compared side by side with UsdPhysics where it has a counterpart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pxr import Sdf, Tf, Usd, UsdGeom, UsdPhysics

import physx_schema as PhysxSchema

CLASSES: list[Any] = [
    value for module in (PhysxSchema, PhysxSchema.OmniPhysics) for value in vars(module).values()
    if isinstance(getattr(value, "definition", None), PhysxSchema.Definition)
]
SINGLE = [cls for cls in CLASSES if cls.definition.kind == "single-apply"]
MULTIPLE = [cls for cls in CLASSES if cls.definition.kind == "multiple-apply"]
TYPED = [cls for cls in CLASSES if cls.definition.kind == "typed"]
PARENTS = {
    "PhysxParticleSystem": UsdGeom.Gprim, "PhysxPhysicsInstancer": UsdGeom.Imageable,
    "PhysxPhysicsJointInstancer": PhysxSchema.PhysxPhysicsInstancer, "PhysxPhysicsGearJoint": UsdPhysics.Joint,
    "PhysxPhysicsRackAndPinionJoint": UsdPhysics.Joint, "PhysxVehicleTireFrictionTable": Usd.Typed,
    "TetrahedralMesh": UsdGeom.PointBased, "PhysxPhysicsAttachment": Usd.Typed,
    "Attachment": UsdGeom.Imageable, "ElementCollisionFilter": UsdGeom.Imageable,
    **{f"{kind}Attachment": PhysxSchema.OmniPhysics.Attachment
       for kind in ("VtxVtx", "VtxTri", "VtxTet", "VtxCrv", "VtxXform", "TetXform", "TriTri")},
}
WITHOUT_METHODS = {("DeformablePoseAPI", "omniphysics:points")}      # its apiName is empty
BY_INDEX = {"GetPointsAttr", "GetFilterTypeAttr", "GetCollisionFilterIndicesAttr", "GetActorRel"}   # added by hand
# A multiple-apply and a single-apply class of ours, each with its compiled counterpart.
PAIRS = [(PhysxSchema.PhysxJointAxisAPI, UsdPhysics.DriveAPI), (PhysxSchema.PhysxLimitAPI, UsdPhysics.LimitAPI)]


@pytest.fixture
def stage() -> Iterator[Usd.Stage]:
    yield Usd.Stage.CreateInMemory()


@pytest.fixture
def joint(stage: Usd.Stage) -> Usd.Prim:
    return stage.DefinePrim("/joint", "PhysicsRevoluteJoint")


def applied(cls: Any, prim: Usd.Prim) -> Any:
    """An object of the class on `prim`, or for a prim type on a new prim beside it."""
    if cls in TYPED:
        return cls.Define(prim.GetStage(), "/typed")
    return cls.Apply(prim, "angular") if cls in MULTIPLE else cls.Apply(prim)


def getters(cls: Any) -> set[str]:
    """The Get methods of the class's own properties, without those of the compiled class it derives from."""
    compiled = next(base for base in cls.__mro__ if not hasattr(base, "definition"))
    return {name for name in set(dir(cls)) - set(dir(compiled))
            if name.startswith("Get") and name.endswith(("Attr", "Rel"))} - BY_INDEX


def outcome(call: Callable[[], Any]) -> Any:
    """The result of a call, or the kind of error it ends in."""
    try:
        return call()
    except TypeError:
        return TypeError
    except RuntimeError:
        return RuntimeError


def test_there_are_classes_of_every_kind() -> None:
    # Of PhysxSchema, OmniPhysics and what older releases had: 62 + 9 + 10, 13 + 1, 6 + 9 + 2.
    assert (len(SINGLE), len(MULTIPLE), len(TYPED)) == (81, 14, 17) and {cls.__name__ for cls in TYPED} == set(PARENTS)


@pytest.mark.parametrize("cls", CLASSES)
def test_bases_equal_those_of_the_plugin(cls: Any) -> None:
    assert cls.__bases__ == (PARENTS.get(cls.__name__, Usd.APISchemaBase),)
    assert [base.pythonClass for base in cls._GetStaticTfType().baseTypes] == list(cls.__bases__)


@pytest.mark.parametrize("cls", CLASSES)
def test_tf_type_knows_the_python_class(cls: Any) -> None:
    assert cls._GetStaticTfType().pythonClass is cls
    assert cls in [found.pythonClass for found in Tf.Type.Find(cls.__bases__[0]).GetAllDerivedTypes()]


@pytest.mark.parametrize("cls", TYPED)
def test_prims_of_a_type_are_told_by_its_class(cls: Any, stage: Usd.Stage) -> None:
    prim = cls.Define(stage, "/typed").GetPrim()
    assert prim.IsA(cls) and prim.IsA(cls.__bases__[0])
    assert not stage.DefinePrim("/other", "Xform").IsA(cls)
    assert Usd.SchemaRegistry.GetSchemaTypeName(cls) == prim.GetTypeName() == cls.definition.identifier


@pytest.mark.parametrize("cls", SINGLE + MULTIPLE)
def test_usd_functions_take_the_class(cls: Any, joint: Usd.Prim) -> None:
    instance = ("angular",) if cls in MULTIPLE else ()
    assert not joint.HasAPI(cls)
    assert joint.CanApplyAPI(cls, *instance)
    assert joint.ApplyAPI(cls, *instance)
    assert joint.HasAPI(cls) and joint.HasAPI(cls, *instance)
    assert joint.RemoveAPI(cls, *instance)
    assert not joint.HasAPI(cls)
    assert Usd.SchemaRegistry.GetSchemaTypeName(cls) == cls.definition.identifier


@pytest.mark.parametrize("cls", CLASSES)
def test_compiled_code_takes_the_object(cls: Any, joint: Usd.Prim) -> None:
    api = applied(cls, joint)
    assert isinstance(api, Usd.APISchemaBase) != isinstance(api, Usd.Typed) and isinstance(api, Usd.SchemaBase)
    assert UsdPhysics.RigidBodyAPI(api).GetPrim() == api.GetPrim()
    assert UsdGeom.Xformable(api).GetPath() == api.GetPath()


@pytest.mark.parametrize("cls", CLASSES)
def test_schema_kind_queries_agree_with_the_registry(cls: Any) -> None:
    kind = Usd.SchemaRegistry.GetSchemaKind(cls.definition.identifier)
    assert cls.schemaType == cls.schemaKind == cls.GetSchemaKind() == cls().GetSchemaKind() == kind
    assert cls.IsMultipleApplyAPISchema() == (kind == Usd.SchemaKind.MultipleApplyAPI)
    api, typed = cls not in TYPED, cls in TYPED
    assert (cls.IsAPISchema(), cls.IsAppliedAPISchema(), cls.IsConcrete(), cls.IsTyped()) == (api, api, typed, typed)


@pytest.mark.parametrize("cls", CLASSES)
def test_prim_definition_lists_the_attributes(cls: Any) -> None:
    definition = cls().GetSchemaClassPrimDefinition()
    listed = {name for name in definition.GetPropertyNames() if definition.GetPropertyDefinition(name).IsAttribute()}
    ours = {other.identifier for other in cls.definition.inherited}
    foreign = [Usd.SchemaRegistry().FindAppliedAPIPrimDefinition(name).GetPropertyNames()
               for name in cls.definition.includes if name not in ours and ":" not in name]
    collections = {name for name in listed if name.startswith("collection:")}       # of a built-in UsdCollectionAPI
    assert listed - collections - {name for names in foreign for name in names} == set(cls.GetSchemaAttributeNames())


@pytest.mark.parametrize("cls", CLASSES)
def test_own_attribute_names_leave_out_those_of_parents_and_built_in_schemas(cls: Any) -> None:
    own, every = cls.GetSchemaAttributeNames(False), cls.GetSchemaAttributeNames(True)
    inherited = PARENTS[cls.__name__].GetSchemaAttributeNames(True) if cls in TYPED else every[:len(every) - len(own)]
    assert every == [*inherited, *own]


@pytest.mark.parametrize("cls", CLASSES)
def test_every_property_can_be_created_and_read_back(cls: Any, joint: Usd.Prim) -> None:
    api = applied(cls, joint)
    methods = {name.removeprefix("Get") for name in getters(cls)}
    assert len(methods) == len([name for name in cls.definition.accessible
                                if (cls.__name__, name) not in WITHOUT_METHODS])
    for name in methods:
        created, found = getattr(api, f"Create{name}")(), getattr(api, f"Get{name}")()
        assert created and created.GetPath() == found.GetPath() and found.IsAuthored(), name
        assert not created.IsCustom()


@pytest.mark.parametrize("cls", CLASSES)
def test_every_default_is_accepted_and_is_usds_fallback(cls: Any, joint: Usd.Prim) -> None:
    api = applied(cls, joint)
    prim = api.GetPrim()
    values = {}
    for keyword, prop in cls.definition.by_keyword.items():
        if isinstance(prop, PhysxSchema.Attribute):
            fallback = prim.GetAttribute(api._prefix + prop.name).Get()
            values |= {} if fallback is None else {keyword: fallback}
            assert (fallback is None) == (prop.default is None), prop.name
    api.set(**values)
    assert {name for name in prim.GetAuthoredPropertyNames() if prim.GetAttribute(name).HasAuthoredValue()} == {
        api._prefix + cls.definition.by_keyword[keyword].name for keyword in values}


@pytest.mark.parametrize(("ours", "compiled"), PAIRS)
def test_multiple_apply_calls_end_like_the_compiled_ones(ours: Any, compiled: Any, stage: Usd.Stage) -> None:
    prim = stage.DefinePrim("/joint", "PhysicsRevoluteJoint")
    prefix = {PhysxSchema.PhysxJointAxisAPI: "physxJointAxis", PhysxSchema.PhysxLimitAPI: "physxLimit",
              UsdPhysics.DriveAPI: "drive", UsdPhysics.LimitAPI: "limit"}
    path_test = {
        PhysxSchema.PhysxJointAxisAPI: "IsPhysxJointAxisAPIPath", UsdPhysics.DriveAPI: "IsPhysicsDriveAPIPath",
        PhysxSchema.PhysxLimitAPI: "IsPhysxLimitAPIPath", UsdPhysics.LimitAPI: "IsPhysicsLimitAPIPath",
    }
    ours.Apply(prim, "angular")
    compiled.Apply(prim, "angular")

    def probes(cls: Any) -> list[Any]:
        path = f"/joint.{prefix[cls]}:angular"
        is_path = getattr(cls, path_test[cls])
        return [outcome(call) for call in (
            lambda: bool(cls()), lambda: bool(cls().GetPrim()), lambda: cls().GetPath(),
            lambda: bool(cls(prim, "angular")), lambda: bool(cls(prim, "other")),
            lambda: bool(cls(prim=prim, name="angular")),
            lambda: bool(cls(schemaObj=UsdPhysics.RigidBodyAPI(prim), name="angular")),
            lambda: bool(cls(UsdPhysics.RigidBodyAPI(prim), "angular")),
            lambda: cls(prim), lambda: cls("junk"), lambda: cls("junk", "angular"), lambda: cls(prim, 3),
            lambda: cls(None, "a"),
            lambda: bool(cls.Get(prim, "angular")), lambda: bool(cls.Get(prim=prim, name="angular")),
            lambda: bool(cls.Get(stage, path)), lambda: bool(cls.Get(stage, Sdf.Path(path))),
            lambda: bool(cls.Get(stage=stage, path=path)), lambda: cls.Get(stage, path).GetPrim() == prim,
            lambda: bool(cls.Get(stage, path.replace("angular", "other"))),
            lambda: bool(cls.Get(stage, path.replace("joint", "nowhere", 1))),
            lambda: cls.Get(stage, "/joint"), lambda: cls.Get(stage, ""),
            lambda: is_path(path), lambda: is_path(Sdf.Path(path)), lambda: is_path("/joint"),
            lambda: is_path("/joint.other:a"),
            lambda: len(cls.GetAll(prim)), lambda: type(cls.GetAll(prim)[0]) is cls,
            lambda: cls.GetAll(stage.DefinePrim("/empty")),
            lambda: bool(cls.CanApply(prim, "other")), lambda: bool(cls.CanApply(prim=prim, name="other")),
            lambda: cls.CanApply(prim, ""), lambda: bool(cls.CanApply(Usd.Prim(), "a")),
            lambda: cls.Apply(prim, ""), lambda: cls.Apply(Usd.Prim(), "a"),
            lambda: bool(cls.Apply(prim=prim, name="third")),
            lambda: cls.GetSchemaAttributeNames(True, 5), lambda: cls.Apply(UsdGeom.Xform(prim), "a"),
            lambda: cls.Apply(prim, 5), lambda: cls.Apply(prim), lambda: cls.Apply("junk", "a"),
            lambda: cls.GetAll("junk"), lambda: cls.GetAll(UsdGeom.Xform(prim)), lambda: cls.CanApply("junk", "a"),
            lambda: cls.Get(), lambda: cls.Get(stage), lambda: cls.Get(stage, 5), lambda: cls.Get("junk", path),
            lambda: cls.Get(UsdGeom.Xform(prim), "angular"),
        )]

    ours_found, compiled_found = probes(ours), probes(compiled)
    assert ours_found == compiled_found


def test_single_apply_calls_end_like_the_compiled_ones(stage: Usd.Stage) -> None:
    def probes(cls: Any, path: str) -> list[Any]:
        prim = stage.DefinePrim(path, "Xform")
        other = UsdPhysics.MassAPI(prim)
        return [outcome(call) for call in (
            lambda: bool(cls()), lambda: bool(cls().GetPrim()), lambda: bool(cls(prim)), lambda: cls("junk"),
            lambda: cls(None),
            lambda: bool(cls.CanApply(prim)), lambda: bool(cls.Apply(prim)), lambda: bool(cls(prim)),
            lambda: bool(cls(prim=prim)),
            lambda: bool(cls(other)), lambda: bool(cls(schemaObj=other)), lambda: bool(cls.Get(stage, path)),
            lambda: bool(cls.Get(stage=stage, path=Sdf.Path(path))), lambda: bool(cls.Get(stage, "/nowhere")),
            lambda: cls.Get(None, path), lambda: cls.Apply(Usd.Prim()), lambda: cls.Apply(prim, "name"),
            lambda: cls(prim).GetPath() == path, lambda: cls.Apply(other), lambda: cls.Apply(),
            lambda: cls.Apply("junk"), lambda: cls.CanApply(other), lambda: cls.Get("junk", path),
            lambda: cls.Get(stage), lambda: cls.Get(stage, 5),
        )]

    assert probes(PhysxSchema.PhysxRigidBodyAPI, "/a") == probes(UsdPhysics.RigidBodyAPI, "/b")


def test_messages_about_arguments_name_the_class_and_what_to_give(stage: Usd.Stage) -> None:
    body, axis, prim = PhysxSchema.PhysxRigidBodyAPI, PhysxSchema.PhysxJointAxisAPI, stage.DefinePrim("/a")
    for call, message in {
        lambda: body.CanApply(UsdGeom.Xform(prim)): "is not a Usd.Prim",
        lambda: axis.CanApply(UsdGeom.Xform(prim), "rotX"): "is not a Usd.Prim",
        lambda: axis.CanApply(prim, 5): "instance name 5 is not a str; give a str",
        lambda: axis.Get(prim): r"PhysxJointAxisAPI.Get takes \(prim, name\) or \(stage, path\)",
        lambda: axis.Get(stage=stage, name="a"): r"PhysxJointAxisAPI.Get takes \(prim, name\) or \(stage, path\)",
        lambda: body(prim, schemaObj=UsdGeom.Xform(prim)): "exclude each other",
        lambda: axis(prim, "rotX", schemaObj=UsdGeom.Xform(prim)): "exclude each other",
        lambda: PhysxSchema.PhysxPhysicsGearJoint(prim, schemaObj=UsdGeom.Xform(prim)):
            "exclude each other",
    }.items():
        with pytest.raises(TypeError, match=message):
            call()


def test_attribute_names_are_ordered_and_templated_like_usds() -> None:
    names = UsdPhysics.LimitAPI.GetSchemaAttributeNames()
    assert names == ["limit:__INSTANCE_NAME__:physics:low", "limit:__INSTANCE_NAME__:physics:high"]
    ours = PhysxSchema.JointStateAPI
    assert ours.GetSchemaAttributeNames() == [
        "state:__INSTANCE_NAME__:physics:position", "state:__INSTANCE_NAME__:physics:velocity"]
    assert ours.GetSchemaAttributeNames(True, "angular")[0] == "state:angular:physics:position"
    assert ours.GetSchemaAttributeNames(includeInherited=False, instanceName="a")[1] == "state:a:physics:velocity"
    assert PhysxSchema.PhysxArticulationAPI.GetSchemaAttributeNames(False)[0] == "physxArticulation:articulationEnabled"


def test_accessors_on_invalid_objects_raise() -> None:
    for cls, method in ((UsdPhysics.DriveAPI, "GetDampingAttr"), (PhysxSchema.PhysxLimitAPI, "GetDampingAttr"),
                        (PhysxSchema.PhysxRigidBodyAPI, "CreateDisableGravityAttr"),
                        (PhysxSchema.PhysxMimicJointAPI, "GetReferenceJointRel")):
        with pytest.raises(RuntimeError):
            getattr(cls(), method)()


def test_junk_in_a_constructor_ends_in_the_compiled_argument_error() -> None:
    kinds = []
    for cls in (UsdPhysics.RigidBodyAPI, PhysxSchema.PhysxRigidBodyAPI):
        with pytest.raises(TypeError) as caught:
            cls("junk")
        kinds.append(type(caught.value))
    assert kinds[0] is kinds[1]


def test_uniform_attributes_are_uniform_even_where_nothing_is_applied(joint: Usd.Prim) -> None:
    authored = PhysxSchema.PhysxMimicJointAPI(joint, "rotX").CreateReferenceJointAxisAttr("rotY")
    assert authored.GetVariability() == Sdf.VariabilityUniform
    assert UsdPhysics.DriveAPI(joint, "rotX").CreateTypeAttr("force").GetVariability() == Sdf.VariabilityUniform


@pytest.mark.parametrize(("value", "written"), [(None, False), (0.0, False), (0, False), (0.5, True)])
def test_sparse_creation_writes_what_compiled_creation_writes(value: Any, written: bool, joint: Usd.Prim) -> None:
    ours = PhysxSchema.PhysxLimitAPI.Apply(joint, "angular").CreateDampingAttr(value, True)
    compiled = UsdPhysics.DriveAPI.Apply(joint, "angular").CreateDampingAttr(value, True)
    assert ours.IsAuthored() == compiled.IsAuthored() == written


def test_sparse_creation_compares_in_the_attributes_precision(joint: Usd.Prim) -> None:
    api = PhysxSchema.PhysxRigidBodyAPI.Apply(joint)
    assert not api.CreateAngularDampingAttr(0.05, True).IsAuthored()        # 0.05 is not a float32
    tendon = PhysxSchema.PhysxTendonAttachmentAPI.Apply(joint, "t")
    assert not tendon.CreateLocalPosAttr((0, 0, 0), True).IsAuthored()
    assert tendon.CreateLocalPosAttr(defaultValue=(0, 1, 0), writeSparsely=True).Get() == (0, 1, 0)
    axis = PhysxSchema.PhysxTendonAxisAPI.Apply(joint, "u")
    assert not axis.CreateGearingAttr([1.0], writeSparsely=True).IsAuthored()


def test_sparse_creation_overrides_an_authored_value(joint: Usd.Prim) -> None:
    api = PhysxSchema.PhysxLimitAPI.Apply(joint, "angular")
    api.CreateDampingAttr(3.0)
    assert api.CreateDampingAttr(0.0, True).Get() == 0.0


def test_compiled_style_creation_takes_any_token(joint: Usd.Prim) -> None:
    assert PhysxSchema.PhysxSceneAPI.Apply(joint).CreateBroadphaseTypeAttr("NOPE").Get() == "NOPE"


def test_instances_have_names(joint: Usd.Prim) -> None:
    PhysxSchema.PhysxJointAxisAPI.Apply(joint, "rotX")
    PhysxSchema.PhysxJointAxisAPI.Apply(joint, "rotZ")
    found = PhysxSchema.PhysxJointAxisAPI.GetAll(joint)
    assert [api.GetName() for api in found] == ["rotX", "rotZ"]
    assert PhysxSchema.PhysxJointAxisAPI.Get(joint.GetStage(), "/joint.physxJointAxis:rotZ").GetName() == "rotZ"
    assert PhysxSchema.PhysxJointAxisAPI.IsSchemaPropertyBaseName("armature")
    assert not PhysxSchema.PhysxJointAxisAPI.IsSchemaPropertyBaseName("rotX")


def test_property_paths_are_no_instance_paths() -> None:
    assert PhysxSchema.JointStateAPI.IsPhysicsJointStateAPIPath("/joint.state:rotX:physics:position") is False
    assert PhysxSchema.PhysxLimitAPI.IsPhysxLimitAPIPath("/joint.physxLimit:rotX:damping") is False
    assert PhysxSchema.PhysxTendonAxisRootAPI.IsPhysxTendonAxisRootAPIPath("/joint.physxTendon:t:gearing") is False
    assert PhysxSchema.PhysxTendonAxisRootAPI.IsPhysxTendonAxisRootAPIPath("not a path") is False


def test_representation_names_class_prim_and_instance(joint: Usd.Prim) -> None:
    assert repr(PhysxSchema.PhysxLimitAPI(joint, "rotX")) == "PhysxSchema.PhysxLimitAPI(Usd.Prim(</joint>), 'rotX')"
    assert repr(PhysxSchema.PhysxRigidBodyAPI(joint)) == "PhysxSchema.PhysxRigidBodyAPI(Usd.Prim(</joint>))"
    assert repr(PhysxSchema.JointStateAPI()) == "PhysxSchema.JointStateAPI(invalid null prim, '')"
    assert repr(PhysxSchema.PhysxRigidBodyAPI()) == repr(UsdPhysics.RigidBodyAPI()).replace(
        "UsdPhysics.RigidBodyAPI", "PhysxSchema.PhysxRigidBodyAPI")


def test_one_schema_object_makes_another(joint: Usd.Prim) -> None:
    root = PhysxSchema.PhysxTendonAxisRootAPI.Apply(joint, "flexor")
    axis = PhysxSchema.PhysxTendonAxisAPI(root, "flexor")
    axis.CreateGearingAttr([0.5])
    assert list(root.GetGearingAttr().Get()) == [0.5]


@pytest.mark.parametrize(("cls", "builtin"), [
    (PhysxSchema.PhysxTendonAxisRootAPI, PhysxSchema.PhysxTendonAxisAPI),
    (PhysxSchema.PhysxTendonAttachmentRootAPI, PhysxSchema.PhysxTendonAttachmentAPI),
    (PhysxSchema.PhysxTendonAttachmentLeafAPI, PhysxSchema.PhysxTendonAttachmentAPI),
])
def test_roots_and_leaves_carry_the_accessors_of_their_built_in_schema(cls: Any, builtin: Any, joint: Usd.Prim) -> None:
    api = cls.Apply(joint, "t")
    assert joint.HasAPI(builtin, "t")
    accessors = {name for name in dir(builtin) if name.endswith(("Attr", "Rel"))}
    assert accessors <= set(dir(cls)) and len(accessors) >= 6
    own = cls.GetSchemaAttributeNames(False, "t")
    inherited = builtin.GetSchemaAttributeNames(True, "t")
    assert cls.GetSchemaAttributeNames(True, "t") == inherited + own and not set(inherited) & set(own)
    api.CreateGearingAttr()
    assert joint.GetAttribute("physxTendon:t:gearing").IsAuthored()


def test_attachment_accessors_write_under_the_instance_name_of_the_root(stage: Usd.Stage) -> None:
    link = stage.DefinePrim("/link", "Xform")
    leaf = PhysxSchema.PhysxTendonAttachmentLeafAPI.Apply(link, "tip")
    leaf.CreateLocalPosAttr((0, 1, 2))
    leaf.CreateParentAttachmentAttr("root")
    leaf.CreateParentLinkRel().SetTargets(["/base"])
    assert leaf.GetLocalPosAttr().GetName() == "physxTendon:tip:localPos"
    assert leaf.GetParentAttachmentAttr().GetVariability() == Sdf.VariabilityUniform
    assert leaf.GetParentLinkRel().GetTargets() == [Sdf.Path("/base")]


def test_tokens_are_constants() -> None:
    assert PhysxSchema.Tokens.physxTendon == "physxTendon"
    assert PhysxSchema.Tokens.PhysxTendonAxisAPI == "PhysxTendonAxisAPI"
    with pytest.raises(AttributeError):
        PhysxSchema.Tokens.GPU = "x"
    with pytest.raises(AttributeError):
        del PhysxSchema.Tokens.GPU
    with pytest.raises(AttributeError):
        PhysxSchema.Tokens.noSuchToken  # noqa: B018


@pytest.mark.parametrize("cls", CLASSES)
def test_docstrings_state_property_type_and_default(cls: Any) -> None:
    assert cls.__doc__ and (cls.Define if cls in TYPED else cls.Apply).__doc__
    for prop in cls.definition.attributes.values():
        if (cls.__name__, prop.name) in WITHOUT_METHODS:
            continue
        shown = f"``{cls.definition.prefix}:<name>:{prop.name}``" if cls in MULTIPLE else f"``{prop.name}``"
        texts = [getattr(cls, name).__doc__ for name in getters(cls)]
        found = [text for text in texts if shown in text]
        assert len(found) == 1, prop.name
        facts = " ".join(found[0].split())
        assert f"{prop.type}, {'no default' if prop.default is None else 'default'}" in facts
        assert prop.unit in facts and (prop.range is None or "range " in facts)
