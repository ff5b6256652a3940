"""`physx-schema migrate`: what it prints, writes and refuses, and its exit codes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from pxr import Sdf, Tf, Usd, UsdUtils

from physx_schema.command_line.program import program
from physx_schema.migration import layer_files

JOINT = """#usda 1.0

def PhysicsRevoluteJoint "j" (
    prepend apiSchemas = ["PhysxJointAPI"]
)
{
    float physxJoint:armature = 0.5
}

"""
MIGRATED = JOINT.replace("PhysxJointAPI", "PhysxJointAxisAPI:angular").replace(
    "physxJoint:armature", "physxJointAxis:angular:armature")
FRICTION = JOINT.replace("}", "    float physxJoint:jointFriction = 0.1\n}")

MISSING = "no such file; use a .usda, .usdc, .usd or .usdz file, or a robot as .urdf or MJCF .xml"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return written(tmp_path / "arm.usda", JOINT)


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(program(), ["migrate", *map(str, arguments)])


def idle(path: Path) -> list[str]:
    """What is said of a joint between nothing, whose values count for nothing before and after."""
    return [f"{path}: /j.physxJointAxis:angular:armature: note: PhysX does not read the value on this stage: PhysX "
            "does not create the joint: both sides of the joint are the world",
            "    fix: author the value on a prim where PhysX reads it, or remove the value"]


def test_a_layer_that_references_itself_is_migrated(tmp_path: Path) -> None:
    text = JOINT + 'def Xform "twin" (\n    prepend references = </j>\n)\n{\n}\n'
    path = written(tmp_path / "twins.usda", text)
    result = run(path, "--write")
    assert "internal error" not in result.stderr
    assert "physxJointAxis:angular:armature" in path.read_text(encoding="utf-8")


def test_without_an_option_the_change_is_shown_and_nothing_written(path: Path) -> None:
    result = run(path)
    assert result.exit_code == 1 and path.read_text(encoding="utf-8") == JOINT
    assert result.stdout.splitlines() == [
        f"--- {path}", f"+++ {path} (migrated)", "@@ -1,9 +1,9 @@", " #usda 1.0", " ",
        ' def PhysicsRevoluteJoint "j" (', '-    prepend apiSchemas = ["PhysxJointAPI"]',
        '+    prepend apiSchemas = ["PhysxJointAxisAPI:angular"]', " )", " {", "-    float physxJoint:armature = 0.5",
        "+    float physxJointAxis:angular:armature = 0.5", " }", " ",
        *idle(path), "1 layer, 1 would change: 2 changes, 0 conflicts, 0 left",
    ]


def test_write_changes_the_file_and_exits_0(path: Path) -> None:
    result = run(path, "--write", "--to", "25.11.2")
    assert (result.exit_code, path.read_text(encoding="utf-8")) == (0, MIGRATED)
    assert result.stdout.splitlines() == [
        *idle(path), f"wrote {path}", "1 layer, 1 written: 2 changes, 0 conflicts, 0 left"]
    assert [item.name for item in path.parent.iterdir()] == ["arm.usda"]


def test_a_second_write_does_not_touch_the_file(path: Path) -> None:
    run(path, "--write")
    os.utime(path, (1, 1))
    result = run(path, "--write")
    assert (result.exit_code, path.stat().st_mtime) == (0, 1)
    assert result.stdout == "1 layer, 0 written: 0 changes, 0 conflicts, 0 left\n"


def test_what_is_left_is_named_with_what_to_do_and_exits_1(path: Path) -> None:
    written(path, FRICTION)
    result = run(path, "--write")
    assert result.exit_code == 1
    assert f"{path}: /j.physxJoint:jointFriction: left: " in result.stdout and "    fix: use " in result.stdout
    assert "physxJoint:jointFriction = 0.1" in path.read_text(encoding="utf-8")


def test_json_has_every_note(path: Path) -> None:
    content = json.loads(run(path, "--json").stdout)
    assert content["version"] == 1 and content["written"] == []
    assert content["layers"] == [{"path": str(path), "changed": True}]
    assert content["notes"][1] == {
        "layer": str(path), "path": "/j", "property": "physxJoint:armature", "kind": "moved",
        "message": "physxJoint:armature -> physxJointAxis:angular:armature", "fix": "",
        "became": ["physxJointAxis:angular:armature"],
    }


@pytest.mark.parametrize(("suffix", "crate"), [(".usdc", True), (".usd", True), (".usd", False)])
def test_files_keep_their_format(path: Path, suffix: str, crate: bool) -> None:
    target = path.with_suffix(suffix)
    Sdf.Layer.FindOrOpen(str(path)).Export(str(target), args={"format": "usdc" if crate else "usda"})
    path.unlink()
    target.chmod(0o640)
    assert run(target, "--write").exit_code == 0
    assert layer_files.is_crate(target) == crate and target.stat().st_mode & 0o777 == 0o640
    assert Usd.Stage.Open(str(target)).GetPrimAtPath("/j").GetAttribute("physxJointAxis:angular:armature").Get() == 0.5


def test_every_layer_of_the_stage_is_written(path: Path) -> None:
    root = written(path.with_name("root.usda"), '#usda 1.0\n(\nsubLayers = [@./arm.usda@]\n)\nover "j"\n'
                   "{\nfloat physxJoint:maxJointVelocity = 90\n}\n")
    assert run(root, "--write").exit_code == 0
    assert path.read_text(encoding="utf-8") == MIGRATED
    assert "physxJointAxis:angular:maxJointVelocity = 90" in root.read_text(encoding="utf-8")


def test_an_open_stage_sees_what_was_written(path: Path) -> None:
    stage = Usd.Stage.Open(str(path))
    run(path, "--write")
    assert stage.GetPrimAtPath("/j").GetAttribute("physxJointAxis:angular:armature").Get() == 0.5


def test_output_is_a_copy_whose_relative_paths_still_lead_to_the_same_files(path: Path) -> None:
    written(path.with_name("part.usda"), '#usda 1.0\ndef "part"\n{\nint found = 1\n}\n')
    written(path, JOINT + 'def "p" (references = @./part.usda@</part>)\n{\n}\n')
    before = path.read_text(encoding="utf-8")
    target = path.parent / "new" / "copy.usda"
    result = run(path, "-o", target)
    assert (result.exit_code, path.read_text(encoding="utf-8")) == (0, before)
    stage = Usd.Stage.Open(str(target))
    assert stage.GetPrimAtPath("/p").GetAttribute("found").Get() == 1
    assert stage.GetPrimAtPath("/j").HasAttribute("physxJointAxis:angular:armature")


def test_output_for_several_stages_is_a_folder(path: Path) -> None:
    other = written(path.with_name("leg.usda"), JOINT)
    assert run(path, other, "-o", path.parent / "new").exit_code == 0
    assert sorted(item.name for item in (path.parent / "new").iterdir()) == ["arm.usda", "leg.usda"]


def test_output_says_which_other_layers_need_migration(path: Path) -> None:
    root = written(path.with_name("root.usda"), "#usda 1.0\n(\nsubLayers = [@./arm.usda@]\n)\n")
    result = run(root, "-o", path.with_name("copy.usda"))
    assert result.exit_code == 1
    assert f"{path}: the layer needs migration too and is not part of the copy" in result.stdout


def test_output_over_a_file_is_refused(path: Path) -> None:
    result = run(path, "-o", path)
    assert (result.exit_code, path.read_text(encoding="utf-8")) == (2, JOINT)
    assert "a file of the stage" in result.stderr


def test_two_stages_of_one_name_are_not_written_over_each_other(path: Path) -> None:
    (path.parent / "other").mkdir()
    other = written(path.parent / "other" / "arm.usda", JOINT)
    result = run(path, other, "-o", path.parent / "new")
    assert result.exit_code == 2 and "two stages have this name" in result.stderr
    assert not (path.parent / "new").exists()


@pytest.mark.parametrize("name", ["copy.usdz", "copy.txt", "copy"])
def test_output_that_is_no_layer_is_refused(path: Path, name: str) -> None:
    result = run(path, "-o", path.with_name(name))
    assert result.exit_code == 2 and "a name that ends in .usda" in result.stderr


def test_no_copy_is_made_of_a_package(path: Path) -> None:
    package = path.with_name("arm.usdz")
    assert UsdUtils.CreateNewUsdzPackage(str(path), str(package))
    result = run(package, "-o", path.with_name("copy.usda"))
    assert result.exit_code == 1 and "in a package" in result.stdout
    assert not path.with_name("copy.usda").exists()


def test_layers_in_a_package_are_left_and_named(path: Path) -> None:
    package = path.with_name("arm.usdz")
    assert UsdUtils.CreateNewUsdzPackage(str(path), str(package))
    before = package.read_bytes()
    result = run(package, "--write")
    assert (result.exit_code, package.read_bytes()) == (1, before)
    assert "the layer is in a package; unpack the package" in result.stdout


def test_a_failed_rename_leaves_every_file_as_it_was(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = written(path.with_name("root.usda"), "#usda 1.0\n(\nsubLayers = [@./arm.usda@]\n)\n" + JOINT[10:].replace(
        '"j"', '"k"'))
    before = {item: item.read_bytes() for item in path.parent.iterdir()}
    made = layer_files.export

    def full_disk(layer: Sdf.Layer, place: Path, crate: bool) -> None:
        if place.name.startswith(".root."):
            raise OSError(28, "No space left on device", str(place))
        made(layer, place, crate)

    monkeypatch.setattr(layer_files, "export", full_disk)
    result = run(root, "--write")
    assert result.exit_code == 2
    remedy = "use a writable folder with enough space"
    assert result.stderr == f"{root}: cannot be written: No space left on device; {remedy}\n"
    assert {item: item.read_bytes() for item in path.parent.iterdir()} == before


def test_what_usd_cannot_export_leaves_no_file_and_keeps_its_reason(path: Path) -> None:
    class Full:
        def Export(self, name: str, args: object) -> None:  # noqa: N802 - USD's name
            Tf.RaiseRuntimeError(f"Error occurred writing {name}: No space left on device")

    with pytest.raises(OSError, match="could not export the layer: No space left on device") as caught:
        layer_files.export(Full(), path, crate=False)
    assert caught.value.filename == str(path) and list(path.parent.iterdir()) == [path]


def test_a_folder_that_cannot_be_made_is_a_usage_error(path: Path) -> None:
    result = run(path, "-o", path / "new/copy.usda")
    assert result.exit_code == 2 and "cannot be written: Not a directory; use a writable folder" in result.stderr


def test_other_layers_of_a_package_are_not_sent_to_write(path: Path) -> None:
    root = written(path.with_name("root.usda"), "#usda 1.0\n(\nsubLayers = [@./arm.usda@]\n)\n")
    package = path.with_name("root.usdz")
    assert UsdUtils.CreateNewUsdzPackage(str(root), str(package))
    result = run(package, "-o", path.with_name("copy.usda"))
    assert f"{package}[arm.usda]: the layer is in a package; unpack the package" in result.stdout
    assert "--write" not in result.stdout
    assert "0 written" in result.stdout


def test_comments_that_usd_would_drop_are_announced(path: Path) -> None:
    written(path, JOINT.replace("{\n", "{\n    # measured on the bench\n"))
    line = JOINT[:JOINT.index("{")].count("\n") + 2
    result = run(path)
    said = f"{path}: /: note: USD rewrites the whole file and drops a comment on line {line}"
    assert said in result.stdout.splitlines() and result.exit_code == 1


def test_missing_stage_exits_3(tmp_path: Path) -> None:
    result = run(tmp_path / "none.usda")
    assert (result.exit_code, result.stdout, result.stderr) == (3, "", f"{tmp_path / 'none.usda'}: {MISSING}\n")


@pytest.mark.parametrize("options", [
    ("--to", "latest"), ("--write", "-o", "x.usda"), ("--package", "no_such_package"), ("--package", "json"),
])
def test_wrong_usage_exits_2(path: Path, options: tuple[str, ...]) -> None:
    result = run(path, *options)
    assert (result.exit_code, result.stdout) == (2, "")


def test_a_file_of_changes_that_is_none_is_a_usage_error(path: Path, tmp_path: Path) -> None:
    (tmp_path / "changes.json").write_text("[]", encoding="utf-8")
    result = run(path, "--changes", tmp_path / "changes.json")
    assert result.exit_code == 2 and "not the output of `physx-schema diff OLD NEW --json`" in result.stderr


def test_a_breaking_line_is_reported_on_the_stage_that_has_it(path: Path, tmp_path: Path) -> None:
    line = {"schema": "PhysxJointAxisAPI", "property": "physxJointAxis:__INSTANCE_NAME__:maxJointVelocity",
            "change": "default", "level": "breaking", "text": "default inf -> 9", "old": "inf", "new": "9"}
    (tmp_path / "changes.json").write_text(json.dumps({"differences": [line]}), encoding="utf-8")
    result = run(path, "--changes", tmp_path / "changes.json")
    assert "/j.physxJointAxis:angular:maxJointVelocity: left: PhysxJointAxisAPI: default inf -> 9" in result.stdout
    assert "author inf to keep the former default" in result.stdout and "1 left" in result.stdout
