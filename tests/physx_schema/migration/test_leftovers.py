"""A renamed class whose prefix changes too: all of a prim moves, or nothing of it does, and what stays is named."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner
from physx_generated import Attribute, Definition
from physx_generated._definition import Relationship
from pxr import Sdf, Usd, UsdUtils

from physx_schema.command_line.program import program
from physx_schema.migration import Migration, migrate
from physx_schema.migration.changes import Difference

COG = Definition(
    library="Gears", identifier="CogAPI", kind="single-apply", renamed_from="GearAPI", properties=(
        Attribute("cog:transmission", "float", 1.0, renamed_from="ratio"), Attribute("cog:teeth", "float", 10.0),
        Attribute("cog:mode", "token", "fast", tokens=("fast", "idle")), Attribute("cog:label", "token", "a"),
        Relationship("cog:mate", renamed_from="partner")))


def difference(change: str, name: str = "", old: str = "", new: str = "") -> Difference:
    return Difference("CogAPI", name, change, f"{change} {old} {new}".strip(), old, new)


CLASS = difference("renamed", "", "GearAPI", "CogAPI")
FORMER = {"cog:transmission": "gear:ratio", "cog:teeth": "gear:teeth", "cog:mode": "gear:mode",
          "cog:label": "gear:label", "cog:mate": "gear:partner"}
PAIRED = [CLASS, *(difference("renamed", new, old, new) for new, old in FORMER.items())]
# What a diff writes that does not look for properties under another prefix.
REMOVED = [CLASS, *(difference("removed", old) for old in FORMER.values())]


def package(*definitions: Definition) -> ModuleType:
    made = ModuleType("gears")
    for item in definitions:
        setattr(made, item.identifier, type(item.identifier, (), {"definition": item}))
    return made


def migrated(source: Any, differences: list[Difference] = PAIRED) -> Migration:
    return migrate([source], schema=package(COG), differences=differences)


def stage(text: str) -> Usd.Stage:
    made = Usd.Stage.CreateInMemory()
    assert made.GetRootLayer().ImportFromString("#usda 1.0\n" + text)
    return made


def gear(body: str, name: str = "p", schemas: str = 'prepend apiSchemas = ["GearAPI"]') -> str:
    return f'def "{name}" (\n{schemas}\n)\n{{\n{body}\n}}\n'


def values(layer: Sdf.Layer, path: str = "/p") -> dict[str, Any]:
    return {prop.name: prop.default for prop in layer.GetPrimAtPath(path).attributes}


def applied(layer: Sdf.Layer, path: str = "/p") -> list[str]:
    return list(layer.GetPrimAtPath(path).GetInfo("apiSchemas").GetAppliedItems())


def left(found: Migration) -> dict[tuple[str, str], str]:
    return {(note.path, note.property): note.message for note in found.notes if note.kind == "left"}


@pytest.mark.parametrize("differences", [PAIRED, REMOVED], ids=["paired by diff", "removed to diff"])
def test_values_move_to_the_new_prefix_with_their_class(differences: list[Difference]) -> None:
    found = migrated(stage(gear("float gear:ratio = 2\nrel gear:partner = </p>")), differences)
    (change,) = found.layers
    assert (applied(change.copy), values(change.copy)) == (["CogAPI"], {"cog:transmission": 2.0})
    assert change.copy.GetRelationshipAtPath("/p.cog:mate") and not left(found)


def test_without_the_diff_neither_class_nor_values_move() -> None:
    source = stage(gear("float gear:ratio = 2"))
    found = migrated(source, [])
    assert not found.changed and found.layers[0].copy.ExportToString() == source.GetRootLayer().ExportToString()
    assert left(found).keys() == {("/p", "apiSchemas"), ("/p", "gear:ratio")}


def test_a_prim_without_values_needs_no_diff() -> None:
    (change,) = migrated(stage(gear("float other:size = 2")), []).layers
    assert applied(change.copy) == ["CogAPI"]


def test_what_one_layer_cannot_tell_keeps_all_layers_of_the_prim_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "base.usda").write_text("#usda 1.0\n" + gear("", schemas='prepend apiSchemas = ["GearAPI"]'))
    (tmp_path / "root.usda").write_text(
        '#usda 1.0\n(subLayers = [@base.usda@])\nover "p"\n{\nfloat gear:ratio = 2\n}\n' + gear("", "q"))
    found = migrated(str(tmp_path / "root.usda"), [])
    assert [change.name for change in found.changed] == [str(tmp_path / "root.usda")]      # for the sake of /q
    assert applied(found.changed[0].copy, "/q") == ["CogAPI"] and ("/p", "apiSchemas") in left(found)


def test_orders_of_properties_follow() -> None:
    (change,) = migrated(stage(gear(
        'reorder properties = ["gear:teeth", "mine", "gear:ratio"]\nfloat gear:ratio = 2\nfloat mine = 1'))).layers
    assert list(change.copy.GetPrimAtPath("/p").propertyOrder) == ["cog:teeth", "mine", "cog:transmission"]


@pytest.mark.parametrize(("body", "name"), [
    ("int gear:teeth = 17", "cog:teeth"), ("double gear:teeth = 0.5", "cog:teeth"),
    ("half gear:ratio = 0.1", "cog:transmission"),
    ('string gear:label = "a b"', "cog:label"), ("int gear:teeth.timeSamples = {1: 3}", "cog:teeth"),
])
def test_values_that_the_new_type_holds_exactly_are_converted(body: str, name: str) -> None:
    source = stage(gear(body))
    (old,) = source.GetRootLayer().GetPrimAtPath("/p").attributes
    (change,) = migrated(source).layers
    (new,) = change.copy.GetPrimAtPath("/p").attributes
    assert (new.name, new.default) == (name, old.default)
    assert str(new.typeName) == {prop.name: prop for prop in COG.properties}[name].type      # type: ignore[union-attr]
    samples = [(time, layer.QueryTimeSample(spec.path, time)) for layer, spec in ((old.layer, old), (new.layer, new))
               for time in layer.ListTimeSamplesForPath(spec.path)]
    assert samples[:len(samples) // 2] == samples[len(samples) // 2:]


@pytest.mark.parametrize("body", [
    "int gear:teeth = 16777217", "double gear:teeth = 0.1", "int gear:teeth.timeSamples = {1: 3, 2: 4}",
    "bool gear:teeth = 1", "timecode gear:teeth = 1", "float[] gear:teeth = [1]", 'string gear:teeth = "3"',
])
def test_values_that_the_new_type_does_not_hold_stay_and_are_named(body: str) -> None:
    found = migrated(stage(gear(f"{body}\nfloat gear:ratio = 2")))
    assert set(values(found.layers[0].copy)) == {"gear:teeth", "cog:transmission"}
    assert left(found).keys() == {("/p", "gear:teeth")} and "cannot store" in left(found)["/p", "gear:teeth"]


def test_a_value_that_cannot_move_keeps_those_of_other_layers_below_it(tmp_path: Path) -> None:
    (tmp_path / "base.usda").write_text("#usda 1.0\n" + gear("int gear:teeth = 3"))
    (tmp_path / "root.usda").write_text(
        '#usda 1.0\n(subLayers = [@base.usda@])\nover "p"\n{\nint gear:teeth = 16777217\n}\n')
    found = migrated(str(tmp_path / "root.usda"))
    assert all("gear:teeth" in values(change.copy) for change in found.layers)
    assert [note.layer for note in found.notes if note.property == "gear:teeth"] == [
        str(tmp_path / "base.usda"), str(tmp_path / "root.usda")]


def test_an_attribute_whose_type_alone_changes_is_converted_in_place() -> None:
    plain = Definition(library="Gears", identifier="GearAPI", kind="single-apply", properties=(
        Attribute("gear:teeth", "float", 10.0),))
    kind = Difference("GearAPI", "gear:teeth", "type", "type int -> float", "int", "float")
    for value, expected, is_left in ((17, "float", False), (16777217, "int", True)):
        found = migrate([stage(gear(f"int gear:teeth = {value}"))], schema=package(plain), differences=[kind])
        (spec,) = found.layers[0].copy.GetPrimAtPath("/p").attributes
        assert (str(spec.typeName), spec.default, bool(found.open)) == (expected, value, is_left)


def test_words_that_the_new_schema_does_not_allow_move_and_are_named() -> None:
    found = migrated(stage(gear('token gear:mode = "slow"')))
    assert values(found.layers[0].copy) == {"cog:mode": "slow"} and left(found).keys() == {("/p", "cog:mode")}


def test_custom_properties_of_authors_are_not_left() -> None:
    (change,) = (found := migrated(stage(gear("custom float cog:mine = 3\ncustom float gear:mine = 3")))).layers
    assert values(change.copy) == {"cog:mine": 3.0, "gear:mine": 3.0} and not found.open


def test_paths_from_other_layers_and_prims_follow_through_references(tmp_path: Path) -> None:
    (tmp_path / "part.usda").write_text(
        f'#usda 1.0\ndef "part"\n{{\n{gear("float gear:ratio = 1", "g")}'
        'def "user"\n{\nrel r = </part/g.gear:ratio>\n}\n}\n')
    (tmp_path / "root.usda").write_text(
        '#usda 1.0\ndef "a" (references = @part.usda@</part>)\n{\n}\ndef "b"\n{\n'
        "rel r = [</a/g.gear:ratio>, </a/g.gear:teeth>]\nfloat x.connect = </a/g.gear:ratio>\n}\n")
    found = migrated(str(tmp_path / "root.usda"))
    copies = {Path(change.name).stem: change.copy for change in found.layers}
    targets = copies["root"].GetRelationshipAtPath("/b.r").targetPathList.explicitItems
    assert list(map(str, targets)) == ["/a/g.cog:transmission", "/a/g.cog:teeth"]
    assert list(map(str, copies["root"].GetAttributeAtPath("/b.x").connectionPathList.explicitItems)) == [
        "/a/g.cog:transmission"]
    assert list(map(str, copies["part"].GetRelationshipAtPath("/part/user.r").targetPathList.explicitItems)) == [
        "/part/g.cog:transmission"]


def test_a_path_at_a_value_that_stays_stays() -> None:
    (change,) = migrated(stage(gear("int gear:teeth = 16777217") + 'def "b"\n{\nrel r = </p.gear:teeth>\n}\n')).layers
    assert list(map(str, change.copy.GetRelationshipAtPath("/b.r").targetPathList.explicitItems)) == ["/p.gear:teeth"]


def test_layers_of_variants_that_are_not_selected_move_too(tmp_path: Path) -> None:
    (tmp_path / "part.usda").write_text('#usda 1.0\ndef "part"\n{\nfloat gear:ratio = 1\n}\n')
    (tmp_path / "root.usda").write_text(
        '#usda 1.0\ndef "p" (\nprepend variantSets = "v"\nvariants = {\nstring v = "none"\n}\n)\n{\n'
        'variantSet "v" = {\n"none" {\n}\n"some" (\n'
        'prepend apiSchemas = ["GearAPI"]\nreferences = @part.usda@</part>\n) {\n}\n}\n}\n')
    found = migrated(str(tmp_path / "root.usda"))
    assert {Path(change.name).stem: set(values(change.copy, "/part")) for change in found.layers
            if Path(change.name).stem == "part"} == {"part": {"cog:transmission"}}


def test_value_clips_are_named(tmp_path: Path) -> None:
    (tmp_path / "clip.usda").write_text('#usda 1.0\nover "p"\n{\nfloat gear:ratio.timeSamples = {1: 2}\n}\n')
    (tmp_path / "root.usda").write_text("#usda 1.0\n" + gear("", schemas=(
        'clips = {\ndictionary default = {\nasset[] assetPaths = [@./clip.usda@]\nstring primPath = "/p"\n'
        "double2[] active = [(0, 0)]\ndouble2[] times = [(0, 0), (9, 9)]\n}\n}\nprepend apiSchemas = [\"GearAPI\"]")))
    found = migrated(str(tmp_path / "root.usda"))
    assert [(note.layer, "value clip of /p" in note.message) for note in found.open] == [
        (str(tmp_path / "clip.usda"), True)]


# --- files ---

def run(path: Path, folder: Path, *options: str) -> Any:
    """The command, with a package that is generated nowhere: its definitions alone count."""
    sys.modules["gears_of_the_test"] = package(COG)
    changes = folder / "changes.json"
    changes.write_text(json.dumps({"differences": [
        {"level": "breaking", **{key: getattr(item, key) for key in Difference.__slots__}} for item in PAIRED]}))
    return CliRunner().invoke(program(), ["migrate", str(path), "--package", "gears_of_the_test", "--changes",
                                          str(changes), *options])


def test_layers_that_share_a_prim_with_one_that_cannot_be_written_are_not_written(tmp_path: Path) -> None:
    (tmp_path / "part.usda").write_text("#usda 1.0\n" + gear("float gear:ratio = 2"))
    assert UsdUtils.CreateNewUsdzPackage(str(tmp_path / "part.usda"), str(tmp_path / "part.usdz"))
    (tmp_path / "alone.usda").write_text("#usda 1.0\n" + gear("float gear:ratio = 3", "q"))
    root = tmp_path / "root.usda"
    root.write_text('#usda 1.0\n(subLayers = [@alone.usda@])\ndef "p" (references = @part.usdz@</p>)\n'
                    "{\nfloat gear:ratio = 4\n}\n")
    before = root.read_bytes()
    result = run(root, tmp_path, "--write")
    assert result.exit_code == 1 and root.read_bytes() == before
    assert "cog:transmission" in (tmp_path / "alone.usda").read_text()
    reason = f"{root}: not written, because the values of this layer and of {tmp_path / 'part.usdz'} must"
    assert reason in result.stdout
