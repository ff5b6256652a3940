"""The one place where the rest of the library asks what the YAML says about a property."""

from __future__ import annotations

import math

import pytest

from physx_schema.definitions import attribute, attribute_range, definitions, every_definition


def test_an_attribute_is_found_by_its_name_without_namespaces() -> None:
    assert attribute("PhysxRigidBodyAPI", "cfmScale").name == "physxRigidBody:cfmScale"
    assert attribute("PhysicsJointStateAPI", "velocity").name == "physics:velocity"
    assert attribute("PhysxTendonAxisRootAPI", "gearing") is attribute("PhysxTendonAxisAPI", "gearing")


def test_no_schema_has_two_attributes_of_one_such_name() -> None:
    for item in definitions().values():
        assert len({name.rpartition(":")[2] for name in item.attributes}) == len(item.attributes), item.identifier


def test_a_range_that_ends_at_another_attribute_has_no_number_there() -> None:
    assert attribute_range("PhysxRigidBodyAPI", "cfmScale") == (0.0, 1.0)
    assert attribute_range("PhysxJointAxisAPI", "dynamicFrictionEffort") == (0.0, math.inf)
    assert attribute_range("PhysxTendonAxisRootAPI", "tendonEnabled") == (-math.inf, math.inf)


def test_what_the_yaml_does_not_define_is_no_attribute() -> None:
    for schema, base in (("PhysxRigidBodyAPI", "cmfScale"), ("PhysicsDriveAPI", "stiffness")):
        with pytest.raises(KeyError):
            attribute(schema, base)


def test_retired_schemas_are_definitions_but_none_of_those_physx_has() -> None:
    retired = {item.identifier for item in every_definition() if item.retired}
    assert "PhysxJointAPI" in retired and not retired & definitions().keys()
    assert len(every_definition()) == len(retired) + len(definitions())
