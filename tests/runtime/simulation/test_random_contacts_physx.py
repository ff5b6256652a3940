"""Random stages of links and bodies on the ground move as in real PhysX.

A short sweep of the stages that `benchmarks/survey_contacts.py` takes all 200 of.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.chance.touching_scenes import FAMILIES, touching_scene
from support.physx.beside_physx import compared

pytestmark = pytest.mark.sweep

STAGES = 4      # of each family
MISSES = 0      # of them


@pytest.mark.parametrize("family", FAMILIES)
def test_touching_stages_move_as_in_physx(family: str, oracle_folder: Path) -> None:
    first = FAMILIES[family][0]
    missing = [row for row in compared(range(first, first + STAGES), scene=touching_scene) if not row.agrees]
    assert len(missing) <= MISSES, "\n".join(map(str, missing))
