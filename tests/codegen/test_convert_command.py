"""Converting definitions, and what Pixar's own generator makes of the result."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import physx_codegen
import pxr
import pytest
from click.testing import CliRunner
from physx_codegen import convert_command as converting
from physx_codegen import load_yaml, write_usda
from physx_codegen.convert_command import convert_command as convert
from physx_codegen.model import SchemaError
from pxr import Plug, Sdf
from support.places import ROOT, SCHEMAS
from support.schemas.authored import difference
from support.schemas.packages import EVERYTHING
from support.schemas.usd_generator import plugin

GENERATED = ROOT / "generated/physx_generated"
SMALL = SCHEMAS / "small/schema"


def run(*arguments: object) -> Any:
    return CliRunner().invoke(convert, [str(argument) for argument in arguments])


def test_yaml_becomes_a_schema_usda_and_comes_back(tmp_path: Path) -> None:
    assert run(SMALL, "--out", tmp_path / "toy.usda").exit_code == 0
    assert run(tmp_path / "toy.usda", "--out", tmp_path / "back").exit_code == 0
    assert sorted(path.name for path in (tmp_path / "back").iterdir()) == ["coil.yaml", "library.yaml", "place.yaml"]
    assert difference(load_yaml.load(SMALL), load_yaml.load(tmp_path / "back")) == ""


def test_a_schema_usda_becomes_yaml_in_a_folder(tmp_path: Path) -> None:
    result = run(EVERYTHING, "--out", tmp_path)
    assert result.exit_code == 0 and result.stdout == ""
    assert result.stderr.splitlines() == [str(tmp_path / "allKeys.yaml"), str(tmp_path / "library.yaml")]


def test_files_that_are_there_are_replaced_only_by_force(tmp_path: Path) -> None:
    (tmp_path / "schema.usda").write_text("mine", encoding="utf-8")
    result = run(SMALL, "--out", tmp_path)
    assert result.exit_code == 2 and "the file exists; use another --out, or --force" in result.stderr
    assert (tmp_path / "schema.usda").read_text(encoding="utf-8") == "mine"
    assert run(SMALL, "--out", tmp_path, "--force").exit_code == 0
    assert (tmp_path / "schema.usda").read_text(encoding="utf-8").startswith("#usda")


@pytest.mark.parametrize("target", ["mine.usda", "missing.usda"])
def test_a_link_is_not_replaced_even_by_force(tmp_path: Path, target: str) -> None:
    (tmp_path / "mine.usda").write_text("mine", encoding="utf-8")
    (tmp_path / "toy.usda").symlink_to(tmp_path / target)
    result = run(SMALL, "--out", tmp_path / "toy.usda", "--force")
    assert result.exit_code == 2
    assert result.stderr == f"{tmp_path / 'toy.usda'}: not a regular file; use another path, or remove this file\n"
    assert (tmp_path / "toy.usda").is_symlink()


def test_several_libraries_are_converted_one_at_a_time(tmp_path: Path) -> None:
    result = run(ROOT / "schema", "--out", tmp_path)
    assert result.exit_code == 1 and "holds 3 libraries: legacy, omni_physics, physx; convert one" in result.stderr


def test_a_conversion_that_would_lose_something_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    written = write_usda.render(load_yaml.load(SMALL)).replace('string unit = "distance"', "")
    monkeypatch.setattr(write_usda, "render", lambda library: written)
    with pytest.raises(SchemaError, match=r"would lose a part of .*ToyCoilAPI properties gain unit"):
        converting.convert_files(SMALL)


def test_text_in_usda_syntax_that_usd_cannot_read_is_refused(tmp_path: Path) -> None:
    text = "name: Toy\nplugin: toySchema\nmetadata: {usda studioThing: '(('}\n"
    (tmp_path / "toy.yaml").write_text(text, encoding="utf-8")
    result = run(tmp_path, "--out", tmp_path / "out")
    assert result.exit_code == 1 and not (tmp_path / "out").exists()
    assert result.stderr.startswith(f"{tmp_path}/toy.yaml:1: the result of the conversion cannot be read: not usda:")


def test_one_file_of_a_library_is_not_enough(tmp_path: Path) -> None:
    result = run(SMALL / "coil.yaml", "--out", tmp_path / "out")
    assert result.exit_code == 3
    said = "coil.yaml:1: this is one file of a library; use the folder of the library, tests/data/codegen/small"
    assert said in result.stderr


def test_yaml_and_a_schema_usda_side_by_side_are_ambiguous(tmp_path: Path) -> None:
    (tmp_path / "schema.usda").write_bytes(EVERYTHING.read_bytes())
    (tmp_path / "toy.yaml").write_text("name: Toy\nplugin: toySchema\n", encoding="utf-8")
    with pytest.raises(SchemaError, match=r"holds YAML files and a schema\.usda; move one of the two away"):
        physx_codegen.load(tmp_path)


def test_load_reads_every_library_below_a_folder(tmp_path: Path) -> None:
    assert [library.plugin for library in physx_codegen.load(EVERYTHING)] == ["allKeys"]
    assert {library.folder for library in physx_codegen.load(ROOT / "schema")} == {"legacy", "omni_physics", "physx"}


def test_importing_the_generator_loads_no_parser_and_no_usd() -> None:
    code = "import sys, physx_codegen; print(sorted({'yaml', 'jinja2', 'pxr', 'click'} & sys.modules.keys()))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                           env=os.environ | {"PYTHONPATH": str(ROOT / "codegen")})
    assert found.stdout == "[]\n"


def pixars(folder: Path, text: str) -> Path:
    """The output of USD's own generator for a schema.usda."""
    script = Path(pxr.__path__[0], "Usd/usdGenSchema.py")
    resources = [Path(found.resourcePath) for found in Plug.Registry().GetAllPlugins()]
    if not script.is_file() or not any((path / "usdPhysics/schema.usda").is_file() for path in resources):
        pytest.skip("this USD does not ship usdGenSchema with the schema sources")
    folder.mkdir(exist_ok=True)
    (folder / "schema.usda").write_text(text, encoding="utf-8")
    made = subprocess.run([sys.executable, str(script), str(folder / "schema.usda"), str(folder)], check=False,
                          capture_output=True, text=True,
                          env=os.environ | {"PXR_AR_DEFAULT_SEARCH_PATH": os.pathsep.join(map(str, resources))})
    assert made.returncode == 0, made.stderr
    return folder


def specs(path: Path) -> dict[str, dict[str, str]]:
    """Every spec of a generatedSchema.usda with its fields, but for the brief of properties.

    USD's generator takes that from its sources for inherited properties and loses it for names of several parts.
    """
    layer = Sdf.Layer.OpenAsAnonymous(str(path))
    found = {}
    for prim in layer.rootPrims:
        for spec in (prim, *prim.properties):
            keys = set(spec.ListInfoKeys()) - ({"customData"} if spec is not prim else set())
            found[str(spec.path)] = {key: str(spec.GetInfo(key)) for key in sorted(keys)}
    return found


@pytest.mark.parametrize("library", ["physx", "omni_physics"])
def test_pixars_generator_builds_the_same_schema_from_ours(library: str, tmp_path: Path) -> None:
    folder = GENERATED if library == "physx" else GENERATED / library
    made = pixars(tmp_path, (folder / "schema.usda").read_text(encoding="utf-8"))
    ours, theirs = specs(folder / "generatedSchema.usda"), specs(made / "generatedSchema.usda")
    assert ours.keys() == theirs.keys() and len(ours) > 100
    for path, fields in theirs.items():
        assert ours[path] == fields, path
    types = [plugin(place / "plugInfo.json")["Info"]["Types"] for place in (folder, made)]
    assert types[0] == types[1]


def test_pixars_generator_builds_cpp_from_ours(tmp_path: Path) -> None:
    made = pixars(tmp_path, (GENERATED / "schema.usda").read_text(encoding="utf-8"))
    assert len([*made.glob("wrap*.cpp")]) == 82         # 81 classes and the tokens
    header = (made / "physxTendonAttachmentRootAPI.h").read_text(encoding="utf-8")
    assert "class PhysxSchemaPhysxTendonAttachmentRootAPI : public UsdAPISchemaBase" in header
    assert "UsdAttribute CreateStiffnessAttr(VtValue const &defaultValue" in header


def test_pixars_generator_makes_of_a_round_trip_what_it_makes_of_the_original(tmp_path: Path) -> None:
    (library,) = physx_codegen.load(EVERYTHING)
    original = pixars(tmp_path / "original", EVERYTHING.read_text(encoding="utf-8"))
    written = pixars(tmp_path / "written", write_usda.render(library))
    names = {path.name for path in original.iterdir()}
    assert names == {path.name for path in written.iterdir()} and len(names) > 30
    for name in names - {"schema.usda"}:
        assert (original / name).read_text(encoding="utf-8") == (written / name).read_text(encoding="utf-8"), name


def test_windows_line_ends_change_nothing(tmp_path: Path) -> None:
    (tmp_path / "schema.usda").write_bytes(EVERYTHING.read_bytes().replace(b"\n", b"\r\n"))
    assert converting.convert_files(tmp_path / "schema.usda") == converting.convert_files(EVERYTHING)


def test_names_have_letters_of_every_script_in_both_forms(tmp_path: Path) -> None:
    text = ('#usda 1.0\nover "GLOBAL" (\n customData = {\n  string libraryName = "türen"\n }\n) {}\n'
            'class "ÄrmelAPI" (\n inherits = </APISchemaBase>\n) {\n float ärmel:länge = 1\n}\n')
    (tmp_path / "schema.usda").write_text(text, encoding="utf-8")
    for name, content in converting.convert_files(tmp_path / "schema.usda").items():
        (tmp_path / "yaml").mkdir(exist_ok=True)
        (tmp_path / "yaml" / name).write_text(content, encoding="utf-8")
    assert "class \"ÄrmelAPI\"" in converting.convert_files(tmp_path / "yaml")["schema.usda"]


def test_two_forms_do_not_come_to_lie_in_one_folder(tmp_path: Path) -> None:
    definitions = tmp_path / "definitions"
    assert CliRunner().invoke(convert, [str(EVERYTHING), "--out", str(definitions)]).exit_code == 0
    before = sorted(definitions.iterdir())
    result = CliRunner().invoke(convert, [str(definitions), "--out", str(definitions)])
    assert result.exit_code == 2 and "definitions in another form; use another --out" in result.stderr
    assert sorted(definitions.iterdir()) == before
