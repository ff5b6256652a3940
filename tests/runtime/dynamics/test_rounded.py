"""Sines and cosines in float32 are those of glibc's polynomials, which PhysX turns joints by."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.polynomial import polynomial
from numpy.typing import NDArray
from physx_runtime.dynamics.rounded import sincos
from physx_runtime.language.ops import Single

Array = NDArray[Any]

# glibc sums these in float64 (s_sincosf_data.c): of x, x^3, x^5, x^7, and of 1, x^2 to x^8.
SINE = np.array([1.0, *map(float.fromhex, ("-0x1.555545995a603p-3", "0x1.1107605230bc4p-7", "-0x1.994eb3774cf24p-13"))])
COSINE = np.array([1.0, *map(float.fromhex, ("-0x1.ffffffd0c621cp-2", "0x1.55553e1068f19p-5", "-0x1.6c087e89a359dp-10",
                                             "0x1.99343027bf8c3p-16"))])
NUMBERS = 20000
# Of how many numbers the last bit differs: within a quarter turn of 0, and beyond, where the remainder is rounded too.
OTHERWISE = {0.4: 0.001, 0.78: 0.01, 6.2: 0.01}


def of_glibc(x: Array) -> tuple[Array, Array]:
    """(sin x, cos x) of float32 numbers, summed in float64 and rounded once."""
    turns = np.round(x.astype(np.float64) * 2.0 / np.pi)
    r = x.astype(np.float64) - turns * (np.pi / 2.0)
    sine, cosine = r * polynomial.polyval(r * r, SINE), polynomial.polyval(r * r, COSINE)
    quarter = turns.astype(int) % 4
    return (np.choose(quarter, [sine, cosine, -sine, -cosine]).astype(np.float32),
            np.choose(quarter, [cosine, -sine, -cosine, sine]).astype(np.float32))


@pytest.mark.parametrize("largest", OTHERWISE)
def test_sines_and_cosines_have_the_bits_of_glibc_nearly_always(largest: float) -> None:
    x = np.random.default_rng(0).uniform(-largest, largest, NUMBERS).astype(np.float32)
    for ours, theirs in zip(sincos(Single(x.astype(np.float64))), of_glibc(x), strict=True):
        found = np.asarray(ours.value, np.float32)
        assert (found != theirs).mean() <= OTHERWISE[largest]
        assert (np.abs(found - theirs) <= np.spacing(np.abs(theirs))).all()
