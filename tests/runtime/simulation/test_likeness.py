"""The measures by which motions are said to be alike.

Why five recorded cases are off in float64: PhysX's own float32 sum of the velocity is, and nothing else of it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.chance.touching_writer import GRAVITY
from support.physx.beside_physx import HEIGHT, Differences, Motion, differences, energy
from support.physx.recorded_scenes import ROUNDED, recorded, summed
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


# --- rounded sums ----------------------------------------------------------------------------------------------------

# m or rad: what float32 leaves of positions of 5 m over 60 steps.
AS_PHYSX = 2e-6
BAR = 5e-6          # m, the tolerance of the recorded positions
TYPES = {"single": np.float32, "double": np.float64}


def off(name: str, velocity: str, position: str, shared_cases: Path) -> float:
    """How far the sum in such numbers is from PhysX's recorded motion."""
    case, real = ROUNDED[name], recorded(shared_cases / "found" / name)
    ours = summed(case, real.dt, int(real.steps[-1]), TYPES[velocity], TYPES[position])[real.steps]
    moved = case.position(real)
    return float(np.abs(ours - (moved - moved[0])).max())


@pytest.mark.parametrize("position", TYPES)
@pytest.mark.parametrize("name", ROUNDED)
def test_velocities_summed_in_float32_give_the_recorded_motion(name: str, position: str, shared_cases: Path) -> None:
    assert off(name, "single", position, shared_cases) < AS_PHYSX


@pytest.mark.parametrize("name", ROUNDED)
def test_an_exact_sum_misses_the_recorded_motion_by_what_float64_may(name: str, shared_cases: Path) -> None:
    missed = off(name, "double", "double", shared_cases)
    assert BAR < missed < ROUNDED[name].float64 + AS_PHYSX
