"""A gripper of two kinematic fingers picks a box up, carries it over and sets it down: a scene built in Python.

    python examples/pick_and_place.py [stage.usda]
"""

from __future__ import annotations

import sys

import numpy as np
import physx_runtime.components as sapien
import physx_runtime.components.physx as px

DT = 0.01                   # s
HALF, FINGER = 0.05, 0.01   # m: half sizes of the box, and of a finger across it
LIFT, WAY = 0.2, 0.4        # m: how high, how far over
SQUEEZE = 0.0004            # m that each finger would go into the box
# Seconds at which the fingers are open, closed, up, over, down and open again.
TIMES = (0.0, 0.5, 1.2, 2.2, 2.9, 3.2)


def build() -> tuple[sapien.Scene, px.PhysxRigidDynamicComponent, list[px.PhysxRigidDynamicComponent]]:
    """The scene, the box and the fingers."""
    scene = sapien.Scene([px.PhysxCpuSystem()])
    scene.set_timestep(DT)
    rubber = px.PhysxMaterial(1.0, 1.0, 0.0)
    scene.add_ground(0.0, material=rubber)
    box = scene.create_actor_builder().add_box_collision(half_size=[HALF] * 3, material=rubber, density=200)
    box.set_initial_pose(sapien.Pose([0, 0, HALF]))
    finger = scene.create_actor_builder().add_box_collision(half_size=[FINGER, 0.03, 0.03], material=rubber)
    fingers = [finger.set_initial_pose(sapien.Pose(place(0.0, side))).build_kinematic(f"finger_{i}")
               for i, side in enumerate((-1, 1))]
    bodies = [entity.find_component_by_type(px.PhysxRigidDynamicComponent) for entity in (box.build("box"), *fingers)]
    return scene, bodies[0], bodies[1:]     # type: ignore[return-value]


def place(time: float, side: int) -> list[float]:
    """Where a finger is at a time: its distance from the middle, how high and how far over the gripper is."""
    reach = HALF + FINGER
    gap = np.interp(time, TIMES, [reach + 0.05, reach - SQUEEZE, *[reach - SQUEEZE] * 3, reach + 0.05])
    up = np.interp(time, TIMES, [0.0, 0.0, LIFT, LIFT, 0.0, 0.0])
    over = np.interp(time, TIMES, [0.0, 0.0, 0.0, WAY, WAY, WAY])
    return [side * gap, float(over), HALF + float(up)]


def simulate(steps: int = 400) -> np.ndarray:
    """(steps + 1, 3, 3) where the box and the fingers are."""
    scene, box, fingers = build()
    found = []
    for step in range(steps + 1):
        found.append([body.entity_pose.p for body in (box, *fingers)])
        for body, side in zip(fingers, (-1, 1), strict=True):
            body.kinematic_target = sapien.Pose(place((step + 1) * DT, side))
        scene.step()
    if len(sys.argv) > 1:
        scene.to_stage().Export(sys.argv[1])
    return np.array(found)


if __name__ == "__main__":
    motion = simulate()
    print(f"the box was lifted by {motion[:, 0, 2].max() - HALF:.3f} m")
    print(f"it was carried over by {motion[-1, 0, 1]:.3f} m and stands {motion[-1, 0, 2]:.3f} m high")
