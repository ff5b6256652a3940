"""The motion of a stage is how fast and how far it is in a simulation of it."""

from __future__ import annotations

import numpy as np
import pytest
from physx_runtime import simulate
from physx_runtime.verification.loaded.motion import MOTION_TIME, loaded_motion
from support.stages.loaded_robots import STIFF, arm, body, gravity_scene, lift, slow
from support.stages.robots import opened, robot
from support.stages.verified_robots import both, part

from physx_schema.description import describe

DT = 1 / 60
STEPS = round(MOTION_TIME / DT)
ROUNDING = 1e-5         # of float32 on two paths
LINK, JOINT = "/Robot/l0", "/Robot/j0"



def test_speeds_are_at_least_those_of_the_recording() -> None:
    stage = opened(arm(STIFF))
    motion, recording = loaded_motion(describe(stage), DT), simulate(stage, DT, STEPS)
    velocity = recording.link_velocity[1:, 0, recording.link_names.index(LINK)].astype(np.float64)
    recorded = (np.abs(recording.joint_velocity[1:, 0]).max(), np.linalg.norm(velocity[:, :3], axis=1).max(),
                np.linalg.norm(velocity[:, 3:], axis=1).max())
    found = motion.joint_speed[JOINT], motion.linear_speed[LINK], motion.angular_speed[LINK]
    assert all(a >= b * (1.0 - ROUNDING) for a, b in zip(found, recorded, strict=True))
    assert all(a <= 1.2 * b for a, b in zip(found, recorded, strict=True))


def test_way_of_a_step_counts_where_velocity_iterations_hide_it() -> None:
    stage = opened(arm(both(STIFF, slow("angular", 0.0057))))
    motion, recording = loaded_motion(describe(stage), DT), simulate(stage, DT, STEPS)
    moved = float(np.abs(np.diff(recording.joint_position[:, 0, 0].astype(np.float64))).max()) / DT
    assert motion.joint_speed[JOINT] == pytest.approx(moved, rel=1e-3)
    assert motion.joint_speed[JOINT] > 50.0 * float(np.abs(recording.joint_velocity).max())


def test_positions_are_the_farthest_of_the_recording() -> None:
    stage = opened(arm(STIFF))
    motion, recording = loaded_motion(describe(stage), DT), simulate(stage, DT, STEPS)
    positions = recording.joint_position[1:, 0, 0]
    assert (motion.lowest[JOINT], motion.highest[JOINT]) == (
        pytest.approx(float(positions.min()), rel=1e-5), pytest.approx(float(positions.max()), rel=1e-5))


def test_positions_count_from_where_a_joint_is_within_its_limits() -> None:
    turned = part("PhysicsJointStateAPI:angular", "state:angular:physics", position=100.0)
    motion = loaded_motion(describe(opened(arm(both(STIFF, turned)))), DT)
    assert motion.highest[JOINT] <= np.radians(90.0) + 1e-5


def test_free_body_falls_as_fast_as_gravity_lets_it() -> None:
    motion = loaded_motion(describe(opened(robot(gravity_scene(9.81), body("l0", (0, 0, 5), 1.0, {}), schemas=()))), DT)
    assert motion.linear_speed[LINK] == pytest.approx(9.81 * MOTION_TIME, rel=1e-4)
    assert motion.angular_speed[LINK] == 0.0


def test_what_stands_still_has_no_speed() -> None:
    motion = loaded_motion(describe(opened(lift(gravity=0.0))), DT)
    assert (motion.joint_speed[JOINT], motion.linear_speed[LINK], motion.diverged) == (0.0, 0.0, False)
