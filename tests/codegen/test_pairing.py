"""Properties of a class are found again under another prefix of it."""

from __future__ import annotations

from pathlib import Path

from physx_codegen.definitions import read
from physx_codegen.diff import Comparison, compare
from physx_codegen.emit import write
from physx_codegen.generate import generate

GEAR = """\
name: Gears
plugin: gears
classes:
- name: GearAPI
  kind: single-apply
  prefix: gear
  attributes:
  - {name: ratio, type: float, default: 1}
  - {name: teeth, type: int, default: 10}
  relationships:
  - {name: partner}
"""
COG = (GEAR.replace("- name: GearAPI", "- name: CogAPI\n  renamed_from: GearAPI").replace("prefix: gear", "prefix: cog")
       .replace("{name: ratio,", "{name: transmission, renamed_from: ratio,")
       .replace("{name: partner}", "{name: mate, renamed_from: partner}"))
NOW_AND_THEN = {"cog:transmission": "gear:ratio", "cog:teeth": "gear:teeth", "cog:mate": "gear:partner"}


def written(folder: Path, text: str) -> str:
    folder.mkdir()
    (folder / "gears.yaml").write_text(text, encoding="utf-8")
    return str(folder)


def renames(comparison: Comparison) -> dict[str, str]:
    return {item.property: item.old for item in comparison.differences if item.change == "renamed" and item.property}


def test_properties_of_a_single_apply_class_are_found_again_under_another_prefix(tmp_path: Path) -> None:
    found = compare(read(written(tmp_path / "old", GEAR)), read(written(tmp_path / "new", COG)))
    assert renames(found) == NOW_AND_THEN
    assert {item.change for item in found.differences} == {"renamed"}


def test_another_prefix_alone_renames_the_properties(tmp_path: Path) -> None:
    old, new = (read(written(tmp_path / name, text)) for name, text in (
        ("old", GEAR), ("new", GEAR.replace("prefix: gear", "prefix: cog"))))
    assert renames(compare(old, new)) == {"cog:ratio": "gear:ratio", "cog:teeth": "gear:teeth",
                                          "cog:partner": "gear:partner"}


def test_generated_files_tell_no_prefix_and_their_properties_are_found_again(tmp_path: Path) -> None:
    written(tmp_path / "old", GEAR)
    write({tmp_path / "gears": generate(tmp_path / "old")})
    found = compare(read(str(tmp_path / "gears")), read(written(tmp_path / "new", COG)))
    assert renames(found) == NOW_AND_THEN


def test_what_a_property_is_under_another_prefix_is_compared(tmp_path: Path) -> None:
    new = COG.replace("type: int, default: 10", "type: float, default: 12")
    found = compare(read(written(tmp_path / "old", GEAR)), read(written(tmp_path / "new", new)))
    assert [(item.change, item.old, item.new) for item in found.differences if item.property == "cog:teeth"] == [
        ("default", "10", "12"), ("renamed", "gear:teeth", "cog:teeth"), ("type", "int", "float")]
