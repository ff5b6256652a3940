"""A log that does not fit the robot is refused in one line that says what to do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from physx_runtime.identification.log import Log, read_log
from physx_runtime.identification.log_checks import log_for, require_supported, still_joints
from physx_runtime.simulation.simulation import Simulation
from support.places import ROOT

from physx_schema.errors import UnsupportedError

DATA = ROOT / "tests" / "data" / "identification"


@pytest.fixture(scope="module")
def sim() -> Simulation:
    return Simulation(DATA / "leg.usda")


@pytest.fixture(scope="module")
def log() -> Log:
    return read_log(DATA / "leg.npz")


def test_columns_are_put_in_the_order_of_the_robot(sim: Simulation, log: Log) -> None:
    backward = replace(log, joint_names=log.joint_names[::-1], joint_position=log.joint_position[:, ::-1],
                       joint_velocity=None, target_position=log.target_position[:, ::-1], target_velocity=None)
    np.testing.assert_array_equal(log_for(backward, sim).joint_position, log.joint_position)


def degrees(log: Log) -> dict[str, Any]:
    return {"joint_position": np.degrees(log.joint_position)}


def misspelt(log: Log) -> dict[str, Any]:
    return {"joint_names": ("abduction_0", "hip_0", "nee_0")}


def constant(log: Log) -> dict[str, Any]:
    return {"target_position": np.zeros_like(log.target_position)}


def measured(log: Log) -> dict[str, Any]:
    return {"command_time": log.time, "target_position": log.joint_position, "target_velocity": None}


def late(log: Log) -> dict[str, Any]:
    return {"command_time": log.command_time + 30.0}


@pytest.mark.parametrize(("fault", "message"), [
    (degrees, r"the position of joint .* reaches .*, which looks like degrees; give radians, or degrees=True"),
    (misspelt, "the log has no joint /Robot/knee_0; .*nee_0"),
    (constant, "the targets of all joints are constant"),
    (measured, "the target of joint abduction_0 is its measured position; record the command"),
    (late, r"the commands cover .* s of .* s of measurements; give both times from one clock"),
])
def test_a_planted_fault_is_named_with_what_to_do(sim: Simulation, log: Log, fault: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as error:
        log_for(replace(log, **fault(log)), sim)
    assert "\n" not in str(error.value)


def test_a_joint_that_moves_less_than_its_noise_is_still(log: Log) -> None:
    position = log.joint_position.copy()
    position[:, 1] = 1e-3 * np.sin(log.time)
    assert still_joints(replace(log, joint_position=position), np.full(3, 1e-3)).tolist() == [False, True, False]


def test_a_floating_base_is_not_supported() -> None:
    text = (DATA / "leg.usda").read_text(encoding="utf-8").replace("PhysicsFixedJoint", "Scope")
    from support.stages.robots import opened
    with pytest.raises(UnsupportedError, match="/Robot has a floating base, which is not supported; fix the base"):
        require_supported(Simulation(opened(text)))
