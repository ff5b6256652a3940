"""The examples built of components run as a user runs them, and what they say is so."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.places import ROOT

from physx_schema import check

MILLIMETRE = 1e-3


def printed(example: str, *arguments: str | Path) -> str:
    """What an example prints."""
    found = subprocess.run([sys.executable, ROOT / "examples" / f"{example}.py", *arguments], capture_output=True,
                           text=True, check=False, cwd=ROOT, env=dict(os.environ))
    assert found.returncode == 0, found.stderr
    return found.stdout


def numbers(text: str) -> list[float]:
    """The decimal numbers in a text."""
    return [float(x) for x in re.findall(r"-?\d+\.\d+", text)]


def test_the_gripper_lifts_the_box_and_sets_it_down_where_it_was_to_go(tmp_path: Path) -> None:
    stage = tmp_path / "scene.usda"
    lifted, over, height = numbers(printed("pick_and_place", stage))
    assert lifted == pytest.approx(0.2, abs=2 * MILLIMETRE)
    assert over == pytest.approx(0.4, abs=2 * MILLIMETRE)
    assert height == pytest.approx(0.05, abs=MILLIMETRE)
    assert check(str(stage)).unused == ()


def test_the_drawer_opens_as_far_as_it_is_driven_and_the_door_swings() -> None:
    drawer, wanted, door = numbers(printed("cabinet"))
    assert drawer == pytest.approx(wanted, abs=2 * MILLIMETRE)
    assert 60.0 < door < 104.0          # degrees: it is limited to 103.1


def test_the_pile_comes_to_rest_in_its_tray() -> None:
    first, last, lowest, speed = numbers(printed("falling_pile"))
    assert 0.08 < first <= last < 0.3
    assert lowest > 0.034               # m: a capsule's radius is 0.035
    assert speed < 0.1
