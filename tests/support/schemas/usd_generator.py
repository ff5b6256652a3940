"""Running usdGenSchema, USD's own generator, on a schema.usda."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pxr
import pytest
from pxr import Plug

PXR = Path(pxr.__path__[0])
SCRIPT = PXR / "Usd/usdGenSchema.py"
# Each distribution of USD keeps its plugins in a place of its own, which USD knows.
RESOURCES = {plugin.name: Path(plugin.resourcePath) for plugin in sorted(
    Plug.Registry().GetAllPlugins(), key=lambda plugin: plugin.name) if plugin.name.lower().startswith("usd")}
SOURCES = {path.parent.name: path for folder in RESOURCES.values() for path in folder.glob("*/schema.usda")
           if path.parent.name != "codegenTemplates"}


def usd_generated(source: Path, out: Path, search: Sequence[Path] = ()) -> Path:
    """The folder `out` with what usdGenSchema makes; skips where this USD lacks it or the schemas of USD."""
    if not SCRIPT.is_file() or "usdPhysics" not in SOURCES:
        pytest.skip("this USD does not ship usdGenSchema with the schema sources")
    folders = [*RESOURCES.values(), *search]
    result = subprocess.run(
        [sys.executable, str(SCRIPT), "-q", str(source), str(out)], capture_output=True, text=True, check=False,
        env=os.environ | {"PXR_AR_DEFAULT_SEARCH_PATH": os.pathsep.join(map(str, folders))})
    assert result.returncode == 0, result.stdout + result.stderr
    return out
