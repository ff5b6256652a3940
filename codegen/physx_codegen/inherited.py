"""What classes inherit from schemas of the installed USD, read from the layers of their plugins.

Properties are in generatedSchema.usda; their documentation is, as for USD's own generator, in the schema.usda beside
it, where the plugin has one. The schema registry is left alone: it must not be used before plugins are registered.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from pxr import Sdf

from .installed_schemas import GENERATED, Declared, FlatClass, installed, user_doc
from .write_usda import KEYLESS, quote

STRUCTURE = {"typeName", "variability", "default", "custom", "customData"}     # fields with a place of their own


@cache
def flat(identifier: str) -> FlatClass:
    """The built-in schemas and properties of an installed schema; a root such as Typed has none."""
    spec = open_layer(Path(installed()[identifier].folder) / GENERATED).GetPrimAtPath(f"/{identifier}")
    if spec is None:
        return FlatClass((), {})
    overrides = set(spec.customData.get("apiSchemaOverridePropertyNames", ()))
    builtins = spec.GetInfo("apiSchemas").ApplyOperations([])
    docs = source_docs(identifier)
    return FlatClass(tuple(builtins), {
        prop.name: declared(prop, docs.get(prop.name), prop.name in overrides) for prop in spec.properties})


@cache
def source_docs(identifier: str) -> dict[str, str]:
    """Property to summary, by the schema.usda files of a type and its parents; empty where a plugin has none."""
    sources = sorted(Path(installed()[identifier].folder).glob("*/schema.usda"))
    spec = next(filter(None, (open_layer(path).GetPrimAtPath(f"/{identifier}") for path in sources)), None)
    if spec is None:
        return {}
    docs: dict[str, str] = {}
    for parent in spec.inheritPathList.GetAddedOrExplicitItems():
        docs |= source_docs(parent.name) if parent.name in installed() else {}
    briefs = {prop.name: user_doc(prop.documentation, prop.customData.get("userDocBrief")) for prop in spec.properties}
    return docs | {name: words for name, words in briefs.items() if words}


@cache
def open_layer(path: Path) -> Any:
    """A layer of a plugin."""
    return Sdf.Layer.OpenAsAnonymous(str(path))


def declared(prop: Sdf.PropertySpec, brief: str | None, override: bool) -> Declared:
    """A property of a layer; without `brief` its own summary stands."""
    is_attribute = isinstance(prop, Sdf.AttributeSpec)
    keys = sorted(set(prop.ListInfoKeys()) - STRUCTURE)
    return Declared(
        prop.name, str(prop.typeName) if is_attribute else "rel",
        is_attribute and prop.variability == Sdf.VariabilityUniform,
        default_text(prop) if is_attribute and prop.HasDefaultValue() else "",
        brief or str(prop.customData.get("userDocBrief", "")), override,
        tuple((key, field_text(prop, key)) for key in keys))


def default_text(prop: Sdf.AttributeSpec) -> str:
    """A default in usda syntax, written by USD."""
    layer = Sdf.Layer.CreateAnonymous()
    spec = Sdf.AttributeSpec(Sdf.CreatePrimInLayer(layer, "/a"), "b", prop.typeName)
    spec.default = prop.default
    text: str = spec.GetAsText()
    return text.partition(" b = ")[2].strip()


def field_text(prop: Sdf.PropertySpec, key: str) -> str:
    """The value of a metadata field in usda syntax, written by USD."""
    if key == KEYLESS:
        return quote(prop.GetInfo(key))
    layer = Sdf.Layer.CreateAnonymous()
    spec = Sdf.AttributeSpec(Sdf.CreatePrimInLayer(layer, "/a"), "b", Sdf.ValueTypeNames.Token)
    spec.SetInfo(key, prop.GetInfo(key))
    text: str = spec.GetAsText()
    return text.partition(f" {key} = ")[2].rpartition(")")[0].strip()
