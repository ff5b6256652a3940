"""Commands that write leave old files or new ones, whatever ends them and wherever the disk takes no more."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from support.places import ROOT

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
