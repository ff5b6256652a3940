"""Levenberg-Marquardt over unknowns and start states; eight dampings are tried at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from physx_runtime.arrays import DoubleArray
from physx_runtime.identification.residuals import Estimate, Linearization, Residuals, huber_width

DAMPINGS = np.geomspace(0.03, 30.0, 8)      # times the last best one
MIN_DAMPING, MAX_DAMPING = 1e-8, 1e8
MAX_START_STEP = 0.5                        # rad or rad/s of a start state in one iteration


def minimise(problem: Residuals, estimate: Estimate, columns: NDArray[np.int64], step: float, iterations: int,
             tolerance: float = 1e-4) -> Estimate:
    """Iterate until twice the cost falls by less than `tolerance` of it; columns: the unknowns that move."""
    damping = 1.0
    for _ in range(iterations):
        linear = problem.linearize(estimate, columns, step)
        width = huber_width(linear.r)
        x, z, dampings = _trials(problem, estimate, linear, damping)
        costs = problem.cost(x, z, width)
        best = int(np.argmin(costs))
        gain = costs[0] - costs[best]
        if best == 0:
            if damping > 1e3:
                break
            damping = min(damping * 100.0, MAX_DAMPING)
            continue
        damping = float(np.clip(dampings[best - 1], MIN_DAMPING, MAX_DAMPING))
        estimate = Estimate(x[best], z[best])
        if gain < tolerance * costs[0]:
            break
    return estimate


def _trials(problem: Residuals, estimate: Estimate, linear: Linearization, damping: float,
            ) -> tuple[DoubleArray, DoubleArray, DoubleArray]:
    """The estimate and one trial for each damping: x (n_trial, n), z (n_trial, n_window, n), dampings."""
    unknowns, columns = problem.unknowns, linear.columns
    prior = unknowns.prior[columns]
    h = linear.information() + np.diag(1.0 / prior**2)
    g = linear.gradient() + estimate.x[columns] / prior**2
    dampings = damping * DAMPINGS
    dx = np.zeros((len(dampings), len(columns)))
    limit = unknowns.max_step[columns]
    for i, value in enumerate(dampings if len(columns) else ()):
        change = -np.linalg.solve(h + value * np.diag(np.diagonal(h)), g)
        dx[i] = change / max(1.0, float((np.abs(change) / limit).max()))
    dz = np.clip(linear.start_change(dx), -MAX_START_STEP, MAX_START_STEP)
    x = np.repeat(estimate.x[None], 1 + len(dampings), axis=0)
    z = np.repeat(estimate.z[None], 1 + len(dampings), axis=0)
    x[1:, columns] += dx
    z[1:, np.flatnonzero(problem.active)] += dz
    return x, z, dampings
