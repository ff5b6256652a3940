"""Intervals of a profile are those of its cost, widened to the next grid value."""

from __future__ import annotations

import numpy as np
import pytest
from physx_runtime.identification.profiles import Profile


def parabola(sigma: float, slope: float = 0.0) -> Profile:
    """The profile of a number with a normal error, on which another one depends linearly."""
    x = np.linspace(-1.0, 1.0, 2001)
    return Profile(x, (x / sigma)**2, slope * x[:, None])


def test_the_interval_of_a_parabola_has_1_96_standard_deviations_on_each_side() -> None:
    assert parabola(0.1).interval(1.0) == pytest.approx((-0.196, 0.196), abs=2e-3)


def test_a_worse_fit_widens_the_interval() -> None:
    assert parabola(0.1).interval(4.0) == pytest.approx((-0.392, 0.392), abs=2e-3)


def test_a_flat_profile_reaches_both_ends_of_its_grid() -> None:
    x = np.linspace(0.0, 1.0, 5)
    assert Profile(x, np.zeros(5), np.zeros((5, 1))).interval(1.0) == (0.0, 1.0)


def test_what_depends_on_the_number_inherits_its_variance() -> None:
    assert parabola(0.1, slope=3.0).shift_variance(1.0)[0] == pytest.approx(0.09, rel=1e-3)
