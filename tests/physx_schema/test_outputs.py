"""No command writes over a file of its stage, nor without --force over a file that this program did not write."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from pxr import Sdf, Usd, UsdUtils
from support.places import SCHEMAS
from support.stages.recorded_arm import arm, saved

from physx_schema.command_line.program import program
from physx_schema.errors import UnsupportedError
from physx_schema.files import writer
from physx_schema.outputs import files_of, is_ours, require_copy, require_output

NOTE = b"what the user wrote\n"
QUICK = ("--isolate", "off", "-q")
# Every way to write, with a file's suffix; STAGE and OUT are filled in.
WRITERS = {
    "check -o json": (".json", "check STAGE --format json -o OUT"),
    "check -o sarif": (".sarif", "check STAGE --format sarif -o OUT"),
    "check -o html": (".html", "check STAGE --format html -o OUT"),
    "check -o text": (".txt", "check STAGE -o OUT"),
    "check -o github": (".log", "check STAGE --format github -o OUT"),
    "check --write-baseline": (".known", "check STAGE --write-baseline OUT"),
    "check --fix -o": (".usda", "check STAGE --fix -o OUT"),
    "check --fix -o crate": (".usdc", "check STAGE --fix -o OUT"),
    "check --fix --override": (".usda", "check STAGE --fix --override OUT"),
    "verify --fix -o": (".usda", "verify STAGE --fix -o OUT"),
    "migrate -o": (".usda", "migrate STAGE -o OUT"),
    "simulate npz": (".npz", "simulate STAGE --steps 2 --out OUT"),
    "simulate csv": (".csv", "simulate STAGE --steps 2 --out OUT"),
    "simulate usda": (".usda", "simulate STAGE --steps 2 --out OUT"),
    "simulate usdc": (".usdc", "simulate STAGE --steps 2 --out OUT"),
    "simulate html": (".html", "simulate STAGE --steps 2 --out OUT"),
    "simulate gif": (".gif", "simulate STAGE --steps 2 --out OUT"),
    "report": (".html", "report STAGE --steps 2 -o OUT"),
}
LAYERS = {name: how for name, how in WRITERS.items() if how[0].startswith(".usd")}


@pytest.fixture
def stage(tmp_path: Path) -> Path:
    """An arm in a file, which has a sublayer, a reference and a payload beside it and one that is not there."""
    file = saved(arm(), tmp_path / "arm.usda")
    for name in ("sub", "referenced", "paid"):
        layer = Sdf.Layer.CreateNew(str(tmp_path / f"{name}.usda"))
        layer.defaultPrim = Sdf.CreatePrimInLayer(layer, f"/{name}").name
        layer.Save()
    layer = Sdf.Layer.FindOrOpen(str(file))
    layer.subLayerPaths = ["./sub.usda", "./missing.usda"]
    prim = Sdf.CreatePrimInLayer(layer, "/World/extra")
    prim.referenceList.Prepend(Sdf.Reference("./referenced.usda"))
    prim.payloadList.Prepend(Sdf.Payload("./paid.usda"))
    layer.Save()
    return file


def run(command: str, stage: Path, out: Path, *more: str) -> Result:
    words = [{"STAGE": str(stage), "OUT": str(out)}.get(word, word) for word in command.split()]
    options = [word for word in QUICK if words[0] != "migrate" or word != "-q"]
    return CliRunner().invoke(program(), [*words, *options, *more])


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_of_others_is_replaced_only_by_force(name: str, stage: Path, tmp_path: Path) -> None:
    suffix, command = WRITERS[name]
    out = tmp_path / f"mine{suffix}"
    out.write_bytes(NOTE)
    refused = run(command, stage, out)
    assert (refused.exit_code, out.read_bytes()) == (2, NOTE), refused.output
    assert f"{out}: the file exists" in refused.stderr and "--force" in refused.stderr
    forced = run(command, stage, out, "--force")
    assert forced.exit_code in (0, 1) and out.read_bytes() != NOTE, forced.output


@pytest.mark.parametrize("name", WRITERS)
def test_the_same_command_may_be_run_again(name: str, stage: Path, tmp_path: Path) -> None:
    suffix, command = WRITERS[name]
    out = tmp_path / f"made{suffix}"
    first, second = (run(command, stage, out) for _ in range(2))
    assert first.exit_code == second.exit_code and first.exit_code in (0, 1), second.output


def symbolic(out: Path, part: Path) -> None:
    out.symlink_to(part)


def chained(out: Path, part: Path) -> None:
    between = out.with_name("between")
    between.symlink_to(part)
    out.symlink_to(between.name)


LINKS: dict[str, Callable[[Path, Path], None]] = {"symbolic": symbolic, "hard": lambda out, part: os.link(part, out),
                                                  "chain": chained}


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("part", ["arm", "sub", "referenced", "paid"])
@pytest.mark.parametrize("name", ["simulate csv", "check -o json", "report"])
def test_a_link_to_a_file_of_the_stage_is_not_written_through(
    name: str, part: str, link: str, stage: Path, tmp_path: Path,
) -> None:
    suffix, command = WRITERS[name]
    out, file = tmp_path / f"link{suffix}", tmp_path / f"{part}.usda"
    LINKS[link](out, file)
    before = file.read_bytes()
    result = run(command, stage, out, "--force")
    assert (result.exit_code, file.read_bytes(), out.read_bytes()) == (2, before, before), result.output


@pytest.mark.parametrize("part", ["arm", "sub", "referenced", "paid", "missing"])
@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_of_the_stage_is_not_written_over_even_by_force(
    name: str, part: str, stage: Path, tmp_path: Path,
) -> None:
    _, command = LAYERS[name]
    out = tmp_path / f"{part}.usda"
    before = out.read_bytes() if out.exists() else None
    result = run(command, stage, out, "--force")
    assert result.exit_code == 2 and "a file of the stage" in result.stderr, result.output
    assert (out.read_bytes() if out.exists() else None) == before


def test_a_report_is_not_written_over_the_stage_or_a_layer(stage: Path, tmp_path: Path) -> None:
    before = stage.read_bytes()
    assert run("report STAGE -o OUT", stage, stage, "--force").exit_code == 2
    other = tmp_path / "layer.txt"
    other.write_text("#usda 1.0\n")
    assert run("check STAGE -o OUT", stage, other, "--force").exit_code == 2
    assert (stage.read_bytes(), other.read_text()) == (before, "#usda 1.0\n")


def test_a_package_counts_as_a_file_of_its_stage(tmp_path: Path) -> None:
    file = saved(arm(), tmp_path / "arm.usda")
    package = tmp_path / "arm.usdz"
    assert UsdUtils.CreateNewUsdzPackage(str(file), str(package))
    assert package in files_of(Usd.Stage.Open(str(package)))


@pytest.mark.parametrize("name", WRITERS)
def test_an_output_whose_name_has_a_line_feed_is_a_usage_error(name: str, stage: Path, tmp_path: Path) -> None:
    suffix, command = WRITERS[name]
    result = run(command, stage, tmp_path / f"new\nline{suffix}")
    lines = [line for line in result.stderr.splitlines() if "missing.usda" not in line]     # the stage's lost sublayer
    assert (result.exit_code, len(lines)) == (2, 1), result.output
    assert "new\\x0aline" in result.stderr and "control characters" in result.stderr


@pytest.mark.parametrize(("code", "command"), [
    (2, ("convert", "SCHEMA", "--out", "a\nb.usda")), (2, ("convert", "SCHEMA", "--out", "a\nb/schema.usda")),
    (2, ("generate", "--from", "SCHEMA", "--out", "a\nb")), (2, ("explain", "--pages", "a\nb")),
    (2, ("demo", "--out", "a\nb")), (3, ("convert", "a\nb.usda", "--out", "made.usda")),
    (3, ("generate", "--from", "a\nb.usda", "--out", "made")), (3, ("diff", "a\nb.usda", "SCHEMA"))])
def test_names_with_a_line_feed_are_refused_in_a_line(
    code: int, command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    schema = str(SCHEMAS / "small" / "schema")
    if code == 3:
        (tmp_path / "a\nb.usda").write_text("#usda 1.0\n")
    before = list(tmp_path.iterdir())
    result = CliRunner().invoke(program(), [schema if word == "SCHEMA" else word for word in command])
    assert (result.exit_code, len(result.stderr.splitlines()), list(tmp_path.iterdir())) == (code, 1, before)
    assert "control characters" in result.stderr


def test_a_motion_under_another_name_is_not_ours(stage: Path, tmp_path: Path) -> None:
    motion, kept = tmp_path / "motion.usda", tmp_path / "kept.usda"
    assert run(WRITERS["simulate usda"][1], stage, motion).exit_code == 0
    motion.rename(kept)
    assert not is_ours(kept)


@pytest.mark.parametrize("text", ['{"name": "package"}', '{"runs": []}', "[1, 2]", "{", "time,torque\n0,1\n",
                                  "<html><body>physx-schema</body></html>", "#usda 1.0\n", "PK\x03\x04 physx"])
def test_files_that_resemble_ours_are_not(text: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    assert not is_ours(path)


def test_an_empty_file_may_be_filled(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    require_output(tmp_path / "empty")


@pytest.mark.parametrize("force", [False, True])
def test_a_place_that_cannot_be_looked_at_is_a_line(force: bool, tmp_path: Path) -> None:
    place = tmp_path / ("x" * 300 + ".usda")
    with pytest.raises(UnsupportedError, match="cannot be written: File name too long"):
        require_output(place, force=force)
    with pytest.raises(UnsupportedError, match="cannot be written: File name too long"):
        require_copy(place, writer("#usda 1.0\n"), force=force)


def test_pages_of_rules_replace_only_such(tmp_path: Path) -> None:
    def explained(*more: str) -> Result:
        return CliRunner().invoke(program(), ["explain", "--pages", str(tmp_path), *more])

    assert [explained().exit_code, explained().exit_code] == [0, 0]
    (tmp_path / "tendon.md").write_bytes(NOTE)
    assert (explained().exit_code, (tmp_path / "tendon.md").read_bytes()) == (2, NOTE)
    assert explained("--force").exit_code == 0


def test_converted_definitions_may_be_converted_again(tmp_path: Path) -> None:
    command = ["convert", str(SCHEMAS / "small" / "schema"), "--out", str(tmp_path / "toy.usda")]
    assert [CliRunner().invoke(program(), command).exit_code for _ in range(2)] == [0, 0]


@pytest.mark.parametrize("name", ["hand.usda", "hand_motion.usda", "hand_broken.usda", "report.html"])
def test_the_demonstration_replaces_nothing_of_others(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(NOTE)
    result = CliRunner().invoke(program(), ["demo", "--out", str(tmp_path)])
    assert (result.exit_code, (tmp_path / name).read_bytes()) == (2, NOTE), result.output
    assert [path.name for path in tmp_path.iterdir()] == [name]
