"""Retired classes and properties: every one that the definitions know is reported with what replaces it."""

from __future__ import annotations

from typing import Any

import pytest
from physx_generated import Definition
from pxr import Sdf, Usd
from support.stages.lone_prims import lone_prim

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
