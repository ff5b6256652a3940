"""Standard deviations of the measurement noise, found from a log without a model of the robot.

`noise_bounds` also says how far residuals may change them later, so that a wrong model is not taken for noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from physx_runtime.arrays import DoubleArray

RECORDS, DEGREE = 11, 5         # of a local polynomial
MIN_QUANTISED = 0.5             # share of equal neighbours or more differences that are whole multiples
MOSTLY_QUANTISED = 1.3          # times the noise of quantisation, up to which nothing else adds to it
MIN_NOISE_SHARE = 1e-3          # of the first estimate, below which noise is not looked for
ROBUST = 1.4826                 # standard deviation per median of absolute normal numbers


@dataclass(frozen=True, slots=True)
class NoiseBounds:
    """(n_channel,) the least and the largest noise of each channel; `high` is the first estimate."""

    low: DoubleArray
    high: DoubleArray


def noise_bounds(time: DoubleArray, values: DoubleArray) -> NoiseBounds:
    """Bounds of the noise of measurements (n, n_channel).

    Polynomials do not follow a joint that starts to slip, so they overestimate. The quantum of a channel that is mostly
    quantised says it better.
    """
    local, quantum = _local_residual(time, values), quantisation_noise(values)
    high = np.where(local < MOSTLY_QUANTISED * quantum, quantum, local)
    return NoiseBounds(np.maximum(quantum, MIN_NOISE_SHARE * high), high)


def noise_of(time: DoubleArray, values: DoubleArray) -> DoubleArray:
    """(n_channel,) the first estimate of the noise of measurements (n, n_channel)."""
    return noise_bounds(time, values).high


def _local_residual(time: DoubleArray, values: DoubleArray) -> DoubleArray:
    """The median standard deviation about polynomials of degree 5 through 11 neighbouring records."""
    deviations = []
    for first in range(0, len(time) - RECORDS, RECORDS):
        window = slice(first, first + RECORDS)
        t = time[window] - time[window].mean()
        basis = np.vander(t / max(abs(t).max(), 1e-12), DEGREE + 1)
        solution, *_ = np.linalg.lstsq(basis, values[window], rcond=None)
        square = ((values[window] - basis @ solution)**2).sum(axis=0)
        deviations.append(square / (RECORDS - DEGREE - 1))
    # median of chi-square with 5 degrees of freedom per degree of freedom
    return np.asarray(np.sqrt(np.median(deviations, axis=0) / 0.8703))


def quantisation_noise(values: DoubleArray) -> DoubleArray:
    """(n_joint,) quantum / sqrt 12 of quantised measurements; 0 where they are not quantised."""
    quanta = []
    for column in values.T:
        distinct = np.unique(column)
        gaps = np.diff(distinct)
        quantum = gaps.min() if len(gaps) else 0.0
        multiple = gaps / quantum if quantum > 0.0 else gaps
        is_quantised = quantum > 0.0 and (np.abs(multiple - np.round(multiple)) < 1e-3).mean() > MIN_QUANTISED and (
            len(distinct) < MIN_QUANTISED * len(column))
        quanta.append(quantum if is_quantised else 0.0)
    return np.asarray(np.array(quanta) / np.sqrt(12.0))


def robust_scale(residuals: DoubleArray) -> float:
    """The standard deviation of residuals without those beyond three of it."""
    if not len(residuals):
        return 0.0
    scale = ROBUST * float(np.median(np.abs(residuals)))
    inside = residuals[np.abs(residuals) <= 3.0 * scale] if scale > 0.0 else residuals
    return float(np.sqrt(np.mean(inside**2))) / 0.9866      # rms of normal numbers within 3 standard deviations
