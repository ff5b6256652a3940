"""Random numbers of worlds by their number."""

from __future__ import annotations

import numpy as np
import pytest
from physx_runtime.fleet.draws import uniform


@pytest.mark.parametrize("size", (1, 3, 4, 9))
def test_numbers_of_a_world_do_not_depend_on_the_worlds_beside_it(size: int) -> None:
    together = uniform(5, "/Robot mass", range(100), size)
    parts = [uniform(5, "/Robot mass", range(first, first + 10), size) for first in range(0, 100, 10)]
    assert np.array_equal(together, np.concatenate(parts))
    assert np.array_equal(together[42:43], uniform(5, "/Robot mass", range(42, 43), size))


def test_seeds_and_names_have_other_numbers() -> None:
    first, *others = (uniform(seed, name, range(10), 2) for seed, name in ((0, "a"), (1, "a"), (0, "b"), (2**70, "a")))
    assert not any(np.array_equal(first, other) for other in others[:2])


def test_numbers_are_uniform() -> None:
    numbers = uniform(0, "mass", range(20_000), 3)
    counts, _ = np.histogram(numbers, bins=20, range=(0.0, 1.0))
    expected = numbers.size / 20
    assert ((counts - expected) ** 2 / expected).sum() < 43.8       # chi squared of 19 degrees of freedom, p = 0.001
