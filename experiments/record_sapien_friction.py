"""Record arms whose joints rub by what they carry, in SAPIEN.

    <python with sapien 3.0.3> experiments/record_sapien_friction.py tests/data/sapien_friction.npz

Links of 1 kg and 0.5 m hang behind each other on hinges about +Y, let go or driven to 0.2 rad; 10 ms steps. Each array
is (n_step + 1, 2 n), positions and velocities, named by friction, number of links and whether they are driven.
"""

from __future__ import annotations

import sys

import numpy as np
import sapien

DT, STEPS = 0.01, 60
START = (0.3, 0.6, -0.4)
TO_Y = (0.5**0.5, 0.0, 0.0, 0.5**0.5)       # x axes of joint frames lie along +Y
RUNS = [(0.05, 2, False), (0.5, 3, False), (0.05, 3, True), (0.5, 2, True)]


def recorded(friction: float, count: int, driven: bool) -> np.ndarray:
    """One arm's positions and velocities."""
    awake = sapien.physx.PhysxBodyConfig()
    awake.sleep_threshold = 0.0
    sapien.physx.set_body_config(awake)
    scene = sapien.Scene([sapien.physx.PhysxCpuSystem()])
    scene.set_timestep(DT)
    builder = scene.create_articulation_builder()
    parent = builder.create_link_builder()
    parent.set_mass_and_inertia(1.0, sapien.Pose(), [0.1] * 3)
    for i in range(count):
        link = builder.create_link_builder(parent)
        link.set_mass_and_inertia(1.0, sapien.Pose([0.25, 0, 0]), [0.002, 0.02, 0.02])
        link.set_joint_name(f"hinge{i}")
        link.set_joint_properties("revolute", [[-np.inf, np.inf]], sapien.Pose([0.5 if i else 0, 0, 0], TO_Y),
                                  sapien.Pose([0, 0, 0], TO_Y))
        parent = link
    arm = builder.build(fix_root_link=True)
    for link in arm.links:
        link.linear_damping = link.angular_damping = 0.0
        link.disable_gravity = False
    for joint in arm.active_joints:
        joint.friction = friction
        if driven:
            joint.set_drive_properties(20.0, 2.0, 1e6)
            joint.drive_target = [[0.2]]
    arm.qpos, arm.qvel = np.array(START[:count]), np.zeros(count)
    rows = [np.r_[arm.qpos, arm.qvel]]
    for _ in range(STEPS):
        scene.step()
        rows.append(np.r_[arm.qpos, arm.qvel])
    return np.array(rows)


if __name__ == "__main__":
    np.savez_compressed(sys.argv[1], **{f"{friction}_{count}_{int(driven)}": recorded(friction, count, driven)
                                        for friction, count, driven in RUNS})
