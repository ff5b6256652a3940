"""A stage over the one that is verified, on which numbers are tried; the stage itself stays as it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pxr import Sdf, Usd

from physx_schema.checking.engine.layer_editor import CannotError, LayerEditor
from physx_schema.checking.engine.repair import ApplySchema, SetValue
from physx_schema.description import describe
from physx_schema.description.conversions import as_numbers
from physx_schema.description.model import Description

# A prim and one of its properties.
Place = tuple[str, str]
# The schema that a setting is read with, where a prim need not have it.
_SETTINGS = {"physxArticulation": "PhysxArticulationAPI"}


class Trial:
    """Numbers authored in a layer over a stage."""

    def __init__(self, stage: Any) -> None:
        self._below = stage         # whose layers have to live on
        layer = Sdf.Layer.CreateAnonymous(".usda")
        root, session = stage.GetRootLayer(), stage.GetSessionLayer()
        for key in root.pseudoRoot.ListInfoKeys():
            if key not in ("subLayers", "subLayerOffsets", "documentation", "comment"):
                layer.pseudoRoot.SetInfo(key, root.pseudoRoot.GetInfo(key))
        layer.subLayerPaths[:] = [item.identifier for item in (session, root) if item is not None]
        self._stage = Usd.Stage.Open(layer, None, stage.GetPathResolverContext(), Usd.Stage.LoadNone)
        self._stage.SetLoadRules(stage.GetLoadRules())
        self._stage.MuteAndUnmuteLayers(stage.GetMutedLayers(), [])
        self._editor = LayerEditor(self._stage, override=True)
        self._clean = layer.ExportToString()
        self._authored: set[Place] = set()

    def described(self, values: Mapping[Place, float]) -> Description:
        """The description of the stage with these numbers. Raises CannotError where one cannot be authored."""
        layer = self._editor.layer
        if not self._authored <= values.keys():
            layer.ImportFromString(self._clean)
        edits = [edit for place, value in values.items() for edit in edits_of(self._stage, place, value)]
        steps = self._editor.steps(edits)
        self._authored = set(values)
        with Sdf.ChangeBlock():
            for step in steps:
                step(layer)
        return describe(self._stage)

    def number(self, place: Place) -> float:
        """A number as it stands on the stage; 0 where there is none."""
        prim = self._stage.GetPrimAtPath(place[0])
        found = as_numbers(prim.GetAttribute(place[1]).Get()) if prim and prim.HasAttribute(place[1]) else None
        return found[0] if found else 0.0


def edits_of(stage: Any, place: Place, value: float, intended: float | None = None) -> list[ApplySchema | SetValue]:
    """What authors a number on a stage, and the effect that it is to have.

    Raises CannotError for a prim that is not there.
    """
    path, name = place
    prim = stage.GetPrimAtPath(path)
    if not prim:
        raise CannotError("the prim is no longer there")
    schema = _SETTINGS.get(name.partition(":")[0])
    applied = schema is None or schema in map(str, prim.GetAppliedSchemas())
    attribute = prim.GetAttribute(name)
    # an attribute whose schema is not applied yet, or that no schema knows, has no type of its own
    kind = attribute.GetTypeName() if attribute else Sdf.ValueTypeNames.Float if applied else Sdf.ValueTypeNames.Int
    number: object = (value,) if kind.isArray else round(value) if kind == Sdf.ValueTypeNames.Int else value
    return [*([] if applied or schema is None else [ApplySchema(path, schema)]),
            SetValue(path, name, number, "" if attribute else str(kind), intended)]
