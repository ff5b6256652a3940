"""Boxes, balls and capsules fall into a tray, in two worlds that start a little apart: a scene built in Python.

    python examples/falling_pile.py [stage.usda]
"""

from __future__ import annotations

import sys

import numpy as np
import physx_runtime.components as sapien
import physx_runtime.components.physx as px

DT = 0.01               # s
LAYERS, WORLDS = 4, 2
SIZE, GAP = 0.05, 0.16  # m: of what falls, and from one to the next at the start
TRAY, WALL = 0.17, 0.4  # m: half its width, half its height


def build() -> sapien.Scene:
    """The scene: a tray, and three bodies a layer."""
    scene = sapien.Scene([px.PhysxCpuSystem()], worlds=WORLDS)
    scene.set_timestep(DT)
    stone = px.PhysxMaterial(0.6, 0.5, 0.1)
    scene.add_ground(0.0, material=stone)
    for name, middle, half in (("left", [-TRAY, 0], [0.01, TRAY]), ("right", [TRAY, 0], [0.01, TRAY]),
                               ("front", [0, -TRAY], [TRAY, 0.01]), ("back", [0, TRAY], [TRAY, 0.01])):
        wall = scene.create_actor_builder().add_box_collision(half_size=[*half, WALL], material=stone)
        wall.set_initial_pose(sapien.Pose([*middle, WALL])).build_static(name)
    random = np.random.default_rng(0)
    for layer in range(LAYERS):
        for i, shape in enumerate(("box", "sphere", "capsule")):
            builder = scene.create_actor_builder()
            sizes = {"box": {"half_size": [SIZE] * 3}, "sphere": {"radius": SIZE},
                     "capsule": {"radius": SIZE * 0.7, "half_length": SIZE}}[shape]
            getattr(builder, f"add_{shape}_collision")(material=stone, **sizes)
            entity = builder.build(f"{shape}_{layer}")
            middle = np.array([0.04 * (i - 1), 0.03 * (layer % 2), 0.1 + GAP * (3 * layer + i)])
            entity.pose = sapien.Pose(middle + random.uniform(-0.01, 0.01, (WORLDS, 3)))
    return scene


def simulate(steps: int = 300) -> np.ndarray:
    """(steps + 1, n_world, n_body, 3) where all bodies are."""
    scene = build()
    bodies = scene.physx_system.rigid_dynamic_components
    found = []
    for _ in range(steps + 1):
        found.append(np.stack([body.entity_pose.p for body in bodies], axis=1))
        scene.step()
    if len(sys.argv) > 1:
        scene.to_stage().Export(sys.argv[1])
    return np.array(found)


if __name__ == "__main__":
    motion = simulate()
    top, lowest = motion[-1, :, :, 2].max(axis=1), motion[-1, :, :, 2].min()
    print(f"{motion.shape[2]} bodies in {motion.shape[1]} worlds; piles of {top.min():.2f} to {top.max():.2f} m")
    print(f"no body is below {lowest:.3f} m; the fastest moves at "
          f"{abs(motion[-1] - motion[-2]).max() / DT:.3f} m/s")
