"""Opinions on prims below an instance, which USD drops: every instance shares the prims of its prototype."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any

from pxr import Sdf, Usd

from physx_schema.description.model import Opinion
from physx_schema.description.opinions.prim import is_physics_name, is_physics_schema, read_property
from physx_schema.description.opinions.reading import ReadContext

CODE = "below-instance"
_SHAPE = ("size", "radius", "height", "width", "length", "axis", "points", "faceVertexCounts", "faceVertexIndices")
_OF_COLLIDERS = ("material:binding", "xformOp")     # what names begin with that matters where there are colliders


def dropped_below_instances(context: ReadContext) -> list[Opinion]:
    """The physics opinions on prims below instances, but for those that say what the prototype has anyway."""
    if not context.stage.GetPrototypes():
        return []
    with_colliders = frozenset(str(prefix) for opinions in context.prims_with("PhysicsCollisionAPI")
                               for prefix in opinions.prim.GetPath().GetPrefixes())
    overrides: dict[tuple[str, str], Opinion] = {}
    for prim in Usd.PrimRange.Stage(context.stage, Usd.TraverseInstanceProxies()):
        if prim.IsInstance():
            for opinion in _dropped(context, prim, with_colliders):
                overrides.setdefault((opinion.path, opinion.property), opinion)
    return list(overrides.values())


def _dropped(context: ReadContext, instance: Any, with_colliders: Container[str]) -> Iterator[Opinion]:
    """What is dropped below one instance; the paths are those of colliders and of the prims above them."""
    path = str(instance.GetPath())
    prototype = _prototype(instance)
    suggestion = f"author the opinion on {prototype}, which all instances share, or set instanceable to false on {path}"
    for node in _local_nodes(instance.GetPrimIndex().rootNode):
        for layer in node.layerStack.layers:
            spec = layer.GetPrimAtPath(node.path)
            for child in _below(spec) if spec else ():
                where = child.path.ReplacePrefix(node.path, instance.GetPath())
                collides = str(where) in with_colliders or context.on_collider(str(where))
                for name in _lost(child, context.stage.GetPrimAtPath(where), collides):
                    yield Opinion(str(where), name,
                                  f"{path} is an instance, and USD drops opinions below an instance", suggestion, CODE)


def _local_nodes(node: Any) -> Iterator[Any]:
    """The sites of an instance that its prototype does not share: its own, and those that come with prims above it."""
    yield node
    for child in node.children:
        if child.IsDueToAncestor():
            yield from _local_nodes(child)


def _prototype(instance: Any) -> str:
    """What an instance refers to first, for people."""
    for child in instance.GetPrimIndex().rootNode.children:
        if not child.IsDueToAncestor():
            layer = child.layerStack.identifier.rootLayer
            own = child.layerStack.identifier == child.GetRootNode().layerStack.identifier
            return str(child.path) if own else f"{child.path} of {layer.realPath or layer.GetDisplayName()}"
    return "its prototype"


def _below(spec: Any) -> Iterator[Any]:
    """The prims below one in a layer."""
    for child in spec.nameChildren:
        yield child
        yield from _below(child)


def _lost(spec: Any, prim: Any, collides: bool) -> Iterator[str]:
    """The opinions on a prim below an instance that matter and say something else than the prototype."""
    if prim and collides and spec.HasInfo("active") and not spec.active:
        yield "active"
    if not prim and is_physics_schema(str(spec.typeName)):
        yield ""
    if any(is_physics_schema(name) and not (prim and name in prim.GetAppliedSchemas()) for name in _schemas(spec)):
        yield "apiSchemas"
    for item in spec.properties:
        name = str(item.name)
        matters = is_physics_name(name) or (collides and (name in _SHAPE or name.startswith(_OF_COLLIDERS)))
        if matters and not (prim and _same(item, prim)):
            yield name


def _schemas(spec: Any) -> tuple[str, ...]:
    """The API schemas that a prim applies in a layer."""
    entries = spec.GetInfo("apiSchemas") if spec.HasInfo("apiSchemas") else None
    return tuple(map(str, entries.GetAddedOrExplicitItems())) if entries else ()


def _same(item: Any, prim: Any) -> bool:
    """Whether the prototype has what a dropped opinion says."""
    composed = read_property(prim, str(item.name))
    if isinstance(item, Sdf.RelationshipSpec):
        return tuple(map(str, item.targetPathList.GetAddedOrExplicitItems())) == composed.value
    return bool(composed.value == item.default)
