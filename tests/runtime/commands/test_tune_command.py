"""The command `tune` prints and writes the gains of a motion."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from physx_runtime import tune
from pxr import Usd
from support.stages.recorded_arm import ELBOW, arm

from physx_schema.authoring import drive
from physx_schema.command_line.program import program

JOINT = ELBOW


@pytest.fixture
def stage(tmp_path: Path) -> Path:
    """An arm with a drive."""
    path = tmp_path / "arm.usda"
    opened = arm()
    drive(opened.GetPrimAtPath(JOINT), stiffness=1.0, damping=0.1)
    opened.Export(str(path))
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(program(), ["tune", *map(str, arguments)])


def test_gains_are_those_of_the_function(stage: Path) -> None:
    result = run(stage, "--target", JOINT, "bandwidth", 2, "--target", JOINT, "damping_ratio", 0.8)
    tuning = tune(str(stage), {JOINT: {"natural_frequency": 4.0 * math.pi, "damping_ratio": 0.8}})
    assert result.exit_code == 0
    for change in tuning.changes:
        assert f"{change.path}: author {change.property} {change.value:.5g}" in result.output


def test_a_layer_over_the_stage_has_the_gains(stage: Path, tmp_path: Path) -> None:
    text, out = stage.read_text(encoding="utf-8"), tmp_path / "tuned.usda"
    assert run(stage, "--target", JOINT, "settling_time", 0.5, "-o", out).exit_code == 0
    tuned = Usd.Stage.Open(str(out))
    value = tuned.GetAttributeAtPath(f"{JOINT}.drive:angular:physics:stiffness").Get()
    assert value != 1.0 and stage.read_text(encoding="utf-8") == text
    assert run(out, "--target", JOINT, "settling_time", 0.5).exit_code == 0


def test_nothing_is_written_if_a_target_is_not_reached(stage: Path, tmp_path: Path) -> None:
    result = run(stage, "--target", JOINT, "natural_frequency", 1e9, "-o", tmp_path / "tuned.usda")
    assert result.exit_code == 1 and "target 1e+09; no gain reaches the target" in result.output
    assert not (tmp_path / "tuned.usda").exists()


@pytest.mark.parametrize(("arguments", "message"), [
    (("/World/wrist", "sag", 1), "/World/wrist: there is no drive, tendon or compliant mimic joint with this path"),
    ((JOINT, "bandwith", 1), f"{JOINT}: 'bandwith' is not a tuning target; did you mean bandwidth?"),
    ((JOINT, "sag", -1), "give a positive, finite number"),
    ((JOINT, "sag", "nan"), "give a positive, finite number"),
    ((JOINT, "sag", 1, "--target", JOINT, "sag", 2), f"{JOINT}: sag is given twice; give one value"),
    ((JOINT, "bandwidth", 1, "--target", JOINT, "natural_frequency", 2), "natural_frequency is given twice")])
def test_a_wrong_target_is_a_usage_error(stage: Path, arguments: tuple[object, ...], message: str) -> None:
    result = run(stage, "--target", *arguments)
    assert result.exit_code == 2 and message in result.output


def test_a_file_of_the_stage_is_not_replaced(stage: Path) -> None:
    text = stage.read_text(encoding="utf-8")
    assert run(stage, "--target", JOINT, "settling_time", 0.5, "--force", "-o", stage).exit_code == 2
    assert stage.read_text(encoding="utf-8") == text


def test_a_file_of_others_is_replaced_with_force_alone(stage: Path, tmp_path: Path) -> None:
    out = tmp_path / "notes.usda"
    out.write_text("#usda 1.0\n", encoding="utf-8")
    arguments = (stage, "--target", JOINT, "settling_time", 0.5, "-o", out)
    assert run(*arguments).exit_code == 2 and out.read_text(encoding="utf-8") == "#usda 1.0\n"
    assert run(*arguments, "--force").exit_code == 0
