"""Profiles: the cost over a grid of one unknown, with everything else re-optimised to first order.

Motion is piecewise constant in static friction and has a kink at whole delays, so neither has a useful derivative. With
r(s) the residuals at a grid value, cost(s) = sum |r|^2 - |Q'r|^2 - g' H^-1 g, where g = sum M'r + x/prior^2.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from physx_runtime.arrays import DoubleArray
from physx_runtime.identification.residuals import Estimate, Linearization, Residuals
from physx_runtime.identification.unknowns import STATIC

MIN_GAIN = 0.5                                      # of twice the cost, for another value
EXCESSES = np.geomspace(0.001, 1.6, 24)             # of static over dynamic friction
NEAR_EXCESSES = np.concatenate([np.linspace(-0.12, 0.12, 15), np.linspace(-0.015, 0.015, 7)])
NEAR_DELAYS = np.array([0.002, 0.005, 0.01, 0.03, 0.1, 0.3, 1.0])
CONFIDENCE = 3.84                                   # 95 % of chi-square with one degree of freedom


@dataclass(frozen=True, slots=True)
class Profile:
    """Twice the cost over grid values x of one unknown, in increasing order."""

    x: DoubleArray                  # (n_grid,)
    cost: DoubleArray               # (n_grid,)
    shift: DoubleArray              # (n_grid, n_column) changes of the smooth unknowns that re-optimise

    def interval(self, scale: float) -> tuple[float, float]:
        """The 95 % interval of x, widened to the next grid value outside; `scale` multiplies the variance."""
        inside = np.flatnonzero(self.cost - self.cost.min() <= CONFIDENCE * scale)
        return float(self.x[max(inside[0] - 1, 0)]), float(self.x[min(inside[-1] + 1, len(self.x) - 1)])


    def shift_at(self, x: float) -> DoubleArray:
        """(n_column,) changes of the smooth unknowns at a grid value."""
        return np.asarray(self.shift[int(np.argmin(np.abs(self.x - x)))])

    def shift_variance(self, scale: float) -> DoubleArray:
        """(n_column,) variance of the smooth unknowns that comes from not knowing this one."""
        weights = np.gradient(self.x) * np.exp(-0.5 * (self.cost - self.cost.min()) / scale)
        weights /= weights.sum()
        mean = weights @ self.shift
        return np.asarray(weights @ (self.shift - mean)**2)


def profile(problem: Residuals, estimate: Estimate, linear: Linearization, index: int, grid: DoubleArray) -> Profile:
    """The profile of one unknown at values x of a grid, the estimate's own included."""
    values = np.unique(np.append(grid, estimate.x[index]))
    x = np.repeat(estimate.x[None], len(values), axis=0)
    x[:, index] = values
    r = problem.at(x, np.repeat(estimate.z[None], len(values), axis=0)) * linear.weights[..., None]
    prior = problem.unknowns.prior
    columns = linear.columns
    h = linear.information() + np.diag(1.0 / prior[columns]**2)
    g = np.einsum("wmi,wmt->ti", linear.m, r, optimize=True) + estimate.x[columns] / prior[columns]**2
    along_start = linear.q.transpose(0, 2, 1) @ r
    shift = -np.linalg.solve(h, g.T).T
    gain = -(g * shift).sum(axis=1)
    cost = (r**2).sum(axis=(0, 1)) - (along_start**2).sum(axis=(0, 1)) - gain + ((x / prior)**2).sum(axis=1)
    return Profile(values, cost, shift)


def improve(problem: Residuals, estimate: Estimate, linear: Linearization, near: bool) -> Estimate:
    """Move each static friction and the delay to the best value of its profile."""
    unknowns = problem.unknowns
    for index in (*unknowns.static, *([] if unknowns.delay is None else [unknowns.delay])):
        curve = profile(problem, estimate, linear, int(index), grid_of(problem, estimate, int(index), near))
        own = curve.cost[np.searchsorted(curve.x, estimate.x[index])]
        best = int(np.argmin(curve.cost))
        if own - curve.cost[best] > MIN_GAIN:
            x = estimate.x.copy()
            x[index] = curve.x[best]
            estimate = replace(estimate, x=x)
    return estimate


def grid_of(problem: Residuals, estimate: Estimate, index: int, near: bool) -> DoubleArray:
    """Values x of a profile: over the whole range, or near the estimate."""
    item, x = problem.unknowns.items[index], float(estimate.x[index])
    if item.parameter == STATIC:
        excess = item.start * np.exp(x)
        values = excess + NEAR_EXCESSES if near else EXCESSES
        return np.asarray(np.log(values[values >= EXCESSES[0]] / item.start))
    delay = item.start + x
    around = delay + np.concatenate([-NEAR_DELAYS, NEAR_DELAYS])
    whole = np.round(delay) + np.array([-1.0, 0.0, 1.0])
    values = np.concatenate([around, whole])
    return np.asarray(values[values >= 0.0] - item.start)
