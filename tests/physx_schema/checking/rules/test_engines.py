"""Retired classes and properties: every one that the definitions know is reported with what replaces it.

Schemas without facts of their own: values, places and instance names are judged by their definitions.
"""

from __future__ import annotations

from typing import Any

import pytest
from physx_generated import Definition
from pxr import Sdf, Usd
from support.stages.parts import lone_prim

from physx_schema.checking import Finding, check
from physx_schema.definitions import every_definition

GONE = [item for item in every_definition() if item.retired]
DROPPED = [(item, prop) for item in every_definition() for prop in item.retired_properties]


def retired(stage: Usd.Stage) -> list[Finding]:
    return [finding for finding in check(stage).findings if finding.code == "unused/retired"]


@pytest.mark.parametrize("item", GONE, ids=lambda item: item.identifier)
def test_retired_class_is_an_error_with_what_replaces_it(item: Definition) -> None:
    typed = item.kind == "typed"
    stage = lone_prim(item.identifier) if typed else lone_prim("Xform", item.identifier)
    (finding,) = retired(stage)
    assert (finding.severity, finding.path, finding.property) == ("error", "/prim", "" if typed else "apiSchemas")
    assert item.identifier in finding.message and item.retired in finding.message
    assert item.deprecated in finding.fix


@pytest.mark.parametrize(("item", "prop"), DROPPED, ids=lambda part: getattr(part, "name", ""))
def test_retired_property_of_a_living_class_is_an_error(item: Definition, prop: Any) -> None:
    stage = lone_prim("PhysicsScene", item.identifier)
    stage.GetPrimAtPath("/prim").CreateAttribute(prop.name, Sdf.ValueTypeNames.Find(prop.type)).Set(
        "script" if prop.type == "token" else 1)
    (finding,) = retired(stage)
    assert (finding.property, finding.severity) == (prop.name, "error") and prop.deprecated in finding.fix


def test_migrate_is_named_where_it_helps_and_only_there() -> None:
    number = Sdf.ValueTypeNames.Float
    stage = lone_prim("PhysicsRevoluteJoint", "PhysxJointAPI", **{
        "physxJoint:armature": (number, 1.0), "physxJoint:jointFriction": (number, 1.0)})
    named = {finding.property: finding.fix.startswith("run `physx-schema migrate`") for finding in retired(stage)}
    assert named == {"apiSchemas": True, "physxJoint:armature": True, "physxJoint:jointFriction": False}


def test_living_classes_are_not_reported() -> None:
    for item in every_definition():
        if not item.retired:
            typed = item.kind == "typed"
            name = item.identifier + (":rotX" if item.kind == "multiple-apply" else "")
            assert retired(lone_prim(item.identifier) if typed else lone_prim("Xform", name)) == [], item.identifier


# --- schemas ---------------------------------------------------------------------------------------------------------


def places(stage: Usd.Stage) -> list[tuple[str, str, str]]:
    return [(item.code, item.path, item.property) for item in check(stage).findings]


FLOAT, TOKEN = Sdf.ValueTypeNames.Float, Sdf.ValueTypeNames.Token


def test_numbers_of_schemas_without_facts_are_held_to_their_range() -> None:
    stage = lone_prim("Xform", "PhysxVehicleTireAPI", physxVehicleTire__restLoad=(FLOAT, -1.0))
    assert ("value/range", "/prim", "physxVehicleTire:restLoad") in places(stage)


def test_tokens_of_schemas_without_facts_are_held_to_the_allowed_ones() -> None:
    stage = lone_prim("Xform", "PhysxMaterialAPI", physxMaterial__frictionCombineMode=(TOKEN, "avarage"))
    found = next(item for item in check(stage).findings if item.code == "value/token")
    assert (found.property, found.fix) == ("physxMaterial:frictionCombineMode", "did you mean 'average'?")


def test_tokens_of_prim_types_are_held_to_the_allowed_ones() -> None:
    stage = lone_prim("OmniPhysicsElementCollisionFilter", omniphysics__filterEnabled=(Sdf.ValueTypeNames.Bool, True))
    assert not [code for code, _, _ in places(stage) if code.startswith(("value", "unused"))]


def test_schema_on_a_prim_it_does_not_belong_on_is_a_warning() -> None:
    found = check(lone_prim("Scope", "PhysxSceneQuasistaticAPI")).findings
    assert [(item.code, item.severity, item.path) for item in found] == [("schema/host", "warning", "/prim")]
    assert "PhysicsScene" in found[0].message


@pytest.mark.parametrize("type_name", ["PhysicsScene"])
def test_schema_where_it_belongs_is_no_finding(type_name: str) -> None:
    assert places(lone_prim(type_name, "PhysxSceneQuasistaticAPI")) == []


def test_type_derived_from_the_one_asked_for_is_enough() -> None:
    found = places(lone_prim("PhysicsDistanceJoint", "PhysxPhysicsDistanceJointAPI"))
    assert not [code for code, _, _ in found if code.startswith(("schema", "unused"))]


def test_instance_name_that_is_not_read_is_an_error() -> None:
    found = check(lone_prim("Xform", "PhysxVehicleBrakesAPI:brake0")).findings
    assert ("schema/instance", "did you mean 'brakes0'?") in [(item.code, item.fix) for item in found]


@pytest.mark.parametrize(("name", "schema"), [
    ("physxVehicleEngine:moi", "PhysxVehicleEngineAPI"), ("physxVehicleNCR:steer:speedResponses",
                                                          "PhysxVehicleNonlinearCommandResponseAPI:steer"),
    ("physxSDFMeshCollision:sdfResolution", "PhysxSDFMeshCollisionAPI"),
])
def test_property_of_a_schema_that_is_not_applied_names_the_schema(name: str, schema: str) -> None:
    stage = Usd.Stage.CreateInMemory()
    stage.DefinePrim("/prim", "Xform").CreateAttribute(name, FLOAT).Set(1.0)
    found = check(stage).findings
    assert [(item.code, item.property, item.fix) for item in found] == [
        ("unused/not-applied", name, f"apply {schema}")]


def test_deformable_schemas_of_omniverse_are_known() -> None:
    stage = lone_prim("Mesh", "OmniPhysicsDeformableBodyAPI")
    assert not [code for code, _, _ in places(stage) if code.startswith("unused")]
