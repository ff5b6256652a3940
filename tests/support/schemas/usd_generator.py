"""Running usdGenSchema, USD's own generator, on a schema.usda."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

PXR = Path(str(importlib.util.find_spec("pxr").origin)).parent          # type: ignore[union-attr]
SCRIPT = PXR / "Usd/usdGenSchema.py"
SOURCES = {path.parent.name: path for path in sorted(PXR.glob("pluginfo/*/resources/*/schema.usda"))
           if path.parent.name != "codegenTemplates"}


def usd_generated(source: Path, out: Path, search: Sequence[Path] = ()) -> Path:
    """The folder `out` with what usdGenSchema makes; skips where this usd-core lacks it or the schemas of USD."""
    if not SCRIPT.is_file() or "usdPhysics" not in SOURCES:
        pytest.skip("this usd-core does not ship usdGenSchema with the schema sources")
    folders = [*PXR.glob("pluginfo/*/resources"), *search]
    result = subprocess.run(
        [sys.executable, str(SCRIPT), "-q", str(source), str(out)], capture_output=True, text=True, check=False,
        env=os.environ | {"PXR_AR_DEFAULT_SEARCH_PATH": os.pathsep.join(map(str, folders))})
    assert result.returncode == 0, result.stdout + result.stderr
    return out
