"""`check --fix`: what is shown, where it is written, and when nothing is."""

from __future__ import annotations

import errno
import os
import stat
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from pxr import Usd
from support.places import STAGES
from support.stages.robots import finger

from physx_schema.checking import check
from physx_schema.cli import check_command
from physx_schema.cli.program import program

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
    assert "bad.usda: 1 finding would be fixed, 0 of them unsafely" in result.stdout
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
    assert "not fixed: joint/limit-order" in result.stdout and "its repair is unsafe" in result.stdout
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
    assert (result.exit_code, "lies in a package" in result.stderr) == (2, True)
    assert (folder / "bad.usdz").read_bytes() == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write read-only files")
def test_read_only_file_is_refused(folder: Path) -> None:
    (folder / "bad.usda").chmod(0o444)
    result = call("bad.usda", "--in-place")
    assert (result.exit_code, "is read-only" in result.stderr) == (2, True)


def test_nothing_is_written_where_a_file_changes_meanwhile(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sound = check_command.fix

    def slow(*arguments: object) -> object:
        found = sound(*arguments)       # type: ignore[arg-type]
        (folder / "bad.usda").write_text(BAD + "# edited\n")
        return found

    monkeypatch.setattr(check_command, "fix", slow)
    (folder / "worse.usda").write_text(BAD)
    result = call("worse.usda", "bad.usda", "--in-place")
    assert (result.exit_code, "bad.usda: was changed meanwhile" in result.stderr, result.stdout) == (2, True, "")
    assert (folder / "bad.usda").read_text().endswith("# edited\n")
    assert (folder / "worse.usda").read_text() == BAD


def test_comments_that_would_be_lost_are_said(folder: Path) -> None:
    (folder / "bad.usda").write_text(BAD.replace("def Xform", "# about the robot\ndef Xform", 1).replace("\n", "\r\n"))
    line = BAD[:BAD.index("def Xform")].count("\n") + 1
    said = f"bad.usda: note: USD rewrites the whole file, without a comment on line {line} and line ends of CR LF"
    for option in ((), ("--in-place",)):
        assert said in call("bad.usda", *option).stdout.splitlines()


def test_a_file_with_two_names_is_refused(folder: Path) -> None:
    os.link(folder / "bad.usda", folder / "other.usda")
    result = call("bad.usda", "--in-place")
    assert (result.exit_code, "bad.usda: is one file with 2 names (hard links)" in result.stderr) == (2, True)
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
    assert "its owner and group 1234:2345 cannot be kept: Operation not permitted" in result.stderr
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
