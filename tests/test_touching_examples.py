"""The examples of what touches run as a user runs them, say who carries what, and move as in real PhysX."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from physx_runtime import simulate
from support.physx.live import record_live
from support.places import ROOT

EXAMPLES = ROOT / "examples"
STILL = 5e-3                # of weights: a third of a second after the start things still settle
# m after a second. Hand, ant, stack and gripper: 3e-8, 6e-7, 3e-7 and 2e-8 were measured. What links press while it
# stands on the ground turns otherwise in PhysX once a tensor binding was made, whose hidden step knows its contacts
# before the first step (2.6e-3): so none is made here.
OFFSETS = {"hold_a_ball": 1e-6, "ant_on_the_ground": 3e-6, "stack_of_boxes": 5e-6, "lift_a_box": 1e-6}


def said(example: str, path: Path) -> str:
    """What an example prints that authors its stage at a path."""
    found = subprocess.run([sys.executable, EXAMPLES / f"{example}.py", path], capture_output=True, text=True,
                           check=False, cwd=ROOT, env=dict(os.environ))
    assert found.returncode == 0, found.stderr
    return found.stdout


def matched_numbers(pattern: str, text: str) -> list[float]:
    """The numbers that a pattern finds."""
    return [float(number) for number in re.findall(pattern, text)]


def test_a_stack_stands_and_every_box_carries_those_above_it(tmp_path: Path) -> None:
    text = said("stack_of_boxes", tmp_path / "stack.usda")
    forces = matched_numbers(r"carries /Box\d with ([\d.]+) N", text)
    assert forces == pytest.approx([2.0 * 9.81 * boxes for boxes in (5, 4, 3, 2, 1)], rel=STILL)
    assert "the top box is at 0.900 m of 0.900 m" in text


def test_the_feet_of_an_ant_carry_it(tmp_path: Path) -> None:
    text = said("ant_on_the_ground", tmp_path / "ant.usda")
    feet = matched_numbers(r"shin\d carries ([\d.]+) N", text)
    assert len(feet) == 4
    assert feet == pytest.approx([sum(feet) / 4] * 4, rel=0.05)
    together, weight = matched_numbers(r"([\d.]+) N", text.splitlines()[4])
    assert together == pytest.approx(weight, rel=STILL)


def test_fingers_hold_a_ball(tmp_path: Path) -> None:
    text = said("hold_a_ball", tmp_path / "hand.usda")
    pressed = matched_numbers(r"presses the ball with ([\d.]+) N", text)
    assert len(pressed) == 3
    assert min(pressed) > 1.0
    carried, weight = matched_numbers(r"([\d.]+) N", text.splitlines()[3])
    assert carried == pytest.approx(weight, rel=STILL)
    now, before = matched_numbers(r"([\d.]+) m", text)
    assert now == pytest.approx(before, abs=2e-3)


def test_a_gripper_lifts_a_box_by_friction(tmp_path: Path) -> None:
    text = said("lift_a_box", tmp_path / "gripper.usda")
    height, = matched_numbers(r"the box is ([\d.]+) m above", text)
    assert height > 0.08
    carried, = matched_numbers(r"friction carries ([\d.]+) N", text)
    assert carried == pytest.approx(0.2 * 9.81, abs=0.02)


@pytest.mark.usefixtures("oracle_folder")
@pytest.mark.parametrize("example", OFFSETS)
def test_an_example_moves_as_in_physx(example: str, tmp_path: Path) -> None:
    path = tmp_path / f"{example}.usda"
    said(example, path)
    (there,), here = record_live([(str(path), 1 / 60, 0, 60, {})]), simulate(path, steps=60, every=60)
    for name, pose in zip(here.body_names, here.body_pose[-1, 0], strict=True):
        assert pose[:3] == pytest.approx(there.of("position", name)[-1], abs=OFFSETS[example])
