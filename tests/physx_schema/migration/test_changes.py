"""Every opinion of an old schema is used by the new one, moved, or reported: nothing is orphaned in silence."""

from __future__ import annotations

import json
import random
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from physx_codegen import definitions, diff
from pxr import Sdf, Usd
from support.places import SCHEMAS
from support.schemas.packages import generated_package

from physx_schema.migration import Migration, migrate
from physx_schema.migration.changes import Difference, breaking

CHANGED = SCHEMAS / "changed"
SEEDS = 60
PLACEHOLDER = "__INSTANCE_NAME__"
# What the old schema has: name on a prim, type, values, and the schema it needs.
OPINIONS = (
    ("grip:left:force", "float", (1.0, 2.0), "ShiftGripAPI:left"),
    ("grip:a:b:force", "float", (3.0,), "ShiftGripAPI:a:b"),
    ("grip:left:mode", "token", ("soft", "hard", "odd"), "ShiftGripAPI:left"),
    ("grip:left:target", "rel", (None,), "ShiftGripAPI:left"),
    ("spring:stiffness", "float", (1.0,), "ShiftSpringAPI"), ("spring:colour", "token", ("red",), "ShiftSpringAPI"),
    ("spring:gain", "float", (2.0,), "ShiftSpringAPI"), ("spring:damping", "float", (0.5,), "ShiftSpringAPI"),
    ("spring:kept", "float", (4.0,), "ShiftSpringAPI"), ("lamp:power", "float", (5.0,), "ShiftLampAPI"),
    ("gone:rate", "float", (6.0,), "ShiftGoneAPI"), ("coil:rate", "float", (7.0,), "ShiftWireAPI"),
    ("side:left:depth", "float", (8.0,), "ShiftSideAPI:left"),
    ("side:right:depth", "float", (9.0,), "ShiftSideAPI:right"),
)


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The package of the new schema."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)         # USD is in use: the registry does not take it up
        return generated_package(CHANGED / "new", tmp_path_factory.mktemp("made"), "shift_schemas")


@pytest.fixture(scope="module")
def differences(tmp_path_factory: pytest.TempPathFactory) -> list[Difference]:
    """What `diff --json` says breaks stages."""
    path = tmp_path_factory.mktemp("diff") / "changes.json"
    found = diff.compare(*(definitions.read(str(CHANGED / name)) for name in ("old", "new")))
    path.write_text(diff.as_json(found), encoding="utf-8")
    return breaking(path)


@pytest.fixture(scope="module")
def defined(schema: ModuleType) -> dict[str, dict[str, Sdf.PropertySpec]]:
    """Class to properties, by the file that USD reads the new schema from."""
    layer = Sdf.Layer.OpenAsAnonymous(str(Path(str(schema.__file__)).parent / "generatedSchema.usda"))
    KEPT.append(layer)
    return {prim.name: {prop.name: prop for prop in prim.properties} for prim in layer.rootPrims}


KEPT: list[Sdf.Layer] = []          # specs live as long as their layer


def stage(text: str) -> Usd.Stage:
    made = Usd.Stage.CreateInMemory()
    assert made.GetRootLayer().ImportFromString("#usda 1.0\n" + text)
    return made


def prim(body: str, schemas: str = "", kind: str = "Xform") -> Usd.Stage:
    applied = f" (prepend apiSchemas = [{schemas}])" if schemas else ""
    return stage(f'def {kind} "p"{applied}\n{{\n{body}\n}}\n')


def properties(found: Migration) -> list[str]:
    return [prop.name for prop in found.layers[0].copy.GetPrimAtPath("/p").properties]


def left(found: Migration) -> dict[str, str]:
    return {note.property: note.message for note in found.notes if note.kind == "left"}


# --- without the old schema ---

def test_values_under_the_prefix_of_a_renamed_class_are_reported(schema: ModuleType) -> None:
    found = migrate([prim("float grip:left:force = 2", '"ShiftGripAPI:left"')], schema=schema)
    assert "ShiftHandAPI, formerly ShiftGripAPI" in left(found)["grip:left:force"]


def test_values_of_a_schema_that_is_not_on_the_prim_are_left(schema: ModuleType) -> None:
    found = migrate([prim("float spring:stiffness = 2")], schema=schema)
    assert properties(found) == ["spring:stiffness"] and not found.changed
    assert "ShiftSpringAPI is not applied to the prim" in left(found)["spring:stiffness"]


def test_a_property_that_its_schema_no_longer_has_is_reported(schema: ModuleType) -> None:
    found = migrate([prim('token spring:colour = "red"', '"ShiftSpringAPI"')], schema=schema)
    assert left(found) == {"spring:colour": "ShiftSpringAPI has no property with this name"}


def test_a_schema_in_a_weaker_layer_counts(schema: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "base.usda").write_text('#usda 1.0\ndef "p" (prepend apiSchemas = ["ShiftSpringAPI"])\n{\n}\n')
    (tmp_path / "root.usda").write_text(
        '#usda 1.0\n(\nsubLayers = [@base.usda@]\n)\nover "p"\n{\nfloat spring:stiffness = 1\n}\n')
    found = migrate([str(tmp_path / "root.usda")], schema=schema)
    assert not found.open and [item.name for item in found.changed] == [str(tmp_path / "root.usda")]


def test_a_schema_outside_the_variant_counts_in_one_that_is_not_selected(schema: ModuleType) -> None:
    found = migrate([stage('def "p" (prepend apiSchemas = ["ShiftSpringAPI"]\nprepend variantSets = "v")\n{\n'
                           'variantSet "v" = {\n"one" {\nfloat spring:stiffness = 1\n}\n}\n}\n')], schema=schema)
    assert not found.open and found.changed


# --- with it ---

CASES = [
    ("float grip:left:force = 2", '"ShiftGripAPI:left"', ["hand:left:push"], ""),
    ("rel grip:left:target = </p>", '"ShiftGripAPI:left"', ["hand:left:target"], ""),
    ('token grip:left:mode = "hard"', '"ShiftGripAPI:left"', ["hand:left:mode"], ""),
    ('token grip:left:mode = "odd"', '"ShiftGripAPI:left"', ["hand:left:mode"], "hand:left:mode"),
    ('token grip:left:mode.timeSamples = {1: "odd"}', '"ShiftGripAPI:left"', ["hand:left:mode"], "hand:left:mode"),
    ("float spring:stiffness = 2\nfloat spring:damping = 0", '"ShiftSpringAPI"', ["spring:rate", "spring:damping"], ""),
    ("float spring:kept = 1", '"ShiftSpringAPI"', ["spring:kept"], "spring:damping"),
    ("float spring:gain = 1\nfloat spring:damping = 0", '"ShiftSpringAPI"', ["spring:gain", "spring:damping"], ""),
    ("float lamp:power = 1", '"ShiftLampAPI"', ["lamp:power"], "apiSchemas"),
    ("float gone:rate = 1", '"ShiftGoneAPI"', ["gone:rate"], "gone:rate"),
    ("float coil:rate = 1", '"ShiftWireAPI"', ["wire:rate"], ""),
    ("float side:left:depth = 1", '"ShiftSideAPI:left"', ["side:left:depth"], ""),
    ("float side:right:depth = 1", '"ShiftSideAPI:right"', ["side:right:depth"], "apiSchemas"),
]


@pytest.mark.parametrize(("body", "schemas", "names", "reported"), CASES, ids=[case[0] for case in CASES])
def test_each_breaking_line_is_followed_or_reported(
    body: str, schemas: str, names: list[str], reported: str, schema: ModuleType, differences: list[Difference],
) -> None:
    found = migrate([prim(body, schemas)], schema=schema, differences=differences)
    assert sorted(properties(found)) == sorted(names)
    assert (reported in left(found)) if reported else not left(found), left(found)


def test_a_stage_without_the_schema_has_nothing_to_report(schema: ModuleType, differences: list[Difference]) -> None:
    found = migrate([prim("float mine:rate = 1\nfloat radius = 2")], schema=schema, differences=differences)
    assert found.notes == ()


def test_every_breaking_line_of_the_diff_is_on_a_stage_that_has_everything(
    schema: ModuleType, differences: list[Difference],
) -> None:
    body = "\n".join(declared(name, kind, values[-1]) for name, kind, values, _ in OPINIONS if name != "spring:damping")
    applied = ", ".join(f'"{item}"' for item in sorted({opinion[3] for opinion in OPINIONS}))
    found = migrate([prim(f"{body}\nfloat tall = 2", applied, "ShiftSpot")], schema=schema, differences=differences)
    said = " ".join(note.message for note in found.notes)
    moved = {note.property for note in found.notes if note.kind in ("renamed", "moved")}
    for item in differences:
        renamed = item.change in ("renamed", "prefix", "type name") and (
            any(item.old.replace(PLACEHOLDER, "left") == name for name in moved) or not item.property)
        followed = renamed or (item.change == "type" and item.property in moved)
        assert followed or f"{item.schema}: {item.text}" in said, item


def declared(name: str, kind: str, value: Any) -> str:
    return f"rel {name} = </p>" if kind == "rel" else f"{kind} {name} = {json.dumps(value)}"


def test_a_file_that_is_no_diff_is_one_clear_line(tmp_path: Path) -> None:
    for text in ("", "{}", "[1]", '{"differences": [{"level": "breaking"}]}'):
        (tmp_path / "changes.json").write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match=r"changes.json: not the output of `physx-schema diff OLD NEW --json`"):
            breaking(tmp_path / "changes.json")


# --- random stages ---

def random_prim(spec: Sdf.PrimSpec, rng: random.Random) -> None:
    """Some opinions of the old schema, most of them on prims that have it."""
    chosen = rng.sample(OPINIONS, rng.randrange(1, 6))
    applied = [schema for *_, schema in chosen if rng.random() < 0.85]
    spec.SetInfo("apiSchemas", Sdf.TokenListOp.Create(prependedItems=list(dict.fromkeys(applied))))
    for name, kind, values, _ in chosen:
        if kind == "rel":
            Sdf.RelationshipSpec(spec, name).targetPathList.prependedItems = [spec.path.GetPrimPath()]
        else:
            attribute = Sdf.AttributeSpec(spec, name, Sdf.ValueTypeNames.Find(kind))
            attribute.default = rng.choice(values)


def random_stage(rng: random.Random, folder: Path) -> str:
    """A root layer over a sublayer and a referenced one, with variants and instances."""
    part = Sdf.Layer.CreateNew(str(folder / "part.usda"))
    for index in range(2):
        random_prim(Sdf.CreatePrimInLayer(part, f"/part/q{index}"), rng)
    part.Save()
    base, root = (Sdf.Layer.CreateNew(str(folder / f"{name}.usda")) for name in ("base", "root"))
    for layer in (base, root):
        for index in rng.sample(range(4), 3):
            spec = Sdf.CreatePrimInLayer(layer, f"/p{index}")
            spec.specifier = Sdf.SpecifierDef
            random_prim(spec, rng)
            if rng.random() < 0.4:
                variants = Sdf.VariantSetSpec(spec, "v")
                random_prim(Sdf.VariantSpec(variants, "one").primSpec, rng)
                spec.variantSetNameList.prependedItems = ["v"]
                if rng.random() < 0.5:
                    spec.variantSelections["v"] = "one"
    for index in range(2):
        spec = Sdf.CreatePrimInLayer(root, f"/copy{index}")
        spec.specifier = Sdf.SpecifierDef
        spec.referenceList.prependedItems = [Sdf.Reference("./part.usda", "/part")]
        spec.instanceable = rng.random() < 0.5
    root.subLayerPaths.append("./base.usda")
    base.Save()
    root.Save()
    return str(folder / "root.usda")


def names_of(defined: dict[str, dict[str, Sdf.PropertySpec]], applied: list[str]) -> dict[str, Sdf.PropertySpec]:
    """What applied schemas define, under their instance names."""
    return {name.replace(PLACEHOLDER, entry.partition(":")[2]): prop for entry in applied
            for name, prop in defined.get(entry.partition(":")[0], {}).items()
            if (PLACEHOLDER in name) == (":" in entry)}


def is_unknowable(name: str, known: bool, applied: list[str]) -> bool:
    """Whether nothing but the old schema itself could tell that it had a property of this name.

    The diff names a removed class without its properties, and a former prefix; the new schema names neither.
    """
    schemas = {entry.partition(":")[0] for entry in applied}
    if name.startswith("gone:"):
        return not known or "ShiftGoneAPI" not in schemas
    return name.startswith("grip:") and not known and "ShiftHandAPI" not in schemas


def select(composed: Usd.Stage, name: str) -> None:
    """One variant on every prim that has any, for this session alone."""
    composed.SetEditTarget(composed.GetSessionLayer())
    for prim in composed.GetPseudoRoot().GetChildren():
        if prim.GetVariantSets().GetNames():
            prim.GetVariantSet("v").SetVariantSelection(name)


@pytest.mark.parametrize("known", [True, False], ids=["with the diff", "without it"])
@pytest.mark.parametrize("seed", range(SEEDS))
def test_no_opinion_of_a_random_stage_is_orphaned_in_silence(
    seed: int, known: bool, schema: ModuleType, differences: list[Difference],
    defined: dict[str, dict[str, Sdf.PropertySpec]], tmp_path: Path,
) -> None:
    path = random_stage(random.Random(seed), tmp_path)
    found = migrate([path], schema=schema, differences=differences if known else ())
    composed, other = Usd.Stage.Open(path), Usd.Stage.Open(path)
    select(other, "one")
    reported = {(note.layer, note.path, note.property) for note in found.notes if note.kind in ("left", "conflict")}
    for change in found.layers:
        change.layer.TransferContent(change.copy)       # what --write leaves in the file
    for prim in Usd.PrimRange(composed.GetPseudoRoot(), Usd.TraverseInstanceProxies(Usd.PrimAllPrimsPredicate)):
        with_variant = other.GetPrimAtPath(prim.GetPath())
        usable = names_of(defined, [*prim.GetPrimTypeInfo().GetAppliedAPISchemas(),
                                    *with_variant.GetPrimTypeInfo().GetAppliedAPISchemas()])
        for spec in prim.GetPrimStack():
            for prop in spec.properties:
                layer = next(change.name for change in found.layers if change.layer == spec.layer)
                here = usable.get(prop.name)
                used = here is not None and (not isinstance(prop, Sdf.AttributeSpec) or not known or (
                    prop.typeName == here.typeName and (not here.allowedTokens or prop.default in here.allowedTokens)))
                unknown = is_unknowable(prop.name, known, list(prim.GetPrimTypeInfo().GetAppliedAPISchemas()))
                assert used or unknown or (layer, str(spec.path), prop.name) in reported or (
                    (layer, str(spec.path), "apiSchemas") in reported), f"{spec.path}.{prop.name} in {layer}"
    again = migrate([composed], schema=schema, differences=differences if known else ())
    assert not again.changed
    assert reported <= {(note.layer, note.path, note.property) for note in again.notes} | {
        (note.layer, note.path, note.property) for note in found.notes if note.kind == "conflict"}
