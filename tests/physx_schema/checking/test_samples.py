"""The checker gets through every sample stage of the ovphysx wheel, none of which was made for this project."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from physx_schema import check

pytestmark = pytest.mark.sweep

FIND = ("import importlib.util as u; spec = u.find_spec('ovphysx'); "
        "print(spec.submodule_search_locations[0] if spec else '')")
EVERY_PROFILE = "physx+simready+newton+driven"
SNAPPED = "FixedTendonTest.usda"        # its links are authored 10 m apart and joined 1 m apart


@pytest.fixture(scope="module")
def samples() -> list[Path]:
    """Every stage in the wheel; skips where there is none."""
    python = os.environ.get("ORACLE_PYTHON", sys.executable)
    found = subprocess.run([python, "-c", FIND], capture_output=True, text=True, check=False).stdout.strip()
    stages = sorted(Path(found, "samples").rglob("*.usda")) if found else []
    if not stages:
        pytest.skip(f"{python} has no ovphysx with samples; set ORACLE_PYTHON to an interpreter that has it")
    return stages


def test_no_rule_fails_on_a_sample(samples: list[Path]) -> None:
    failed = {path.name: item.message for path in samples for item in check(path, EVERY_PROFILE).findings
              if item.code.startswith("rule-failed")}
    assert not failed


def test_links_that_physx_snaps_together_are_reported(samples: list[Path]) -> None:
    path = next(path for path in samples if path.name == SNAPPED)
    codes = [item.code for item in check(path).findings]
    assert codes.count("DJ.003/frames-apart") == 4
