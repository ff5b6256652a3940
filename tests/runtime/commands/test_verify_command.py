"""`verify --isaac-lab` shows what a configuration overrides, and ends with the code of stage and configuration.

Measured values are rows of a dataset.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support.isaac_lab import files, implicit, robot
from support.library import call
from support.places import STAGES

from physx_schema.command_line.program import program
from physx_schema.library.columns import VALUE
from physx_schema.library.dataset import Dataset

STIFFNESS = "drive:angular:physics:stiffness"


def run(*arguments: str) -> Any:
    return CliRunner().invoke(program(), ["verify", *arguments, "--isolate", "off"])


@pytest.mark.parametrize(("actuator", "arguments", "code"), [
    (implicit("stiffness=0.1, damping=0.5"), (), 0),
    (implicit("stiffness=0.1, damping=0.5, velocity_limit=3.0"), (), 1),
    (implicit("stiffness=0.1, damping=0.5", "'elbow'"), (), 1),
    (implicit("stiffness=KP, damping=0.5"), (), 0), (implicit("stiffness=KP, damping=0.5"), ("--strict",), 5)])
def test_the_exit_code_is_that_of_the_configuration_and_the_stage(actuator: str, arguments: tuple[str, ...], code: int,
                                                                  tmp_path: Path) -> None:
    stage, config = files(tmp_path, robot(actuator))
    assert run(stage, "--isaac-lab", config, *arguments).exit_code == code


def test_the_command_shows_overrides_and_what_is_not_evaluated(tmp_path: Path) -> None:
    stage, config = files(tmp_path, robot(implicit("stiffness=40.0, damping=KP")))
    out = run(stage, "--isaac-lab", config).output
    assert "overrides 3 authored values of the stage" in out
    assert f"3 prims  {STIFFNESS}         1     0.6981" in out
    assert "not evaluated: " in out and "actuators.all.damping KP: the name KP is not defined in the file" in out


def test_json_has_the_report(tmp_path: Path) -> None:
    stage, config = files(tmp_path, robot(implicit("stiffness=40.0, damping=5.0")))
    plain = json.loads(run(stage, "--format", "json").stdout)
    with_report = json.loads(run(stage, "--isaac-lab", config, "--format", "json").stdout)
    assert "isaac_lab" not in plain
    assert with_report["isaac_lab"]["release"] == "2.3.2"
    assert with_report["isaac_lab"]["settings"][0].keys() >= {
        "path", "property", "authored", "configured", "field", "place"}


def test_explicit_actuators_are_not_simulated(tmp_path: Path) -> None:
    motor = "'all': IdealPDActuatorCfg(joint_names_expr=['.*'], stiffness=40.0, damping=5.0)"
    stage, config = files(tmp_path, robot(motor))
    out = run(stage, "--isaac-lab", config).output
    assert "not simulated: Isaac Lab computes the efforts of 3 joints with explicit actuators in each step" in out
    assert "outside PhysX: " in out


@pytest.mark.parametrize(("config", "message"), [
    ("none.py", "none.py: cannot be read"), ("robot.usda", "not a configuration; give a .py file")])
def test_a_configuration_that_cannot_be_read_ends_in_one_line(config: str, message: str, tmp_path: Path) -> None:
    stage, _ = files(tmp_path, robot(implicit("stiffness=1.0, damping=0.1")))
    result = run(stage, "--isaac-lab", str(tmp_path / config))
    assert result.exit_code == 3
    assert message in result.output and result.output.count("\n") == 1


def test_fixes_are_for_the_stage_alone(tmp_path: Path) -> None:
    stage, config = files(tmp_path, robot(implicit("stiffness=1.0, damping=0.1")))
    assert run(stage, "--isaac-lab", config, "--fix").exit_code == 2


def test_measured_values_are_rows_of_the_dataset(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "finger.usda"
    shutil.copy(STAGES / "clean_finger.usda", path)
    alone = call("verify", path)
    recorded = call("verify", path, "--results", tmp_path / "results")
    assert (recorded.stdout, recorded.exit_code) == (alone.stdout, alone.exit_code)
    stiffness, = (row for row in Dataset(tmp_path / "results").rows(kind=VALUE)
                  if row["property"] == "drive:angular:physics:stiffness")
    assert stiffness["authored"] and stiffness["effective"] and stiffness["verdict"]
