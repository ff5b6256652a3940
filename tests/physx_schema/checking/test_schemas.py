"""Schemas without facts of their own: values, places and instance names are judged by their definitions."""

from __future__ import annotations

import pytest
from pxr import Sdf, Usd
from support.stages.lone_prims import lone_prim

from physx_schema.checking import check


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
