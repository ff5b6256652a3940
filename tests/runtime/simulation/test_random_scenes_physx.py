"""Objects of random stages move as in real PhysX beside others, through `simulate` and through a session.

A short sweep of the stages that `experiments/survey_stages.py` takes 300 of.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.chance.scenes import FAMILIES, random_scene
from support.physx.survey import surveyed

pytestmark = pytest.mark.sweep

STAGES = 8      # of each family
SHARE = 0.98    # of the objects


@pytest.mark.parametrize("family", FAMILIES)
def test_objects_move_as_in_physx_beside_others(family: str, oracle_folder: Path, tmp_path: Path) -> None:
    first, traits = FAMILIES[family]
    scenes = {seed: random_scene(seed, traits) for seed in range(first, first + STAGES)}
    rows = [row for row in surveyed(scenes, tmp_path) if row.judged]
    missing = [row for row in rows if not row.agrees]
    assert len(rows) > STAGES
    assert len(missing) <= (1.0 - SHARE) * len(rows), "\n".join(map(str, missing))
