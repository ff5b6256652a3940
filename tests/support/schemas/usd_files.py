"""Reading generated USD files for comparison: what they mean, without their documentation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pxr import Sdf


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
