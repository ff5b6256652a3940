"""How PGS scenes move in real PhysX; written by experiments/record_pgs_scenes.py."""

from __future__ import annotations

import json
from typing import Any

from support.physx.processor import recording
from support.places import DATA

RECORDED_PGS = recording(DATA / "pgs_scenes.json")
EVERY = 6       # steps from record to record
# By stage: `paths` of bodies, `values` (a row for each record and body: position, quaternion, velocities), and `bars`,
# to what an error of each of these quantities may come up to each record.
MOTIONS: dict[str, Any] = json.loads(RECORDED_PGS.read_text())
