"""Survey random stages of links and bodies on the ground: how many move as in real PhysX, and how the others miss.

    python experiments/survey_contacts.py WORK [--count N] [--dtype float64] [--alike] [SEED ...]

Each error is held to ten times what PhysX itself moves apart by when its start is moved by 1e-7 (three ways), over 60
steps of 1/60 s. With --alike each miss is also held to PhysX's motions from those starts in energy, in heights at the
end and in which bodies rest (support/physx/beside_physx.py). WORK keeps PhysX's recordings. Needs the oracle
(PHYSX_ORACLE and ORACLE_PYTHON, see CONTRIBUTING.md).
"""

from __future__ import annotations

from motion_survey import beside_nudged, survey
from support.chance.touching_scenes import MIXED_FAMILIES, mixed_scene

if __name__ == "__main__":
    survey(MIXED_FAMILIES, mixed_scene, __doc__, beside_nudged(mixed_scene))
