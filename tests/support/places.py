"""Where things lie that tests read."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("PHYSX_SCHEMA_SHARED", ROOT.parent / "shared"))
STAGES = ROOT / "tests" / "data" / "stages"
