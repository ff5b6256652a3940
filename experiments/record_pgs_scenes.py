"""Record how PGS scenes with contacts and joints outside articulations move in real PhysX (ovphysx).

Needs the oracle (PHYSX_ORACLE and ORACLE_PYTHON, see CONTRIBUTING.md). Writes tests/data/pgs_scenes.json; the bars in
it are ten times what PhysX itself moves apart by when its start is moved by 1e-7 m (three ways).
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tests"), os.environ["PHYSX_ORACLE"]]

from support.physx.beside_physx import FLOORS, GROWTHS, MOVES, apart, recorded  # noqa: E402
from support.recorded.link_poses import EVERY, RECORDED_PGS  # noqa: E402
from support.stages.pgs_scenes import STAGES, text  # noqa: E402

WAYS = (None, *range(MOVES))


def record() -> dict[str, dict[str, object]]:
    """The motion of every stage, and its bars."""
    motions = recorded([text(name, move) for name in STAGES for move in WAYS], None)
    found: dict[str, dict[str, object]] = {}
    for i, name in enumerate(STAGES):
        real, *others = motions[i * len(WAYS):(i + 1) * len(WAYS)]
        grown = np.max([apart(real, other) for other in others], axis=0)[:, ::EVERY]
        bars = np.maximum(GROWTHS * grown, np.array(FLOORS)[:, None])
        found[name] = {
            "paths": real.paths, "bars": [[float(f"{x:.2g}") for x in row] for row in bars],
            "values": [[[float(f"{x:.9g}") for x in body] for body in step] for step in real.values[::EVERY]]}
    return found


if __name__ == "__main__":
    rows = [f"{json.dumps(name)}: {json.dumps(motion, separators=(',', ':'))}" for name, motion in record().items()]
    RECORDED_PGS.write_text("{\n" + ",\n".join(rows) + "\n}\n")
