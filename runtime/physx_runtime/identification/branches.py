"""Windows whose motion sticks where the robot slipped, or slips where it stuck.

Such a window bends all unknowns although its own fault is the start state. It is left out, the others are fitted, and
then it gets a new start state.
"""

from __future__ import annotations

import numpy as np

from physx_runtime.arrays import DoubleArray, Flags
from physx_runtime.identification.fit import minimise
from physx_runtime.identification.residuals import Estimate, Residuals

MAX_MEAN_SQUARE, MAX_SHARE = 1.6, 1 / 3         # of a joint in a window, and of the windows that are left out
START_ITERATIONS = 8


def joint_mean_squares(problem: Residuals, estimate: Estimate) -> DoubleArray:
    """(n_window, n_joint) mean squares of each joint's residuals; all windows are predicted."""
    everything = problem.with_active(np.ones(len(problem.windows), np.bool_))
    windows, joints = problem.windows, estimate.z.shape[1] // 2
    r = everything.one(estimate).reshape(len(windows), windows.measured.shape[1], -1, joints)
    records = windows.valid.sum(axis=1)[:, None] * r.shape[2]
    return np.asarray((r**2).sum(axis=(1, 2)) / records)


def wrong_windows(mean_square: DoubleArray) -> Flags:
    """(n_window,) windows in the wrong branch, at most a third of them; mean_square: (n_window, n_joint)."""
    worst = mean_square.max(axis=1)
    limit = max(MAX_MEAN_SQUARE, MAX_MEAN_SQUARE * float(np.median(mean_square)))
    wrong = np.zeros(len(worst), np.bool_)
    order = np.argsort(-worst)[:int(MAX_SHARE * len(worst))]
    wrong[order[worst[order] > limit]] = True
    return wrong


def restarted(problem: Residuals, estimate: Estimate, windows: Flags) -> Estimate:
    """The estimate after a new fit of the start states of these windows, from those of the log, at constant x."""
    z = estimate.z.copy()
    z[windows] = problem.windows.start_state[windows]
    only = problem.with_active(windows)
    return minimise(only, Estimate(estimate.x, z), np.zeros(0, np.int64), 1e-5, START_ITERATIONS)
