"""`verify` measures the stage as Isaac Lab makes it act, and says what it does not use."""

from __future__ import annotations

from math import radians
from pathlib import Path

import pytest
from physx_runtime import verify
from support.isaac_lab import configured, files, implicit, notes, robot
from support.stages.named_robots import star

from physx_schema.description import describe

STIFFNESS = "drive:angular:physics:stiffness"
SIMULATION = ("@configclass\nclass EnvCfg:\n    decimation = 4\n    sim = SimulationCfg(dt=1 / 200)\n"
              "    robot = ROBOT_CFG.copy()\n")


def test_the_values_of_the_configuration_are_measured(tmp_path: Path) -> None:
    stage, config = files(tmp_path, robot(implicit("stiffness=40.0, damping=5.0")) + SIMULATION)
    verification = verify(stage, isaac_lab=config)
    assert verification.dt == 1 / 200
    assert [row.authored for row in verification.rows if row.property == STIFFNESS] == [
        pytest.approx(radians(40.0), rel=1e-6)] * 3
    assert verification.isaac_lab is not None and len(verification.isaac_lab.overrides) == 6


def test_a_given_time_step_counts_more_than_the_configuration(tmp_path: Path) -> None:
    stage, config = files(tmp_path, robot(implicit("stiffness=40.0, damping=5.0")) + SIMULATION)
    assert verify(stage, dt=1 / 100, isaac_lab=config).dt == 1 / 100


def test_a_description_has_no_stage_to_write_to(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="isaac_lab needs a stage or a file, not a Description"):
        verify(describe(star(("hip",))), isaac_lab=tmp_path / "cfg.py")


def test_a_value_that_physx_refuses_is_not_said_to_act(tmp_path: Path) -> None:
    stage, config = files(tmp_path, robot(implicit("stiffness=40.0, damping=5.0, friction=0.1, dynamic_friction=0.5")))
    report = verify(stage, isaac_lab=config).isaac_lab
    assert report is not None and report.failed
    assert any("dynamic friction 0.5 is above static friction 0.1" in item.no_effect for item in report.settings)


def test_a_stage_without_a_default_prim_is_an_error(tmp_path: Path) -> None:
    stage = star(("hip",))
    stage.ClearDefaultPrim()
    _, report = configured(tmp_path, robot(implicit("stiffness=1.0, damping=0.1")), stage)
    assert any(note.reason.startswith("the stage has no defaultPrim") for note in notes(report, "error in Isaac Lab"))
