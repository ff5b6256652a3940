"""`check --fix`: what is shown, where it is written, and when nothing is.

Files of any name, kind and permission cost a line each; the other files of a run keep their reports.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from pxr import Tf, Usd
from support.places import STAGES
from support.stages.robots import finger, opened

from physx_schema.checking import check
from physx_schema.checking.catalogue import FINDERS
from physx_schema.checking.engine.outcome import run
from physx_schema.command_line import repairs
from physx_schema.command_line.program import program
from physx_schema.description import describe, stages, trial
from physx_schema.errors import UnreadableError

STIFFNESS = "drive:angular:physics:stiffness"
BAD = finger({"float drive:angular:physics:stifness": 2.0}, ("PhysicsDriveAPI:angular",))
UNSAFE = finger({"float physics:lowerLimit": 30.0, "float physics:upperLimit": -30.0})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "bad.usda").write_text(BAD)
    (tmp_path / "unsafe.usda").write_text(UNSAFE)
    (tmp_path / "clean.usda").write_text(finger())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*arguments: str) -> Result:
    return CliRunner().invoke(program(), ["check", "--fix", *arguments])


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_dry_run_shows_a_diff_and_writes_nothing(folder: Path) -> None:
    before = names(folder)
    result = call("bad.usda")
    assert result.exit_code == 1
    assert "-        float drive:angular:physics:stifness = 2" in result.stdout.splitlines()
    assert "+        float drive:angular:physics:stiffness = 2" in result.stdout.splitlines()
    assert "bad.usda: 1 finding would be fixed, 0 of them unsafe" in result.stdout
    assert (names(folder), (folder / "bad.usda").read_text()) == (before, BAD)


@pytest.mark.parametrize(("attributes", "schema", "said"), [
    ({"float drive:angular:physics:stifness": 2.0}, "PhysicsDriveAPI:angular",
     "/Robot/j.drive:angular:physics:stifness: would fix unused/misspelt-property: "
     "drive:angular:physics:stifness becomes drive:angular:physics:stiffness"),
    ({"uniform token drive:angular:physics:type": "acelleration"}, "PhysicsDriveAPI:angular",
     "/Robot/j.drive:angular:physics:type: would fix value/token: drive:angular:physics:type = 'acceleration'"),
])
def test_repair_is_said_as_what_it_does(folder: Path, attributes: dict[str, object], schema: str, said: str) -> None:
    (folder / "one.usda").write_text(finger(attributes, (schema,)))
    assert f"one.usda: {said}" in call("one.usda").stdout.splitlines()


def test_properties_that_go_with_their_schema_are_counted(folder: Path) -> None:
    text = (STAGES / "mimic_transz.usda").read_text()
    (folder / "mimic.usda").write_text(text)
    said = "PhysxMimicJointAPI:transZ becomes PhysxMimicJointAPI:rotX, 4 properties with it"
    assert f"mimic.usda: /Robot/follow: would fix DJ.007/instance: {said}" in call("mimic.usda").stdout.splitlines()


def test_in_place_changes_the_file_and_leaves_nothing_beside_it(folder: Path) -> None:
    before = names(folder)
    result = call("bad.usda", "--in-place")
    assert (result.exit_code, names(folder)) == (0, before)
    assert check(folder / "bad.usda").findings == ()


def test_in_place_keeps_the_mode_and_the_format(folder: Path) -> None:
    Usd.Stage.Open("bad.usda").Export("bad.usdc")
    Path("bad.usdc").chmod(0o640)
    assert call("bad.usdc", "--in-place").exit_code == 0
    assert Path("bad.usdc").read_bytes().startswith(b"PXR-USDC")
    assert stat.S_IMODE(Path("bad.usdc").stat().st_mode) == 0o640


def test_copy_is_written_and_the_stage_stays(folder: Path) -> None:
    assert call("bad.usda", "-o", "out/good.usda").exit_code == 0
    assert check(folder / "out/good.usda").findings == ()
    assert (folder / "bad.usda").read_text() == BAD


def test_override_layer_is_written_and_the_stage_stays(folder: Path) -> None:
    assert call("bad.usda", "--override", "out/over.usda").exit_code == 0
    assert "@../bad.usda@" in (folder / "out/over.usda").read_text()
    assert check(folder / "out/over.usda").errors == ()
    assert (folder / "bad.usda").read_text() == BAD


def test_unsafe_repairs_wait_for_their_option(folder: Path) -> None:
    result = call("unsafe.usda")
    assert "not fixed: joint/limit-order" in result.stdout and "the repair is unsafe" in result.stdout
    assert call("unsafe.usda", "--in-place").exit_code == 1
    assert (folder / "unsafe.usda").read_text() == UNSAFE
    assert call("unsafe.usda", "--in-place", "--unsafe-fixes").exit_code == 0


def test_clean_stage_is_not_written(folder: Path) -> None:
    before = (folder / "clean.usda").stat().st_mtime_ns
    assert call("clean.usda", "--in-place").exit_code == 0
    assert (folder / "clean.usda").stat().st_mtime_ns == before


def test_selected_codes_alone_are_repaired(folder: Path) -> None:
    assert "0 errors" in call("bad.usda", "--select", "DJ.007").stdout
    assert call("bad.usda", "--in-place", "--select", "DJ.007").exit_code == 0
    assert (folder / "bad.usda").read_text() == BAD


@pytest.mark.parametrize("arguments", [
    ("bad.usda", "--in-place", "-o", "x.usda"), ("bad.usda", "clean.usda", "-o", "x.usda"),
    ("bad.usda", "-o", "clean.usda"), ("bad.usda", "-o", "x.txt"), ("bad.usda", "--format", "json"),
    ("bad.usda", "--override", "clean.usda"),
])
def test_wrong_target_is_refused_and_nothing_is_written(folder: Path, arguments: tuple[str, ...]) -> None:
    before = names(folder)
    assert (call(*arguments).exit_code, names(folder), (folder / "bad.usda").read_text()) == (2, before, BAD)


@pytest.mark.parametrize("option", ["--in-place", "--unsafe-fixes", "--override=x.usda"])
def test_options_of_fix_need_it(folder: Path, option: str) -> None:
    assert CliRunner().invoke(program(), ["check", "bad.usda", option]).exit_code == 2


def test_package_is_not_changed(folder: Path) -> None:
    with zipfile.ZipFile("bad.usdz", "w") as package:
        package.write("bad.usda")
    before = (folder / "bad.usdz").read_bytes()
    result = call("bad.usdz", "--in-place")
    assert (result.exit_code, "in a package" in result.stderr) == (2, True)
    assert (folder / "bad.usdz").read_bytes() == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write read-only files")
def test_read_only_file_is_refused(folder: Path) -> None:
    (folder / "bad.usda").chmod(0o444)
    result = call("bad.usda", "--in-place")
    assert (result.exit_code, "is read-only" in result.stderr) == (2, True)


def test_nothing_is_written_where_a_file_changes_meanwhile(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sound = repairs.fix

    def slow(*arguments: object) -> object:
        found = sound(*arguments)       # type: ignore[arg-type]
        (folder / "bad.usda").write_text(BAD + "# edited\n")
        return found

    monkeypatch.setattr(repairs, "fix", slow)
    (folder / "worse.usda").write_text(BAD)
    result = call("worse.usda", "bad.usda", "--in-place")
    refused = "bad.usda: the file has changed in the meantime" in result.stderr
    assert (result.exit_code, refused, result.stdout) == (2, True, "")
    assert (folder / "bad.usda").read_text().endswith("# edited\n")
    assert (folder / "worse.usda").read_text() == BAD


def test_comments_that_would_be_lost_are_said(folder: Path) -> None:
    (folder / "bad.usda").write_text(BAD.replace("def Xform", "# about the robot\ndef Xform", 1).replace("\n", "\r\n"))
    line = BAD[:BAD.index("def Xform")].count("\n") + 1
    said = f"bad.usda: note: USD rewrites the whole file and drops a comment on line {line} and CR LF line ends"
    for option in ((), ("--in-place",)):
        assert said in call("bad.usda", *option).stdout.splitlines()


def test_a_file_with_two_names_is_refused(folder: Path) -> None:
    os.link(folder / "bad.usda", folder / "other.usda")
    result = call("bad.usda", "--in-place")
    assert (result.exit_code, "bad.usda: the file has 2 names (hard links)" in result.stderr) == (2, True)
    assert (folder / "other.usda").read_text() == (folder / "bad.usda").read_text() == BAD


ROOT_ALONE = pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file to another")


@ROOT_ALONE
def test_owner_group_and_mode_are_kept(folder: Path) -> None:
    os.chown("bad.usda", 1234, 2345)
    (folder / "bad.usda").chmod(0o2640)
    assert call("bad.usda", "--in-place").exit_code == 0
    status = (folder / "bad.usda").stat()
    assert (folder / "bad.usda").read_text() != BAD
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (1234, 2345, 0o2640)


@ROOT_ALONE
def test_an_owner_that_cannot_be_kept_refuses_the_change(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    os.chown("bad.usda", 1234, 2345)
    monkeypatch.setattr(os, "chown", refused)
    result = call("bad.usda", "--in-place")
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
    assert "the owner and group 1234:2345 of the file cannot be kept: Operation not permitted" in result.stderr
    assert (folder / "bad.usda").read_text() == BAD and "bad.usda" in names(folder)


def test_extended_attributes_are_kept(folder: Path) -> None:
    try:
        os.setxattr("bad.usda", "user.origin", b"the workshop")
    except (AttributeError, OSError) as error:
        pytest.skip(f"no extended attributes here: {error}")
    assert call("bad.usda", "--in-place").exit_code == 0
    assert (folder / "bad.usda").read_text() != BAD
    assert os.getxattr("bad.usda", "user.origin") == b"the workshop"


def test_unreadable_file_does_not_stop_the_others(folder: Path) -> None:
    result = call("none.usda", "bad.usda", "--in-place")
    assert (result.exit_code, check(folder / "bad.usda").findings) == (3, ())


# --- hostile arguments -----------------------------------------------------------------------------------------------

NOT_UTF8 = os.fsdecode(b"bad\xff.usda")
COMMANDS = ("describe", "check", "simulate", "verify", "migrate", "report")
FORMATS = ("text", "json", "sarif", "html", "github")
SPECIAL: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo, "folder": os.mkdir, "device": lambda path: path.symlink_to("/dev/zero")}
DEEP = 20_000


def invoke(*arguments: str | Path, stdin: bytes = b"") -> Result:
    result = CliRunner().invoke(program(), list(map(str, arguments)), input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    path = tmp_path / "sound.usda"
    path.write_text(finger())
    return path


@pytest.fixture
def misnamed(tmp_path: Path) -> Path:
    path = tmp_path / NOT_UTF8
    path.write_text(finger())
    return path


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_whose_name_is_not_utf8_is_unreadable(command: str, misnamed: Path) -> None:
    result = invoke(command, misnamed)
    (line,) = [line for line in result.stderr.splitlines() if "being" not in line]
    assert (result.exit_code, result.stdout) == (3, "")
    assert r"bad\xff.usda: the path is not valid UTF-8, which USD requires; rename the file or folder" in line


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ["new\nline.usda", "fold\ner/arm.usda", "del\x7f.usda", "next\x85line.usda"])
def test_a_file_whose_name_has_control_characters_is_unreadable(command: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(finger())
    result = invoke(command, path)
    (line,) = [line for line in result.stderr.splitlines() if "being" not in line]
    assert (result.exit_code, result.stdout) == (3, "")
    assert "the path has control characters" in line


@pytest.mark.parametrize("style", FORMATS)
def test_a_name_that_is_not_utf8_leaves_the_report_of_the_others(style: str, sound: Path, misnamed: Path) -> None:
    alone, beside = invoke("check", "--format", style, sound), invoke("check", "--format", style, sound, misnamed)
    assert beside.exit_code == 3
    beside.stdout_bytes.decode("utf-8")
    if style == "json":
        assert json.loads(beside.stdout)["reports"] == json.loads(alone.stdout)["reports"]
    elif style == "text":
        assert beside.stdout == alone.stdout


def test_a_name_that_is_not_utf8_may_come_by_stdin(sound: Path, misnamed: Path) -> None:
    result = invoke("check", "-", stdin=b"\n".join(map(os.fsencode, (misnamed, sound))))
    assert (result.exit_code, len(result.stderr.splitlines())) == (3, 1) and "sound.usda: 0 errors" in result.stdout


def test_a_folder_whose_name_is_not_utf8_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / os.fsdecode(b"\xfe")
    folder.mkdir()
    (folder / "a.usda").write_text(finger())
    monkeypatch.chdir(folder)
    result = invoke("check", "a.usda")
    assert (result.exit_code, len(result.stderr.splitlines())) == (3, 1) and "not valid UTF-8" in result.stderr


@pytest.mark.parametrize("kind", SPECIAL)
@pytest.mark.parametrize("option", ["stage", "--config", "--baseline", "--changes"])
def test_what_is_no_regular_file_is_neither_read_nor_waited_for(kind: str, option: str, sound: Path) -> None:
    place = sound.parent / ("other.usda" if option == "stage" else "other")
    SPECIAL[kind](place)
    arguments: dict[str, tuple[str | Path, ...]] = {
        "stage": ("check", place), "--changes": ("migrate", sound, option, place)}
    result = invoke(*arguments.get(option, ("check", sound, option, place)))
    assert result.exit_code == (3 if option == "stage" else 2)
    assert "other" in result.stderr.splitlines()[-1]


@pytest.mark.parametrize("text", ["x = " + "[" * DEEP, "x = " + "9" * 5000, "\x00",
                                  "[tool.physx-schema.check]\nfail-on=1"])
def test_hostile_settings_are_one_line(text: str, sound: Path) -> None:
    config = sound.parent / "pyproject.toml"
    config.write_text(text)
    result = invoke("check", sound, "--config", config)
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)


@pytest.mark.parametrize("text", ["[" * DEEP, '{"version": ' + "9" * 5000 + "}", '{"version": 1, "findings": [1]}',
                                  "1"])
def test_hostile_baselines_and_differences_are_one_line(text: str, sound: Path) -> None:
    file = sound.parent / "file.json"
    file.write_text(text)
    known, changes = invoke("check", sound, "--baseline", file), invoke("migrate", sound, "--changes", file)
    assert (known.exit_code, len(known.stderr.splitlines())) == (2, 1)
    assert changes.exit_code == 2 and "Traceback" not in changes.stderr


@pytest.mark.parametrize("option", ["--worlds", "--start"])
@pytest.mark.parametrize("text", ["[" * DEEP, "[" * DEEP + "]" * DEEP, "worlds: " + "9" * 5000, "\x00",
                                  "worlds: " + "9" * 400 + "\nparameters: {}",
                                  "worlds: 2\nparameters: {mass: {scale: [1, " + "9" * 400 + "]}}"])
def test_hostile_starts_and_spreads_are_a_usage_error(option: str, text: str, sound: Path) -> None:
    file = sound.parent / "file"
    file.write_text(text)
    result = invoke("simulate", sound, "--isolate", "off", "--steps", "1", option, file)
    assert (result.exit_code, result.stdout) == (2, "") and "internal error" not in result.stderr


@pytest.mark.parametrize("kind", SPECIAL)
@pytest.mark.parametrize("option", ["--worlds", "--start"])
def test_a_start_or_a_spread_that_is_no_regular_file_is_not_waited_for(kind: str, option: str, sound: Path) -> None:
    SPECIAL[kind](sound.parent / "other")
    result = invoke("simulate", sound, "--isolate", "off", option, sound.parent / "other")
    assert (result.exit_code, result.stdout) == (2, "") and "other" in result.stderr.splitlines()[-1]


@pytest.mark.parametrize("arguments", [("--steps", 10**12), ("--steps", 10**40, "--every", 10**40),
                                       ("--steps", 10**19, "--every", 10**18)])
def test_more_records_than_memory_holds_are_refused_before_the_first_step(
    arguments: tuple[object, ...], sound: Path,
) -> None:
    result = invoke("simulate", sound, "--isolate", "off", *map(str, arguments))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "GB for the records; give at most" in result.stderr.splitlines()[-1]


def test_no_permission_is_called_that(sound: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> object:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refused)          # root may read everything
    with pytest.raises(UnreadableError, match=r"sound\.usda: cannot be read: Permission denied; check its permissions"):
        check(sound)


def test_what_usd_raises_inside_a_rule_is_a_fault_of_that_rule_alone() -> None:
    def broken(*_: object) -> list[object]:
        raise Tf.ErrorException("Invalid empty path")

    first = next(finder for finder in FINDERS if finder.rules)
    whole = run(FINDERS, describe(opened(finger())), ("physx",))
    # type: ignore[arg-type]
    hurt = run([replace(first, find=broken), *(item for item in FINDERS if item is not first)],
               describe(opened(finger())), ("physx",))
    (failed,) = [item for item in hurt.findings if item.code.startswith("rule-failed")]
    assert failed.code.endswith(f"/{first.name}") and "Invalid empty path" in failed.message
    codes = {rule.code for rule in first.rules}
    assert [item for item in hurt.findings if item is not failed] == [
        item for item in whole.findings if item.code not in codes]


def test_a_repair_that_cannot_be_copied_is_left(shared_cases: Path, tmp_path: Path) -> None:
    stage = tmp_path / "stage.usda"
    shutil.copyfile(shared_cases / "hostile" / "case_text_6801.usda", stage)
    result = invoke("check", "--fix", "--unsafe-fixes", stage)
    assert result.exit_code in (0, 1) and result.stderr == "" and "not fixed" in result.stdout


def test_the_name_of_a_stage_is_looked_at_before_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "_require_file", None)
    with pytest.raises(UnreadableError, match="not valid UTF-8"):
        stages.open_stage(NOT_UTF8)


def test_a_refused_option_leaves_no_file_trusted(sound: Path) -> None:
    result = invoke("simulate", sound, "--isolate", "off", "--steps", "many")
    assert result.exit_code == 2
    assert not trial._TRUSTED.get()
