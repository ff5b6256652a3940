"""Initial states are written in degrees, and positions outside the limits of joints are errors, as in Isaac Lab."""

from __future__ import annotations

from math import degrees
from pathlib import Path

import pytest
from physx_runtime.isaac_lab.report import FAULT, UNRELATED
from support.isaac_lab import configured, implicit, notes, robot, setting

KEEP = implicit("stiffness=None, damping=None")


def test_joint_positions_and_velocities_are_in_degrees(tmp_path: Path) -> None:
    state = "init_state=ArticulationCfg.InitialStateCfg(joint_pos={'hip': 0.4, 'k.*': -0.8}, joint_vel={'.*': 0.1}),"
    _, report = configured(tmp_path, robot(KEEP, rest=state))
    assert setting(report, "/Robot/knee", "state:angular:physics:position").configured == pytest.approx(degrees(-0.8))
    assert setting(report, "/Robot/ankle", "state:angular:physics:velocity").configured == pytest.approx(degrees(0.1))


@pytest.mark.parametrize(("positions", "reason"), [
    ("{'hip': 3.1}", "/Robot/hip begins outside [-2.967, 2.967] rad"), ("{'elbow': 0.0}", "no joint matches 'elbow'"),
    ("{'hip': '0.4'}", "give numbers by expressions of joints")])
def test_positions_that_isaac_lab_refuses_are_errors(positions: str, reason: str, tmp_path: Path) -> None:
    state = f"init_state=ArticulationCfg.InitialStateCfg(joint_pos={positions}),"
    _, report = configured(tmp_path, robot(KEEP, rest=state))
    assert [note.reason for note in notes(report, FAULT)] == [reason]


def test_the_pose_of_the_base_is_not_for_the_experiments(tmp_path: Path) -> None:
    state = "init_state=ArticulationCfg.InitialStateCfg(pos=(0.0, 0.0, 1.0)),"
    _, report = configured(tmp_path, robot(KEEP, rest=state))
    assert "init_state.pos" in {note.field for note in notes(report, UNRELATED)}
