"""Statistics of numbers of many worlds, against NumPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from physx_runtime.fleet.statistics import ACCURACY, Statistics

NUMBERS = np.random.default_rng(1).normal(0.5, 3.0, 5000)
SHARES = (0.0, 0.01, 0.1, 0.5, 0.9, 0.999, 1.0)


def merged(values: np.ndarray, size: int) -> Statistics:
    result = Statistics()
    for first in range(0, len(values), size):
        result = result.merged(Statistics.of(values[first:first + size], range(first, min(first + size, len(values)))))
    return result


@pytest.mark.parametrize("size", (1, 37, 5000))
def test_mean_and_deviation_are_those_of_numpy(size: int) -> None:
    result = merged(NUMBERS, size)
    assert (result.count, result.mean, result.deviation) == (
        5000, pytest.approx(NUMBERS.mean(), rel=1e-12), pytest.approx(NUMBERS.std(), rel=1e-12))


@pytest.mark.parametrize("share", SHARES)
def test_quantiles_are_those_of_numpy_within_the_accuracy(share: float) -> None:
    exact = np.quantile(NUMBERS, share, method="lower")
    assert merged(NUMBERS, 100).quantile(share) == pytest.approx(exact, rel=1.001 * ACCURACY)


def test_quantiles_of_zeros_and_of_tiny_and_huge_numbers_keep_their_order() -> None:
    values = np.array([-1e300, -1.0, -1e-300, 0.0, 1e-9, 1.0, 1e300])
    result = Statistics.of(values, range(7))
    quantiles = [result.quantile(share) for share in np.linspace(0.0, 1.0, 7)]
    assert quantiles == pytest.approx([-1e300, -1.0, 0.0, 0.0, 1e-9, 1.0, 1e300], rel=1.001 * ACCURACY)


def test_histogram_counts_every_world_once() -> None:
    bins = merged(NUMBERS, 999).histogram()
    assert sum(count for _, _, count in bins) == 5000
    for low, high, count in bins:
        assert np.count_nonzero((low < NUMBERS) & (high >= NUMBERS)) == pytest.approx(count, abs=1)


def test_extremes_name_their_worlds() -> None:
    result, order = merged(NUMBERS, 123), np.argsort(NUMBERS)
    assert [world for _, world in result.smallest] == order[:10].tolist()
    assert [world for _, world in result.largest] == order[::-1][:10].tolist()


def test_equal_numbers_are_named_by_the_first_worlds() -> None:
    result = merged(np.zeros(50), 7)
    assert [world for _, world in result.largest] == [world for _, world in result.smallest] == list(range(10))


def test_numbers_that_are_not_finite_are_counted_apart() -> None:
    result = Statistics.of(np.array([1.0, math.nan, math.inf]), range(3))
    assert (result.count, result.not_finite, result.mean) == (1, 2, 1.0)
    empty = Statistics.of(np.array([math.nan]), range(1)).merged(Statistics())
    assert (empty.not_finite, math.isnan(empty.quantile(0.5)), math.isnan(empty.deviation)) == (1, True, True)


def test_a_share_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match=r"share is 1\.5; give a number from 0 to 1"):
        Statistics().quantile(1.5)
