"""Which names a migration follows: renamed classes and properties of any schema, and not what looks like them.

What a migrated joint says takes effect in real PhysX, which passes over the retired form of it.
"""

from __future__ import annotations

import math
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from physx_generated import Attribute, Definition
from physx_generated._definition import Relationship
from pxr import Sdf, Usd
from support.stages.faulty_robots import ARMATURE, PRISMATIC_SPEED, REVOLUTE_SPEED, arm

from physx_schema.migration import migrate
from physx_schema.migration.changes import MOVES
from physx_schema.migration.rules import rules

Kind = Any


def definition(identifier: str, kind: Kind, *properties: Any, **facts: Any) -> Definition:
    return Definition(library="Toy", identifier=identifier, kind=kind, properties=properties, **facts)


def package(*definitions: Definition) -> ModuleType:
    """What a generated package has: one class per definition."""
    made = ModuleType("toy")
    for item in definitions:
        setattr(made, item.identifier, type(item.identifier, (), {"definition": item}))
    return made


def migrated(text: str, *definitions: Definition, **options: Any) -> Sdf.Layer:
    stage = Usd.Stage.CreateInMemory()
    assert stage.GetRootLayer().ImportFromString("#usda 1.0\n" + text)
    (change,) = migrate([stage], schema=package(*definitions), **options).layers
    return change.copy


def names(layer: Sdf.Layer, path: str = "/p") -> list[str]:
    return sorted(prop.name for prop in layer.GetPrimAtPath(path).properties)


def prim(body: str, type_name: str = "Xform", schemas: str = "") -> str:
    applied = f" (prepend apiSchemas = [{schemas}])" if schemas else ""
    return f'def {type_name} "p"{applied}\n{{\n{body}\n}}\n'


def test_renamed_property_of_a_single_apply_schema() -> None:
    coil = definition("CoilAPI", "single-apply", Attribute("coil:rate", "float", renamed_from="stiffness"))
    assert names(migrated(prim("float coil:stiffness = 1", schemas='"CoilAPI"'), coil)) == ["coil:rate"]


def test_renamed_property_with_a_namespace_of_its_own() -> None:
    coil = definition("CoilAPI", "single-apply", Attribute("coil:rate", "float", renamed_from="spring:stiffness"))
    body = "float spring:stiffness = 1\nfloat coil:stiffness = 1"
    assert names(migrated(prim(body, schemas='"CoilAPI"'), coil)) == ["coil:rate", "coil:stiffness"]


def test_renamed_property_under_every_instance_name() -> None:
    coil = definition("CoilAPI", "multiple-apply", Attribute("rate", "float", renamed_from="stiffness"), prefix="coil")
    body = "float coil:a:stiffness = 1\nfloat coil:a:b:stiffness = 1\nfloat coil:stiffness = 1"
    migrated_names = names(migrated(prim(body, schemas='"CoilAPI:a", "CoilAPI:a:b"'), coil))
    assert migrated_names == ["coil:a:b:rate", "coil:a:rate", "coil:stiffness"]


def test_renamed_relationship_keeps_its_targets() -> None:
    coil = definition("CoilAPI", "single-apply", Relationship("coil:end", renamed_from="target"))
    layer = migrated(prim("prepend rel coil:target = </p>", schemas='"CoilAPI"'), coil)
    assert list(layer.GetRelationshipAtPath("/p.coil:end").targetPathList.prependedItems) == [Sdf.Path("/p")]


def test_renamed_class_in_type_and_schemas() -> None:
    coil = definition("CoilAPI", "multiple-apply", prefix="coil", renamed_from="WindingAPI")
    place = definition("Place", "typed", renamed_from="Spot")
    layer = migrated(prim("", "Spot", '"WindingAPI:left", "WindingAPIs:x"'), coil, place)
    spec = layer.GetPrimAtPath("/p")
    assert spec.typeName == "Place"
    assert list(spec.GetInfo("apiSchemas").prependedItems) == ["CoilAPI:left", "WindingAPIs:x"]


def test_name_without_a_namespace_is_followed_on_its_own_type_alone() -> None:
    place = definition("Place", "typed", Attribute("height", "float", renamed_from="tall"))
    assert names(migrated(prim("float tall = 1", "Place"), place)) == ["height"]
    assert names(migrated(prim("float tall = 1", "Xform"), place)) == ["tall"]


def test_name_of_a_renamed_type_is_followed_too() -> None:
    place = definition("Place", "typed", Attribute("height", "float", renamed_from="tall"), renamed_from="Spot")
    assert names(migrated(prim("float tall = 1", "Spot"), place)) == ["height"]


def test_name_that_another_schema_still_has_is_followed_only_where_its_own_is_applied() -> None:
    coil = definition("CoilAPI", "multiple-apply", Attribute("rate", "float", renamed_from="gain"), prefix="coil")
    other = definition("CoilGainAPI", "multiple-apply", Attribute("gain", "float"), prefix="coil")
    body = "float coil:a:gain = 1"
    assert names(migrated(prim(body, schemas='"CoilAPI:a"'), coil, other)) == ["coil:a:rate"]
    assert names(migrated(prim(body, schemas='"CoilGainAPI:a"'), coil, other)) == ["coil:a:gain"]


def test_value_of_another_type_is_left() -> None:
    coil = definition("CoilAPI", "single-apply", Attribute("coil:rate", "double", renamed_from="stiffness"))
    assert names(migrated(prim("float coil:stiffness = 1"), coil)) == ["coil:stiffness"]


def test_present_name_wins_over_the_former_one() -> None:
    coil = definition("CoilAPI", "single-apply", Attribute("coil:rate", "float", renamed_from="stiffness"))
    layer = migrated(prim("float coil:stiffness = 1\nfloat coil:rate = 2", schemas='"CoilAPI"'), coil)
    assert names(layer) == ["coil:rate"] and layer.GetAttributeAtPath("/p.coil:rate").default == 2.0


def test_order_of_releases_is_that_of_numbers() -> None:
    coil = definition("CoilAPI", "single-apply", retired="10.2", deprecated="use nothing")
    assert rules([coil], (), "9.10").retired == {} and rules([coil], (), "10.10").retired == {"CoilAPI": "use nothing"}


@pytest.mark.parametrize("move", MOVES, ids=lambda move: move.schema)
def test_moves_lead_from_retired_properties_to_living_ones_of_the_same_type(move: Any) -> None:
    from physx_schema.definitions import every_definition

    known = {item.identifier: item for item in every_definition()}
    old, new = known[move.schema], known[move.successor]
    former = {prop.name: prop for prop in (*old.properties, *old.retired_properties)}
    for name, successor in move.properties.items():
        assert (former[name].retired or old.retired) and not new.by_name[successor].retired and not new.retired
        assert former[name].type == new.by_name[successor].type


# --- in in PhysX -----------------------------------------------------------------------------------------------------

STEP = 1.0 / 60.0
FLOAT32 = 1e-6                  # relative rounding of one stored value


@pytest.fixture(scope="module")
def oracle(oracle_folder: Path) -> Any:
    """The module that runs stages in real PhysX."""
    import physx_oracle

    return physx_oracle


def of_joint(found: dict[str, Any], values: str, name: str) -> list[float]:
    """A value of every degree of freedom of one joint."""
    chosen = [index for index, dof in enumerate(found["dof_names"]) if dof.partition(":")[0] == name]
    return [float(value) for value in np.ravel(found[values])[chosen]]


@pytest.mark.sweep
def test_armature_and_speed_limit_of_a_migrated_joint_are_those_of_the_old_one(oracle: Any) -> None:
    before = arm()
    (change,) = migrate([before]).layers
    old, new = (oracle.dynamics(stage, dt=STEP) for stage in (before, Usd.Stage.Open(change.copy)))
    for name, count in (("turn", 1), ("slide", 1), ("ball", 3)):
        assert of_joint(old, "dof_armature", name) == [0.0] * count       # PhysX no longer reads the old form
        assert of_joint(new, "dof_armature", name) == [ARMATURE] * count
    turn, slide = math.radians(REVOLUTE_SPEED), PRISMATIC_SPEED
    for name, speeds in (("turn", [turn]), ("slide", [slide]), ("ball", [turn] * 3)):
        assert of_joint(new, "dof_max_velocity", name) == pytest.approx(speeds, rel=FLOAT32)
