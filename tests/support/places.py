"""Where things lie that tests read."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("PHYSX_SCHEMA_SHARED", ROOT.parent / "shared"))
DATA = ROOT / "tests" / "data"
STAGES = DATA / "stages"
SCHEMAS = DATA / "codegen"              # made for the generator
MOTIONS = DATA / "dynamics"             # a folder each: stage.usda, and what PhysX did with it
FINGER, SLIDER, DOUBLE_PENDULUM, BALL = (MOTIONS / name / "stage.usda" for name in (
    "fixed_tendon_finger", "freefall_slider", "double_pendulum_n4", "spherical_pendulum"))
