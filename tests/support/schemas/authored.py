"""Comparing definitions, layers of schema.usda, and what a layer says about a prim.

Comparing definitions: models without the places they were read from, and layers of schema.usda spec by spec.

What a stage's root layer says about a prim, property by property.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from physx_codegen import naming
from physx_codegen.model import Library
from physx_codegen.usda_outline import Outline
from pxr import Sdf, Usd

from physx_schema import AuthoringError, check
from physx_schema.description import Description, describe

PLACES = {"loc", "key_lines", "folder", "file"}
APPLIED = {"apiSchemaType": "singleApply"}                      # what usdGenSchema takes where a key is absent
TEXT_KEYS = {"libraryName", "libraryPrefix", "tokensPrefix", "className", "fileName", "extraIncludes", "apiSchemaType",
             "propertyNamespacePrefix", "apiName"}
OTHERWISE = {"doc", "inherits"}                                 # keys that USD's fields call otherwise
HEADER = {"useExportAPI": True, "useLiteralIdentifier": True, "skipCodeGeneration": False, "libraryPath": "."}
TEXT = {"token": "string", "token[]": "string[]"}               # usdGenSchema takes either for its own keys


def facts(value: Any) -> Any:
    """A part of the model as nested tuples, without files and lines; class tokens in USD's order."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        named = [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value)]
        found = [(name, facts(item)) for name, item in named if name not in PLACES]
        if not isinstance(value, Library):
            found = [(name, tuple(sorted(item)) if name == "tokens" else item) for name, item in found]
        return (type(value).__name__, *found)
    if isinstance(value, tuple):
        return tuple(facts(item) for item in value)
    return value if not isinstance(value, float) else ("float", repr(value))


def difference(left: Any, right: Any, where: str = "") -> str:
    """Where two models differ first; empty where they are equal."""
    if isinstance(left, Library):
        return difference(facts(left), facts(right))
    if isinstance(left, tuple) and isinstance(right, tuple) and len(left) == len(right):
        name = next((str(item[1]) for item in left if isinstance(item, tuple) and item[:1] == ("name",)), "")
        inner = (difference(one, other, f"{where}/{name or position}".replace("/0/", "/"))
                 for position, (one, other) in enumerate(zip(left, right, strict=True)))
        return next(filter(None, inner), "")
    return "" if left == right and type(left) is type(right) else f"{where}: {left!r} became {right!r}"


def specs(path: Path) -> dict[str, dict[str, Any]]:
    """Everything a schema.usda says: path to metadata, with the declared type of every entry of a dictionary."""
    layer = Sdf.Layer.OpenAsAnonymous(str(path))
    outline = Outline(path.read_text(encoding="utf-8"))
    found = {str(spec.path): dict(_fields(spec, outline)) for spec in _walk(layer)}
    for prim in layer.rootPrims:
        _same_text(found[str(prim.path)], *(found[str(prop.path)] for prop in prim.properties))
        kinds = [[prop.name for prop in prim.properties if isinstance(prop, kind)]
                 for kind in (Sdf.AttributeSpec, Sdf.RelationshipSpec)]
        found[str(prim.path)]["order of attributes and of relationships"] = kinds
        _fill(found[str(prim.path)], prim)
    found["/"]["order of classes"] = [prim.name for prim in layer.rootPrims]
    return found


def _walk(layer: Any) -> Iterator[Any]:
    yield layer.pseudoRoot
    for prim in layer.rootPrims:
        yield prim
        yield from prim.properties


def _fields(spec: Any, outline: Outline) -> Iterator[tuple[str, Any]]:
    for key in spec.ListInfoKeys():
        if key == "subLayerOffsets" or (key == "specifier" and spec.name == "GLOBAL"):
            continue
        value = spec.GetInfo(key)
        if key in {"inheritPaths", "apiSchemas"}:
            value = value.GetAppliedItems()
        if isinstance(value, dict):
            value = _typed(value, outline, str(spec.path), (key,))
        if value not in ({}, ""):
            yield key, value if isinstance(value, dict) else repr(value)
    written = outline.texts.get(str(spec.path), {})
    for key in written.keys() - set(spec.ListInfoKeys()) - OTHERWISE:
        yield key, sorted(written[key])                         # USD has no definition of it and does not list it


def _typed(values: dict[str, Any], outline: Outline, path: str, keys: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in values.items():
        inner = (*keys, key)
        if isinstance(value, dict):
            found[key] = _typed(value, outline, path, inner)
            if not value and len(keys) == 1:        # a key without entries says nothing, but a token may be empty
                del found[key]
        else:
            found[key] = (outline.types[path, inner], repr(value))
    return found


def _same_text(*found: dict[str, Any]) -> None:
    """Make text of tokens where usdGenSchema takes either."""
    for custom in (item.get("customData", {}) for item in found):
        for key in TEXT_KEYS & custom.keys():
            custom[key] = (TEXT.get(custom[key][0], custom[key][0]), custom[key][1])


def _fill(found: dict[str, Any], prim: Any) -> None:
    """Leave out of customData what is said by saying nothing."""
    custom = found.get("customData", {})
    defaults: dict[str, object] = {"className": naming.proper_case(prim.name)}
    if prim.name == "GLOBAL":
        defaults = {**HEADER}
        defaults["libraryPrefix"] = naming.proper_case(prim.customData["libraryName"])
    elif "apiSchemaType" in custom or prim.name.endswith("API"):
        defaults |= APPLIED
    for key in [*custom]:
        if key in defaults and custom[key][1] == repr(defaults[key]):
            del custom[key]
    for group in ("libraryTokens", "schemaTokens"):
        for name, token in custom.get(group, {}).items():
            if token.get("value", ("", ""))[1] == repr(name):
                del token["value"]
    if not custom:
        found.pop("customData", None)


# --- authored --------------------------------------------------------------------------------------------------------


def text(stage: Usd.Stage) -> str:
    """The root layer as USDA."""
    return str(stage.GetRootLayer().ExportToString())


def schemas(stage: Usd.Stage, path: str) -> list[str]:
    """The applied schemas of a prim, composed."""
    return [str(name) for name in stage.GetPrimAtPath(path).GetPrimTypeInfo().GetAppliedAPISchemas()]


def properties(stage: Usd.Stage, path: str, namespace: str) -> dict[str, str]:
    """Every property of a namespace as the USDA line after its name: "uniform token = rotX", "rel = /World/link"."""
    found = {}
    for spec in stage.GetRootLayer().GetPrimAtPath(path).properties:
        if not spec.name.startswith(namespace + ":"):
            continue
        if isinstance(spec, Sdf.RelationshipSpec):
            found[spec.name] = "rel = " + ", ".join(map(str, spec.targetPathList.explicitItems))
            continue
        uniform = "uniform " if spec.variability == Sdf.VariabilityUniform else ""
        found[spec.name] = f"{uniform}{spec.typeName} = {spec.default}"
    return found


def clean(stage: Usd.Stage) -> Description:
    """The description of a stage on which nothing is wrong, unused or worth a finding, poses aside."""
    described = describe(stage)
    assert ([item for item in described.problems if item.severity != "info"], described.unused) == ([], ())
    apart = ["DJ.003", "tendon/rest-from-pose"]     # links of these stages need not be where joints are
    found = check(stage, "physx", ignore=apart).findings
    findings = [f"{item.code} {item.path}.{item.property}" for item in found if item.severity != "info"]
    assert findings == []
    return described


def refusal(stage: Usd.Stage, call: Callable[[], object]) -> list[str]:
    """The lines of the AuthoringError that a call raises, having left the stage's layers as they were."""
    before = [layer.ExportToString() for layer in stage.GetLayerStack()]
    with pytest.raises(AuthoringError) as raised:
        call()
    assert [layer.ExportToString() for layer in stage.GetLayerStack()] == before
    return str(raised.value).splitlines()


def one_line(lines: list[str], *parts: str) -> None:
    """Exactly one line, which begins with the first part and holds the others."""
    assert len(lines) == 1, lines
    assert lines[0].startswith(parts[0])
    assert all(part in lines[0] for part in parts), lines[0]
