"""A damped arm of many iterations: its velocity at a step's start is far from the mean that moves it."""

from __future__ import annotations

from pathlib import Path

import pytest
from physx_runtime import Session
from pxr import Usd

ARM_STAGE = Path(__file__).resolve().parents[2] / "data" / "sleeping" / "damped_arm.usda"
ARM = "/tn__planarmanipulator_tH/Geometry/upper_arm/arm_root"
ARM_DT = 1 / 60
# Sleep threshold -> the first step at whose end the arm rests, in ovphysx 0.7.0.
ARM_RESTS = {0.0035: 50, 0.0045: 65, 0.005: 40, 0.0051: 41, 0.0055: 42, 0.006: 44}


@pytest.mark.parametrize("threshold", ARM_RESTS)
def test_a_damped_arm_rests_from_the_step_on_that_physx_takes(threshold: float) -> None:
    stage = Usd.Stage.Open(str(ARM_STAGE))
    stage.SetEditTarget(stage.GetSessionLayer())
    stage.GetPrimAtPath(ARM).GetAttribute("physxArticulation:sleepThreshold").Set(threshold)
    with Session(stage) as session:
        arm, asleep = session.simulation(ARM), []
        for _ in range(ARM_RESTS[threshold]):
            session.step(ARM_DT)
            asleep.append(bool(arm.asleep[0]))
    assert asleep == [False] * (ARM_RESTS[threshold] - 1) + [True]
