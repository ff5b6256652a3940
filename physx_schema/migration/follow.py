"""What names a property on a layer follows it: connections, relationship targets and the order of properties."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from physx_schema.migration.composition import joint_axes
from physx_schema.migration.plan import Named, Plan

Moved = Mapping[Named, tuple[str, ...]]         # a property spec to its present names


class Follower:
    """Where paths that name properties lead once all layers are rewritten."""

    def __init__(self, plan: Plan, moved: Moved) -> None:
        self.plan = plan
        self.moved = moved

    def names(self, layer: Any, path: Any, target: Any) -> tuple[tuple[str, ...], set[str]]:
        """Present names of a property that a prim spec names, none where it has none, and the layers that say so."""
        prims = self.plan.composition.composed(layer, path, target.GetPrimPath())
        layers: set[str] = set()
        for prim in prims:
            stack = prim.GetPrimStack()
            for spec in stack:
                present_names = self.moved.get((spec.layer.identifier, spec.path, target.name))
                if present_names:
                    return present_names, {item.layer.identifier for item in stack}
            present_names = self._unauthored(prim, target.name)
            if present_names:
                layers = {item.layer.identifier for item in stack}
                return present_names, layers
        return self.moved.get((layer.identifier, target.GetPrimPath(), target.name), ()), layers

    def _unauthored(self, prim: Any, name: str) -> tuple[str, ...]:
        """Present names of a property that its class alone gives a prim."""
        stack = prim.GetPrimStack()
        if any(spec.properties.get(name) or self.plan.obstacle(spec.layer, spec.path) for spec in stack):
            return ()
        known = self.plan.full(self.plan.composition.schemas_of(prim))
        for successor, instance in self.plan.successors(name, known):
            if successor.former in known and successor.schema and not successor.others & known:
                axes = (joint_axes(prim) or ()) if successor.per_axis else (instance,)
                return tuple(successor.full_name(axis) for axis in axes)
        return ()
