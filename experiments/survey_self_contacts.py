"""Survey random robots that touch themselves: how many move as in real PhysX, and how the others miss.

    python experiments/survey_self_contacts.py WORK [--count N] [--dtype float64] [--alike] [SEED ...]

Each error is held to ten times what PhysX itself moves apart by when the robot is turned by 3e-7 rad (three ways), over
60 steps of 1/60 s. With --alike each miss is also held to PhysX's motions from those starts, as in `survey_contacts`.
WORK keeps PhysX's recordings. Needs the oracle (PHYSX_ORACLE and ORACLE_PYTHON, see CONTRIBUTING.md).
"""

from __future__ import annotations

from motion_survey import beside_nudged, survey
from support.chance.self_touching_robots import FAMILIES, self_touching_robot

if __name__ == "__main__":
    survey(FAMILIES, self_touching_robot, __doc__, beside_nudged(self_touching_robot))
