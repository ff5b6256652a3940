"""describe_class: what the schema says about a class, as data, equal to what the definitions and the registry say."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest
from pxr import Usd

import physx_schema as PhysxSchema
from physx_schema import AuthoringError, ClassDescription, describe_class

CLASSES: list[Any] = [
    value for module in (PhysxSchema, PhysxSchema.OmniPhysics) for value in vars(module).values()
    if isinstance(getattr(value, "definition", None), PhysxSchema.Definition)
]


def test_a_class_is_found_by_name_identifier_and_itself() -> None:
    found = [describe_class(schema) for schema in (
        "JointStateAPI", "PhysicsJointStateAPI", "PhysxSchema.JointStateAPI", PhysxSchema.JointStateAPI)]
    assert all(item == found[0] for item in found) and found[0].name == "JointStateAPI"
    body = [describe_class(schema) for schema in (
        "OmniPhysics.BodyAPI", "PhysxSchema.OmniPhysics.BodyAPI", "OmniPhysicsBodyAPI", "BodyAPI",
        PhysxSchema.OmniPhysics.BodyAPI)]
    assert {item.identifier for item in body} == {"OmniPhysicsBodyAPI"}


def test_attributes_state_type_default_range_unit_and_documentation() -> None:
    tendon = describe_class("PhysxTendonAxisRootAPI")
    assert (tendon.kind, tendon.prefix, tendon.includes) == ("multiple-apply", "physxTendon", ("PhysxTendonAxisAPI",))
    assert tendon.equation and tendon.applies_to == ("PhysicsJoint",)
    stiffness = next(prop for prop in tendon.properties if prop.keyword == "stiffness")
    assert (stiffness.name, stiffness.type, stiffness.default) == ("physxTendon:<name>:stiffness", "float", 0.0)
    assert stiffness.range == PhysxSchema.Range(0.0, math.inf, True, False) and stiffness.unit == "force / distance"
    assert stiffness.getter == "GetStiffnessAttr" and stiffness.doc.startswith("Spring stiffness")
    gearing = next(prop for prop in tendon.properties if prop.keyword == "gearing")
    assert gearing.inherited_from == "PhysxTendonAxisAPI"


def test_retired_classes_and_properties_say_what_replaces_them() -> None:
    joint = describe_class("PhysxJointAPI")
    assert joint.retired and "PhysxJointAxisAPI" in joint.replaced_by and "deprecated: " in str(joint)
    scene = describe_class("PhysxSceneAPI")
    gone = [prop for prop in scene.properties if prop.retired]
    assert {prop.getter for prop in gone} == {"GetEnableResidualReportingAttr", "GetGpuMaxSoftBodyContactsAttr"}
    assert all(prop.replaced_by for prop in gone) and not scene.deprecated


@pytest.mark.parametrize("cls", CLASSES)
def test_every_class_is_described_in_full(cls: Any) -> None:
    found = describe_class(cls)
    assert found.doc and not found.doc.startswith("USD schema")
    assert [prop.name.rpartition("<name>:")[2] for prop in found.properties] == list(cls.definition.accessible)
    for prop in found.properties:
        if prop.name == "deformablePose:<name>:omniphysics:points":
            continue                                        # has no methods to be documented
        assert prop.doc and callable(getattr(cls, prop.getter)), prop.name
        assert "``" not in prop.doc.replace(f"``{prop.name}``", "")
    text = str(found)
    assert all(prop.name in text for prop in found.properties) and found.name in text


@pytest.mark.parametrize("cls", [cls for cls in CLASSES if cls.definition.kind == "single-apply"])
def test_the_registry_gives_the_first_sentence(cls: Any) -> None:
    found, definition = describe_class(cls), cls.GetSchemaClassPrimDefinition()
    for prop in found.properties:
        if not prop.retired and not prop.inherited_from:
            brief = " ".join(definition.GetPropertyDocumentation(prop.name).split())
            assert brief and prop.doc.startswith(brief), prop.name


def test_a_description_is_frozen() -> None:
    found = describe_class("PhysxLimitAPI")
    assert isinstance(found, ClassDescription) and isinstance(hash(found.properties[0].name), int)
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.name = "other"                                # type: ignore[misc]


@pytest.mark.parametrize(("schema", "message"), [
    ("PhysxTendonAxisRotAPI", "no schema class 'PhysxTendonAxisRotAPI'; did you mean 'PhysxTendonAxisRootAPI'?"),
    ("physxlimitapi", "did you mean 'PhysxLimitAPI'?"),
    ("zzz", "dir\\(physx_schema\\) lists the classes"),
    (Usd.Prim, "is not a class of this package"),
    (5, "5 is not a class of this package"),
])
def test_other_names_are_refused_with_the_closest(schema: Any, message: str) -> None:
    with pytest.raises(AuthoringError, match=message.replace("?", "\\?")):
        describe_class(schema)
