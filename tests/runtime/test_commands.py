"""The commands simulate and verify: what they print, write and exit with."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from pxr import Usd
from support.stages.verified_robots import axis, both, chain, drive, envelope

from physx_schema.cli.program import program

COUNT = "it is what every other number is measured under"
MISSING = "no such file; give a .usda, .usdc, .usd or .usdz file, or a robot as .urdf or MJCF .xml"


def call(*arguments: str) -> Result:
    return CliRunner().invoke(program(), list(arguments))


def saved(stage: Usd.Stage, folder: Path) -> str:
    path = folder / "stage.usda"
    stage.GetRootLayer().Export(str(path))
    return str(path)


@pytest.fixture
def clean(tmp_path: Path) -> str:
    """A slider whose drive is as authored."""
    return saved(chain(drive("linear", stiffness=30.0, damping=2.0)), tmp_path)


@pytest.fixture
def altered(tmp_path: Path) -> str:
    """Two sliders whose tendon's pull is halved."""
    return saved(chain(axis(root=True, stiffness=30.0), axis(), iterations=(32, 0)), tmp_path)


@pytest.fixture
def enveloped(tmp_path: Path) -> str:
    """A slider whose drive has a performance envelope."""
    return saved(chain(both(drive("linear", stiffness=30.0), envelope("linear", maxActuatorVelocity=2.0))), tmp_path)


COUNTS = ("not evaluated: physxArticulation:solverPositionIterationCount, "
          f"physxArticulation:solverVelocityIterationCount on /Robot: {COUNT}")


def test_clean_stage_exits_0_with_what_is_as_authored_folded_and_a_summary(clean: str) -> None:
    result = call("verify", clean)
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == [
        "as authored: drive:linear:physics:stiffness, drive:linear:physics:damping on /Robot/j0",
        "as authored: physics:mass, physics:diagonalInertia, physics:centerOfMass on 2 prims",
        COUNTS,
        f"{clean}: 8 as authored, 0 altered, 0 ignored, 2 not evaluated",
    ]


def test_all_puts_what_is_as_authored_into_the_table(clean: str) -> None:
    lines = call("verify", clean, "--all").stdout.splitlines()
    assert [line.split() for line in lines[:3]] == [
        ["path", "property", "authored", "effective", "ideal", "verdict"],
        ["/Robot/j0", "drive:linear:physics:stiffness", "30", "30", "30", "as", "authored"],
        ["/Robot/j0", "drive:linear:physics:damping", "2", "2", "2", "as", "authored"]]


def test_altered_value_exits_1_with_a_sentence(altered: str) -> None:
    result = call("verify", altered)
    assert result.exit_code == 1
    assert ("/Robot/j0: physxTendon:t:stiffness 30 authored, 15 effective in PhysX at 32/0 iterations, because "
            "PhysX divides the pull by the tendon's 2 axes (x0.5); author 60 to get 30") in result.stdout.splitlines()


def test_json_holds_every_row_and_no_nan(altered: str) -> None:
    result = call("verify", altered, "--format", "json")
    found = json.loads(result.stdout, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))
    assert (result.exit_code, found["version"], found["source"]) == (1, 2, altered)
    assert [row["verdict"] for row in found["rows"] if row["property"].endswith("stiffness")] == ["altered"]


def test_not_evaluated_exits_0_and_under_strict_5(enveloped: str) -> None:
    assert [call("verify", enveloped, *options).exit_code for options in ((), ("--strict",))] == [0, 5]


def test_altered_goes_before_not_evaluated(altered: str) -> None:
    assert call("verify", altered, "--strict").exit_code == 1


def test_unreadable_stage_exits_3_with_one_line(tmp_path: Path) -> None:
    path = str(tmp_path / "none.usda")
    for command in ("verify", "simulate"):
        result = call(command, path)
        assert (result.exit_code, result.stdout, result.stderr) == (3, "", f"{path}: {MISSING}\n"), command


def test_stage_without_articulation_exits_2_with_one_line(tmp_path: Path) -> None:
    path = saved(Usd.Stage.CreateInMemory(), tmp_path)
    for command in ("verify", "simulate"):
        result = call(command, path)
        assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (2, "", 1), command
        assert "apply PhysicsArticulationRootAPI" in result.stderr, command


@pytest.mark.parametrize("dt", ["0", "-1", "nan", "inf", "1/0", "soon"])
def test_time_step_that_is_none_is_a_usage_error(clean: str, dt: str) -> None:
    result = call("verify", clean, "--dt", dt)
    assert result.exit_code == 2
    assert "is not a positive time; write seconds such as 0.01 or 1/60" in result.stderr


def test_time_step_may_be_a_fraction(clean: str) -> None:
    assert json.loads(call("verify", clean, "--dt", "1/120", "--format", "json").stdout)["dt"] == 1 / 120


def test_simulate_writes_the_recording(clean: str, tmp_path: Path) -> None:
    out = tmp_path / "motion.npz"
    result = call("simulate", clean, "--steps", "20", "--dt", "0.01", "--every", "5", "--out", str(out))
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith(
        f"{clean}: 1 joint axes and 2 links, 20 steps of 0.01 s, 5 states, written to {out}\n")
    with np.load(out) as arrays:
        assert arrays["time"] == pytest.approx([0.0, 0.05, 0.1, 0.15, 0.2])
        assert list(arrays["joint_names"]) == ["/Robot/j0"]
        assert (arrays["joint_position"].shape, arrays["link_pose"].shape) == ((5, 1, 1), (5, 1, 2, 7))


def test_simulate_says_the_steps_that_it_took_of_the_articulation_named(clean: str) -> None:
    result = call("simulate", clean, "--articulation", "/Robot", "--steps", "5", "--every", "2")
    assert "4 steps of 0.0166667 s, 3 states" in result.stdout
    assert "found /Robot" in call("simulate", clean, "--articulation", "/nowhere").stderr


def test_simulate_without_out_writes_nothing(clean: str, tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    assert call("simulate", clean, "--steps", "2").exit_code == 0
    assert sorted(tmp_path.iterdir()) == before


def test_recording_that_cannot_be_written_leaves_nothing(clean: str, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    result = call("simulate", clean, "--steps", "2", "--out", str(blocked / "motion.npz"))
    assert result.exit_code == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "stage.usda"]


def test_recording_with_another_suffix_is_a_usage_error(clean: str, tmp_path: Path) -> None:
    result = call("simulate", clean, "--out", str(tmp_path / "motion.txt"))
    assert result.exit_code == 2
    assert "does not end in .npz, .csv, .html, .usda" in result.stderr


def test_help_loads_no_compiler() -> None:
    code = ("import sys; from physx_runtime import commands; from physx_runtime.demonstration import command; "
            "print(sorted({'numba', 'llvmlite'} & set(sys.modules)))")
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"
