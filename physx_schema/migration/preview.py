"""Stages composed of migrated layers before anything is written, so that they can be looked at as they will be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pxr import Sdf, Usd, UsdUtils

from physx_schema.migration.report import LayerChange


class Preview:
    """The stages of a migration as they will be. Keeps its layers alive."""

    def __init__(self, stages: Sequence[Any], changes: Sequence[LayerChange]) -> None:
        variables = {name: value for stage in stages
                     for name, value in stage.GetRootLayer().expressionVariables.items()}
        self._stand_ins = _stand_ins(changes, variables)
        self.stages = [self._composed(stage) for stage in stages]

    def layer(self, change: LayerChange) -> Any:
        """The layer that stands for a changed or unchanged one on these stages."""
        return self._stand_ins.get(change.layer.identifier, change.layer)

    def missing(self, changes: Sequence[LayerChange]) -> list[LayerChange]:
        """The changed layers that these stages are not composed of, so that nothing can be said of them."""
        used = {layer.identifier for stage in self.stages for layer in stage.GetUsedLayers()}
        return [change for change in changes if change.changed and (
            change.layer.identifier not in self._stand_ins or self.layer(change).identifier not in used)]

    def _composed(self, stage: Any) -> Any:
        root = stage.GetRootLayer()
        if root.identifier not in self._stand_ins:
            return stage
        made = Usd.Stage.Open(self._stand_ins[root.identifier], stage.GetSessionLayer(),
                              stage.GetPathResolverContext(), Usd.Stage.LoadNone)
        made.SetLoadRules(stage.GetLoadRules())
        return made


def _stand_ins(changes: Sequence[LayerChange], variables: Mapping[str, Any]) -> dict[str, Any]:
    """Identifier to a new layer, for layers that change and those that lead to them."""
    layers = {change.layer.identifier: change for change in changes}
    leads = {name: {_target(change.layer, path, variables) for path in _other_files(change.layer)}
             for name, change in layers.items()}
    concerned = {name for name, change in layers.items() if change.changed}
    while more := {name for name, others in leads.items() if others & concerned} - concerned:
        concerned |= more
    made = {name: Sdf.Layer.CreateAnonymous(".usda") for name in concerned}
    for name, layer in made.items():
        layer.TransferContent(layers[name].copy)
        original = layers[name].layer
        UsdUtils.ModifyAssetPaths(layer, lambda path, original=original: _redirected(path, original, made, variables))
    return made


def _other_files(layer: Any) -> list[str]:
    """The asset paths of sublayers, references and payloads; USD lists an internal reference as an empty one."""
    return [path for path in layer.GetCompositionAssetDependencies() if path]


def _redirected(path: str, layer: Any, made: Mapping[str, Any], variables: Mapping[str, Any]) -> str:
    """Where an asset path of a layer leads: to the stand-in, or from anywhere to the same file."""
    found = _target(layer, path, variables)
    return str(made[found].identifier) if found in made else found


def _target(layer: Any, path: str, variables: Mapping[str, Any]) -> str:
    """The identifier of the layer that an asset path leads to, which may be an expression of variables."""
    if Sdf.VariableExpression.IsExpression(path):
        path = str(Sdf.VariableExpression(path).Evaluate(dict(variables)).value or path)
    return str(Sdf.ComputeAssetPathRelativeToLayer(layer, path))
