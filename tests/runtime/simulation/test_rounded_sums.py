"""Why five recorded cases are off in float64: PhysX's own float32 sum of the velocity is, and nothing else of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.physx.recorded_scenes import recorded
from support.physx.rounded_sums import ROUNDED, summed

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
