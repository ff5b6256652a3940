"""Eliminating the start states changes nothing: the step is that of the whole least-squares problem."""

from __future__ import annotations

import numpy as np
from physx_runtime.identification.residuals import Linearization, huber_weights, huber_width

WINDOWS, RESIDUALS, UNKNOWNS, STATES = 3, 40, 4, 6


def linearization(rng: np.random.Generator) -> tuple[Linearization, np.ndarray]:
    """Random derivatives, and those by the start states."""
    r, a = rng.normal(size=(WINDOWS, RESIDUALS)), rng.normal(size=(WINDOWS, RESIDUALS, UNKNOWNS))
    b = rng.normal(size=(WINDOWS, RESIDUALS, STATES))
    q, triangle = np.linalg.qr(b)
    m = a - q @ (q.transpose(0, 2, 1) @ a)
    return Linearization(np.arange(UNKNOWNS), np.ones_like(r), r, a, q, triangle, m), b


def test_the_step_without_start_states_is_that_of_all_numbers() -> None:
    linear, b = linearization(np.random.default_rng(0))
    dx = -np.linalg.solve(linear.information(), linear.gradient())
    dz = linear.start_change(dx[None])[0]
    whole = np.zeros((WINDOWS * RESIDUALS, UNKNOWNS + WINDOWS * STATES))
    for w in range(WINDOWS):
        rows = slice(w * RESIDUALS, (w + 1) * RESIDUALS)
        whole[rows, :UNKNOWNS] = linear.a[w]
        whole[rows, UNKNOWNS + w * STATES:UNKNOWNS + (w + 1) * STATES] = b[w]
    step, *_ = np.linalg.lstsq(whole, -linear.r.ravel(), rcond=None)
    np.testing.assert_allclose(np.concatenate([dx, dz.ravel()]), step, atol=1e-10)


def test_residuals_of_noise_have_full_weight_and_outliers_less() -> None:
    r = np.append(np.random.default_rng(1).normal(size=1000), 40.0)
    weights = huber_weights(r)
    assert (weights[:-1] > 0.9).all()
    assert weights[-1] == huber_width(r) / 40.0
