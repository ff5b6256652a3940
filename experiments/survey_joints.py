"""Survey random stages with joints outside articulations: how many move as in real PhysX, and how the others miss.

    python experiments/survey_joints.py WORK [SEED ...] [--count N] [--dtype float64] [--turned]

Each error is held to ten times what PhysX itself moves apart by when its start is moved by 1e-7 (three ways), over 60
steps of 1/60 s. With --turned each miss is also held to what PhysX parts by when its scene is turned as a whole, in
four ways, which changes nothing but how numbers are rounded. WORK keeps PhysX's recordings. Needs the oracle
(PHYSX_ORACLE and ORACLE_PYTHON, see CONTRIBUTING.md).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from motion_survey import Closer, survey
from support.chance.jointed_scenes import FAMILIES, jointed_scene
from support.physx.beside_physx import MARKS, Comparison, parted_by_turns


def beside_turned(row: Comparison, work: Path) -> str:
    """How a miss compares with what PhysX itself parts by when its scene is turned."""
    parted = parted_by_turns(row.seed, work)
    if parted is None:
        return "locks axes of the world, so that it cannot be turned"
    ratio = float((row.errors / np.maximum(row.bars, parted))[:, MARKS].max())
    return f"{ratio:.2f} of what PhysX parts by when the scene is turned, or of its bar"


if __name__ == "__main__":
    survey(FAMILIES, jointed_scene, __doc__,
           Closer("--turned", "hold misses to PhysX's turned scenes too", beside_turned))
