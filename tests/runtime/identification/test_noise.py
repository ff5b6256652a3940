"""Noise is found from a log alone."""

from __future__ import annotations

import numpy as np
import pytest
from physx_runtime.identification.noise import noise_bounds, noise_of, quantisation_noise, robust_scale

TIME = np.arange(4000) * 0.01
MOTION = np.sin(2.0 * np.pi * 0.8 * TIME)
RNG = np.random.default_rng(2)


@pytest.mark.parametrize("sigma", [1e-4, 1e-3, 1e-2])
def test_noise_on_a_smooth_motion_is_found_within_a_tenth(sigma: float) -> None:
    values = MOTION + sigma * np.random.default_rng(1).normal(size=len(TIME))
    assert noise_of(TIME, values[:, None])[0] == pytest.approx(sigma, rel=0.1)


def test_the_noise_of_quantised_values_is_the_quantum_over_the_root_of_12() -> None:
    values = np.stack([np.round(MOTION / 0.02) * 0.02, MOTION + 1e-3 * RNG.normal(size=len(TIME))], axis=1)
    np.testing.assert_allclose(quantisation_noise(values), [0.02 / np.sqrt(12.0), 0.0], rtol=1e-6)


def test_residuals_cannot_raise_the_noise_of_a_channel_that_is_mostly_quantised() -> None:
    values = np.stack([np.round(MOTION / 0.02) * 0.02, MOTION + 1e-3 * RNG.normal(size=len(TIME))], axis=1)
    bounds = noise_bounds(TIME, values)
    assert bounds.low[0] == bounds.high[0]
    assert bounds.low[1] < 1e-5 < bounds.high[1]


def test_outliers_do_not_change_the_scale_of_residuals() -> None:
    residuals = np.random.default_rng(3).normal(size=20000)
    residuals[::50] = 100.0
    assert robust_scale(residuals) == pytest.approx(1.0, rel=0.02)
