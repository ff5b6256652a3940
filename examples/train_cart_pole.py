"""Balance 4096 poles: train a policy with proximal policy optimisation (PPO) on NumPy.

    python examples/train_cart_pole.py

PPO: Schulman et al. 2017, with generalised advantage estimation. The policy is a normal distribution around a small
network with two layers of tanh, and has a standard deviation that it learns.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import physx_runtime
from numpy.typing import NDArray

WORLDS, STEPS, SOLVED = 4096, 500, 499.5      # an episode ends after 500 actions; solved if nearly all worlds reach it
TILT, TRACK, FORCE = 0.2095, 2.4, 10.0        # rad, m, N: as CartPole-v1 of Gymnasium
ROLLOUT, EPOCHS, BATCHES = 32, 4, 32
DISCOUNT, TRACE, CLIP, RATE = 0.98, 0.95, 0.2, 4e-3
REWARD_SCALE = 0.02     # of the values that the network learns, so that they are near 1

Array = NDArray[np.float32]


def environment(stage: str | Path, worlds: int = WORLDS, seed: int = 0) -> physx_runtime.envs.VectorEnv:
    """The cart-pole of `cart_pole.py`: push the cart so that the pole stays upright."""
    def done(env: physx_runtime.envs.VectorEnv) -> NDArray[np.bool_]:
        q = env.read("joint_position")
        return np.asarray((np.abs(q[:, 0]) > TRACK) | (np.abs(q[:, 1]) > TILT))

    return physx_runtime.envs.VectorEnv(
        stage, worlds, joints=["slider"], action_range=(-FORCE, FORCE), max_episode_steps=STEPS, done=done,
        reward=lambda env: reward(env.read("joint_position")), seed=seed, start=start)


def reward(q: NDArray[Any]) -> NDArray[Any]:
    """The reward of joint positions (..., 2): how upright the pole is, and how near the cart is to its start."""
    return np.asarray(np.cos(q[..., 1]) - 0.2 * q[..., 0] ** 2)


def start(env: physx_runtime.envs.VectorEnv, worlds: NDArray[np.int64],
          random: physx_runtime.envs.WorldRandom) -> None:
    """Start with a small random position and velocity."""
    env.robot.reset(worlds, joint_position=random.uniform(-0.05, 0.05, 2),
                    joint_velocity=random.uniform(-0.05, 0.05, 2))


@dataclass
class Network:
    """Two layers of tanh and a linear output; `gradients` is the derivative of a loss by the weights."""

    weights: list[Array]

    @classmethod
    def random(cls, rng: np.random.Generator, inputs: int, hidden: int = 32, scale: float = 0.01) -> Network:
        """A network with orthogonal layers and a small output."""
        sizes = (inputs, hidden, hidden, 1)
        weights: list[Array] = []
        for n, m in pairwise(sizes):
            q, _ = np.linalg.qr(rng.standard_normal((max(n, m), max(n, m))))
            weights += [(q[:n, :m] * (scale if m == 1 else 1.4)).astype(np.float32), np.zeros(m, np.float32)]
        return cls(weights)

    def __call__(self, x: Array) -> Array:
        return self.layers(x)[-1][:, 0]

    def layers(self, x: Array) -> list[Array]:
        """The values of all layers, from the input to the output."""
        w1, b1, w2, b2, w3, b3 = self.weights
        first = np.tanh(x @ w1 + b1)
        second = np.tanh(first @ w2 + b2)
        return [x, first, second, second @ w3 + b3]

    def gradients(self, layers: list[Array], by_output: Array) -> list[Array]:
        """The derivatives of a loss by all weights, from its derivative by the output (n,)."""
        found: list[Array] = []
        error = by_output[:, None]
        for i in (2, 1, 0):
            found = [layers[i].T @ error, error.sum(axis=0), *found]
            if i:
                error = (error @ self.weights[2 * i].T) * (1.0 - layers[i] ** 2)
        return found


@dataclass
class Adam:
    """Adam (Kingma and Ba 2015) with a limit on the norm of the gradient."""

    weights: list[Array]
    rate: float = RATE
    count: int = 0
    mean: list[Array] = field(default_factory=list)
    square: list[Array] = field(default_factory=list)

    def step(self, gradients: list[Array]) -> None:
        """Change the weights in place."""
        if not self.mean:
            self.mean, self.square = ([np.zeros_like(w) for w in self.weights] for _ in range(2))
        scale = min(1.0, 0.5 / (1e-8 + float(np.sqrt(sum(float((g**2).sum()) for g in gradients)))))
        self.count += 1
        rate = self.rate * np.sqrt(1.0 - 0.999**self.count) / (1.0 - 0.9**self.count)
        for w, g, m, s in zip(self.weights, gradients, self.mean, self.square, strict=True):
            m += 0.1 * (scale * g - m)
            s += 0.001 * ((scale * g) ** 2 - s)
            w -= (rate * m / (np.sqrt(s) + 1e-8)).astype(np.float32)


class Agent:
    """A policy and its estimate of values."""

    def __init__(self, seed: int = 0) -> None:
        self.rng = np.random.default_rng(seed)
        self.policy, self.value = Network.random(self.rng, 4), Network.random(self.rng, 4, scale=1.0)
        self.log_deviation = np.array([-0.5], np.float32)
        self.optimisers = Adam([*self.policy.weights, self.log_deviation]), Adam(self.value.weights)

    def act(self, observation: Array) -> Array:
        """The action without noise, in newtons, (n_world, 1)."""
        return FORCE * self.policy(observation)[:, None]

    def rollout(self, env: Any, observation: Array) -> tuple[dict[str, Array], Array]:
        """Observations, actions, advantages and returns of ROLLOUT steps, and the last observations."""
        steps: list[tuple[Array, ...]] = []
        for _ in range(ROLLOUT):
            mean, deviation = self.policy(observation), np.exp(self.log_deviation)
            action = (mean + deviation * self.rng.standard_normal(len(mean))).astype(np.float32)
            after, reward, terminated, truncated, info = env.step(FORCE * action[:, None])
            final = info.get("final_obs", after)
            steps.append((observation, action, self.log_likelihood(mean, action), self.value(observation),
                          REWARD_SCALE * reward + DISCOUNT * ~terminated * self.value(final), terminated | truncated))
            observation = after
        seen, acted, likelihood, values, targets, ended = (np.stack(kind) for kind in zip(*steps, strict=True))
        advantage, following = np.zeros_like(values), np.zeros_like(values[0])
        for t in reversed(range(ROLLOUT)):
            following = targets[t] - values[t] + DISCOUNT * TRACE * ~ended[t] * following
            advantage[t] = following
        data = {"observation": seen.reshape(-1, 4), "action": acted.ravel(), "likelihood": likelihood.ravel(),
                "advantage": advantage.ravel(), "target": (advantage + values).ravel()}
        return data, observation

    def log_likelihood(self, mean: Array, action: Array) -> Array:
        """The logarithm of the probability density of actions, without its constant."""
        return np.asarray(-0.5 * ((action - mean) / np.exp(self.log_deviation)) ** 2 - self.log_deviation, np.float32)

    def learn(self, data: dict[str, Array]) -> None:
        """Improve policy and values by the data of a rollout."""
        count = len(data["action"])
        data["advantage"] = (data["advantage"] - data["advantage"].mean()) / (data["advantage"].std() + 1e-8)
        for _ in range(EPOCHS):
            for chosen in np.array_split(self.rng.permutation(count), BATCHES):
                self._improve({name: values[chosen] for name, values in data.items()})

    def _improve(self, batch: dict[str, Array]) -> None:
        count, variance = len(batch["action"]), np.exp(2.0 * self.log_deviation)
        layers = self.policy.layers(batch["observation"])
        error = batch["action"] - layers[-1][:, 0]
        ratio = np.exp(self.log_likelihood(layers[-1][:, 0], batch["action"]) - batch["likelihood"])
        used = np.where(batch["advantage"] > 0.0, ratio < 1.0 + CLIP, ratio > 1.0 - CLIP)   # the clipped objective
        weight = -1.0 * used * ratio * batch["advantage"] / count
        by_deviation = np.array([(weight * (error**2 / variance - 1.0)).sum()], np.float32)
        gradients = self.policy.gradients(layers, (weight * error / variance).astype(np.float32))
        self.optimisers[0].step([*gradients, by_deviation])
        layers = self.value.layers(batch["observation"])
        self.optimisers[1].step(self.value.gradients(layers, 2.0 * (layers[-1][:, 0] - batch["target"]) / count))


def train(env: Any, agent: Agent, iterations: int = 40) -> Iterator[tuple[int, float]]:
    """Train until the mean episode of the policy without noise is solved; yield iteration and mean length."""
    observation, _ = env.reset()
    for iteration in range(1, iterations + 1):
        data, observation = agent.rollout(env, observation)
        agent.learn(data)
        if iteration % 5 == 0:
            length = mean_length(env, agent)
            yield iteration, length
            if length >= SOLVED:
                return
            observation, _ = env.reset()


def mean_length(env: Any, agent: Agent) -> float:
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
        for iteration, length in train(env, Agent()):
            print(f"{time.perf_counter() - begin:5.1f} s: iteration {iteration}, {length:.0f} of {STEPS} actions")


if __name__ == "__main__":
    main()
