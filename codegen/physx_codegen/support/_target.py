"""Where values go: the layer and paths of a stage's edit target."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any, NamedTuple, Self

from pxr import Sdf, Usd

from ._definition import AuthoringError, Definition, Property, Relationship

VARIABILITY = (Sdf.VariabilityVarying, Sdf.VariabilityUniform)
sdf_type = cache(Sdf.ValueTypeNames.Find)


class Target(NamedTuple):
    """The edit target of a stage, looked up once for a whole change."""

    layer: Sdf.Layer
    is_direct: bool                                 # whether paths in the layer are those of the stage
    path_in_layer: Callable[[Sdf.Path], Sdf.Path]
    stronger: tuple[Sdf.Layer, ...] = ()            # layers of the stage that win over a direct one

    @classmethod
    def of(cls, stage: Usd.Stage) -> Self:
        """The present edit target of `stage`. Raises AuthoringError where what is authored there has no effect."""
        target = stage.GetEditTarget()
        layer, is_direct = target.GetLayer(), target.GetMapFunction().isIdentity
        if not is_direct:
            return cls(layer, False, target.MapToSpecPath)
        layers = stage.GetLayerStack()
        if layer not in layers:
            raise AuthoringError(f"{layer.identifier if layer else 'the edit target'} is muted or no layer of the "
                                 "stage; choose another edit target")
        return cls(layer, True, target.MapToSpecPath, tuple(layers[:layers.index(layer)]))

    def change(self) -> AbstractContextManager[object]:
        """What writing happens inside: one change for USD to compose, unless USD is needed to map paths."""
        return Sdf.ChangeBlock() if self.is_direct else nullcontext()

    def problems(self, prim: Usd.Prim, prefix: str, definition: Definition, names: Iterable[str]) -> list[str]:
        """Why the properties cannot be authored on `prim`; empty where they can."""
        path, layer = prim.GetPath(), self.layer
        if prim.IsInstanceProxy() or prim.IsInPrototype():
            return [f"{path}: the prim is inside an instance; author on the instanced asset"]
        if not layer.permissionToEdit:
            return [f"{path}: layer {layer.identifier} is read-only; choose another edit target"]
        local = path if self.is_direct else self.path_in_layer(path)
        if not local:
            return [f"{path}: the edit target in {layer.identifier} does not reach this prim; choose another"]
        owner = layer.GetPrimAtPath(local)
        specs = authored(owner, prefix, names) if owner else {}
        kinds = {name: getattr(definition.by_name[name], "type", "rel") for name in specs}
        return [f"{path}.{prefix}{name}: already authored as {spec_type(spec)} in {layer.identifier}; "
                f"remove it there first" for name, spec in specs.items() if spec_type(spec) != kinds[name]]

    def overruled(self, path: Sdf.Path, entry: str) -> str:
        """Why an entry of apiSchemas would have no effect at a path; empty where it would."""
        for layer in self.stronger:
            spec = layer.GetPrimAtPath(path)
            entries = spec.GetInfo("apiSchemas") if spec and spec.HasInfo("apiSchemas") else None
            if entries is None:
                continue
            if entry in entries.GetAddedOrExplicitItems():
                return ""
            if entries.isExplicit or entry in entries.deletedItems:
                what = "sets the list of API schemas without it" if entries.isExplicit else "removes it"
                return (f"{path}: {entry} has no effect where it is authored, because the stronger layer "
                        f"{layer.identifier} {what}; change that layer, or make it the edit target")
        return ""

    def write(self, prim: Usd.Prim, prefix: str, definition: Definition, ready: Mapping[str, Any]) -> None:
        """Author prepared values on `prim`, inside :meth:`change`."""
        if not self.is_direct:
            write_composed(prim, prefix, definition, ready)
            return
        owner, by_name = Sdf.CreatePrimInLayer(self.layer, prim.GetPath()), definition.by_name
        existing = authored(owner, prefix, ready)
        for name, value in ready.items():
            write_spec(owner, existing.get(name), prefix + name, by_name[name], value)


def authored(owner: Sdf.PrimSpec, prefix: str, names: Iterable[str]) -> dict[str, Sdf.PropertySpec]:
    """The property specs there are on a prim spec, by name without prefix."""
    properties = owner.properties
    if not properties:
        return {}
    found = {name: properties.get(prefix + name) for name in names}
    return {name: spec for name, spec in found.items() if spec is not None}


def spec_type(spec: Any) -> str:
    """The value type of an attribute spec; "rel" for a relationship."""
    return "rel" if isinstance(spec, Sdf.RelationshipSpec) else str(spec.typeName)


def write_spec(owner: Sdf.PrimSpec, spec: Any, full: str, prop: Property, value: Any) -> None:
    """Author one property on a prim spec: in its own spec, or a new one where that is None."""
    if isinstance(prop, Relationship):
        spec = spec or Sdf.RelationshipSpec(owner, full, False)
        spec.targetPathList.ClearEditsAndMakeExplicit()
        spec.targetPathList.explicitItems = value
        return
    (spec or Sdf.AttributeSpec(owner, full, sdf_type(prop.type), VARIABILITY[prop.uniform])).default = value


def write_composed(prim: Usd.Prim, prefix: str, definition: Definition, ready: Mapping[str, Any]) -> None:
    """Author through USD, which maps paths across the arc of the edit target."""
    for name, value in ready.items():
        prop = definition.by_name[name]
        if isinstance(prop, Relationship):
            prim.CreateRelationship(prefix + name, False).SetTargets(value)
            continue
        prim.CreateAttribute(prefix + name, sdf_type(prop.type), False, VARIABILITY[prop.uniform]).Set(value)
