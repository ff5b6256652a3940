"""The examples with closed chains are sound stages whose loops stay closed; beside real PhysX they move alike."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from physx_runtime import simulate
from physx_runtime.worlds.store import SCHEDULED
from support.physx.linkages import AUTHORED, CONVERTED, EXAMPLES, Linkage, linkage
from support.places import ROOT

from physx_schema.checking import check

DT, STEPS = 1 / 240, 120
# What PhysX itself lets the loops open by while motors start: 0.14 mm in the delta robot, 0.16 mm in the ankle.
OPEN = 5e-4
# Of positions in metres and components of quaternions, in float32; motion that amplifies is held to PhysX's own
# from starts moved by 1e-7.
FLOAT32, GROWTHS, MOVES = 5e-6, 10.0, 2
FREEDOM = {"four_bar": 3, "delta_robot": 24, "two_finger_gripper": 6, "biped_leg": 11, "five_bar": 4, "gripper": 8,
           "parallel_ankle": 10, "quadruped": 16}


@pytest.fixture(scope="module", params=[*AUTHORED, *CONVERTED])
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Linkage:
    return linkage(request.param, tmp_path_factory.mktemp(request.param))


def test_the_stage_has_no_errors(built: Linkage) -> None:
    assert not [finding for finding in check(built.stage).findings if finding.severity == "error"]


def test_loops_stay_closed_while_motors_move(built: Linkage) -> None:
    motion = simulate(built.path, DT, STEPS, path=SCHEDULED)
    assert not motion.not_simulated
    assert motion.joint_position.shape[2] == FREEDOM[built.path.stem]
    assert np.abs(motion.joint_position[-1] - motion.joint_position[0]).max() > 0.05
    assert built.gaps_of(motion).max() < OPEN


def test_the_motion_is_that_of_physx(built: Linkage, oracle_folder: Path) -> None:
    from scene_recorder import record

    jobs = [{"usd": str(path), "dt": DT, "steps": STEPS} for path in (built.path, *built.moved(MOVES))]
    recorded = record(jobs)
    real, *others = (np.concatenate([found["pos"], found["quat"]], axis=2) for found in recorded)
    motion = simulate(built.path, DT, STEPS, path=SCHEDULED)
    ours = motion.body_pose[:, 0, [motion.body_names.index(path) for path in recorded[0]["paths"]]]
    assert built.gaps(recorded[0]["paths"], real).max() < OPEN
    growth = max(apart(real, other) for other in others)
    assert apart(real, ours) <= max(FLOAT32, GROWTHS * growth)


def apart(real: np.ndarray, other: np.ndarray) -> float:
    """How far two motions part, in positions or in quaternions of either sign."""
    sign = np.where((real[..., 3:] * other[..., 3:]).sum(axis=2, keepdims=True) < 0.0, -1.0, 1.0)
    return float(max(np.abs(real[..., :3] - other[..., :3]).max(), np.abs(real[..., 3:] - sign * other[..., 3:]).max()))


@pytest.mark.parametrize("name", AUTHORED)
def test_the_example_runs_and_says_how_far_its_loops_open(name: str, tmp_path: Path) -> None:
    found = subprocess.run([sys.executable, EXAMPLES / f"{name}.py", tmp_path / "stage.usda"], capture_output=True,
                           text=True, check=False, cwd=ROOT)
    assert found.returncode == 0, found.stderr
    assert float(found.stdout.splitlines()[-1].split()[-2]) < 1e6 * OPEN


def test_the_converter_runs_and_says_how_far_loops_open(tmp_path: Path) -> None:
    found = subprocess.run([sys.executable, EXAMPLES / "convert_mjcf.py", EXAMPLES / "mjcf" / "five_bar.xml",
                            tmp_path / "stage.usda"], capture_output=True, text=True, check=False, cwd=ROOT)
    assert found.returncode == 0, found.stderr
    assert float(found.stdout.splitlines()[-1].split()[-2]) < 1e6 * OPEN
