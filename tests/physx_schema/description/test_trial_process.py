"""Files that are no stages, or not whole: exit code 3 and one line, and never the end of the process."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from pxr import Usd
from support.stages.robots import finger
from support.usd_versions import needs_own_words

from physx_schema import check
from physx_schema.command_line.program import program
from physx_schema.description import describe, stages
from physx_schema.errors import UnreadableError

HEAD = "#usda 1.0\n"
DEEP = 100_000


def call(command: str, path: Path) -> Result:
    return CliRunner().invoke(program(), [command, str(path)])


def deep(depth: int) -> str:
    return HEAD + 'def "a"\n{\n' * depth + "}\n" * depth


def truncated(path: Path) -> None:
    """Half of a binary stage."""
    stage = Usd.Stage.CreateInMemory("small.usdc")
    for number in range(20):
        stage.DefinePrim(f"/a{number}", "PhysicsRevoluteJoint")
    stage.GetRootLayer().Export(str(path))
    path.write_bytes(path.read_bytes()[:path.stat().st_size // 2])


UNREADABLE: dict[str, tuple[str, str | bytes, str]] = {   # name of the case: file, content, what the line says
    "41 prims": ("a.usda", deep(DEEP), "USD crashes while it reads it (SIGSEGV)"),
    "42 parentheses": ("a.usda", HEAD + "(" * 200_000, "2:2: Expected )"),
    "42 lists": ("a.usda", HEAD + 'def "a"\n{\nfloat[] x = ' + "[" * 200_000, "USD crashes while it reads it"),
    "44 text": ("a.usda", HEAD.encode() + b'def "a"\n{\nstring x = "\xff"\n}\n', "not valid UTF-8 text at byte 32"),
    "44 name": ("a.usda", HEAD.encode() + b'def "a\xff" {}\n', "not valid UTF-8 text at byte 16"),
    "44 nul": ("a.usda", HEAD + 'def "a\0" {}\n', "a NUL character in the text at byte 16"),
    "44 mark": ("a.usda", b"\xef\xbb\xbf" + HEAD.encode(), "UTF-8 BOM"),
    "45 empty": ("a.usda", "", "the file is empty"),
    "45 magic": ("a.usda", "#usdb 1.0\n", "not a valid usda layer"),
    "45 crate": ("a.usdc", b"PXR-USDC" + b"\0" * 100, "obsolete version"),
    "45 package": ("a.usdz", b"PK\x03\x04" + b"\0" * 100, "not a USD file"),
    "45 cut": ("a.usda", HEAD + 'def "a"\n{\n', "Expected }"),
    "46 twice": ("a.usda", HEAD + 'def "a" {}\ndef "a" {}\n', "3:5: Duplicate prim 'a'"),
    "46 name": ("a.usda", HEAD + 'def "1a" {}\n', "2:5: '1a' is not a valid prim name"),
}


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=needs_own_words if name in ("44 mark", "45 crate") else ()) for name in UNREADABLE])
@pytest.mark.parametrize("command", ["describe", "check"])
def test_unreadable_file_exits_3_with_one_line(name: str, command: str, tmp_path: Path) -> None:
    file, content, says = UNREADABLE[name]
    path = tmp_path / file
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    result = call(command, path)
    (line,) = result.stderr.splitlines()
    assert (result.exit_code, result.stdout) == (3, "")
    assert line.startswith(f"{path}: ") and says in line
    assert len(line) < len(str(path)) + 250


@pytest.mark.parametrize(("content", "says"), [
    ("#usdb 1.0\n", "not a valid usda layer"), (HEAD + 'def "1a" {}\n', "2:5: '1a' is not a valid prim name"),
])
def test_relative_path_is_named_once_as_given(
    content: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "a.usda").write_text(content)
    monkeypatch.chdir(tmp_path)
    result = call("check", Path("a.usda"))
    assert result.stderr.startswith(f"a.usda: {says}") and str(tmp_path) not in result.stderr


@pytest.mark.parametrize(("make", "says"), [
    (truncated, "corrupt, possibly truncated"), (Path.mkdir, "a directory, not a USD file"),
    (os.mkfifo, "not a regular file"), (lambda path: None, "no such file"),
])
def test_what_is_no_file_exits_3(make: Callable[[Path], None], says: str, tmp_path: Path) -> None:
    path = tmp_path / "a.usdc"
    make(path)
    result = call("check", path)
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (3, "", 1)
    assert says in result.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_file_without_permission_exits_3(tmp_path: Path) -> None:
    path = tmp_path / "a.usda"
    path.write_text(HEAD)
    path.chmod(0)
    assert call("check", path).exit_code == 3


@pytest.mark.parametrize("depth", [500, 3000])
def test_deep_prims_are_read(depth: int, tmp_path: Path) -> None:
    path = tmp_path / "a.usda"
    path.write_text(deep(depth))
    assert call("describe", path).exit_code == 0


def test_control_characters_that_usd_quotes_are_escapes(tmp_path: Path) -> None:
    path = tmp_path / "a.usda"
    path.write_text(HEAD + 'def "a"\n{\n    float size = 1\x08 float width = 2\n}\n')
    with pytest.raises(UnreadableError) as caught:
        check(path)
    assert str(caught.value).isprintable() and "\\x08" in str(caught.value)


def test_deep_dictionaries_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.usda"
    path.write_text(f"{HEAD}(\ncustomLayerData = {{{'dictionary a = {' * 20_000}{'}' * 20_000}}}\n)\n")
    assert call("check", path).exit_code == 0


def test_windows_line_ends_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.usda"
    path.write_bytes(finger().replace("\n", "\r\n").encode())
    assert len(describe(path).articulations) == 1


def test_deep_layer_of_a_reference_is_refused(tmp_path: Path) -> None:
    (tmp_path / "deep.usda").write_text(deep(DEEP))
    path = tmp_path / "a.usda"
    path.write_text(f'{HEAD}def "a" (references = @./deep.usda@</a>) {{}}\n')
    with pytest.raises(UnreadableError, match=r"a\.usda: USD crashes while it reads .*deep\.usda"):
        check(path)


def test_deep_layer_of_a_package_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.usdz"
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("a.usda", deep(DEEP))
    with pytest.raises(UnreadableError, match="USD crashes while it reads it"):
        check(path)


def test_text_over_the_limit_is_refused_before_it_is_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "LARGEST_TEXT", 10)
    path = tmp_path / "a.usda"
    path.write_text(finger())
    with pytest.raises(UnreadableError, match=r"MB of text, more than .* convert the file to \.usdc"):
        describe(path)


def test_many_prims_without_physics_take_little_memory() -> None:
    code = ("import resource; from pxr import Sdf, Usd; from physx_schema.description import describe\n"
            "layer = Sdf.Layer.CreateAnonymous('.usda')\n"
            "with Sdf.ChangeBlock():\n"
            "    for i in range(100_000): Sdf.CreatePrimInLayer(layer, f'/a{i // 1000}/b{i % 1000}')\n"
            "    for path in list(layer.rootPrims): path.specifier = Sdf.SpecifierDef\n"
            "stage = Usd.Stage.Open(layer)\n"
            "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
            "describe(stage)\n"
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 100_000       # kB


# --- groups 47 and 48: what does not compose ---


@pytest.mark.parametrize(("content", "path", "name"), [
    ('def "a" (references = @./none.usda@) {}\n', "/a", "references"),
    ('def "a" (references = @https://example.invalid/x.usda@) {}\n', "/a", "references"),
    ('def "a" (references = </a>) {}\n', "/a", "references"),
    ('def "a" (payload = @./none.usda@) {}\n', "/a", "payload"),
    ('def "a" (inherits = </b>) {}\ndef "b" (inherits = </a>) {}\n', "/b", "inherits"),
    ('def "a" (specializes = </b>) {}\ndef "b" (specializes = </a>) {}\n', "/b", "specializes"),
])
def test_what_does_not_compose_is_found_and_the_rest_is_read(
    content: str, path: str, name: str, tmp_path: Path,
) -> None:
    file = tmp_path / "a.usda"
    file.write_text(finger({"uniform token physics:axis": "W"}) + content)
    found = {(item.code, item.path, item.property) for item in check(file).findings}
    assert {("stage/composition", path, name), ("value/token", "/Robot/j", "physics:axis")} <= found


def test_layer_from_outside_the_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "out.usda").write_text(HEAD + 'def "a" {}\n')
    folder = tmp_path / "in"
    folder.mkdir()
    path = folder / "a.usda"
    path.write_text(f'{HEAD}def "a" (references = @../out.usda@</a>) {{}}\n')
    (finding,) = (item for item in check(path).findings if item.code == "stage/outside-layer")
    assert str(tmp_path / "out.usda") in finding.message
