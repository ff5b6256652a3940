"""The reader against real PhysX on stages of this project (run by `make sweep`)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from reading_agreement import FIELDS
from reading_run import Compared, Stage, agreement
from reading_stages import STAGES

pytestmark = pytest.mark.sweep

ENOUGH = 3      # stages in which every field occurs at least


@pytest.fixture(scope="module")
def compared(oracle_folder: Path) -> dict[str, Compared]:
    """Every stage, from few engine processes."""
    return agreement(STAGES)


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_reader_and_physx_agree(compared: dict[str, Compared], stage: Stage) -> None:
    found = compared[stage.name]
    assert not found.crash
    assert {name: differences for name, differences in found.fields.items() if differences} == {}


def test_every_field_is_compared_on_several_stages(compared: dict[str, Compared]) -> None:
    counts = Counter(name for found in compared.values() for name in found.fields)
    assert set(counts) == set(FIELDS)
    assert min(counts.values()) >= ENOUGH


def test_names_of_stages_are_their_own() -> None:
    assert len({stage.name for stage in STAGES}) == len(STAGES) >= 60
