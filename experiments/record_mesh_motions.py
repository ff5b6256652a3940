"""Record how real PhysX lets bodies fall and roll on triangle meshes: tests/data/mesh_motions.npz.

Needs ORACLE_PYTHON, an interpreter with ovphysx, and the folder of scene_recorder.py in PHYSX_ORACLE.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tests"), os.environ["PHYSX_ORACLE"]]

from support.chance.meetings import RECORDED  # noqa: E402 - found through the path above
from support.physx.contact_scenes import FILE, record_motions, write  # noqa: E402 - found through the path above

if __name__ == "__main__":
    write(FILE, record_motions(RECORDED))
