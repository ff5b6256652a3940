"""USD's own generator, and what its files mean.

Running usdGenSchema, USD's own generator, on a schema.usda.

Reading generated USD files for comparison: what they mean, without their documentation.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pxr
import pytest
from pxr import Plug, Sdf

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


# --- USD files -------------------------------------------------------------------------------------------------------


def schemas(path: Path) -> dict[str, dict[str, Any]]:
    """Class name to header and properties of a generatedSchema.usda."""
    layer = Sdf.Layer.FindOrOpen(str(path))
    return {prim.name: {
        "header": (prim.specifier, prim.typeName, str(prim.GetInfo("apiSchemas"))),
        **{prop.name: prop_facts(prop) for prop in prim.properties},
    } for prim in layer.rootPrims if prim.name != "GLOBAL"}


def prop_facts(prop: Sdf.PropertySpec) -> tuple[Any, ...]:
    """Type, default, variability, tokens and labels of a property."""
    labels = (prop.displayName, prop.displayGroup)
    if isinstance(prop, Sdf.RelationshipSpec):
        return ("rel", prop.variability, *labels)
    return (str(prop.typeName), repr(prop.default), prop.variability, tuple(prop.allowedTokens or ()), *labels)


def plugin(path: Path) -> dict[str, Any]:
    """The single plugin of a plugInfo.json."""
    text = "\n".join(line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    (found,) = json.loads(text)["Plugins"]
    return dict(found)
