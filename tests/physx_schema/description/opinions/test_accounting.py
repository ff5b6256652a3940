"""Every physics opinion is consumed, unused with a reason, or not evaluated; none is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from pxr import Sdf
from support.schemas.packages import wheel_folder
from support.stages.robots import base, described, finger, joint, link, opened, prim, robot

from physx_schema.description import Description, Opinion, describe
from physx_schema.description.opinions.schemas import INSTANCE, OTHER_SCHEMAS, SCHEMAS


def unused(text: str) -> dict[str, Opinion]:
    return {opinion.property: opinion for opinion in describe(opened(text)).unused}


def test_misspelt_property_names_the_close_one() -> None:
    found = unused(finger({"float drive:angular:physics:stifness": 1.0}, ("PhysicsDriveAPI:angular",)))
    opinion = found["drive:angular:physics:stifness"]
    assert (opinion.code, opinion.suggestion) == ("misspelt-property", "drive:angular:physics:stiffness")


def test_schema_name_in_place_of_the_namespace_names_the_property_meant() -> None:
    """The mistake behind tendons whose tuning never took effect."""
    name = "PhysxTendonAxisRootAPI:t:stiffness"
    opinion = unused(finger({f"float {name}": 1.0}, ("PhysxTendonAxisRootAPI:t",)))[name]
    assert (opinion.code, opinion.suggestion) == ("misspelt-property", "physxTendon:t:stiffness")


def test_gearing_of_a_root_attachment_is_unused_for_what_it_is() -> None:
    root = {"float physxTendon:r:gearing": 2.0, "float physxTendon:r:stiffness": 5.0}
    leaf = {"rel physxTendon:l:parentLink": "</Robot/base>", "token physxTendon:l:parentAttachment": "r",
            "float physxTendon:l:gearing": 2.0}
    found = unused(robot(
        link("base", schemas=("PhysxTendonAttachmentRootAPI:r",), more=root), joint("Fixed", "anchor", "", "base"),
        link("tip", schemas=("PhysxTendonAttachmentLeafAPI:l",), more=leaf), joint("Prismatic", "j", "base", "tip")))
    assert set(found) == {"physxTendon:r:gearing"}
    assert found["physxTendon:r:gearing"].reason == "PhysX ignores the gearing of a root attachment"


@pytest.mark.parametrize(("reason", "remedy"), [
    ({"bool physics:rigidBodyEnabled": False}, "set physics:rigidBodyEnabled to true"),
    ({"rel physics:simulationOwner": "</Robot>"}, "correct the problems of the body")])
def test_mass_of_a_body_that_is_not_made_is_unused_for_that(reason: dict[str, object], remedy: str) -> None:
    opinion = unused(robot(link("base", more=reason)))["physics:mass"]
    assert (opinion.reason, opinion.suggestion) == ("PhysX makes no body of the prim", remedy)


def test_mass_of_a_body_in_a_point_instancer_is_not_evaluated() -> None:
    described = describe(opened(robot(prim("PointInstancer", "many", children=link("thing")))))
    assert not described.unused
    assert ("/Robot/many/thing", "physics:mass") in {(item.path, item.property) for item in described.not_evaluated}


def test_property_without_its_api_names_the_api() -> None:
    opinion = unused(finger({"float drive:angular:physics:stiffness": 1.0}))["drive:angular:physics:stiffness"]
    assert (opinion.code, opinion.suggestion) == ("not-applied", "apply PhysicsDriveAPI:angular")


def test_property_of_the_wrong_axis_names_the_right_one() -> None:
    found = unused(finger({"float drive:linear:physics:stiffness": 1.0}, ("PhysicsDriveAPI:linear",)))
    assert found["drive:linear:physics:stiffness"].suggestion == "drive:angular:physics:stiffness"
    assert found["apiSchemas"].suggestion == "PhysicsDriveAPI:angular"
    assert {opinion.code for opinion in found.values()} == {"wrong-instance"}


def test_misspelt_schema_names_the_close_one() -> None:
    opinion = unused(finger({}, ("PhysxTendonAxisRotAPI:t",)))["apiSchemas"]
    assert (opinion.code, opinion.suggestion) == ("misspelt-schema", "PhysxTendonAxisRootAPI:t")


@pytest.mark.parametrize("applied", ["PhysxTendonAxisAPI", "PhysicsDriveAPI"])
def test_multiple_apply_schema_without_an_instance_is_unused(applied: str) -> None:
    assert unused(finger({}, (applied,)))["apiSchemas"].code == "no-instance"


def test_soft_limits_are_unused() -> None:
    found = unused(finger({"float physxLimit:angular:stiffness": 1.0}, ("PhysxLimitAPI:angular",)))
    assert {opinion.code for opinion in found.values()} == {"soft-limit"}


def test_retired_joint_api_is_unused() -> None:
    found = unused(finger({"float physxJoint:armature": 1.0}, ("PhysxJointAPI",)))
    assert {opinion.code for opinion in found.values()} == {"retired"}
    assert all("PhysxJointAxisAPI" in opinion.suggestion for opinion in found.values())


def test_drive_of_a_disabled_joint_is_unused() -> None:
    values = {"bool physics:jointEnabled": False, "float drive:angular:physics:stiffness": 1.0}
    found = unused(finger(values, ("PhysicsDriveAPI:angular",)))
    assert found["drive:angular:physics:stiffness"].code == "disabled"


def test_mass_on_a_prim_without_body_is_unused() -> None:
    text = robot(base(), prim("Xform", "x", ("PhysicsMassAPI",), {"float physics:mass": 1.0}))
    assert unused(text)["physics:mass"].code == "idle"


def not_evaluated(text: str) -> set[tuple[str, str]]:
    return {(opinion.path, opinion.property) for opinion in describe(opened(text)).not_evaluated}


def test_spherical_joints_are_evaluated() -> None:
    assert not not_evaluated(finger({}, (), "Spherical"))


def test_forces_every_iteration_mean_nothing_to_the_pgs_solver() -> None:
    flag = "physxScene:enableExternalForcesEveryIteration"
    for solver in ("PGS", "TGS"):
        scene = prim("PhysicsScene", "scene", ("PhysxSceneAPI",),
                     {"uniform token physxScene:solverType": solver, f"bool {flag}": True})
        text = robot(base(), outside=scene)
        assert not not_evaluated(text)
        assert (flag in unused(text)) == (solver == "PGS")


@pytest.mark.parametrize("kind", ["Fixed", "Revolute", "Prismatic", "Spherical", "Distance", ""])
def test_bodies_and_joints_outside_articulations_are_evaluated(kind: str) -> None:
    text = robot(link("a"), link("b"), joint(kind, "j", "a", "b", (), {"float physics:breakForce": 3.0}), schemas=())
    assert not_evaluated(text) == set()
    assert described(text).unused == ()


def test_colliders_are_not_evaluated_as_contacts() -> None:
    ground = prim("Plane", "ground", ("PhysicsCollisionAPI",))
    assert ("/ground", "apiSchemas") in not_evaluated(robot(base(), outside=ground))


def test_other_families_are_not_evaluated() -> None:
    text = robot(prim("Xform", "car", ("PhysxVehicleAPI",), {"bool physxVehicle:vehicleEnabled": True}), schemas=())
    assert not_evaluated(text) == {("/Robot/car", "apiSchemas"), ("/Robot/car", "physxVehicle:vehicleEnabled")}


def account_is_complete(description: Description) -> None:
    authored = {f"{item.path}.{item.property}" for item in description.authored}
    unused_names = {f"{opinion.path}.{opinion.property}" for opinion in description.unused} & authored
    unseen_names = {f"{opinion.path}.{opinion.property}" for opinion in description.not_evaluated} & authored
    assert authored == description.consumed | unused_names | unseen_names
    assert not description.consumed & (unused_names | unseen_names)


def test_no_opinion_of_the_recorded_stages_is_lost(case_stages: list[Path]) -> None:
    assert len(case_stages) > 40
    for stage in case_stages:
        account_is_complete(describe(stage))


@pytest.fixture
def published() -> Sdf.Layer:
    """NVIDIA's own definitions."""
    return Sdf.Layer.FindOrOpen(str(wheel_folder() / "PhysxSchema/resources/generatedSchema.usda"))


def test_defaults_are_those_of_the_published_schema(published: Sdf.Layer) -> None:
    names = {prim.name for prim in published.rootPrims}
    for schema in SCHEMAS.keys() & names:
        for base_name, default in SCHEMAS[schema].defaults.items():
            name = SCHEMAS[schema].name(base_name, "__INSTANCE_NAME__")
            builtin = schema.replace("RootAPI", "API").replace("LeafAPI", "API")
            found = (published.GetPropertyAtPath(f"/{owner}.{name}") for owner in (schema, builtin))
            spec = next((spec for spec in found if spec is not None), None)
            assert spec is not None, f"{schema} has no {name}"
            if isinstance(spec, Sdf.AttributeSpec) and not isinstance(default, tuple | str):
                value = spec.default[0] if hasattr(spec.default, "__len__") else spec.default
                assert value == pytest.approx(default), name


def test_every_published_schema_is_known(published: Sdf.Layer) -> None:
    names = {prim.name for prim in published.rootPrims if "Physx" in prim.name}
    assert names <= SCHEMAS.keys() | OTHER_SCHEMAS.keys()


def test_prefixes_hold_an_instance_only_for_multiple_apply_schemas() -> None:
    for name, schema in SCHEMAS.items():
        assert schema.multiple == (INSTANCE in schema.name("", INSTANCE)), name


def test_gains_of_a_refused_drive_are_dropped_with_it() -> None:
    values = {"float drive:angular:physics:maxForce": -1.0, "float drive:angular:physics:targetPosition": 20.0}
    found = describe(opened(finger(values, ("PhysicsDriveAPI:angular",))))
    assert [(item.property, item.code, item.reason) for item in found.unused] == [
        ("drive:angular:physics:targetPosition", "dropped", "maxForce -1 is negative")]
