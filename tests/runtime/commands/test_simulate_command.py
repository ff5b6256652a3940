"""The commands simulate and verify: what they print, write and exit with.

The command `physx-schema simulate`: where it starts, what it writes and how it sums up.

The command `physx-schema report`.

Every command is there, with its help, where none of the extras is installed.

Commands that write leave old files or new ones, whatever ends them and wherever the disk takes no more.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from physx_runtime import simulate
from physx_runtime.commands.report_command import report_command
from physx_runtime.commands.simulate_command import simulate_command
from physx_runtime.viewing.summary import mechanical_energy
from pxr import Sdf, Usd, UsdPhysics
from support.places import ROOT
from support.stages.recorded_arm import INERTIA, LINKS, SHOULDER, arm, swing
from support.stages.recorded_arm import saved as saved_arm
from support.stages.verified_robots import axis, both, chain, drive, envelope

from physx_schema import authoring
from physx_schema.command_line.command_files import PACKAGES, commands_of
from physx_schema.command_line.program import program
from physx_schema.description import describe

COUNT = "all experiments use this setting; its effect is not measured separately"
MISSING = "no such file; use a .usda, .usdc, .usd or .usdz file, or a robot as .urdf or MJCF .xml"


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
    assert ("/Robot/j0: physxTendon:t:stiffness 30 authored, 15 effective in PhysX at 32/0 iterations, because PhysX "
            "divides the tendon's pull by the number of its axes, 2 (x0.5); author 60 to get "
            "30") in result.stdout.splitlines()


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


def test_stage_without_bodies_exits_2_with_one_line(tmp_path: Path) -> None:
    path = saved(Usd.Stage.CreateInMemory(), tmp_path)
    for command in ("verify", "simulate"):
        result = call(command, path)
        assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (2, "", 1), command
        assert "no prim has PhysicsRigidBodyAPI" in result.stderr, command


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
        f"{clean}: 1 joint axis and 2 links, 20 steps of 0.01 s, 5 states, written to {out}\n")
    with np.load(out) as arrays:
        assert arrays["time"] == pytest.approx([0.0, 0.05, 0.1, 0.15, 0.2])
        assert list(arrays["joint_names"]) == ["/Robot/j0"]
        assert (arrays["joint_position"].shape, arrays["link_pose"].shape) == ((5, 1, 1), (5, 1, 2, 7))


def test_simulate_says_the_steps_that_it_took_of_the_articulation_named(clean: str) -> None:
    result = call("simulate", clean, "--articulation", "/Robot", "--steps", "5", "--every", "2")
    assert "4 steps of 0.0166667 s, 3 states" in result.stdout
    assert "choose from /Robot" in call("simulate", clean, "--articulation", "/nowhere").stderr


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
    assert "has no known suffix; use one of .npz, .csv, .html, .usda" in result.stderr


def test_help_loads_no_compiler() -> None:
    code = ("import sys; import physx_runtime.commands.simulate_command, physx_runtime.commands.verify_command; "
            "import physx_runtime.commands.report_command, physx_runtime.demonstration.demo_command; "
            "print(sorted({'numba', 'llvmlite'} & set(sys.modules)))")
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


# --- simulate command ------------------------------------------------------------------------------------------------

HANDS_WIDTH = 1e-5          # rad: text and float32
ROUNDING = 1e-6             # gravity is a float32 on the stage
MASS, GRAVITY = 1.0, 9.81   # kg of each link, m/s^2


def run(stage: Path, *options: str) -> Result:
    return CliRunner().invoke(simulate_command, [str(stage), *options])


@pytest.fixture
def driven(tmp_path: Path) -> Path:
    """An arm with a drive at its shoulder."""
    stage = arm()
    authoring.drive(stage.GetPrimAtPath(SHOULDER), stiffness=100.0, damping=20.0, target=0.0)
    return saved_arm(stage, tmp_path / "arm.usda")


def test_a_table_has_the_motion_from_the_start_that_options_give(driven: Path, tmp_path: Path) -> None:
    table = tmp_path / "motion.csv"
    done = run(driven, "--steps", "3", "--joint-position", "shoulder=10deg", "--joint-target", "shoulder=20deg",
               "--out", str(table))
    assert done.exit_code == 0, done.output
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    made = simulate(driven, steps=3, joint_position={SHOULDER: np.radians(10.0)},
                    joint_target={SHOULDER: np.radians(20.0)})
    column = made.joint_position[:, 0, made.joint_names.index(SHOULDER)]
    np.testing.assert_allclose([float(row[f"{SHOULDER} position"]) for row in rows], column, atol=HANDS_WIDTH)
    assert column[-1] > column[0]


def test_a_layer_over_the_stage_plays_the_motion(driven: Path, tmp_path: Path) -> None:
    layer = tmp_path / "motion.usda"
    assert run(driven, "--steps", "4", "--out", str(layer)).exit_code == 0
    played = Usd.Stage.Open(str(layer))
    assert played.GetRootLayer().subLayerPaths == ["./arm.usda"]
    assert played.GetEndTimeCode() == 4


def test_links_of_a_disabled_articulation_move_as_separate_bodies(tmp_path: Path) -> None:
    stage = arm()
    root = stage.GetPrimAtPath("/World")
    root.CreateAttribute("physxArticulation:articulationEnabled", Sdf.ValueTypeNames.Bool).Set(False)
    page = tmp_path / "motion.html"
    done = run(saved_arm(stage, tmp_path / "arm.usda"), "--steps", "2", "--out", str(page))
    assert done.exit_code == 0 and page.exists(), done.output
    assert "0 joint axes and 3 links" in done.output and "kinetic and gravitational energy" in done.output


def test_a_page_shows_the_motion(driven: Path, tmp_path: Path) -> None:
    page = tmp_path / "motion.html"
    assert run(driven, "--steps", "4", "--out", str(page)).exit_code == 0
    assert 'id="robot-data"' in page.read_text(encoding="utf-8")


def test_the_summary_names_the_limit_that_a_joint_came_to(tmp_path: Path) -> None:
    stage = arm()
    joint = UsdPhysics.RevoluteJoint(stage.GetPrimAtPath(SHOULDER))
    done = run(saved_arm(stage, tmp_path / "arm.usda"), "--steps", "120", "--joint-effort", "shoulder=50")
    assert done.exit_code == 0, done.output
    assert f"{SHOULDER}: from 0 to {joint.GetUpperLimitAttr().Get():.4g} degrees, at its upper limit" in done.stdout


def test_a_misspelt_joint_is_a_usage_error_with_the_name_that_was_meant(driven: Path) -> None:
    done = run(driven, "--joint-target", "sholder=1")
    assert done.exit_code == 2
    assert f"did you mean {SHOULDER}?" in done.stderr


def test_the_energy_is_that_of_height_and_motion() -> None:
    recording = swing([(0.0, 0.0), (90.0, 0.0)])
    recording.body_velocity[1] = [0.0, 0.0, 2.0, 0.0, 3.0, 0.0]
    standing, moving = MASS * GRAVITY * (0.5 + 1.5), len(LINKS) * 0.5 * (MASS * 2.0**2 + INERTIA[1] * 3.0**2)
    found = mechanical_energy(describe(arm()), recording)
    np.testing.assert_allclose(found, [standing, moving], rtol=ROUNDING)


# --- report command --------------------------------------------------------------------------------------------------


def test_a_report_is_written_where_it_is_asked_for(tmp_path: Path) -> None:
    stage, out = saved_arm(arm(), tmp_path / "arm.usda"), tmp_path / "page.html"
    done = CliRunner().invoke(report_command, [str(stage), "-o", str(out), "--steps", "5"])
    assert done.exit_code == 0, done.output
    assert done.stdout == f"{stage}: report written to {out}\n"
    assert 'id="robot-data"' in out.read_text(encoding="utf-8")


def test_a_place_that_cannot_be_written_is_said_in_one_line(tmp_path: Path) -> None:
    stage = saved_arm(arm(), tmp_path / "arm.usda")
    done = CliRunner().invoke(program(), ["report", "-q", str(stage), "-o", str(stage / "page.html"), "--steps", "1"])
    assert (done.exit_code, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"{stage / 'page.html'}: cannot be written: ")


# --- commands without extras -----------------------------------------------------------------------------------------

# What extras alone bring; a command asks for it when it is run.
OF_EXTRAS = ("viser", "websockets", "PIL", "matplotlib", "imageio_ffmpeg", "mcp", "ovphysx", "coal")
LOADED = """
import importlib, sys
sys.modules.update(dict.fromkeys({extras!r}))
for name, place in {commands!r}.items():
    module, _, attribute = place.partition(":")
    assert getattr(importlib.import_module(module), attribute).name == name, name
"""


def test_every_command_loads_without_the_packages_of_extras() -> None:
    commands = {entry.name: entry.value for package in PACKAGES for entry in commands_of(package)}
    script = LOADED.format(extras=OF_EXTRAS, commands=commands)
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert commands
    assert (result.returncode, result.stderr) == (0, "")


# --- cut off commands ------------------------------------------------------------------------------------------------

POINTS = "3"
COMMANDS = ("convert to YAML", "migrate --write", "check --fix --in-place", "check --write-baseline",
            "simulate --out .npz", "report -o")


@pytest.mark.sweep
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_is_ended_or_refused_room_leaves_no_half(command: str) -> None:
    done = subprocess.run([sys.executable, "-m", "support.cut_off", POINTS, command], capture_output=True, text=True,
                          check=True, env=os.environ | {"PYTHONPATH": str(ROOT / "tests")})
    row = json.loads(done.stdout)
    assert {*row["killed"]} == {"old", "new"} and row["torn"] == 0
    assert {*row["refused"]} == {"old"} and {*row["codes"]} == {"2"} and {*row["lines"]} == {"1"} and row["left"] == 0
