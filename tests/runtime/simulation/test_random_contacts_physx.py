"""Random stages of links and bodies on the ground move as in real PhysX.

A short sweep of the mixed stages that `experiments/survey_contacts.py` takes all 200 of, of plainer ones, and of every
pair of shapes in other units of length.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.chance import mixed_scenes, unit_scenes
from support.chance.touching_scenes import FAMILIES, touching_scene
from support.physx.beside_physx import compared

pytestmark = pytest.mark.sweep

STAGES_OF_FAMILY = 4      # of each family
MISSES = 0      # of them


@pytest.mark.parametrize("family", FAMILIES)
def test_touching_stages_move_as_in_physx(family: str, oracle_folder: Path) -> None:
    first = FAMILIES[family][0]
    missing = [row for row in compared(range(first, first + STAGES_OF_FAMILY), scene=touching_scene) if not row.agrees]
    assert len(missing) <= MISSES, "\n".join(map(str, missing))


MIXED = 5       # of each family
# Of them, those that part from PhysX sooner than it does from itself.
PARTING_SEEDS = {10000: "two colliders of a body on one box, solved in another order in their second step",
                 12000: "a quaternion at 1.04 of its bar from the 34th step on",
                 12003: "3.4e-3 m off; PhysX parts from itself by 3.3e-3 m from one of nine starts moved by 1e-7"}


@pytest.mark.parametrize("family", mixed_scenes.FAMILIES)
def test_mixed_stages_move_as_in_physx(family: str, oracle_folder: Path) -> None:
    first = mixed_scenes.FAMILIES[family][0]
    rows = list(compared(range(first, first + MIXED), scene=mixed_scenes.mixed_scene))
    missing = [row for row in rows if not row.agrees and row.seed not in PARTING_SEEDS]
    assert not missing, "\n".join(map(str, missing))
    assert not any(row.refused for row in rows)


# Of the stages in other units, those that part from PhysX sooner than it does from itself.
PARTING_IN_UNITS = {7: "9.2e-4 m off; PhysX parts from itself by 9.8e-4 m in 4 of 16 starts turned by 3e-7 rad"}


def test_every_pair_of_shapes_moves_as_in_physx_in_centimetres_millimetres_and_inches(oracle_folder: Path) -> None:
    rows = list(compared(range(unit_scenes.COUNT), scene=unit_scenes.unit_scene))
    missing = [row for row in rows if not row.agrees and row.seed not in PARTING_IN_UNITS]
    assert not missing, "\n".join(map(str, missing))
    assert not any(row.refused for row in rows)
