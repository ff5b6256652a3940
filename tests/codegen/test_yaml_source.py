"""Definitions that would end the program, or that readers of YAML differ about, cost a line each and write nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner
from physx_codegen.generate_command import generate_command as command
from physx_codegen.yaml_source import Source

DEEP = 20_000
CLASS = """name: Toy
plugin: toy
classes:
- name: ToyAPI
  kind: single-apply
  prefix: toy
  doc: A toy.
  attributes:
  - {{name: size, type: double, default: {default}, doc: How large.}}
"""
AMBIGUOUS = ("1:30", "1:30.5", "190:20:30", "010", "0o17", "08", "1_000", "0b11", "0x_f", "yes", "No", "on", "OFF",
             "2001-01-01", "2001-01-01T00:00:00Z", "=", "<<")
ALIKE = {"1": 1, "-2": -2, "0": 0, "+3": 3, "0x1F": 31, "1.5": 1.5, "-1e6": -1e6, "1.e-3": 1e-3, ".5": 0.5,
         "true": True, "False": False, "null": None, "~": None, "y": "y", "n": "n", "1:x": "1:x", "nan": "nan",
         "inf": "inf", "1.2.3": "1.2.3", "'yes'": "yes", '"010"': "010"}
NESTED = {"lists": "x: " + "[" * DEEP + "]" * DEEP, "mappings": "x: " + "{a: " * DEEP + "}" * DEEP,
          "dashes": "x:\n" + "- " * DEEP + "a", "unclosed": "x: " + "[" * DEEP,
          "indentation": "".join(f"{' ' * i}a:\n" for i in range(1000))}


def said(folder: Path) -> tuple[int, list[str]]:
    """The exit code, and the lines that are said; nothing may be written."""
    result = CliRunner().invoke(command, ["--from", str(folder), "--out", str(folder.parent / "out")])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert not (folder.parent / "out").exists() and result.stdout == ""
    return result.exit_code, result.stderr.splitlines()


def definitions(folder: Path, default: str) -> Path:
    (folder / "in").mkdir()
    (folder / "in" / "toy.yaml").write_text(CLASS.format(default=default), encoding="utf-8")
    return folder / "in"


@pytest.mark.parametrize("text", AMBIGUOUS)
def test_what_yaml_1_1_and_1_2_read_differently_is_refused(text: str) -> None:
    (problem,) = Source(f"a: {text}").problems
    assert problem[0] == 1 and problem[1].startswith(f"'{text}' has different meanings in YAML 1.1 and YAML 1.2; ")


@pytest.mark.parametrize("text", ALIKE)
def test_what_both_read_alike_is_that(text: str) -> None:
    source = Source(f"a: {text}")
    assert (source.root.values["a"], source.problems) == (ALIKE[text], [])


@pytest.mark.parametrize("digits", [400, 5000])
@pytest.mark.parametrize("end", ["", ".5", "e9"])
def test_a_number_of_hundreds_of_digits_is_one_line(digits: int, end: str, tmp_path: Path) -> None:
    code, lines = said(definitions(tmp_path, "9" * digits + end))
    assert (code, len(lines)) == (1, 1) and "toy.yaml:9: 9999" in lines[0] and len(lines[0]) < len(str(tmp_path)) + 200


def test_a_bound_of_hundreds_of_digits_is_one_line(tmp_path: Path) -> None:
    code, lines = said(definitions(tmp_path, f"1, range: '[0, {'9' * 400}]'"))
    assert (code, len(lines)) == (1, 1) and "is beyond the largest number; write inf or -inf" in lines[0]


@pytest.mark.parametrize("character", ["\\e", "a\\u0085b", "\\u202e"])
def test_a_control_character_is_an_escape_in_the_line(character: str, tmp_path: Path) -> None:
    code, lines = said(definitions(tmp_path, f'1, range: "{character}"'))
    assert (code, len(lines)) == (1, 1) and "\\" in lines[0] and lines[0].isprintable()


@pytest.mark.parametrize("kind", NESTED)
def test_nesting_is_one_line(kind: str, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "toy.yaml").write_text(NESTED[kind], encoding="utf-8")
    code, lines = said(tmp_path / "in")
    assert (code, len(lines)) == (3, 1) and "nests more than 50 lists and mappings; " in lines[0]


@pytest.mark.parametrize("name", ["toy.yaml", "schema.usda"])
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/zero")],
                         ids=["pipe", "folder", "device"])
def test_what_is_no_regular_file_is_not_read(name: str, make: object, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    make(tmp_path / "in" / name)                # type: ignore[operator]
    code, lines = said(tmp_path / "in")
    assert code in (1, 3) and len(lines) == 1


def test_a_schema_usda_that_ends_usd_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    nested = "".join('def "a" { #}\n' for _ in range(100_000))
    (tmp_path / "in" / "schema.usda").write_text("#usda 1.0\n" + nested, encoding="utf-8")
    code, lines = said(tmp_path / "in")
    assert (code, len(lines)) == (3, 1) and "schema.usda:1: USD crashes while it reads the file (SIG" in lines[0]


def test_a_generated_schema_that_usd_does_not_end_reading_is_a_line(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "plugInfo.json").write_text('{"Plugins": [{"Name": "toy", "Type": "resource", "Info": {"Types": '
                                          '{"ToyAPI": {"schemaKind": "singleApplyAPI"}}}}]}')
    (folder / "generatedSchema.usda").write_text("#usda 1.0\n" + 'def "a" {\n' * 200_000)
    code, lines = said(folder)
    assert (code, len(lines)) == (3, 1) and "generatedSchema.usda:1: USD " in lines[0]
