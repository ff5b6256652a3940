"""The order of an identification: delay, far iterations, rounds until nothing is gained, windows in a wrong branch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from physx_runtime.arrays import DoubleArray
from physx_runtime.identification.branches import joint_mean_squares, restarted, wrong_windows
from physx_runtime.identification.fit import minimise
from physx_runtime.identification.noise import NoiseBounds, robust_scale
from physx_runtime.identification.profiles import improve
from physx_runtime.identification.residuals import Estimate, Residuals

FAR_STEP, NEAR_STEP, FIRST_ROUND_STEP = 1e-3, 1e-5, 1e-4        # differences of x and of start states
FAR_ITERATIONS, ROUND_ITERATIONS = 14, 4
MAX_DELAY = 16                  # whole steps that are tried first
ROUNDS, MAX_ROUNDS, RETRIES = 2, 8, 3
SUFFICIENT_GAIN = 1.0           # of twice the cost, for another round

Say = Callable[[str], None]


def estimate_unknowns(problem: Residuals, bounds: NoiseBounds, say: Say) -> tuple[Residuals, Estimate]:
    """The unknowns of a problem, and the problem with its noise and the windows that count in the end."""
    unknowns = problem.unknowns
    estimate = Estimate(np.zeros(len(unknowns)), problem.windows.start_state.copy())
    if unknowns.delay is not None:
        estimate = first_delay(problem, estimate)
    say(f"{len(problem.windows)} windows, {len(unknowns)} unknowns")
    everything = np.arange(len(unknowns))
    estimate = minimise(problem, estimate, everything, FAR_STEP, FAR_ITERATIONS)
    problem = problem.with_sigma(residual_noise(problem, estimate, bounds))
    problem, estimate = rounds(problem, estimate, ROUNDS, 0, say, bounds)
    count = ROUNDS
    for _ in range(RETRIES):
        wrong = wrong_windows(joint_mean_squares(problem, estimate))
        if not wrong.any():
            break
        say(f"{int(wrong.sum())} windows in the wrong branch of stick and slip")
        problem, estimate = rounds(problem.with_active(~wrong), estimate, 3, count, say, None)
        estimate = restarted(problem, estimate, wrong)
        problem, estimate = rounds(problem.with_active(np.ones_like(wrong)), estimate, 3, count + 3, say, None)
        count += 6
    wrong = wrong_windows(joint_mean_squares(problem, estimate))
    problem = problem.with_active(~wrong)
    return rounds(problem, estimate, MAX_ROUNDS, count, say, None)


def first_delay(problem: Residuals, estimate: Estimate) -> Estimate:
    """The whole delay with the smallest sum of absolute residuals; start states are held."""
    index = problem.unknowns.delay
    x = np.repeat(estimate.x[None], MAX_DELAY, axis=0)
    x[:, index] = np.arange(MAX_DELAY)
    r = problem.at(x, np.repeat(estimate.z[None], MAX_DELAY, axis=0))
    return replace(estimate, x=x[int(np.argmin(np.abs(r).sum(axis=(0, 1))))])


def rounds(problem: Residuals, estimate: Estimate, limit: int, done: int, say: Say, bounds: NoiseBounds | None,
           ) -> tuple[Residuals, Estimate]:
    """Rounds of profiles and iterations until one gains too little; done: rounds before.

    bounds: noise is found once more in the end, None where it stays.
    """
    columns, last = problem.unknowns.smooth, np.inf
    for i in range(limit):
        step = FIRST_ROUND_STEP if done + i == 0 else NEAR_STEP
        linear = problem.linearize(estimate, columns, NEAR_STEP)
        estimate = improve(problem, estimate, linear, near=done + i >= ROUNDS)
        estimate = minimise(problem, estimate, columns, step, ROUND_ITERATIONS, 1e-6)
        cost = float((problem.one(estimate)**2).sum())
        say(f"round {done + i + 1}: mean square of residuals {cost / problem.count:.4f}")
        if last - cost < SUFFICIENT_GAIN:
            break
        last = cost
    if bounds is not None:
        problem = problem.with_sigma(residual_noise(problem, estimate, bounds))
    return problem, estimate


def residual_noise(problem: Residuals, estimate: Estimate, bounds: NoiseBounds) -> DoubleArray:
    """(n_channel,) the scale of the residuals, within bounds."""
    windows, _ = problem.selected(estimate.z)
    r = problem.one(estimate).reshape(len(windows), windows.measured.shape[1], -1)[windows.valid]
    scale = np.array([robust_scale(channel) for channel in r.T]) * problem.sigma
    return np.clip(scale, bounds.low, bounds.high)
