"""`generate` on disk: writes only what changed, removes what is gone, touches nothing that is not its own.

The whole loop of a schema change in docs/guides/own_schema.md: its files are written, its commands run.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from physx_codegen import emit, generate_command
from physx_codegen.generate_command import generate_command as generate
from support.places import ROOT, SCHEMAS

SMALL = SCHEMAS / "small/schema"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(generate, [str(argument) for argument in arguments])


@pytest.fixture
def out(tmp_path: Path) -> Path:
    target = tmp_path / "toy"
    assert run("--from", SMALL, "--out", target).exit_code == 0
    return target


def test_a_new_folder_is_filled(out: Path) -> None:
    assert {path.name for path in out.iterdir()} >= {
        "__init__.py", "coil.py", "place.py", "tokens.py", "plugInfo.json", "generatedSchema.usda", "py.typed",
        "_base.py",
    }


def test_files_that_did_not_change_are_not_touched(out: Path) -> None:
    for path in out.iterdir():
        os.utime(path, (1, 1))
    (out / "coil.py").write_text(f"{emit.MARK}\nold\n", encoding="utf-8")
    result = run("--from", SMALL, "--out", out)
    assert result.exit_code == 0 and result.stdout == "" and "1 changed in" in result.stderr
    assert {path.name for path in out.iterdir() if path.stat().st_mtime > 1} == {"coil.py"}


def test_left_over_files_are_removed(out: Path) -> None:
    (out / "former.py").write_text(f"{emit.MARK}\nx = 1\n", encoding="utf-8")
    assert run("--from", SMALL, "--out", out, "--check").exit_code == 1
    assert run("--from", SMALL, "--out", out).exit_code == 0
    assert not (out / "former.py").exists()
    assert run("--from", SMALL, "--out", out, "--check").exit_code == 0


def test_check_prints_a_unified_diff_and_writes_nothing(out: Path) -> None:
    path = out / "coil.py"
    text = path.read_text(encoding="utf-8").replace("Length per turn", "Wrong")
    path.write_text(text, encoding="utf-8")
    (out / "place.py").unlink()
    result = run("--from", SMALL, "--out", out, "--check")
    assert result.exit_code == 1 and "run `physx-schema generate`" in result.stderr
    assert "--- coil.py\n+++ coil.py (regenerated)\n" in result.stdout
    assert "-        \"\"\"Wrong." in result.stdout and "+        \"\"\"Length per turn." in result.stdout
    assert "--- place.py (missing)\n" in result.stdout
    assert path.read_text(encoding="utf-8") == text and not (out / "place.py").exists()


def test_a_folder_of_others_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("precious = True\n", encoding="utf-8")
    for arguments in ((), ("--check",)):
        result = run("--from", SMALL, "--out", tmp_path, *arguments)
        assert result.exit_code == 2 and result.stdout == ""
        assert result.stderr == (
            f"{tmp_path}: the folder has files that were not generated: mine.py; move these files "
            "away, use an empty folder, or use the folder of an earlier output\n")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]


@pytest.mark.parametrize("name", ["mine.py", "defs/library.yaml", "schema.usda"])
def test_files_of_others_in_an_earlier_output_are_neither_removed_nor_replaced(out: Path, name: str) -> None:
    (out / name).parent.mkdir(exist_ok=True)
    (out / name).write_text("precious\n", encoding="utf-8")
    (out / "coil.py").write_text(f"{emit.MARK}\nold\n", encoding="utf-8")
    for arguments in ((), ("--check",)):
        result = run("--from", SMALL, "--out", out, *arguments)
        assert result.exit_code == 2
        assert f"the folder has files that were not generated: {name}; move these files" in result.stderr
    assert (out / name).read_text(encoding="utf-8") == "precious\n"
    assert (out / "coil.py").read_text(encoding="utf-8") == f"{emit.MARK}\nold\n"


def test_hidden_files_in_an_earlier_output_are_left_alone(out: Path) -> None:
    for name in (".gitignore", ".cache/entry", "__pycache__/coil.pyc"):
        (out / name).parent.mkdir(exist_ok=True)
        (out / name).write_text("precious\n", encoding="utf-8")
    assert run("--from", SMALL, "--out", out, "--check").exit_code == 0
    assert run("--from", SMALL, "--out", out).exit_code == 0
    assert (out / ".gitignore").is_file() and (out / ".cache/entry").is_file()


def test_a_write_that_fails_leaves_the_old_files(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (out / "coil.py").write_text(f"{emit.MARK}\nold\n", encoding="utf-8")
    (out / "place.py").write_text(f"{emit.MARK}\nold\n", encoding="utf-8")
    made = Path.write_text

    def full_disk(path: Path, text: str, **more: str) -> int:
        if path.name.startswith(".place."):
            raise OSError(28, "No space left on device")        # names no file, as a failing write does
        return made(path, text, **more)

    monkeypatch.setattr(Path, "write_text", full_disk)
    before = {path.name: path.read_bytes() for path in out.iterdir() if path.is_file()}
    result = run("--from", SMALL, "--out", out)
    assert result.exit_code == 2
    assert result.stderr == f"{out / 'place.py'}: cannot be written: No space left on device; free some space there\n"
    assert {path.name: path.read_bytes() for path in out.iterdir() if path.is_file()} == before


def test_a_file_that_cannot_be_completed_is_not_left_behind(tmp_path: Path) -> None:
    with pytest.raises(UnicodeEncodeError):
        emit.replace({tmp_path / "a.py": "\ud800"})
    assert list(tmp_path.iterdir()) == []


def test_schema_without_out_is_a_usage_error() -> None:
    result = run("--from", SMALL)
    assert result.exit_code == 2
    assert result.stderr == "generate: use --from and --out together, or run in a checkout of physx-schema\n"


def test_outside_a_checkout_one_line_says_what_to_give(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("physx_codegen.generate_command.__file__",
                        str(tmp_path / "lib/physx_codegen/generate_command.py"))
    monkeypatch.chdir(tmp_path)
    result = run()
    assert result.exit_code == 2
    assert result.stderr == "generate: use --from and --out together, or run in a checkout of physx-schema\n"


def test_the_checkout_around_the_working_directory_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "schema/toy").mkdir(parents=True)
    (tmp_path / "generated/physx_generated").mkdir(parents=True)
    for path in SMALL.iterdir():
        (tmp_path / "schema/toy" / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path / "schema")
    assert run().exit_code == 0
    assert (tmp_path / "generated/physx_generated/coil.py").is_file()


def test_a_folder_without_definitions_is_named(tmp_path: Path) -> None:
    result = run("--from", tmp_path, "--out", tmp_path / "out")
    assert result.exit_code == 3
    said = "holds no YAML files, no schema.usda and no plugInfo.json; use the folder with the definitions"
    assert said in result.stderr


def test_several_libraries_share_one_set_of_support_modules(tmp_path: Path) -> None:
    for name, package in (("first", "."), ("second", "second")):
        folder = tmp_path / "schema" / name
        folder.mkdir(parents=True)
        (folder / "library.yaml").write_text(
            f"name: {name.title()}\nplugin: {name}Schema\npackage: {package}\n", encoding="utf-8")
        (folder / "family.yaml").write_text(
            f"classes:\n- {{name: {name.title()}API, kind: single-apply, prefix: {name}}}\n", encoding="utf-8")
    out = tmp_path / "out"
    assert run("--from", tmp_path / "schema", "--out", out).exit_code == 0
    assert (out / "_base.py").is_file() and not (out / "second/_base.py").exists()
    assert "from .._base import SingleApplyAPI, define" in (out / "second/family.py").read_text(encoding="utf-8")
    assert "from ._base import SingleApplyAPI, define" in (out / "family.py").read_text(encoding="utf-8")


def two_libraries(schema: Path, header: str = "") -> Path:
    """Definitions of two libraries with a class each."""
    for name in ("first", "second"):
        folder = schema / name
        folder.mkdir(parents=True)
        classes = f"classes:\n- {{name: {name}API, kind: single-apply}}\n"
        text = f"name: {name.capitalize()}\nplugin: {name}Schema\n{header}{classes}"
        (folder / "library.yaml").write_text(text, encoding="utf-8")
    return schema


def test_several_libraries_without_a_root_package_are_packages_beside_each_other(tmp_path: Path) -> None:
    result = run("--from", two_libraries(tmp_path / "schema"), "--out", tmp_path / "out")
    assert result.exit_code == 0, result.stderr
    code = "import out.first, out.second; print(out.first.firstAPI.__name__, out.second.secondAPI.__name__)"
    used = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert used.stdout.split() == ["firstAPI", "secondAPI"], used.stderr
    assert run("--check", "--from", tmp_path / "schema", "--out", tmp_path / "out").exit_code == 0


def test_two_libraries_in_one_package_are_refused(tmp_path: Path) -> None:
    result = run("--from", two_libraries(tmp_path / "schema", "package: here\n"), "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "package 'here' is also the package of firstSchema; give each library another 'package'" in result.stderr


@pytest.mark.parametrize("package", ["../evil", "/evil", "class", "_base", "tokens", "a.b"])
def test_a_package_that_python_cannot_import_is_refused(tmp_path: Path, package: str) -> None:
    two_libraries(tmp_path / "schema")
    with (tmp_path / "schema/second/library.yaml").open("a", encoding="utf-8") as stream:
        stream.write(f"package: {package}\n")
    result = run("--from", tmp_path / "schema", "--out", tmp_path / "out")
    assert result.exit_code == 1 and not (tmp_path / "out").exists()
    assert f"package '{package}' cannot be a folder of the output; set 'package' to a name" in result.stderr


def test_an_output_among_the_definitions_is_told_from_them(tmp_path: Path) -> None:
    schema = two_libraries(tmp_path / "schema")
    assert run("--from", schema / "first", "--out", schema / "made").exit_code == 0
    result = run("--from", schema, "--out", tmp_path / "out")
    assert result.exit_code == 1 and "move generated files out of the folder of the definitions" in result.stderr


def test_reference_pages_come_along(out: Path) -> None:
    names = {path.name for path in (out / "reference").iterdir()}
    assert names == {"index.md", "coil.md", "place.md"}


def test_pages_can_go_elsewhere(tmp_path: Path) -> None:
    assert run("--from", SMALL, "--out", tmp_path / "toy", "--pages", tmp_path / "docs").exit_code == 0
    assert (tmp_path / "docs/index.md").is_file() and not (tmp_path / "toy/reference").exists()
    assert run("--from", SMALL, "--out", tmp_path / "toy", "--pages", tmp_path / "docs", "--check").exit_code == 0
    with (tmp_path / "docs/coil.md").open("a", encoding="utf-8") as stream:
        stream.write("edited\n")
    assert run("--from", SMALL, "--out", tmp_path / "toy", "--pages", tmp_path / "docs", "--check").exit_code == 1


def test_pages_can_go_into_a_folder_of_the_package(tmp_path: Path) -> None:
    arguments = ("--from", SMALL, "--out", tmp_path / "toy", "--pages", tmp_path / "toy/docs/pages")
    for _ in range(2):
        assert run(*arguments).exit_code == 0
    assert (tmp_path / "toy/docs/pages/index.md").is_file()
    assert run(*arguments, "--check").exit_code == 0


def test_a_package_among_its_pages_is_refused(tmp_path: Path) -> None:
    result = run("--from", SMALL, "--out", tmp_path / "docs/toy", "--pages", tmp_path / "docs")
    assert result.exit_code == 2
    assert "inside the folder of the reference pages; use another folder for --pages" in result.stderr
    assert not (tmp_path / "docs").exists()


def test_pages_do_not_go_into_a_folder_of_other_files(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/notes.md").write_text("mine\n", encoding="utf-8")
    result = run("--from", SMALL, "--out", tmp_path / "toy", "--pages", tmp_path / "docs")
    assert result.exit_code == 2 and "the folder has files that were not generated" in result.stderr
    assert not (tmp_path / "toy").exists()


def test_check_of_unchanged_files_does_not_generate_again(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("--from", SMALL, "--out", out, "--check").exit_code == 0
    monkeypatch.setattr(generate_command, "produce", lambda *_: pytest.fail("generated again"))
    assert run("--from", SMALL, "--out", out, "--check").exit_code == 0


def test_check_looks_again_once_a_file_changed(out: Path) -> None:
    assert run("--from", SMALL, "--out", out, "--check").exit_code == 0
    with (out / "coil.py").open("a", encoding="utf-8") as stream:
        stream.write("\n")
    assert run("--from", SMALL, "--out", out, "--check").exit_code == 1


def test_check_works_without_a_cache_folder(out: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert run("--from", SMALL, "--out", out, "--check").exit_code == 0


# --- changing a schema -----------------------------------------------------------------------------------------------

PAGE = ROOT / "docs/guides/own_schema.md"
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


def blocks() -> list[tuple[str, str, str]]:
    """Language, file name and text of every code block."""
    return [(found[1], found[2] or "", found[3]) for found in BLOCK.finditer(PAGE.read_text(encoding="utf-8"))]


def console(text: str) -> list[tuple[str, str]]:
    """Each command and what it prints."""
    parts = re.split(r"^\$ (.*)\n", text, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


@pytest.fixture
def program(tmp_path: Path) -> dict[str, str]:
    """An environment in which `physx-schema` and `python` are those of this checkout."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, code in (("python", ""), ("physx-schema", " -c 'from physx_schema.cli import main; main()'")):
        (tools / name).write_text(f'#!/bin/sh\nexec "{sys.executable}"{code} "$@"\n', encoding="utf-8")
        (tools / name).chmod(0o755)
    path = os.pathsep.join(filter(None, sys.path))
    return os.environ | {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": path}


def test_every_command_of_the_page_does_what_the_page_says(tmp_path: Path, program: dict[str, str]) -> None:
    project = tmp_path / "project"
    project.mkdir()
    ran = 0
    for language, name, text in blocks():
        if name:
            (project / name).parent.mkdir(exist_ok=True)
            (project / name).write_text(text, encoding="utf-8")
        for command, printed in console(text) if language == "console" else ():
            result = subprocess.run(command, shell=True, cwd=project, env=program, text=True, check=False,
                                    capture_output=True)
            code = f"[exit {result.returncode}]\n" if result.returncode else ""
            said = result.stderr.replace(f"{project}{os.sep}", "") + result.stdout + code
            assert said.rstrip() == printed.rstrip(), command
            ran += 1
    assert ran == 10
