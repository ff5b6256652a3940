"""Which composed prims a spec on a layer takes part in: that tells a joint's axes and which opinion is stronger.

Layers whose values compose the same prims are written together or not at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pxr import Sdf, Usd, UsdPhysics

from physx_schema.migration.report import LayerChange

ROTATIONS = ("rotX", "rotY", "rotZ")
JOINT_AXES = ("angular", "linear", *ROTATIONS)      # in the order they are written
_BY_TYPE = {
    "PhysicsRevoluteJoint": ("angular",), "PhysicsPrismaticJoint": ("linear",),
    "PhysicsSphericalJoint": ROTATIONS, "PhysicsJoint": ROTATIONS,
}


@dataclass(frozen=True, slots=True)
class Site:
    """A composed prim, and the place of a spec among those that make it: 0 is the strongest."""

    prim: Any
    index: int

    def specs(self) -> tuple[list[Any], list[Any]]:
        """The stronger and the weaker prim specs."""
        stack = self.prim.GetPrimStack()
        return stack[:self.index], stack[self.index + 1:]


class Composition:
    """The stages that the layers belong to, and where the wanted prim specs take part in them."""

    def __init__(self, stages: Sequence[Any], spec_keys: Iterable[tuple[str, Any]]) -> None:
        self.stages = stages                # keeps the prims alive
        self._sites: dict[tuple[str, Any], list[Site]] = {key: [] for key in spec_keys}
        groups: dict[tuple[tuple[str, Any], ...], None] = {}
        for prim in _prims(stages) if self._sites else ():
            keys = [(spec.layer.identifier, spec.path) for spec in prim.GetPrimStack()]
            for index, key in enumerate(keys):
                if key in self._sites:
                    self._sites[key].append(Site(prim, index))
            groups[tuple(key for key in keys if key in self._sites)] = None
        self.groups = [group for group in groups if group]     # the wanted prim specs of each prim, once

    def sites(self, layer: Any, path: Any) -> list[Site]:
        """The composed prims that a prim spec takes part in; none in a variant that is not selected."""
        return self._sites.get((layer.identifier, path), [])

    def schemas(self, layer: Any, path: Any) -> set[str]:
        """Types and applied API schemas of the prims that a spec takes part in, as they stand there.

        Of a variant that is not selected: its own, and those of the prim without it.
        """
        schemas: set[str] = set()
        for spec_path in {path, path.StripAllVariantSelections()}:
            for site in self.sites(layer, spec_path):
                schemas |= self.schemas_of(site.prim)
            spec = layer.GetPrimAtPath(spec_path)
            schemas |= {str(spec.typeName), *_listed(spec)} if spec else set()
        return schemas - {""}

    def schemas_of(self, prim: Any) -> set[str]:
        """Type and applied API schemas of a prim, as they stand there."""
        return {str(prim.GetTypeName()), *map(str, prim.GetAppliedSchemas()), *_applied(prim)} - {""}

    def composed(self, layer: Any, path: Any, target: Any) -> list[Any]:
        """The prims that a prim spec means where it names another prim, with any variants selected."""
        mapped = {(site.prim.GetStage().GetRootLayer().identifier, node.mapToRoot.MapSourceToTarget(
            target.StripAllVariantSelections())) for site in self.sites(layer, path)
            for node in _nodes(site.prim.GetPrimIndex().rootNode)
            if node.path == path and layer in node.layerStack.layers}
        prims = [stage.GetPrimAtPath(target_path) for root, target_path in sorted(mapped) if not target_path.isEmpty
                 for stage in self.stages if stage.GetRootLayer().identifier == root]
        return [prim for prim in prims if prim]

    def axes(self, layer: Any, path: Any) -> tuple[str, ...] | None:
        """Instance names for the axes of the joint that a prim spec is about.

        Empty for a prim without free axes, None where nothing tells what prim it is.
        """
        options = [axes for site in self.sites(layer, path) for axes in [joint_axes(site.prim)] if axes is not None]
        if not options:
            plain = path.StripAllVariantSelections()
            for stage in self.stages:
                prim = stage.GetPrimAtPath(plain) if layer in stage.GetLayerStack() else None
                axes = joint_axes(prim) if prim else None
                options += [] if axes is None else [axes]
        if not options:
            specs = (layer.GetPrimAtPath(spec_path) for spec_path in (path, plain))
            options = [_BY_TYPE.get(spec.typeName, ()) for spec in specs if spec and spec.typeName]
        return tuple(axis for axis in JOINT_AXES if any(axis in axes for axes in options)) if options else None


def _prims(stages: Iterable[Any]) -> Iterator[Any]:
    predicate = Usd.TraverseInstanceProxies(Usd.PrimAllPrimsPredicate)
    for stage in stages:
        yield from Usd.PrimRange(stage.GetPseudoRoot(), predicate)


def _nodes(node: Any) -> Iterator[Any]:
    """A node of a prim index and those below it."""
    yield node
    for child in node.children:
        yield from _nodes(child)


def joint_axes(prim: Any) -> tuple[str, ...] | None:
    """The free axes of a joint prim as PhysX names them; None for a prim without a type."""
    if not prim.GetTypeName():
        return None
    for kind, axes in ((UsdPhysics.RevoluteJoint, ("angular",)), (UsdPhysics.PrismaticJoint, ("linear",)),
                       (UsdPhysics.SphericalJoint, ROTATIONS)):
        if prim.IsA(kind):
            return axes
    if prim.GetTypeName() != "PhysicsJoint":
        return ()
    return tuple(axis for axis in ROTATIONS if not _is_locked(prim, axis))


def _is_locked(prim: Any, axis: str) -> bool:
    if f"PhysicsLimitAPI:{axis}" not in _applied(prim):
        return False
    low, high = (prim.GetAttribute(f"limit:{axis}:physics:{name}").Get() for name in ("low", "high"))
    return low is not None and high is not None and low > high


def _applied(prim: Any) -> list[str]:
    return list(map(str, prim.GetPrimTypeInfo().GetAppliedAPISchemas()))


def _listed(spec: Any) -> list[str]:
    listed = spec.GetInfo("apiSchemas")
    return list(map(str, listed.GetAppliedItems())) if isinstance(listed, Sdf.TokenListOp) else []


def group_layers(changes: Sequence[LayerChange], composition: Composition) -> tuple[frozenset[str], ...]:
    """Identifiers of changed layers, in groups that share a prim with something for the rules or name each other's."""
    changed = {change.layer.identifier for change in changes if change.changed}
    links = [{name for name, _ in group} & changed for group in composition.groups]
    links += [{change.layer.identifier, *change.depends} & changed for change in changes if change.changed]
    return tuple(_joined(links))


def _joined(links: Iterable[set[str]]) -> list[frozenset[str]]:
    """Sets that have something in common as one."""
    groups: list[frozenset[str]] = []
    for link in filter(None, links):
        touching = [group for group in groups if group & link]
        groups = [group for group in groups if not group & link] + [frozenset(link).union(*touching)]
    return groups
