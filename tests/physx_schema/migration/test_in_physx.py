"""What a migrated joint says takes effect in real PhysX, which passes over the retired form of it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pxr import Usd
from support.stages.retired_arm import ARMATURE, PRISMATIC_SPEED, REVOLUTE_SPEED, arm

from physx_schema.migration import migrate

pytestmark = pytest.mark.sweep

STEP = 1.0 / 60.0
FLOAT32 = 1e-6                  # relative rounding of one stored value


@pytest.fixture(scope="module")
def oracle(oracle_folder: Path) -> Any:
    """The module that runs stages in real PhysX."""
    import physx_oracle

    return physx_oracle


def of_joint(found: dict[str, Any], values: str, name: str) -> list[float]:
    """A value of every degree of freedom of one joint."""
    chosen = [index for index, dof in enumerate(found["dof_names"]) if dof.partition(":")[0] == name]
    return [float(value) for value in np.ravel(found[values])[chosen]]


def test_armature_and_speed_limit_of_a_migrated_joint_are_those_of_the_old_one(oracle: Any) -> None:
    before = arm()
    (change,) = migrate([before]).layers
    old, new = (oracle.dynamics(stage, dt=STEP) for stage in (before, Usd.Stage.Open(change.copy)))
    for name, count in (("turn", 1), ("slide", 1), ("ball", 3)):
        assert of_joint(old, "dof_armature", name) == [0.0] * count       # PhysX no longer reads the old form
        assert of_joint(new, "dof_armature", name) == [ARMATURE] * count
    turn, slide = math.radians(REVOLUTE_SPEED), PRISMATIC_SPEED
    for name, speeds in (("turn", [turn]), ("slide", [slide]), ("ball", [turn] * 3)):
        assert of_joint(new, "dof_max_velocity", name) == pytest.approx(speeds, rel=FLOAT32)
