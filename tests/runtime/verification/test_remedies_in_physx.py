"""Gains of random articulations with their remedies, measured in real PhysX."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from physx_runtime.verification import Row
from support.chance.articulations import random_articulation
from support.physx.remedied import Damped, Held, damped, gains, held_gains, remedied

pytestmark = pytest.mark.sweep

# Articulations with every family of gains among what is altered; benchmarks/RESULTS.md has the figures of a hundred.
SEEDS = (1, 3, 5, 7, 16, 19)
# What a remedy promises, of the wanted effect.
PROMISED = 0.01


@dataclass(frozen=True, slots=True)
class Measured:
    """A gain, what was meant and what it comes to in PhysX."""

    seed: int
    row: Row
    effective: float
    with_remedy: bool       # with what the remedy says; as authored, where no value does


@pytest.fixture(scope="module")
def measured(oracle_folder: Path) -> list[Measured]:
    """Every altered gain of the seeds in PhysX."""
    from physx_oracle import run_jobs

    asked: list[tuple[int, Held | Damped, bool]] = []
    for seed in SEEDS:
        text = random_articulation(seed).text
        verification, after = remedied(text)
        rows = gains(verification)
        asked += [(seed, held, True) for held in held_gains(after, rows)]
        for row in rows:
            if row.property.endswith("dampingRatio") and row.remedy is not None:
                assert row.remedy.value is not None
                asked.append((seed, damped(text if row.remedy.settings else after, row, row.remedy.value, True), True))
                if row.remedy.settings and isinstance(row.authored, float):
                    asked.append((seed, damped(text, row, row.authored, False), False))
    results = run_jobs([job for _, item, _ in asked for job in item.jobs()])
    return [Measured(seed, item.row, item.effective(results[2 * i:2 * i + 2]), remedied_)
            for i, (seed, item, remedied_) in enumerate(asked)]


def test_remedies_have_the_wanted_effect_in_physx(measured: list[Measured]) -> None:
    found = [item for item in measured if item.with_remedy]
    assert {item.row.property.partition(":")[0] for item in found} == {"drive", "physxTendon", "physxMimicJoint"}
    for item in found:
        assert item.effective == pytest.approx(item.row.wanted, rel=PROMISED), item


def test_what_is_called_infeasible_is_far_off_in_physx(measured: list[Measured]) -> None:
    found = [item for item in measured if not item.with_remedy]
    assert found
    for item in found:
        assert item.effective == pytest.approx(item.row.effective, rel=PROMISED), item
        assert item.effective != pytest.approx(item.row.wanted, rel=0.1), item
