"""Files of any name, kind and permission cost a line each; the other files of a run keep their reports."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from pxr import Tf
from support.stages.robots import finger, opened

from physx_schema import check
from physx_schema.checking.catalogue import FINDERS
from physx_schema.checking.engine.outcome import run
from physx_schema.cli.program import program
from physx_schema.description import describe, stages, trial
from physx_schema.errors import UnreadableError

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
    assert r"bad\xff.usda: its name or a folder's is not UTF-8, which USD needs; rename it" in line


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ["new\nline.usda", "fold\ner/arm.usda", "del\x7f.usda", "next\x85line.usda"])
def test_a_file_whose_name_has_control_characters_is_unreadable(command: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(finger())
    result = invoke(command, path)
    (line,) = [line for line in result.stderr.splitlines() if "being" not in line]
    assert (result.exit_code, result.stdout) == (3, "")
    assert "its name or a folder's has control characters" in line


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
    assert (result.exit_code, len(result.stderr.splitlines())) == (3, 1) and "not UTF-8" in result.stderr


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
    with pytest.raises(UnreadableError, match="not UTF-8"):
        stages.open_stage(NOT_UTF8)


def test_a_refused_option_leaves_no_file_trusted(sound: Path) -> None:
    result = invoke("simulate", sound, "--isolate", "off", "--steps", "many")
    assert result.exit_code == 2
    assert not trial._TRUSTED.get()
