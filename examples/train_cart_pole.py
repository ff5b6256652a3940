"""Balance 4096 poles: train a policy with proximal policy optimisation (PPO) on NumPy.

    OPENBLAS_NUM_THREADS=1 python examples/train_cart_pole.py

On matrices of this size, several threads of OpenBLAS are slower than one.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import physx_runtime
import ppo
from numpy.typing import NDArray

WORLDS, STEPS, SOLVED = 4096, 500, 499.5      # an episode ends after 500 actions; solved if nearly all worlds reach it
TILT, TRACK, FORCE = 0.2095, 2.4, 10.0        # rad, m, N: as CartPole-v1 of Gymnasium
SETTINGS = ppo.Settings(action_scale=FORCE, reward_scale=0.02)

Array = NDArray[Any]


def environment(stage: str | Path, worlds: int = WORLDS, seed: int = 0) -> physx_runtime.envs.VectorEnv:
    """The cart-pole of `cart_pole.py`: push the cart so that the pole stays upright."""
    def done(env: physx_runtime.envs.VectorEnv) -> NDArray[np.bool_]:
        q = env.read("joint_position")
        return np.asarray((np.abs(q[:, 0]) > TRACK) | (np.abs(q[:, 1]) > TILT))

    return physx_runtime.envs.VectorEnv(
        stage, worlds, joints=["slider"], action_range=(-FORCE, FORCE), max_episode_steps=STEPS, done=done,
        reward=lambda env: reward(env.read("joint_position")), seed=seed, start=start)


def reward(q: Array) -> Array:
    """The reward of joint positions (..., 2): how upright the pole is, and how near the cart is to its start."""
    return np.asarray(np.cos(q[..., 1]) - 0.2 * q[..., 0] ** 2)


def start(env: physx_runtime.envs.VectorEnv, worlds: NDArray[np.int64],
          random: physx_runtime.envs.WorldRandom) -> None:
    """Start with a small random position and velocity."""
    env.robot.reset(worlds, joint_position=random.uniform(-0.05, 0.05, 2),
                    joint_velocity=random.uniform(-0.05, 0.05, 2))


def learner(env: physx_runtime.envs.VectorEnv, seed: int = 0) -> ppo.Agent:
    """An agent that has learned nothing."""
    return ppo.Agent(env.observation_size, len(env.action_joints), SETTINGS, seed)


def train(env: Any, agent: ppo.Agent, iterations: int = 40) -> Iterator[tuple[int, float]]:
    """Train until the mean episode of the policy without noise is solved; yield iteration and mean length."""
    observation, _ = env.reset()
    for iteration in range(1, iterations + 1):
        observation, _ = agent.iterate(env, observation)
        if iteration % 5 == 0:
            length = mean_length(env, agent)
            yield iteration, length
            if length >= SOLVED:
                return
            observation, _ = env.reset()


def mean_length(env: Any, agent: ppo.Agent) -> float:
    """The mean number of actions before the first end of an episode, over all worlds."""
    observation, _ = env.reset()
    length, running = np.zeros(env.num_envs), np.ones(env.num_envs, np.bool_)
    for _ in range(STEPS):
        observation, _, terminated, truncated, _ = env.step(agent.act(observation))
        length += running
        running &= ~(terminated | truncated)
        if not running.any():
            break
    return float(length.mean())


def main() -> None:
    """Train, and print the mean length of episodes with the time since the start."""
    import cart_pole

    with tempfile.TemporaryDirectory() as folder:
        stage = Path(folder) / "cart_pole.usda"
        cart_pole.build(str(stage))
        begin, env = time.perf_counter(), environment(stage)
        for iteration, length in train(env, learner(env)):
            print(f"{time.perf_counter() - begin:5.1f} s: iteration {iteration}, {length:.0f} of {STEPS} actions")


if __name__ == "__main__":
    main()
