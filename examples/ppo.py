"""Proximal policy optimisation (PPO) on NumPy: the learner of train_cart_pole.py and train_ant.py.

PPO: Schulman et al. 2017, with generalised advantage estimation. The policy is a normal distribution around a network
with two layers of tanh, and learns its standard deviations.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Settings:
    """The task's scales and the numbers of the method."""

    action_scale: float         # of an action where the policy's output is 1
    reward_scale: float         # of the values that the network learns, so that they are near 1
    hidden: int = 32            # width of the layers
    rollout: int = 32           # actions of each world in an iteration
    epochs: int = 4
    batches: int = 32
    discount: float = 0.98
    trace: float = 0.95
    clip: float = 0.2
    rate: float = 4e-3
    log_deviation: float = -0.5
    scales_observations: bool = False       # to a mean of 0 and a deviation of 1


@dataclass
class Network:
    """Two layers of tanh and a linear output; `gradients` is the derivative of a loss by the weights."""

    weights: list[Array]

    @classmethod
    def random(cls, rng: np.random.Generator, inputs: int, hidden: int, outputs: int, scale: float) -> Network:
        """A network with orthogonal layers, the last of which has this scale."""
        weights: list[Array] = []
        for n, m in pairwise((inputs, hidden, hidden, outputs)):
            q, _ = np.linalg.qr(rng.standard_normal((max(n, m), max(n, m))))
            weights += [(q[:n, :m] * (scale if len(weights) == 4 else 1.4)).astype(np.float32), np.zeros(m, np.float32)]
        return cls(weights)

    def __call__(self, x: Array) -> Array:
        return self.layers(x)[-1]

    def layers(self, x: Array) -> list[Array]:
        """The values of all layers, from the input to the output."""
        w1, b1, w2, b2, w3, b3 = self.weights
        first = np.tanh(x @ w1 + b1)
        second = np.tanh(first @ w2 + b2)
        return [x, first, second, second @ w3 + b3]

    def gradients(self, layers: list[Array], by_output: Array) -> list[Array]:
        """The derivatives of a loss by all weights, from its derivative by the output (n, n_output)."""
        found: list[Array] = []
        error = by_output
        for i in (2, 1, 0):
            found = [layers[i].T @ error, error.sum(axis=0), *found]
            if i:
                error = (error @ self.weights[2 * i].T) * (1.0 - layers[i] ** 2)
        return found


@dataclass
class Adam:
    """Adam (Kingma and Ba 2015) with a limit on the norm of the gradient."""

    weights: list[Array]
    rate: float
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
    """A policy and its estimate of values, for observations (n_world, n_observation)."""

    def __init__(self, observations: int, actions: int, settings: Settings, seed: int = 0) -> None:
        self.settings, self.rng = settings, np.random.default_rng(seed)
        self.policy = Network.random(self.rng, observations, settings.hidden, actions, 0.01)
        self.value = Network.random(self.rng, observations, settings.hidden, 1, 1.0)
        self.log_deviation = np.full(actions, settings.log_deviation, np.float32)
        self.optimisers = (Adam([*self.policy.weights, self.log_deviation], settings.rate),
                           Adam(self.value.weights, settings.rate))
        self.count, self.mean, self.square = 0, np.zeros(observations), np.ones(observations)

    def act(self, observation: Array) -> Array:
        """The action without noise, (n_world, n_action)."""
        return self.settings.action_scale * self.policy(self._scaled(observation))

    def save(self, path: str | Path) -> None:
        """Write what was learned to a file .npz."""
        np.savez(path, self.count, self.mean, self.square, self.log_deviation, *self.policy.weights,
                 *self.value.weights)

    def load(self, path: str | Path) -> None:
        """Read what was learned from a file of `save`."""
        with np.load(path) as file:
            count, self.mean, self.square, *arrays = (file[name] for name in file.files)
        self.count = int(count)
        for target, values in zip((self.log_deviation, *self.policy.weights, *self.value.weights), arrays, strict=True):
            target[:] = values

    def iterate(self, env: Any, observation: Array) -> tuple[Array, float]:
        """Act for a rollout and learn from it; return the last observations and the mean reward of an action."""
        data, observation, reward = self._rollout(env, observation)
        self._learn(data)
        return observation, reward

    def _scaled(self, observation: Array) -> Array:
        """Observations as the networks see them."""
        return np.asarray((observation - self.mean) / np.sqrt(self.square + 1e-6), np.float32)

    def _observe(self, seen: Array) -> None:
        """Update mean and variance of observations (n, n_observation)."""
        self.count += len(seen)
        part, before = len(seen) / self.count, self.mean
        self.mean = before + part * (seen.mean(axis=0, dtype=np.float64) - before)
        self.square = self.square + part * (((seen - before) * (seen - self.mean)).mean(axis=0) - self.square)

    def _rollout(self, env: Any, observation: Array) -> tuple[dict[str, Array], Array, float]:
        """The data of all actions, the last observations, and the mean reward."""
        settings, deviation = self.settings, np.exp(self.log_deviation)
        raw, steps, rewards = [], [], []
        for _ in range(settings.rollout):
            raw.append(observation)
            seen = self._scaled(observation)
            mean = self.policy(seen)
            action = (mean + deviation * self.rng.standard_normal(mean.shape)).astype(np.float32)
            observation, reward, terminated, truncated, info = env.step(settings.action_scale * action)
            following = self.value(self._scaled(info.get("final_obs", observation)))[:, 0]
            target = settings.reward_scale * reward + settings.discount * ~terminated * following
            steps.append((seen, action, self.log_likelihood(mean, action), self.value(seen)[:, 0], target,
                          terminated | truncated))
            rewards.append(reward.mean())
        seen, action, likelihood, values, targets, ended = (np.stack(kind) for kind in zip(*steps, strict=True))
        advantage, following = np.zeros_like(values), np.zeros_like(values[0])
        for t in reversed(range(settings.rollout)):
            following = targets[t] - values[t] + settings.discount * settings.trace * ~ended[t] * following
            advantage[t] = following
        data = {"observation": seen, "action": action, "likelihood": likelihood,
                "advantage": (advantage - advantage.mean()) / (advantage.std() + 1e-8), "target": advantage + values}
        if settings.scales_observations:
            self._observe(np.concatenate(raw))
        return ({name: part.reshape(-1, *part.shape[2:]) for name, part in data.items()}, observation,
                float(np.mean(rewards)))

    def log_likelihood(self, mean: Array, action: Array) -> Array:
        """The logarithm of the probability density of actions, without its constant."""
        deviations = (action - mean) / np.exp(self.log_deviation)
        return np.asarray(-0.5 * (deviations**2).sum(axis=1) - self.log_deviation.sum(), np.float32)

    def _learn(self, data: dict[str, Array]) -> None:
        """Improve policy and values by the data of a rollout."""
        for _ in range(self.settings.epochs):
            for chosen in np.array_split(self.rng.permutation(len(data["action"])), self.settings.batches):
                self._improve({name: values[chosen] for name, values in data.items()})

    def _improve(self, batch: dict[str, Array]) -> None:
        count, variance, clip = len(batch["action"]), np.exp(2.0 * self.log_deviation), self.settings.clip
        layers = self.policy.layers(batch["observation"])
        error = batch["action"] - layers[-1]
        ratio = np.exp(self.log_likelihood(layers[-1], batch["action"]) - batch["likelihood"])
        used = np.where(batch["advantage"] > 0.0, ratio < 1.0 + clip, ratio > 1.0 - clip)   # the clipped objective
        weight = (-1.0 * used * ratio * batch["advantage"] / count)[:, None]
        by_deviation = (weight * (error**2 / variance - 1.0)).sum(axis=0, dtype=np.float32)
        gradients = self.policy.gradients(layers, (weight * error / variance).astype(np.float32))
        self.optimisers[0].step([*gradients, by_deviation])
        layers = self.value.layers(batch["observation"])
        by_value = 2.0 * (layers[-1] - batch["target"][:, None]) / count
        self.optimisers[1].step(self.value.gradients(layers, by_value.astype(np.float32)))
