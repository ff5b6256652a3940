"""Nothing is written that USD cannot read or Python cannot import; the fault names the definition it comes from."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from physx_codegen import generate_command, installed_schemas
from physx_codegen.generate_command import generate_command as generate
from physx_codegen.model import Library
from pxr import Sdf

HEADER = "name: Toy\nplugin: toyPlugin\nschemas: [usd]\n"
COIL = """classes:
- name: ToyCoilAPI
  kind: single-apply
  prefix: toy
  attributes:
  - {name: turns, type: int, default: 3}
  - {name: rate, type: float}
"""
Spoil = Callable[[dict[str, str]], None]


def made(folder: Path, text: str, name: str = "toy") -> Result:
    """Generate from one YAML file into a folder beside it."""
    (folder / "schema").mkdir(exist_ok=True)
    (folder / "schema/library.yaml").write_text(HEADER + text, encoding="utf-8")
    return CliRunner().invoke(generate, ["--from", str(folder / "schema"), "--out", str(folder / name)])


def python(folder: Path, code: str) -> str:
    """What code prints that uses the package."""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False,
                          env=os.environ | {"PYTHONPATH": str(folder)})
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("comment", ["bare", 'with "quotes"', "two\\nlines", "'''", "\\\\"])
def test_a_comment_of_a_property_reaches_the_registry_s_file(comment: str, tmp_path: Path) -> None:
    text = COIL.replace("default: 3", f"default: 3, metadata: {{string comment: {yaml_text(comment)}}}")
    assert made(tmp_path, text).exit_code == 0
    layer = Sdf.Layer.OpenAsAnonymous(str(tmp_path / "toy/generatedSchema.usda"))
    wanted = comment.replace("\\n", "\n").replace("\\\\", "\\")
    assert layer.GetPropertyAtPath("/ToyCoilAPI.toy:turns").GetInfo("comment") == wanted


def yaml_text(text: str) -> str:
    return '"' + text.replace('"', '\\"') + '"'


def test_a_comment_of_a_prim_type_is_written_without_a_key(tmp_path: Path) -> None:
    assert made(tmp_path, "classes:\n- {name: Spool, kind: typed, metadata: {string comment: round}}\n").exit_code == 0
    layer = Sdf.Layer.OpenAsAnonymous(str(tmp_path / "toy/generatedSchema.usda"))
    assert layer.GetPrimAtPath("/Spool").GetInfo("comment") == "round"


def test_an_api_that_derives_from_one_of_usd_that_is_not_applied_has_the_methods_of_both(tmp_path: Path) -> None:
    attributes = "attributes: [{name: toy:rate, type: float}]"
    text = f"classes:\n- {{name: ToyClipsAPI, kind: non-applied, base: ClipsAPI, {attributes}}}\n"
    assert made(tmp_path, text).exit_code == 0
    code = ("import toy; from pxr import Usd\nstage = Usd.Stage.CreateInMemory()\n"
            "prim = stage.DefinePrim('/a')\nview = toy.ToyClipsAPI(prim)\nview.CreateToyRateAttr(2.0)\n"
            "view.SetClipPrimPath('/b')\n"
            "print(bool(view), bool(toy.ToyClipsAPI()), view.GetToyRateAttr().Get(), view.GetClipPrimPath())\n"
            "print(isinstance(view, Usd.ClipsAPI), Usd.SchemaRegistry.FindSchemaInfo('ToyClipsAPI') is not None)")
    assert python(tmp_path, code) == "True False 2.0 /b\nTrue True\n"


def test_classes_without_properties_can_be_imported(tmp_path: Path) -> None:
    for name, base in (("first", ""), ("second", ", base: firstAPI")):
        (tmp_path / "schema" / name).mkdir(parents=True)
        (tmp_path / "schema" / name / "library.yaml").write_text(
            f"name: {name.title()}\nplugin: {name}Plugin\nclasses:\n- {{name: {name}API, kind: non-applied{base}}}\n",
            encoding="utf-8")
    result = CliRunner().invoke(generate, ["--from", str(tmp_path / "schema"), "--out", str(tmp_path / "toy")])
    assert result.exit_code == 0, result.output
    code = "import toy.first, toy.second; print(toy.second.secondAPI.__bases__ == (toy.first.firstAPI,))"
    assert python(tmp_path, code) == "True\n"


def test_a_base_of_a_plugin_without_python_classes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert made(tmp_path, "classes:\n- {name: ToyPlainAPI, kind: non-applied}\n", "other").exit_code == 0
    monkeypatch.setenv("PXR_PLUGINPATH_NAME", str(tmp_path / "other"))
    installed_schemas.installed.cache_clear()
    text = HEADER.replace("toyPlugin", "more").replace("Toy", "More")
    (tmp_path / "schema/library.yaml").write_text(
        f"{text}classes:\n- {{name: MoreAPI, kind: non-applied, base: ToyPlainAPI}}\n", encoding="utf-8")
    result = CliRunner().invoke(generate, ["--from", str(tmp_path / "schema"), "--out", str(tmp_path / "toy")])
    installed_schemas.installed.cache_clear()
    assert result.exit_code == 1 and not (tmp_path / "toy").exists()
    message = "library.yaml:5: base 'ToyPlainAPI' belongs to a plugin without Python classes; generate both"
    assert message in result.stderr


def test_a_name_that_a_schema_of_usd_has_is_refused(tmp_path: Path) -> None:
    result = made(tmp_path, "classes:\n- {name: Mesh, kind: typed}\n")
    assert result.exit_code == 1
    assert "library.yaml:5: class 'Mesh' is a schema of USD's usdGeom; give it another name" in result.stderr


def broken(name: str, old: str, new: str) -> Spoil:
    """Replace text of one generated file."""

    def spoil(files: dict[str, str]) -> None:
        assert old in files[name]
        files[name] = files[name].replace(old, new)

    return spoil


FAULTS: dict[str, tuple[Spoil, int, str]] = {
    "usda": (broken("generatedSchema.usda", "float toy:rate", "float = toy:rate"), 10, "generatedSchema.usda:"),
    "source usda": (broken("schema.usda", "int toy:turns = 3", "int toy:turns = 3 = 4"), 9, "schema.usda:"),
    "syntax": (broken("library.py", "def GetTurnsAttr(self)", "def GetTurnsAttr(self"), 5, "invalid syntax"),
    "import": (broken("library.py", "class ToyCoilAPI(SingleApplyAPI)", "class ToyCoilAPI(Missing)"), 5, "NameError"),
    "plugin": (broken("plugInfo.json", '"schemaIdentifier": "ToyCoilAPI"', '"schemaIdentifier": "OtherAPI"'), 5,
               "the schema registry has no ToyCoilAPI"),
    "property": (broken("generatedSchema.usda", "float toy:rate", "float toy:rat"), 10,
                 "the schema registry has no property toy:rate of ToyCoilAPI"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_generator_is_one_line_and_nothing_is_written(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    spoil, line, said = FAULTS[fault]
    assemble = generate_command.assemble

    def spoiled(found: Sequence[tuple[str, Library]]) -> dict[str, str]:
        files = assemble(found)
        spoil(files)
        return files

    monkeypatch.setattr(generate_command, "assemble", spoiled)
    result = made(tmp_path, COIL)
    assert result.exit_code == 1 and not (tmp_path / "toy").exists()
    (report,) = result.stderr.splitlines()
    assert f"library.yaml:{line}: " in report and said in report and "report this as a bug" in report


def test_an_earlier_version_on_the_plugin_path_is_not_taken_for_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert made(tmp_path, COIL, "old").exit_code == 0
    monkeypatch.setenv("PXR_PLUGINPATH_NAME", str(tmp_path / "old"))
    result = made(tmp_path, f"{COIL}  - {{name: length, type: float}}\n", "new")
    assert result.exit_code == 0, result.stderr


def test_what_is_up_to_date_is_not_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert made(tmp_path, COIL).exit_code == 0
    monkeypatch.setattr(generate_command, "prove", lambda *_: pytest.fail("tried again"))
    assert made(tmp_path, COIL).exit_code == 0


def test_without_usd_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("physx_codegen.proof.importlib.util.find_spec", lambda name: None)
    result = made(tmp_path, COIL)
    assert result.exit_code == 2 and not (tmp_path / "toy").exists()
    assert result.stderr.startswith("USD is not installed") and result.stderr.count("\n") == 1
