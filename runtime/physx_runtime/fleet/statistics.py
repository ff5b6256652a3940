"""`Statistics` reduces a number of many worlds to a few, in memory that does not grow with the worlds.

Quantiles come from counts in logarithmic bins, which add up exactly in any order. Source: DDSketch (Masson, Rim and
Lee 2019).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from physx_runtime.arrays import Array
from physx_schema.arguments import display

ACCURACY = 0.005                # largest relative error of a quantile
EXTREMES = 10                   # worlds of the largest and smallest numbers that are named
_BASE = (1.0 + ACCURACY) / (1.0 - ACCURACY)     # ratio of the bounds of a bin
_ZERO = 1e-12                   # sizes below count as zero

World = tuple[float, int]       # a number, and the world that has it


@dataclass(frozen=True, slots=True)
class Statistics:
    """The distribution of a number over worlds. Worlds in which it is not finite are counted apart."""

    count: int = 0              # worlds with a finite number
    not_finite: int = 0
    mean: float = 0.0
    squares: float = 0.0        # sum of the squared deviations from the mean
    largest: tuple[World, ...] = ()     # the largest number first
    smallest: tuple[World, ...] = ()    # the smallest number first
    bins: Mapping[int, int] = field(default_factory=dict, repr=False)   # worlds by bin; negative numbers below 0

    @classmethod
    def of(cls, values: Array, worlds: range) -> Statistics:
        """The statistics of a number (n_world,) of worlds."""
        finite = np.isfinite(np.asarray(values, np.float64))
        numbers, indices = np.asarray(values, np.float64)[finite], np.asarray(worlds)[finite]
        if not numbers.size:
            return cls(not_finite=len(finite))
        mean = math.fsum(numbers) / numbers.size
        order = np.lexsort((indices, numbers))
        smallest = tuple((float(numbers[i]), int(indices[i])) for i in order[:EXTREMES])
        order = np.lexsort((indices, -numbers))
        largest = tuple((float(numbers[i]), int(indices[i])) for i in order[:EXTREMES])
        bins, counts = np.unique(_bins_of(numbers), return_counts=True)
        with np.errstate(over="ignore"):        # of numbers near the largest: the deviation is then infinite
            squares = float(np.sum((numbers - mean) ** 2))
        return cls(numbers.size, len(finite) - numbers.size, mean, squares, largest, smallest,
                   dict(zip(bins.tolist(), counts.tolist(), strict=True)))

    def merged(self, other: Statistics) -> Statistics:
        """The statistics of the worlds of both. The last bits of mean and deviation depend on the order."""
        count = self.count + other.count
        if not count:
            return Statistics(not_finite=self.not_finite + other.not_finite)
        difference, share = other.mean - self.mean, other.count / count
        return Statistics(
            count, self.not_finite + other.not_finite, self.mean + difference * share,
            self.squares + other.squares + difference**2 * self.count * share,
            tuple(sorted((*self.largest, *other.largest), key=lambda item: (-item[0], item[1]))[:EXTREMES]),
            tuple(sorted((*self.smallest, *other.smallest))[:EXTREMES]), Counter(self.bins) + Counter(other.bins))

    @property
    def deviation(self) -> float:
        """The standard deviation; NaN without worlds."""
        return math.sqrt(self.squares / self.count) if self.count else math.nan

    def quantile(self, share: float) -> float:
        """The number below which a share of the worlds lies, within 0.5 %; NaN without worlds.

        Raises ValueError for a share outside 0 to 1.
        """
        if not 0.0 <= share <= 1.0:
            raise ValueError(f"share is {display(share)}; give a number from 0 to 1")
        if not self.count:
            return math.nan
        rank, passed, number = share * (self.count - 1), 0, 0
        for number in sorted(self.bins):
            passed += self.bins[number]
            if passed > rank:
                break
        return min(max(_middle(number), self.smallest[0][0]), self.largest[0][0])

    def histogram(self) -> list[tuple[float, float, int]]:
        """Low and high bound of each bin, and the number of worlds between them; bounds grow by 1 %."""
        return [(*_bounds(number), self.bins[number]) for number in sorted(self.bins)]


_FIRST = math.ceil(math.log(_ZERO) / math.log(_BASE))       # of the bins of positive numbers; 0 holds zero


def _bins_of(values: Array) -> Array:
    sizes = np.abs(values)
    exponents = np.ceil(np.log(np.maximum(sizes, _ZERO)) / math.log(_BASE)).astype(np.int64) - _FIRST + 1
    return np.asarray(np.where(sizes <= _ZERO, 0, np.where(values < 0.0, -exponents, exponents)))


def _bounds(number: int) -> tuple[float, float]:
    if number == 0:
        return -_ZERO, _ZERO
    high = _BASE ** (abs(number) + _FIRST - 1)
    return (high / _BASE, high) if number > 0 else (-high, -high / _BASE)


def _middle(number: int) -> float:
    low, high = _bounds(number)
    return 0.0 if number == 0 else 2.0 * low * high / (low + high)
