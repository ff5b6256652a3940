"""Experiments on compliant mimic joints: natural frequency and damping ratio of their spring (naturalFrequency,
dampingRatio).
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from physx_runtime.arrays import DoubleArray
from physx_runtime.verification.bench import Bench, Case
from physx_runtime.verification.quantity import Findings, Key, Measurement, UnsteadyError
from physx_schema.description.model import Mimic

# Radians of oscillation within one step above which a step shows too little of it.
MAX_STEP_PHASE = 2.5


def compliant(mimic: Mimic) -> bool:
    """Whether PhysX makes a spring of the mimic joint."""
    return mimic.natural_frequency > 0.0 and mimic.damping_ratio > 0.0


def measure_compliance(bench: Bench) -> Findings:
    """Natural frequency [rad/s] and damping ratio of every compliant mimic joint, without the other ones.

    naturalFrequency: the effort that holds the follower off the mimic equation gives the spring; times the response of
    both joints together that is the frequency squared. dampingRatio: how an error and a rate of error turn into each
    other over one free step; the slower mode of that motion decays at a rate that gives the damping.
    """
    findings = Findings()
    for mimic in bench.articulation.mimics:
        if not compliant(mimic):
            continue
        frequency, ratio = (Key(mimic.path, mimic.prefix + name) for name in ("naturalFrequency", "dampingRatio"))
        if not bench.is_requested(frequency, ratio):
            continue
        single = bench.variant(replace(bench.articulation, mimics=(mimic,)))
        with findings.attempt(frequency, ratio):
            findings.set_value(frequency, _frequency(single, mimic))
            findings.set_value(ratio, _ratio(single, mimic, findings.values[frequency]))
    return findings


def _row(bench: Bench, mimic: Mimic) -> DoubleArray:
    """The error's change per joint position, (n_dof,)."""
    row = np.zeros(bench.size)
    row[mimic.follower], row[mimic.reference] = 1.0, mimic.gearing
    return row


def _satisfying_shift(bench: Bench, mimic: Mimic) -> DoubleArray:
    """The shift of the follower, (n_dof,), that fulfils the mimic equation in the authored pose."""
    error = float(_row(bench, mimic) @ bench.pose) + mimic.offset
    shift = np.zeros(bench.size)
    shift[mimic.follower] = -error
    return shift


def _frequency(bench: Bench, mimic: Mimic) -> Measurement:
    start, unit = _satisfying_shift(bench, mimic), np.eye(bench.size)[mimic.follower] * bench.lengths
    efforts, errors = (x[:, mimic.follower]
                       for x in bench.hold_with_errors([Case(shift=start + sign * unit) for sign in (1.0, -1.0)]))
    spring = Measurement(float(efforts[0] - efforts[1]), float(errors.sum())).scaled(
        0.5 / float(bench.lengths[mimic.follower]))
    free = bench.variant(replace(bench.articulation, mimics=()))
    row = _row(bench, mimic)
    effort = row * float(bench.inertia[mimic.follower] * bench.speeds[mimic.follower] / bench.dt)
    rate = float(row @ free.step_from_rest([Case(shift=start)], effort[None, :])[0])
    response = rate / (float(effort[mimic.follower]) * bench.dt)
    frequency = math.sqrt(max(spring.value * response, 0.0))
    return Measurement(frequency, 0.5 * spring.error * response / frequency if frequency else 0.0)


def _ratio(bench: Bench, mimic: Mimic, frequency: float) -> Measurement:
    """The damping ratio from a small error and rate; its uncertainty is the difference to the opposite ones."""
    if frequency * bench.dt > MAX_STEP_PHASE:
        raise UnsteadyError(f"a step of {bench.dt:.3g} s is too long to measure a spring with natural frequency "
                            f"{frequency:.3g} rad/s")
    forward, backward = (_decay(bench, step, frequency) for step in _error_maps(bench, mimic))
    return Measurement(forward, abs(forward - backward))


def _decay(bench: Bench, step: DoubleArray, frequency: float) -> float:
    """The damping ratio of the motion that an error map repeats."""
    mode = max(np.linalg.eigvals(step), key=abs)
    if abs(mode) < 1e-12 or (mode.imag == 0.0 and mode.real <= 0.0):
        raise UnsteadyError("the error of the mimic joint changes its sign in every step")
    decay = np.log(complex(mode)) / bench.dt
    if abs(mode.imag) > 0.0:
        return float(-decay.real / abs(decay))
    return float((frequency ** 2 + decay.real ** 2) / (-2.0 * frequency * decay.real))


def _error_maps(bench: Bench, mimic: Mimic) -> list[DoubleArray]:
    """(2, 2) each: error and its rate after a free step, per error and rate before it, one way and the other."""
    row, unit = _row(bench, mimic), np.eye(bench.size)[mimic.follower]
    q0 = np.tile(bench.pose + _satisfying_shift(bench, mimic), (5, 1))
    v0 = np.zeros_like(q0)
    error, rate = float(bench.lengths[mimic.follower]), float(bench.speeds[mimic.follower])
    q0[[1, 3]] += np.outer((1.0, -1.0), unit * error)
    v0[[2, 4]] += np.outer((1.0, -1.0), unit * rate)
    q, v = bench.step(q0, v0)
    after = np.stack([q @ row, v @ row])
    return [np.stack([(after[:, column] - after[:, 0]) / (sign * error),
                      (after[:, column + 1] - after[:, 0]) / (sign * rate)],
                     axis=1) for column, sign in ((1, 1.0), (3, -1.0))]
