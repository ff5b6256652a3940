"""An ideal motion is shown where a drive, a tendon or a mimic joint intends one."""

from __future__ import annotations

from typing import Any

import pytest
from physx_runtime.viewing.intention import intended_bodies
from support.stages.recorded_arm import LINKS, SHOULDER, arm

from physx_schema import authoring
from physx_schema.description import describe


def driven(**values: float) -> Any:
    stage = arm()
    authoring.drive(stage.GetPrimAtPath(SHOULDER), **values)
    return stage


@pytest.mark.parametrize(("stage", "is_intended"), [
    (arm(), False), (driven(stiffness=0.0, damping=0.0), False), (driven(stiffness=0.0, damping=1.0), False),
    (driven(stiffness=1.0, damping=0.0), True), (arm(tendon=True), True), (arm(spatial=True), True),
    (arm(mimic=True), True)])
def test_a_motion_is_intended_by_springs_tendons_and_mimic_joints(stage: Any, is_intended: bool) -> None:
    assert intended_bodies(describe(stage)) == (frozenset(LINKS) if is_intended else frozenset())


def test_a_damper_with_a_target_velocity_intends_a_motion() -> None:
    stage = driven(stiffness=0.0, damping=1.0)
    stage.GetPrimAtPath(SHOULDER).GetAttribute("drive:angular:physics:targetVelocity").Set(90.0)
    assert intended_bodies(describe(stage))
