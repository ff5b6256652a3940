"""The spec that a finding is about: the strongest opinion on its property, else on its prim."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from pxr import Sdf, Usd

from physx_schema.checking.engine.causes import SCHEMAS
from physx_schema.checking.engine.finding import Finding
from physx_schema.description.opinions.schemas import split_name
from physx_schema.description.robot_files import original

# Fields of specs by the words of usda, where both differ.
_FIELDS = {"variants": "variantSelection", "variantSets": "variantSetNames", "inherits": "inheritPaths"}
# Fields of a property that a code is about; of the other codes its value.
_SAMPLES = ("timeSamples", "connectionPaths")
FIELDS_OF_CODES = {
    "value/only-samples": _SAMPLES, "value/time-samples": _SAMPLES, "DJ.007/time-samples": _SAMPLES,
    "body/animated": _SAMPLES, "value/connected": ("connectionPaths",)}
_VALUE = ("default", "targetPaths")
NOT_COMPOSED = "unused/below-instance"      # of opinions that a stage does not compose


def with_spec(stage: Any, finding: Finding) -> Finding:
    """The finding with the layer and the path of its spec.

    The layer is "" for the root layer, and for a robot's converted stage, of which all layers are temporary. The path
    is "" where no file has the spec: in such a stage, and in a layer that is changed and not saved.
    """
    root = stage.GetRootLayer()
    spec = None if original(root.realPath) else _spec(stage, finding)
    if spec is None:
        return finding
    layer = spec.layer
    name = "" if layer == root else str(layer.realPath or layer.GetDisplayName())
    path = spec.path.GetPrimOrPrimVariantSelectionPath() if spec.path.IsPropertyPath() else spec.path
    return replace(finding, layer=name, spec_path="" if layer.dirty or not layer.realPath else str(path))


def _spec(stage: Any, finding: Finding) -> Any:
    """The strongest spec of a finding's property or metadata, else of its prim; None for neither."""
    if not finding.path.startswith("/"):
        return None
    prim = stage.GetPrimAtPath(finding.path)
    if not prim or finding.code == NOT_COMPOSED:
        return next(_uncomposed(stage, finding), None)
    if prim.IsPseudoRoot():
        return stage.GetRootLayer().pseudoRoot
    prim_specs = prim.GetPrimStack()
    if finding.property == SCHEMAS:
        return _schema_spec(prim_specs, finding)
    name = finding.property
    item = prim.GetProperty(name) if name and Sdf.Path.IsValidNamespacedIdentifier(name) else None
    specs = item.GetPropertyStack(Usd.TimeCode.Default()) if item else ()
    if specs:
        fields = (*FIELDS_OF_CODES.get(finding.code, ()), *_VALUE)
        return next((spec for key in fields for spec in specs if spec.HasInfo(key)), specs[0])
    return next((spec for spec in _with_info(prim_specs, _FIELDS.get(name, name))),
                next(_uncomposed(stage, finding), prim_specs[0] if prim_specs else None))


def _schema_spec(specs: Sequence[Any], finding: Finding) -> Any:
    """The strongest prim spec that lists an applied schema of which the finding speaks, else that lists any."""
    listing = list(_with_info(specs, SCHEMAS))
    named = (spec for spec in listing if any(is_named(split_name(name)[0], finding.message) for name in _listed(spec)))
    return next(named, next(iter((*listing, *specs)), None))


def is_named(schema: str, message: str) -> bool:
    """Whether a message names an applied schema, or apart from each other the schema and its instance."""
    return all(re.search(rf"(?<![\w:]){re.escape(part)}(?!\w)", message) for part in schema.split(":", 1)) or (
        schema in message)


def _listed(spec: Any) -> list[str]:
    return [str(name) for name in spec.GetInfo(SCHEMAS).GetAddedOrExplicitItems()]


def _with_info(specs: Sequence[Any], key: str) -> Iterator[Any]:
    return (spec for spec in specs if key and spec.HasInfo(key))


def _uncomposed(stage: Any, finding: Finding) -> Iterator[Any]:
    """Specs at the finding's own path that are not composed, such as those below an instance."""
    if not Sdf.Path.IsValidPathString(finding.path):
        return
    path = Sdf.Path(finding.path)
    if finding.property and Sdf.Path.IsValidNamespacedIdentifier(finding.property):
        below = path.AppendProperty(finding.property)
        yield from filter(None, (layer.GetPropertyAtPath(below) for layer in stage.GetLayerStack()))
    if not stage.GetPrimAtPath(path):
        yield from filter(None, (layer.GetPrimAtPath(path) for layer in stage.GetLayerStack()))
