"""Real PhysX for the scripts of this folder: the modules of the folder that PHYSX_ORACLE names.

PHYSX_ORACLE names the folder with `physx_oracle.py` (runs a stage in the ovphysx wheel), `stage_text.py` (writes small
stages) and `scene_recorder.py` (records whole scenes); ORACLE_PYTHON names the interpreter that has ovphysx.
"""

from __future__ import annotations

import importlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

STEP = 0.01                                                 # seconds
ITERATIONS = ((1, 0), (4, 0), (4, 4), (32, 1))              # position, velocity
Part = tuple[list[str], dict[str, Any]]                     # applied schemas, attributes


@dataclass(frozen=True, slots=True)
class Oracle:
    """The two modules of the oracle's folder."""

    engine: ModuleType
    text: ModuleType


def load_oracle() -> Oracle:
    """Import the oracle from the folder that PHYSX_ORACLE names."""
    folder = os.environ.get("PHYSX_ORACLE")
    if not folder or not Path(folder, "physx_oracle.py").is_file():
        sys.exit(f"PHYSX_ORACLE is {folder!r}: set it to the folder that holds physx_oracle.py and stage_text.py")
    sys.path.insert(0, folder)
    return Oracle(importlib.import_module("physx_oracle"), importlib.import_module("stage_text"))
