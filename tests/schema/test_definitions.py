"""What an edit of the YAML reaches: defaults, ranges and tokens changed in a copy and generated anew are followed.

What newer releases have dropped is still known: to USD by its old definitions, to readers with what replaces it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from physx_codegen import naming
from physx_codegen.load_yaml import load
from physx_codegen.model import Attribute, SchemaClass
from physx_generated import Relationship
from pxr import Sdf, Usd
from support.places import DATA, ROOT
from support.schemas.changed_schemas import change_every_default, generated, run
from support.schemas.usd_generator import schemas

import physx_schema as PhysxSchema
from physx_schema.definitions import definitions
from physx_schema.description.opinions.accounting import DEVIATIONS
from physx_schema.description.opinions.schemas import NOT_EVALUATED, SCHEMAS

# Defaults that no fact shows, beside those of properties that are not evaluated.
WITHOUT_FACT = {
    ("PhysxTendonAttachmentRootAPI", "gearing"): "PhysX ignores the gearing of a root attachment",
    ("PhysxConvexHullCollisionAPI", "minThickness"): "it counts while a hull is cooked, and the stage's is not thin",
    ("PhysxLimitAPI", "bounceThreshold"): "nothing bounces without a restitution",
}
READ_AS_FACT = {
    schema: {base: prop for name, prop in item.by_name.items() for base in (name.rpartition(":")[2],)
             if base in SCHEMAS[schema].defaults and not isinstance(prop, Relationship) and prop.default is not None}
    for schema, item in definitions().items() if schema in SCHEMAS}
NEW_RANGE, NEW_TOKENS = "[0, 0.5]", ["average", "multiply", "min"]


NEW_ATTRIBUTE = {"name": "slack", "type": "float", "default": 0.0, "range": "[0, inf)", "unit": "distance",
                 "display": "Slack", "doc": "Length without force."}


def edited(item: dict[str, Any]) -> None:
    """Every default another, one range narrower, one token less, and one attribute more that nobody reads."""
    change_every_default(item)
    for attribute in item.get("attributes", ()):
        if attribute["name"] == "cfmScale":
            attribute["range"] = NEW_RANGE
        if attribute["name"] == "frictionCombineMode":
            attribute["tokens"] = NEW_TOKENS
    if item["name"] in ("PhysxRigidBodyAPI", "PhysxTendonAxisRootAPI", "PhysxMimicJointAPI"):
        item["attributes"].append(NEW_ATTRIBUTE.copy())


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the package that the edited YAML makes."""
    return generated(tmp_path_factory.mktemp("edited"), edited)


@pytest.fixture(scope="module")
def fates(package: Path) -> dict[str, str]:
    """What became of the default of each property that is read."""
    former = {f"{schema}.{base}": prop.default for schema, item in READ_AS_FACT.items() for base, prop in item.items()}
    fates: dict[str, str] = run(package, "-m", "support.schemas.unauthored_defaults", json.dumps(former))
    assert fates.keys() == former.keys(), "a schema is on no prim of the stage"
    return fates


def test_describe_takes_every_changed_default_but_those_that_physx_does_not_take(fates: dict[str, str]) -> None:
    wrong = {key for key, fate in fates.items() if fate == "not followed"}
    assert wrong == {f"{schema}.{base}" for schema, base in DEVIATIONS}


def test_every_default_that_no_fact_shows_is_of_a_property_known_for_that(fates: dict[str, str]) -> None:
    silent = {key for key, fate in fates.items() if fate == "no fact"}
    known = {f"{schema}.{base}" for schema, base in WITHOUT_FACT}
    assert silent - known <= {f"{schema}.{base}" for schema, found in NOT_EVALUATED.items() for base in found}
    assert known <= silent


CHECKED = """
import json
from physx_schema import check, describe
from support.stages.robots import finger, joint, link, opened, prim, robot, base
limits = {"float physics:lowerLimit": -90.0, "float physics:upperLimit": 90.0}
text = robot(base(), link("tip", schemas=("PhysxRigidBodyAPI",), more={"float physxRigidBody:cfmScale": 0.7}),
             link("end", schemas=("PhysxRigidBodyAPI",), more={"string physxRigidBody:cfmScale": "soft"}),
             joint("Revolute", "j", "base", "tip", (), limits),
             joint("Revolute", "k", "tip", "end", ("PhysxMimicJointAPI:rotX",),
                   {**limits, "rel physxMimicJoint:rotX:referenceJoint": "</Robot/j>"}),
             prim("Material", "m", ("PhysicsMaterialAPI", "PhysxMaterialAPI"),
                  {"token physxMaterial:frictionCombineMode": "max"}))
report = check(opened(text))
links = {link.path: link.cfm_scale for item in describe(opened(text)).articulations for link in item.links}
print(json.dumps([links, [[item.path, item.property, item.message, item.why, item.fix] for item in report.findings]]))
"""


@pytest.fixture(scope="module")
def checked(package: Path) -> tuple[dict[str, float], str]:
    """The softening of each link of a faulty stage, and all that `check` says about the stage."""
    links, findings = run(package, "-c", CHECKED)
    return links, "\n".join(" | ".join(item) for item in findings)


def test_check_names_the_changed_default(checked: tuple[dict[str, float], str]) -> None:
    links, said = checked
    assert links["/Robot/end"] == 0.125
    assert "PhysX cannot read the value and uses its default 0.125" in said
    assert "gearing is not authored | PhysX uses 1.125" in said


def test_check_names_the_changed_range_and_describe_clamps_to_it(checked: tuple[dict[str, float], str]) -> None:
    links, said = checked
    assert links["/Robot/tip"] == 0.5
    assert "physxRigidBody:cfmScale | 0.7 is not in [0, 0.5]" in said


def test_check_names_the_changed_tokens(checked: tuple[dict[str, float], str]) -> None:
    assert "'max' is not a combine mode | PhysX uses min | author one of average, multiply, min" in checked[1]


ADDED = """
import json
from physx_schema import check, describe
from support.stages.robots import base, joint, link, opened, robot
limits = {"float physics:lowerLimit": -90.0, "float physics:upperLimit": 90.0}
text = robot(base(), link("a", schemas=("PhysxRigidBodyAPI",), more={"float physxRigidBody:slack": -1.0}), link("b"),
             joint("Revolute", "j", "base", "a", ("PhysxTendonAxisRootAPI:t",),
                   {**limits, "float physxTendon:t:slack": 1.0, "float physxTendon:t:stiffness": 1.0}),
             joint("Revolute", "k", "a", "b", ("PhysxMimicJointAPI:rotX",),
                   {**limits, "rel physxMimicJoint:rotX:referenceJoint": "</Robot/j>",
                    "float physxMimicJoint:rotX:slack": 1.0}))
said = [item.message for item in check(opened(text)).findings if item.property == "physxRigidBody:slack"]
print(json.dumps([[[item.property, item.code, item.reason] for item in describe(opened(text)).unused], said]))
"""


def test_a_new_attribute_is_held_to_its_range_and_unused_until_something_reads_it(package: Path) -> None:
    unused, said = run(package, "-c", ADDED)
    assert unused == [
        ["physxRigidBody:slack", "idle", "nothing on the stage uses this opinion"],
        ["physxMimicJoint:rotX:slack", "idle", "PhysX does not read this opinion on a revolute joint"],
    ]
    assert "-1 is not in [0, inf)" in said


GAINED = """
import json
from physx_runtime import Simulation
from physx_schema import PhysxArticulationAPI, describe
from support.stages.robots import base, joint, link, opened, robot
stage = opened(robot(base(), link("a"), joint("Revolute", "j", "base", "a", ("PhysxTendonAxisRootAPI:t",), {
    "float physics:lowerLimit": -90.0, "float physics:upperLimit": 90.0, "bool physxTendon:t:tendonEnabled": True,
    "float physxTendon:t:slack": 1.5})))
PhysxArticulationAPI.Apply(stage.GetPrimAtPath("/Robot"), articulationEnabled=True)
sim = Simulation(stage)
slack = sim.parameters["fixed_tendon_slack"]
fact = describe(stage).articulations[0].fixed_tendons[0].slack
print(json.dumps([fact, sim.get("fixed_tendon0_slack").tolist(), slack.elements, slack.range, slack.unit,
                  slack.documentation]))
"""


def test_a_gain_that_the_yaml_adds_to_a_tendon_is_a_fact_a_row_and_a_parameter_of_the_simulation(package: Path) -> None:
    assert run(package, "-c", GAINED) == [
        1.5, [[1.5]], ["/Robot/j:t"], "[0, inf)", "distance", "Length without force."]


STEPS, DT, SPEED, DAMPING = 100, 0.01, 2.0, 0.125       # of linearDamping: the changed default, 1/s
SINGLE = 1e-5       # relative: a hundred roundings of single precision
SIMULATED = f"""
import json
from physx_runtime import simulate
from support.stages.robots import HEAD, link, opened, prim
still = prim("PhysicsScene", "Scene", (), {{"float physics:gravityMagnitude": 0.0,
                                           "vector3f physics:gravityDirection": (0, 0, -1)}})
free = {{f"int physxRigidBody:locked{{axis}}Axis": 0 for axis in ("Pos", "Rot")}}
body = link("ball", schemas=("PhysxRigidBodyAPI",), more={{**free, "vector3f physics:velocity": ({SPEED}, 0, 0)}})
found = simulate(opened(HEAD.format(meters=1.0, kilograms=1.0) + still + body), dt={DT}, steps={STEPS})
print(json.dumps(float(found.link_velocity[-1, 0, 0, 0])))
"""


def test_a_body_moves_by_the_changed_default(package: Path) -> None:
    expected = SPEED * (1.0 - DAMPING * DT) ** STEPS
    assert run(package, "-c", SIMULATED) == pytest.approx(expected, rel=SINGLE)


# --- legacy schema ---------------------------------------------------------------------------------------------------

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
