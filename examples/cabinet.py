"""A cabinet with a drawer that a drive pulls open and a door that a push swings: an articulation built in Python.

    python examples/cabinet.py [stage.usda]
"""

from __future__ import annotations

import math
import sys

import numpy as np
import physx_runtime.components as sapien
import physx_runtime.components.physx as px

DT = 0.01                       # s
OPEN = 0.25                     # m to which the drawer is driven
DRAWER, DOOR = "drawer", "door"
UP = sapien.Pose(q=(math.sqrt(0.5), 0.0, -math.sqrt(0.5), 0.0))      # a joint frame whose x points up


def build() -> tuple[sapien.Scene, px.PhysxArticulation]:
    """The scene and the cabinet."""
    scene = sapien.Scene([px.PhysxCpuSystem()])
    scene.set_timestep(DT)
    scene.add_ground(0.0)
    builder = scene.create_articulation_builder()
    case = builder.create_link_builder()
    case.set_name("case")
    for z in (0.01, 0.5, 0.99):             # three boards between which drawer and door move
        case.add_box_collision(sapien.Pose([0, 0, z]), [0.2, 0.25, 0.01])
    drawer = builder.create_link_builder(case)
    drawer.set_name(DRAWER)
    drawer.set_joint_name(DRAWER)
    drawer.add_box_collision(half_size=[0.18, 0.22, 0.2], density=100)
    drawer.set_joint_properties("prismatic", [[0.0, 0.3]], sapien.Pose([0, 0, 0.25]), sapien.Pose(), damping=5.0)
    door = builder.create_link_builder(case)
    door.set_name(DOOR)
    door.set_joint_name(DOOR)
    door.add_box_collision(sapien.Pose([0.01, 0.24, 0]), [0.01, 0.23, 0.2], density=300)
    hinge = sapien.Pose([0.2, -0.24, 0.75]) * UP
    door.set_joint_properties("revolute_unwrapped", [[-1.8, 0.0]], hinge, UP, damping=0.5)
    cabinet = builder.build(fix_root_link=True)
    for joint in cabinet.active_joints:     # whose friction is 0.05 otherwise: the drawer would stop short
        joint.friction = 0.0
    return scene, cabinet


def simulate(steps: int = 300) -> np.ndarray:
    """(steps + 1, 2) how far the drawer [m] and the door [rad] are open."""
    scene, cabinet = build()
    drawer, door = cabinet.find_joint_by_name(DRAWER), cabinet.find_link_by_name(DOOR)
    drawer.set_drive_properties(stiffness=200.0, damping=80.0, force_limit=100.0)
    drawer.drive_target = OPEN
    found = []
    for step in range(steps + 1):
        found.append(cabinet.qpos)
        if step < 20:                       # N, at the handle
            door.add_force_at_point([8, 0, 0], [0.22, 0.22, 0.75])
        scene.step()
    if len(sys.argv) > 1:
        scene.to_stage().Export(sys.argv[1])
    return np.array(found)


if __name__ == "__main__":
    motion = simulate()
    print(f"the drawer is open by {motion[-1, 0]:.3f} m of {OPEN:.3f} m")
    print(f"the door has swung by {math.degrees(abs(motion[-1, 1])):.1f} degrees")
