"""The measures by which motions are said to be alike."""

from __future__ import annotations

import numpy as np
from support.chance.touching_writer import GRAVITY
from support.physx.beside_physx import Motion
from support.physx.likeness import HEIGHT, Differences, differences, energy
from support.stages.robots import described, link, robot

FALLEN = np.linspace(0.0, 1.0, 31)      # s
BODY = described(robot(link("a", mass=3.0), schemas=())).bodies[0]


def thrown(height: float) -> np.ndarray:
    """Up at 2 m/s, spinning about z."""
    values = np.zeros((len(FALLEN), 1, 13))
    values[:, 0, 2] = height + 2.0 * FALLEN - 0.5 * GRAVITY * FALLEN**2
    values[:, 0, 5], values[:, 0, 6] = np.sin(FALLEN), np.cos(FALLEN)
    values[:, 0, 9], values[:, 0, 12] = 2.0 - GRAVITY * FALLEN, 2.0
    return values


def test_energy_of_a_thrown_body_stays() -> None:
    np.testing.assert_allclose(energy(thrown(1.0), [BODY]), 3.0 * GRAVITY + 6.0 + 2.0, rtol=1e-12)


def test_motions_at_other_heights_are_unlike() -> None:
    first, second = (Motion((BODY.path,), thrown(height)) for height in (1.0, 1.0 + 2.0 * HEIGHT))
    own = Differences(1.0, 0.0, 0)
    assert differences(first, first, {BODY.path: BODY}).within(own)
    assert not differences(first, second, {BODY.path: BODY}).within(own)
