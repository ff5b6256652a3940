"""How results show themselves at a prompt."""

from __future__ import annotations

from pathlib import Path

import physx_runtime
import pytest
from support.stages.recorded_arm import arm, saved

import physx_schema


@pytest.fixture
def stage(tmp_path: Path) -> str:
    return str(saved(arm(), tmp_path / "arm.usda"))


def test_a_description_tells_its_counts_in_a_line(stage: str) -> None:
    found = physx_schema.describe(stage)
    assert repr(found).startswith(f"Description({found.source!r}, articulations=1, bodies=0, joints=0, ")


def test_a_check_report_tells_its_counts_in_a_line(stage: str) -> None:
    found = physx_schema.check(stage)
    assert repr(found).startswith(f"Report({found.source!r}, {found.profile!r}, errors={len(found.errors)}, ")


def test_a_recording_tells_its_sizes_in_a_line(stage: str) -> None:
    found = physx_runtime.simulate(stage, steps=2)
    assert repr(found).startswith(f"Recording(records=3, worlds=1, dofs={len(found.joint_names)}, ")


def test_a_verification_tells_its_counts_in_a_line() -> None:
    assert repr(physx_runtime.Verification("arm.usda", (), 0.01, ())) == (
        "Verification('arm.usda', rows=0, failed=0, dt=0.01)")
