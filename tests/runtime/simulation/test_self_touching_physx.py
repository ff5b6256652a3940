"""Random robots that touch themselves move as in real PhysX: mirrored legs, and fingers that close on each other.

The bar is ten times what PhysX parts from itself by when the whole robot is turned by 3e-7 rad. A short sweep of the
stages that `experiments/survey_self_contacts.py` takes all 60 of.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.chance.self_touching_robots import FAMILIES as ROBOT_FAMILIES
from support.chance.self_touching_robots import self_touching_robot
from support.physx.beside_physx import compared

ROBOT_STAGES = 12     # of each family
# And these: quaternions of thighs change their sign in the second step; jointed links part as others meet.
ALSO = {"mirrored legs": (16, 24), "closing fingers": (1012,)}


@pytest.mark.parametrize("family", ROBOT_FAMILIES)
def test_robots_that_touch_themselves_move_as_in_physx(family: str, oracle_folder: Path) -> None:
    first = ROBOT_FAMILIES[family][0]
    rows = list(compared([*range(first, first + ROBOT_STAGES), *ALSO[family]], scene=self_touching_robot))
    missing = [row for row in rows if not row.agrees]
    assert not missing, "\n".join(map(str, missing))
