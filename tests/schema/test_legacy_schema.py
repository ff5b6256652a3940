"""What newer releases have dropped is still known: to USD by its old definitions, to readers with what replaces it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from physx_codegen import naming
from physx_codegen.load_yaml import load
from physx_codegen.model import Attribute, SchemaClass
from pxr import Sdf, Usd
from support.places import DATA, ROOT
from support.schemas.usd_generator import schemas

import physx_schema as PhysxSchema

LEGACY = load(ROOT / "schema/legacy")
LIVING = load(ROOT / "schema/physx")
GENERATED = schemas(ROOT / "generated/physx_generated/legacy/generatedSchema.usda")
# Class of the PhysX repository -> its facts, and the facts of properties that living classes have lost.
RETIRED = schemas(DATA / "legacy/retired.usda")
HOLDERS = {cls.extends: cls for cls in LEGACY.classes if cls.extends}
CLASSES = [name for name in RETIRED if name not in HOLDERS]
PROPERTIES = [pytest.param(name, key, id=f"{name}-{key}") for name, facts in RETIRED.items() for key in facts
              if key != "header"]
LOST = [pytest.param(cls.extends, prop, id=f"{cls.extends}-{prop.name}") for cls in HOLDERS.values()
        for prop in cls.attributes]
REPLACEMENT = re.compile(r"((?:\w+, )*\w+(?: and \w+)*) of (Physx\w+|OmniPhysics\w+|TetMesh)")
SCHEMA = re.compile(r"\b(?:Physx|OmniPhysics)[A-Z]\w+")


def home(name: str) -> SchemaClass:
    """The class of the legacy library that has a retired class or the lost properties of a living one."""
    found = HOLDERS.get(name) or LEGACY.find(name)
    assert found is not None, f"{name} is missing"
    return found


def registered(name: str) -> Usd.PrimDefinition | None:
    """What USD knows of a schema."""
    registry = Usd.SchemaRegistry()
    return registry.FindConcretePrimDefinition(name) or registry.FindAppliedAPIPrimDefinition(name)


def replacements() -> Iterator[Any]:
    for cls in LEGACY.classes:
        yield pytest.param(cls.deprecated, id=cls.name)
        yield from (pytest.param(prop.deprecated, id=f"{cls.name}-{prop.name}") for prop in cls.properties)


def test_the_library_has_the_twelve_classes_and_what_three_living_ones_lost() -> None:
    assert {cls.name for cls in LEGACY.classes if not cls.extends} == RETIRED.keys() - HOLDERS.keys()
    assert sorted(HOLDERS) == ["PhysxPBDMaterialAPI", "PhysxSceneAPI", "PhysxTriggerAPI"]
    assert (len(RETIRED), len(HOLDERS), len(PROPERTIES)) == (15, 3, 80)


@pytest.mark.parametrize("name", RETIRED)
def test_a_class_is_built_and_placed_as_it_was(name: str) -> None:
    header = GENERATED[home(name).name]["header"]
    assert header == RETIRED[name]["header"]


@pytest.mark.parametrize(("name", "key"), PROPERTIES)
def test_a_property_is_as_it_was(name: str, key: str) -> None:
    assert GENERATED[home(name).name].get(key) == RETIRED[name][key]


@pytest.mark.parametrize("name", RETIRED)
def test_a_class_has_no_other_properties(name: str) -> None:
    cls = home(name)
    assert {naming.usd_name(cls, prop) for prop in cls.properties} == RETIRED[name].keys() - {"header"}


@pytest.mark.parametrize("name", RETIRED)
def test_usd_knows_the_properties_once_the_package_is_imported(name: str) -> None:
    found = registered(home(name).name)
    assert found is not None
    assert RETIRED[name].keys() - {"header"} <= set(found.GetPropertyNames())


@pytest.mark.parametrize("name", CLASSES)
def test_using_a_retired_class_works_and_names_its_replacement(name: str) -> None:
    cls, stage = getattr(PhysxSchema, name), Usd.Stage.CreateInMemory()
    with pytest.warns(DeprecationWarning, match=re.escape(f"{name} is deprecated: {home(name).deprecated}")):
        used = cls.Define(stage, "/a") if cls.IsTyped() else cls.Apply(stage.DefinePrim("/a"))
    assert used and cls.__deprecated__ == cls.definition.deprecated
    assert cls.definition.retired == home(name).retired


@pytest.mark.parametrize(("name", "prop"), LOST)
def test_a_lost_property_keeps_its_accessors_on_the_living_class(name: str, prop: Attribute) -> None:
    cls, stage = getattr(PhysxSchema, name), Usd.Stage.CreateInMemory()
    used, api = cls.Apply(stage.DefinePrim("/a")), naming.api_name(prop)
    said = f"{naming.usd_name(home(name), prop)} is deprecated: {prop.deprecated}"
    with pytest.warns(DeprecationWarning, match=re.escape(said)):
        getattr(used, f"Create{api}Attr")()
    created = getattr(used, f"Get{api}Attr")()
    assert created.GetTypeName() == prop.type and not created.IsCustom()
    assert created.GetVariability() == (Sdf.VariabilityUniform if prop.uniform else Sdf.VariabilityVarying)
    assert created.GetName() not in cls.GetSchemaAttributeNames(False)


@pytest.mark.parametrize("cls", LEGACY.classes, ids=lambda cls: cls.name)
def test_class_and_properties_say_when_they_went_and_what_replaces_them(cls: SchemaClass) -> None:
    releases = {"25.11.2"} if cls.name == "PhysxJointAPI" else {"25.11.1"}
    for item in (cls, *cls.properties):
        assert {item.retired} == releases and item.deprecated, item.name


@pytest.mark.parametrize(("name", "key"), PROPERTIES)
def test_python_carries_both_facts_of_a_property(name: str, key: str) -> None:
    cls = home(name)
    told = next(prop for prop in cls.properties if naming.usd_name(cls, prop) == key)
    ours = getattr(PhysxSchema, name).definition.accessible[key]
    assert (ours.retired, ours.deprecated) == (told.retired, told.deprecated)


@pytest.mark.parametrize("text", list(replacements()))
def test_a_replacement_exists(text: str) -> None:
    for name in SCHEMA.findall(text):
        assert registered(name) is not None, f"no schema {name}"
        assert LEGACY.find(name) is None, f"{name} is retired itself"
    for words, name in REPLACEMENT.findall(text):
        definition = registered(name)
        assert definition is not None
        found = {prop.rpartition(":")[2] for prop in definition.GetPropertyNames()}
        assert set(re.split(r", | and ", words)) <= found, text


@pytest.mark.parametrize("cls", HOLDERS.values(), ids=lambda cls: cls.name)
def test_lost_properties_stand_beside_those_of_the_living_class(cls: SchemaClass) -> None:
    living = LIVING.find(cls.extends)
    assert living is not None and living.kind == cls.kind
    assert not {prop.name for prop in cls.properties} & {prop.name for prop in living.properties}


def test_retired_words_are_tokens() -> None:
    words = PhysxSchema.Tokens
    for word in ("clothConstaint", "scriptFile", "Vertices", "Geometry"):
        assert getattr(words, word) == word
