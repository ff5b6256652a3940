"""What a log does not show is named in words, and what it shows has its standard deviation."""

from __future__ import annotations

import numpy as np
import pytest
from physx_runtime.identification.determinacy import determinacy
from physx_runtime.identification.residuals import Linearization
from physx_runtime.identification.unknowns import Unknown, Unknowns

NAMES = ("armature", "stiffness", "damping")


def judged(m: np.ndarray):      # type: ignore[no-untyped-def]
    """Determinacy of three unknowns from derivatives (n, 3)."""
    unknowns = Unknowns(tuple(Unknown(name, 0, "/Robot/j", 1.0) for name in NAMES), {})
    m = m[None]
    linear = Linearization(np.arange(3), np.ones(m.shape[:2]), np.zeros(m.shape[:2]), m, np.zeros((1, len(m[0]), 0)),
                           np.zeros((1, 0, 0)), m)
    return determinacy(linear, unknowns, 1.0, np.zeros(3))


def test_independent_unknowns_have_the_standard_deviations_of_least_squares() -> None:
    m = np.random.default_rng(0).normal(size=(200, 3)) * [100.0, 50.0, 20.0]
    found = judged(m)
    assert found.determined.all()
    assert found.directions == ()
    np.testing.assert_allclose(found.sigma, np.sqrt(np.diagonal(np.linalg.inv(m.T @ m))), rtol=1e-3)


def test_two_unknowns_that_act_as_one_are_named_together() -> None:
    m = np.random.default_rng(0).normal(size=(200, 3)) * 100.0
    m[:, 2] = -m[:, 1]
    found = judged(m)
    assert found.determined.tolist() == [True, False, False]
    assert len(found.directions) == 1
    assert {"stiffness", "damping"} <= set(found.directions[0].split())
    assert found.directions[0].endswith("together: their ratio may be known, their common size is not")


def test_an_unknown_without_effect_is_named_alone() -> None:
    m = np.random.default_rng(0).normal(size=(200, 3)) * [100.0, 0.01, 100.0]
    found = judged(m)
    assert found.determined.tolist() == [True, False, True]
    assert found.directions[0].startswith("/Robot/j stiffness: its size is known to a factor of")


def test_a_worse_fit_widens_all_intervals() -> None:
    m = np.random.default_rng(0).normal(size=(200, 3)) * 100.0
    unknowns = Unknowns(tuple(Unknown(name, 0, "/Robot/j", 1.0) for name in NAMES), {})
    linear = Linearization(np.arange(3), np.ones((1, 200)), np.zeros((1, 200)), m[None], np.zeros((1, 200, 0)),
                           np.zeros((1, 0, 0)), m[None])
    narrow, wide = (determinacy(linear, unknowns, scale, np.zeros(3)).sigma for scale in (1.0, 4.0))
    assert wide / narrow == pytest.approx(2.0, rel=1e-3)
