"""Random stages with joints outside articulations move as in real PhysX.

A short sweep of the stages that `experiments/survey_joints.py` takes all 200 of.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.chance.jointed_scenes import FAMILIES
from support.physx.beside_physx import compared

pytestmark = pytest.mark.sweep

STAGES = 4      # of each family
MISSES = 0      # of them


@pytest.mark.parametrize("family", FAMILIES)
def test_jointed_stages_move_as_in_physx(family: str, oracle_folder: Path) -> None:
    first = FAMILIES[family][0]
    missing = [row for row in compared(range(first, first + STAGES)) if not row.agrees]
    assert len(missing) <= MISSES, "\n".join(map(str, missing))
