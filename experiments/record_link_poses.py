"""Record where links of robots with joints of every kind are in real PhysX (ovphysx) before the first step.

Needs the oracle (PHYSX_ORACLE and ORACLE_PYTHON, see CONTRIBUTING.md). Writes tests/data/link_poses.npz.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tests"), os.environ["PHYSX_ORACLE"]]

from scene_recorder import record  # noqa: E402
from support.recorded.link_poses import RECORDED, SEEDS, text  # noqa: E402

if __name__ == "__main__":
    found = record([{"usd": text(seed), "dt": 1 / 60, "steps": 1} for seed in SEEDS])
    poses = {}
    for seed, motion in zip(SEEDS, found, strict=True):
        order = np.argsort(motion["paths"])
        poses[str(seed)] = np.concatenate([motion["pos"][0], motion["quat"][0]], axis=1)[order].astype(np.float32)
    np.savez_compressed(RECORDED, **poses)
