"""The notebooks run from the first cell to the last, and come to what they say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.notebooks import cells
from support.places import ROOT

from physx_schema.description import describe

NOTEBOOKS = sorted((ROOT / "examples/notebooks").glob("*.ipynb"))
LONGEST = 300.0         # s that any of them may take on a busy machine


def notebook_output(name: str, folder: Path) -> str:
    """What a notebook prints when it is run in a folder, in a process of its own."""
    done = subprocess.run(
        [sys.executable, ROOT / "tests/support/notebooks.py", ROOT / f"examples/notebooks/{name}.ipynb"], cwd=folder,
        env={**os.environ, "MPLBACKEND": "Agg"}, capture_output=True, text=True, check=False, timeout=LONGEST)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_notebook_is_run_below() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["author_and_verify", "tune_a_joint", "worlds"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_notebooks_are_kept_without_outputs(path: Path) -> None:
    kept = [cell for cell in cells(path) if cell.get("outputs") or cell.get("execution_count") is not None]
    assert kept == []


@pytest.mark.sweep
def test_the_authored_finger_has_no_findings_and_its_remedies_reach_what_was_meant(tmp_path: Path) -> None:
    text = notebook_output("author_and_verify", tmp_path)
    assert "errors=0, warnings=0" in text
    wanted, effective = map(float, re.findall(r"stiffness wanted ([\d.]+), effective ([\d.]+)", text)[0])
    assert effective == pytest.approx(wanted, rel=1e-3)
    assert describe(tmp_path / "finger.usda").articulations[0].fixed_tendons[0].stiffness == wanted
    assert (tmp_path / "remedied.usda").is_file()


@pytest.mark.sweep
def test_the_tuned_joint_reaches_frequency_and_damping_ratio(tmp_path: Path) -> None:
    text = notebook_output("tune_a_joint", tmp_path)
    reached = {name: (float(wanted), float(got)) for name, wanted, got in re.findall(
        r"(\w+) wanted ([\d.]+) reached ([\d.]+)", text)}
    assert set(reached) == {"natural_frequency", "damping_ratio"}
    assert all(got == pytest.approx(wanted, rel=2e-3) for wanted, got in reached.values())
    assert (tmp_path / "step_response.png").stat().st_size > 0


@pytest.mark.sweep
def test_worlds_with_drawn_parameters_end_in_different_places(tmp_path: Path) -> None:
    text = notebook_output("worlds", tmp_path)
    assert "worlds=64" in text
    authored, lowest, highest = map(float, re.findall(r"-?\d+\.\d", text)[-3:])
    assert lowest < authored < highest
    assert (tmp_path / "worlds.png").stat().st_size > 0
