"""Properties of USD's own prim types, read from the generatedSchema.usda files of the installed USD."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from pxr import Plug, Sdf

from .naming import EXTERNAL_BASES


@cache
def inherited_properties(base: str) -> dict[str, dict[str, Any]]:
    """Name to declaration of every property of a USD prim type, without documentation.

    Reads layers rather than the schema registry, which must not be used before plugins are registered.
    """
    layer = Sdf.Layer.OpenAsAnonymous(str(schema_file(EXTERNAL_BASES[base][0])))
    return {prop.name: declared(prop) for prop in layer.GetPrimAtPath(f"/{base}").properties}


def schema_file(type_name: str) -> Path:
    """The generatedSchema.usda that defines a TfType."""
    plugin = next(plugin for plugin in Plug.Registry().GetAllPlugins() if plugin.DeclaresType(type_name))
    return Path(plugin.resourcePath) / "generatedSchema.usda"


def declared(prop: Sdf.PropertySpec) -> dict[str, Any]:
    """A property as the template of generatedSchema.usda takes it."""
    shared = {"name": prop.name, "brief": "", "group": prop.displayGroup, "display": prop.displayName}
    if isinstance(prop, Sdf.RelationshipSpec):
        return shared | {"declaration": f"rel {prop.name}", "tokens": ()}
    uniform = "uniform " if prop.variability == Sdf.VariabilityUniform else ""
    default = f" = {default_text(prop)}" if prop.HasDefaultValue() else ""
    declaration = f"{uniform}{prop.typeName} {prop.name}{default}"
    return shared | {"declaration": declaration, "tokens": tuple(prop.allowedTokens)}


def default_text(prop: Sdf.AttributeSpec) -> str:
    """A default in usda syntax, written by USD."""
    scratch = Sdf.Layer.CreateAnonymous(".usda")
    owner = Sdf.CreatePrimInLayer(scratch, "/a")
    Sdf.AttributeSpec(owner, "b", prop.typeName).default = prop.default
    text: str = scratch.ExportToString()
    return text.partition(" b = ")[2].rpartition("}")[0].strip()
