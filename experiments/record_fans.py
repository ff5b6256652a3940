"""Record where the fingers of robots that meet a box in an order of last bits are in real PhysX (ovphysx).

Needs the oracle (PHYSX_ORACLE and ORACLE_PYTHON, see CONTRIBUTING.md). Writes tests/data/fans.npz.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tests"), os.environ["PHYSX_ORACLE"]]

from scene_recorder import record  # noqa: E402
from support.stages.meshes import COLLIDERS, RECORDED, STEPS, fan  # noqa: E402

if __name__ == "__main__":
    found = record([{"usd": fan(kind), "dt": 1 / 60, "steps": STEPS} for kind in COLLIDERS])
    np.savez_compressed(RECORDED, **{
        kind: motion["pos"][-1][np.argsort(motion["paths"])].astype(np.float32)
        for kind, motion in zip(COLLIDERS, found, strict=True)})
