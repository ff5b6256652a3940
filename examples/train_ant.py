"""Train an ant with eight driven joints to walk: PPO on NumPy, in contact with the ground.

    OPENBLAS_NUM_THREADS=1 python examples/train_ant.py [policy.npz]

On matrices of this size, several threads of OpenBLAS are slower than one.
"""

from __future__ import annotations

import math
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ant_on_the_ground
import numpy as np
import physx_runtime
import ppo
from numpy.typing import NDArray
from pxr import UsdPhysics

from physx_schema import authoring

WORLDS, JUDGED, ITERATIONS = 1024, 64, 120
STEPS = 300                         # an episode ends after 300 actions: 10 s
DT, STEPS_PER_ACTION = 1 / 120, 4
SWING = 0.6                         # rad to each side of the authored position: limit and largest target
STIFFNESS, DAMPING, EFFORT = 1.0, 0.05, 40.0    # of the drives: N m / degree, N m s / degree, N m
LOW, TILTED = 0.26, 0.5             # m: an ant that is lower has fallen; cosine of the largest tilt
TARGET_COST, ALIVE = 0.05, 0.5
SETTINGS = ppo.Settings(action_scale=0.5, reward_scale=0.05, hidden=64, rollout=24, epochs=4, batches=6, discount=0.99,
                        rate=1e-3, log_deviation=-0.7, scales_observations=True)

Array = NDArray[Any]


def build(path: Path | str) -> None:
    """Write the ant of ant_on_the_ground.py with soft drives, limits, and without collisions of its own links."""
    stage = ant_on_the_ground.build(path)
    for i in range(ant_on_the_ground.LEGS):
        for name in ("hip", "knee"):
            joint = UsdPhysics.RevoluteJoint.Get(stage, f"/Ant/{name}{i}")
            joint.CreateLowerLimitAttr(-math.degrees(SWING))
            joint.CreateUpperLimitAttr(math.degrees(SWING))
            authoring.drive(joint.GetPrim(), stiffness=STIFFNESS, damping=DAMPING, max_force=EFFORT)
    root = authoring.articulation_root(stage.GetDefaultPrim(), position_iterations=4, velocity_iterations=1)
    root.CreateEnabledSelfCollisionsAttr(False)
    stage.Save()


def environment(stage: Path | str, worlds: int = WORLDS, seed: int = 0) -> physx_runtime.envs.VectorEnv:
    """The ant, whose actions are targets of its joints."""
    return physx_runtime.envs.VectorEnv(
        stage, worlds, act="target_position", action_range=(-SWING, SWING), dt=DT, steps_per_action=STEPS_PER_ACTION,
        max_episode_steps=STEPS, observe=lambda env: observation(*state(env)), start=start, seed=seed,
        reward=lambda env: reward(env.read("v"), env.action),
        done=lambda env: fallen(env.read("root_position"), env.read("root_rotation")))


def state(env: physx_runtime.envs.VectorEnv) -> tuple[Array, ...]:
    """Position and quaternion of the torso, joint positions, and velocities of torso and joints, in every world."""
    return env.read("root_position"), env.read("root_rotation"), env.read("q"), env.read("v")


def observation(position: Array, quaternion: Array, q: Array, v: Array) -> Array:
    """Height, two axes and velocity of the torso in its own frame, and joints, (n_world, 29)."""
    axes = rotation(quaternion)
    own = [np.einsum("nij,ni->nj", axes, part) for part in (v[:, :3], v[:, 3:6])]
    return np.concatenate([position[:, 2:], axes[:, 0], axes[:, 2], *own, q, v[:, 6:]], axis=1, dtype=np.float32)


def reward(v: Array, action: Array) -> Array:
    """Speed along the x axis of the world, a constant for standing, and the cost of targets far from the start."""
    return np.asarray(v[:, 0] + ALIVE - TARGET_COST * (action**2).sum(axis=1))


def fallen(position: Array, quaternion: Array) -> Array:
    """A mask of torsos that are low or tilted."""
    return np.asarray((position[:, 2] < LOW) | (rotation(quaternion)[:, 2, 2] < TILTED))


def rotation(quaternion: Array) -> Array:
    """Rotation matrices (n, 3, 3) of quaternions x y z w."""
    x, y, z, w = quaternion.T
    return np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
                     2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
                     2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], axis=1).reshape(-1, 3, 3)


def start(env: physx_runtime.envs.VectorEnv, worlds: NDArray[np.int64],
          random: physx_runtime.envs.WorldRandom) -> None:
    """Start with joints near their authored positions."""
    env.robot.reset(worlds, joint_position=random.uniform(-0.1, 0.1, 8), joint_velocity=random.uniform(-0.1, 0.1, 8))


def learner(env: physx_runtime.envs.VectorEnv, seed: int = 0) -> ppo.Agent:
    """An agent that has learned nothing."""
    return ppo.Agent(env.observation_size, len(env.action_joints), SETTINGS, seed)


def train(stage: Path | str, agent: ppo.Agent, iterations: int = ITERATIONS,
          seed: int = 0) -> Iterator[tuple[int, float, float]]:
    """Train; yield iteration, mean return and mean distance without noise, before training and every 20 iterations."""
    env, judged = environment(stage, seed=seed), environment(stage, JUDGED, seed=1)
    yield 0, *walk(judged, agent)
    observed, _ = env.reset()
    for iteration in range(1, iterations + 1):
        observed, _ = agent.iterate(env, observed)
        if iteration % 20 == 0:
            yield iteration, *walk(judged, agent)


def walk(env: physx_runtime.envs.VectorEnv, agent: ppo.Agent) -> tuple[float, float]:
    """The mean return and the mean distance [m] of an episode without noise, up to a fall."""
    observed, _ = env.reset()
    total, distance, running = np.zeros(env.num_envs), np.zeros(env.num_envs), np.ones(env.num_envs, np.bool_)
    for _ in range(STEPS):
        observed, rewards, terminated, truncated, _ = env.step(agent.act(observed))
        total += running * rewards
        running &= ~(terminated | truncated)
        distance[running] = env.read("root_position")[running, 0]
    return float(total.mean()), float(distance.mean())


def main(policy: str = "") -> None:
    """Train, print the mean return with the time since the start, and write the policy to a file if one is given."""
    with tempfile.TemporaryDirectory() as folder:
        stage = Path(folder) / "ant.usda"
        build(stage)
        begin, agent = time.perf_counter(), learner(environment(stage, 1))
        for iteration, total, distance in train(stage, agent):
            print(f"{time.perf_counter() - begin:5.1f} s: iteration {iteration}, return {total:.0f}, "
                  f"{distance:.1f} m in {STEPS * STEPS_PER_ACTION * DT:.0f} s", flush=True)
    if policy:
        agent.save(policy)


if __name__ == "__main__":
    main(*sys.argv[1:2])
