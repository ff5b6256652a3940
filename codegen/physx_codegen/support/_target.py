"""Where values go: the layer and paths of a stage's edit target."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any, NamedTuple, Self

from pxr import Sdf, Usd

from ._definition import AuthoringError, Definition, Relationship

# Called unbound, because every look-up of a method on a prim runs a guard that takes as long as the call.
path_of = Usd.Prim.GetPath
is_instance_proxy = Usd.Prim.IsInstanceProxy
is_in_prototype = Usd.Prim.IsInPrototype
new_attribute = Sdf.AttributeSpec
Specs = dict[str, Any]                  # property specs by name without prefix
VARIABILITY = (Sdf.VariabilityVarying, Sdf.VariabilityUniform)
sdf_type = cache(Sdf.ValueTypeNames.Find)


class Target(NamedTuple):
    """The edit target of a stage, looked up once for a whole change."""

    layer: Sdf.Layer
    is_direct: bool                                 # whether paths in the layer are those of the stage
    path_in_layer: Callable[[Sdf.Path], Sdf.Path]
    stronger: Sequence[Sdf.Layer] = ()            # layers of the stage that win over a direct one

    @classmethod
    def of(cls, stage: Usd.Stage) -> Self:
        """The present edit target of `stage`. Raises AuthoringError where what is authored there has no effect."""
        target = stage.GetEditTarget()
        layer, is_direct = target.GetLayer(), target.GetMapFunction().isIdentity
        if not is_direct:
            return cls(layer, False, target.MapToSpecPath)
        layers = stage.GetLayerStack()
        try:
            return cls(layer, True, target.MapToSpecPath, layers[:layers.index(layer)])
        except ValueError:
            raise AuthoringError(f"{layer.identifier if layer else 'the edit target'} is muted or not a layer of the "
                                 "stage; choose another edit target") from None

    def change(self) -> AbstractContextManager[object]:
        """What writing happens inside: one change for USD to compose, unless USD is needed to map paths."""
        return Sdf.ChangeBlock() if self.is_direct else nullcontext()

    def problems(
        self, prim: Usd.Prim, prefix: str, definition: Definition, names: Iterable[str], existing: Specs
    ) -> list[str]:
        """Why the properties cannot be authored on `prim`; empty where they can. Fills in their specs that exist."""
        path, layer = path_of(prim), self.layer
        if is_instance_proxy(prim) or is_in_prototype(prim):
            return [f"{path}: the prim is inside an instance; author on the instanced asset instead"]
        if not layer.permissionToEdit:
            return [f"{path}: layer {layer.identifier} is not editable; choose another edit target"]
        local = path if self.is_direct else self.path_in_layer(path)
        if not local:
            return [f"{path}: the edit target in {layer.identifier} does not contain this prim; choose another edit "
                    "target"]
        owner = layer.GetPrimAtPath(local)
        if owner is not None:
            existing.update(authored(owner, prefix, names))
        if not existing:
            return []
        kinds = attribute_kinds(definition)
        return [f"{path}.{prefix}{name}: the property is already authored as {spec_type(spec) or 'a relationship'} in "
                f"{layer.identifier}; remove that property first"
                for name, spec in existing.items() if spec_type(spec) != kinds[name][0]]

    def overruled(self, prim: Usd.Prim, definition: Definition, instance: tuple[str, ...]) -> str:
        """Why an API schema would have no effect where it is authored; empty where it would."""
        path = path_of(prim)
        for layer in self.stronger:
            spec = layer.GetPrimAtPath(path)
            if spec is None or not spec.HasInfo("apiSchemas"):
                continue
            entry, entries = ":".join((definition.identifier, *instance)), spec.GetInfo("apiSchemas")
            if entry in entries.GetAddedOrExplicitItems():
                return ""
            if entries.isExplicit or entry in entries.deletedItems:
                what = "sets another list of API schemas" if entries.isExplicit else "removes this schema"
                return (f"{path}: {entry} has no effect where it is authored, because the stronger layer "
                        f"{layer.identifier} {what}; change that layer, or make it the edit target")
        return ""

    def write(
        self, prim: Usd.Prim, prefix: str, definition: Definition, ready: Mapping[str, Any], existing: Specs
    ) -> None:
        """Author prepared values on `prim`, in the specs that exist or new ones, inside :meth:`change`."""
        if not self.is_direct:
            write_composed(prim, prefix, definition, ready)
            return
        owner, kinds = Sdf.CreatePrimInLayer(self.layer, path_of(prim)), attribute_kinds(definition)
        for name, value in ready.items():
            kind, variability = kinds[name]
            spec = existing.get(name)
            if kind is None:
                write_targets(spec or Sdf.RelationshipSpec(owner, prefix + name, False), value)
            elif spec is None:
                new_attribute(owner, prefix + name, kind, variability).default = value
            else:
                spec.default = value


@cache
def attribute_kinds(definition: Definition) -> dict[str, tuple[Any, Any]]:
    """Name to value type, None for a relationship, and variability."""
    return {name: (None, VARIABILITY[1]) if isinstance(prop, Relationship)
            else (sdf_type(prop.type), VARIABILITY[prop.uniform])
            for name, prop in definition.by_name.items()}


def authored(owner: Sdf.PrimSpec, prefix: str, names: Iterable[str]) -> Specs:
    """The property specs there are on a prim spec, by name without prefix."""
    properties = owner.properties
    if not properties:
        return {}
    specs = {name: properties.get(prefix + name) for name in names}
    return {name: spec for name, spec in specs.items() if spec is not None}


def spec_type(spec: Any) -> Any:
    """The value type of an attribute spec; None for a relationship."""
    return None if isinstance(spec, Sdf.RelationshipSpec) else spec.typeName


def write_targets(spec: Any, paths: list[Sdf.Path]) -> None:
    """Make these the only targets of a relationship spec."""
    spec.targetPathList.ClearEditsAndMakeExplicit()
    spec.targetPathList.explicitItems = paths


def write_composed(prim: Usd.Prim, prefix: str, definition: Definition, ready: Mapping[str, Any]) -> None:
    """Author through USD, which maps paths across the arc of the edit target."""
    for name, value in ready.items():
        prop = definition.by_name[name]
        if isinstance(prop, Relationship):
            prim.CreateRelationship(prefix + name, False).SetTargets(value)
            continue
        prim.CreateAttribute(prefix + name, sdf_type(prop.type), False, VARIABILITY[prop.uniform]).Set(value)
