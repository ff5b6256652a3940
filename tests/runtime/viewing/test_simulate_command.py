"""The command `physx-schema simulate`: where it starts, what it writes and how it sums up."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from physx_runtime import simulate
from physx_runtime.commands import simulate_command
from physx_runtime.viewing.summary import mechanical_energy
from pxr import Sdf, Usd, UsdPhysics
from support.stages.recorded_arm import INERTIA, LINKS, SHOULDER, arm, swing
from support.stages.recorded_arm import saved as saved_arm

from physx_schema import authoring
from physx_schema.description import describe

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
    assert "0 joint axes and 3 links" in done.output and "energy of motion" in done.output


def test_a_page_shows_the_motion(driven: Path, tmp_path: Path) -> None:
    page = tmp_path / "motion.html"
    assert run(driven, "--steps", "4", "--out", str(page)).exit_code == 0
    assert 'id="robot-data"' in page.read_text(encoding="utf-8")


def test_the_summary_names_the_limit_that_a_joint_came_to(tmp_path: Path) -> None:
    stage = arm()
    joint = UsdPhysics.RevoluteJoint(stage.GetPrimAtPath(SHOULDER))
    done = run(saved_arm(stage, tmp_path / "arm.usda"), "--steps", "120", "--joint-effort", "shoulder=50")
    assert done.exit_code == 0, done.output
    assert f"{SHOULDER}: 0 to {joint.GetUpperLimitAttr().Get():.4g} degrees, at its upper limit" in done.stdout


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
