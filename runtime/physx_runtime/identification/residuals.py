"""Weighted residuals of all windows, their derivatives, and normal equations without the start states.

With r the residuals of a window, A its derivatives by the unknowns and B those by the start state, Q R = B. The start
states drop out by M = A - Q Q'A: H = sum M'M + 1/prior^2, g = sum M'r + x/prior^2.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from physx_runtime.arrays import DoubleArray, Flags
from physx_runtime.identification.noise import ROBUST
from physx_runtime.identification.rollouts import Rollouts
from physx_runtime.identification.unknowns import DELAY, STATIC, Unknowns
from physx_runtime.identification.windows import Windows

HUBER = 4.0             # robust standard deviations beyond which a residual counts linearly
COARSE_STEPS = {STATIC: 0.15, DELAY: 0.05}      # differences of x for numbers without useful derivatives


@dataclass(frozen=True, slots=True)
class Estimate:
    """Unknowns x (n_unknown,) and the start states z (n_window, 2 n_joint)."""

    x: DoubleArray
    z: DoubleArray


@dataclass(frozen=True, eq=False)
class Linearization:
    """Residuals about an estimate and their derivatives, Huber weights included."""

    columns: NDArray[np.int64]      # indices of the unknowns of A
    weights: DoubleArray            # (n_window, m) square roots of Huber weights
    r: DoubleArray                  # (n_window, m)
    a: DoubleArray                  # (n_window, m, n_column)
    q: DoubleArray                  # (n_window, m, 2 n_joint) orthonormal
    triangle: DoubleArray           # (n_window, 2 n_joint, 2 n_joint) R
    m: DoubleArray                  # (n_window, m, n_column)

    def information(self) -> DoubleArray:
        """Sum of M'M, (n_column, n_column)."""
        return np.asarray(np.einsum("wmi,wmj->ij", self.m, self.m, optimize=True))

    def gradient(self) -> DoubleArray:
        """Sum of M'r, (n_column,)."""
        return np.asarray(np.einsum("wmi,wm->i", self.m, self.r, optimize=True))

    def start_change(self, dx: DoubleArray) -> DoubleArray:
        """(n_trial, n_window, 2 n_joint) best changes of the start states after changes dx (n_trial, n_column)."""
        right = np.einsum("wmk,wm->wk", self.q, self.r)[None] + np.einsum(
            "wmk,wmi,ti->twk", self.q, self.a, dx, optimize=True)
        return -np.linalg.solve(self.triangle[None], right[..., None])[..., 0]


@dataclass(frozen=True, eq=False)
class Residuals:
    """The least-squares problem of windows. sigma: (n_channel,) noise; active: (n_window,) those that count."""

    rollouts: Rollouts
    windows: Windows
    sigma: DoubleArray
    active: Flags

    @property
    def unknowns(self) -> Unknowns:
        """The unknowns."""
        return self.rollouts.unknowns

    @property
    def count(self) -> int:
        """The number of residuals that count."""
        return int(self.windows.valid[self.active].sum()) * int(self.windows.measured.shape[2])

    def with_active(self, active: Flags) -> Residuals:
        """The same problem with these windows."""
        return replace(self, active=active)

    def with_sigma(self, sigma: DoubleArray) -> Residuals:
        """The same problem with this noise."""
        return replace(self, sigma=sigma)

    def selected(self, z: DoubleArray) -> tuple[Windows, DoubleArray]:
        """The active windows and their start states (..., n_window, n)."""
        index = np.flatnonzero(self.active)
        return self.windows.subset(index), z[..., index, :]

    def at(self, x: DoubleArray, z: DoubleArray) -> DoubleArray:
        """Residuals (n_active, m, n_column), 0 where no record is; x: (n_column, n), z: (n_column, n_window, n)."""
        windows, states = self.selected(z)
        predicted = self.rollouts.predict(windows, x, states)
        r = (predicted - windows.measured[..., None]) / self.sigma[None, None, :, None]
        r *= windows.valid[:, :, None, None]
        return r.reshape(len(windows), -1, len(x))

    def one(self, estimate: Estimate) -> DoubleArray:
        """Residuals (n_active, m) of an estimate."""
        return self.at(estimate.x[None], estimate.z[None])[..., 0]

    def linearize(self, estimate: Estimate, columns: NDArray[np.int64], step: float) -> Linearization:
        """Derivatives by differences of these unknowns and of the start states."""
        steps = np.array([COARSE_STEPS.get(self.unknowns.items[i].parameter, step) for i in columns])
        states = estimate.z.shape[1]
        total = 1 + len(columns) + states
        x, z = np.repeat(estimate.x[None], total, axis=0), np.repeat(estimate.z[None], total, axis=0)
        x[1 + np.arange(len(columns)), columns] += steps
        z[1 + len(columns) + np.arange(states), :, np.arange(states)] += step
        values = self.at(x, z)
        r = values[..., 0]
        weights = np.sqrt(huber_weights(r))
        derivatives = (values[..., 1:] - r[..., None]) * weights[..., None]
        a, b = derivatives[..., :len(columns)] / steps, derivatives[..., len(columns):] / step
        q, triangle = np.linalg.qr(b)
        triangle = triangle + 1e-9 * np.eye(states) * np.abs(triangle).max(axis=(1, 2), keepdims=True)
        return Linearization(columns, weights, r * weights, a, q, triangle, a - q @ (q.transpose(0, 2, 1) @ a))

    def cost(self, x: DoubleArray, z: DoubleArray, width: float) -> DoubleArray:
        """(n_column,) twice the cost: Huber's function of the residuals, and the prior."""
        r = np.abs(self.at(x, z))
        huber = np.where(r <= width, r**2, 2.0 * width * r - width**2).sum(axis=(0, 1))
        return np.asarray(huber + ((x / self.unknowns.prior)**2).sum(axis=1))


def huber_width(r: DoubleArray) -> float:
    """The residual beyond which Huber's function is linear; a far start is least squares."""
    return HUBER * max(1.0, ROBUST * float(np.median(np.abs(r))))


def huber_weights(r: DoubleArray) -> DoubleArray:
    """Weights of residuals."""
    width = huber_width(r)
    return np.asarray(np.minimum(1.0, width / np.maximum(np.abs(r), 1e-300)))
