"""One layer rewritten: schemas in list operations and types, then properties, then the paths that name them.

Connections, relationship targets and the order of properties follow a property to its new name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pxr import Sdf

from physx_schema.migration.composition import joint_axes
from physx_schema.migration.plan import Named, Plan, retype
from physx_schema.migration.report import ChangeKind, LayerChange, Note, layer_name
from physx_schema.migration.rules import Rules, Successor

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


LISTS = ("explicitItems", "addedItems", "prependedItems", "appendedItems", "deletedItems", "orderedItems")
ADDING = ("explicitItems", "addedItems", "prependedItems", "appendedItems")
VALUES = ("default", "timeSamples", "spline", "connectionPaths", "targetPaths")
DECLARATION = ("typeName", "custom", "variability")


def prim_specs(layer: Any, root: Any = Sdf.Path.absoluteRootPath) -> Iterator[Any]:
    """Every prim spec at or below a path, those in variants included, parents first."""
    paths: list[Any] = []
    layer.Traverse(root, paths.append)
    for path in sorted(path for path in paths if path.IsPrimPath() or path.IsPrimVariantSelectionPath()):
        spec = layer.GetPrimAtPath(path)
        if spec:
            yield spec


def concerned(layer: Any, rules: Rules) -> list[Any]:
    """Paths of the prim specs with something that the rules speak of."""
    return [spec.path for spec in prim_specs(layer) if is_concerned(spec, rules)]


def is_concerned(spec: Any, rules: Rules) -> bool:
    """Whether the rules speak of a class or property that a prim spec has or names."""
    return (rules.schema(spec.typeName) or any(rules.schema(str(name).partition(":")[0]) for name in items(spec))
            or any(rules.find(prop.name) or rules.suspect(prop.name) for prop in spec.properties)
            or any(rules.find(path.name) for path in _named(spec)))


def _named(spec: Any) -> Iterator[Any]:
    """Paths of the properties that a prim spec names: in its order of properties, connections and targets."""
    yield from (spec.path.StripAllVariantSelections().AppendProperty(name) for name in spec.propertyOrder)
    for prop in spec.properties:
        listed = prop.connectionPathList if isinstance(prop, Sdf.AttributeSpec) else prop.targetPathList
        yield from (path for field in LISTS for path in getattr(listed, field) if path.IsPropertyPath())


def items(spec: Any) -> list[str]:
    """Every API schema that a prim spec's list operations name, in any of them."""
    listed = spec.GetInfo("apiSchemas")
    if not isinstance(listed, Sdf.TokenListOp):
        return []
    return [str(item) for name in LISTS for item in getattr(listed, name)]


class Rewriter:
    """Changes the copy of one layer and notes what it does: names first, then what names them on any layer."""

    def __init__(self, layer: Any, plan: Plan, paths: Sequence[Any]) -> None:
        self.layer = layer
        self.name = layer_name(layer)
        self.paths = paths                  # of the prim specs that are concerned
        self.plan = plan
        self.rules = plan.rules
        self.composition = plan.composition
        self.copy = Sdf.Layer.CreateAnonymous(".usda")
        self.copy.TransferContent(layer)
        self.notes: list[Note] = []
        self.moved: dict[Named, tuple[str, ...]] = {}
        self.depends: set[str] = set()      # identifiers of layers whose changes are named here
        self._path = Sdf.Path.absoluteRootPath

    def rename(self) -> None:
        """Types, schemas and properties under their present names."""
        with Sdf.ChangeBlock():
            for path in self.paths:
                self._path = path
                obstacle = self.plan.obstacle(self.layer, path)
                if obstacle:
                    self.note("left", "apiSchemas", obstacle.message, obstacle.fix)
                    continue
                self._type()
                self._schemas()
                for name in [prop.name for prop in self._spec().properties]:
                    self._property(name)

    def follow(self, follower: Follower) -> LayerChange:
        """Connections, targets and orders of properties with present names; the layer and its rewritten copy."""
        with Sdf.ChangeBlock():
            for path in self.paths:
                self._path = path
                self._order(follower)
                for prop in self._spec().properties:
                    self._paths(prop, follower)
        return LayerChange(self.layer, self.copy, tuple(sorted(set(self.notes))), frozenset(self.depends))

    def note(self, kind: ChangeKind, name: str, message: str, fix: str = "", became: Iterable[str] = ()) -> None:
        """Record what was done or left at the present prim spec."""
        location = (self.name, str(self._path), name)
        self.notes.append(Note(*location, kind, message, fix, tuple(became)))

    def _spec(self) -> Any:
        return self.copy.GetPrimAtPath(self._path)

    # --- schemas ---

    def _type(self) -> None:
        spec = self._spec()
        former = str(spec.typeName)
        if former in self.rules.classes:
            spec.typeName = self.rules.classes[former]
            self.note("renamed", "typeName", f"{former} -> {spec.typeName}")
        elif former in self.rules.retired:
            self._note_retired("typeName", former, self.rules.retired[former])

    def _schemas(self) -> None:
        """Names of renamed and moved schemas, in place in every list operation."""
        listed = self._spec().GetInfo("apiSchemas")
        if not isinstance(listed, Sdf.TokenListOp):
            return
        changed = False
        for field in LISTS:
            names = list(map(str, getattr(listed, field)))
            present = {str(name) for other in ADDING for name in getattr(listed, other)} if field in ADDING else set()
            after: list[str] = []
            for name in names:
                others = self._instead(name, deleting=field == "deletedItems")
                added = [other for other in others if other == name or other not in {*present, *after}]
                after += [other for other in added if other not in after]
            if after != names:
                setattr(listed, field, after)
                changed = True
        if changed:
            self._spec().SetInfo("apiSchemas", listed)

    def _instead(self, applied: str, deleting: bool) -> list[str]:
        """What stands in a list operation in place of an applied schema."""
        schema, colon, instance = applied.partition(":")
        if schema in self.rules.classes:
            other = self.rules.classes[schema] + colon + instance
            self.note("renamed", "apiSchemas", f"{applied} -> {other}")
            return [other]
        if schema in self.rules.retired:
            self._note_retired("apiSchemas", applied, self.rules.retired[schema])
        move = self.rules.moved.get(schema)
        if move is None:
            return [applied]
        if not move.per_axis:
            self.note("moved", "apiSchemas", f"{applied} -> {move.successor}")
            return [move.successor]
        others = [f"{move.successor}:{axis}" for axis in self._axes("apiSchemas", applied)]
        if deleting and any(self._weaker_lists(other) for other in others):
            self.note("left", "apiSchemas",
                      f"this layer deletes {applied}, and a weaker layer applies {', '.join(others)}",
                      "keep only the deletion or only the applied schema")
            return [applied]
        if others:
            self.note("moved", "apiSchemas", f"{applied} -> {', '.join(others)}")
        return others or [applied]

    def _weaker_lists(self, applied: str) -> bool:
        return any(applied in items(spec) for site in self.composition.sites(self.layer, self._path)
                   for spec in site.specs()[1])

    def _axes(self, name: str, what: str) -> tuple[str, ...]:
        """The axes of the joint that the present prim spec is about; without any, says what keeps it as it is."""
        axes = self.composition.axes(self.layer, self._path)
        if axes is None:
            self.note("left", name, f"{what}: this layer does not show the type of the joint",
                      "migrate a stage in which this layer's prim is a joint")
        elif not axes:
            self.note("left", name, f"{what}: the joint has no free axis, and the value has no effect", "remove it")
        return axes or ()

    def _note_retired(self, name: str, what: str, instead: str) -> None:
        self.note("left", name, f"{what} is retired and has no one-to-one successor", instead or "remove it")

    # --- properties ---

    def _property(self, name: str) -> None:
        """One property that may have a former or retired name, or another type now."""
        successors = self.plan.successors(name, self.plan.known(self.layer, self._path))
        obstacle = self.plan.obstacle(self.layer, self._path, name)
        if obstacle:
            self.note("left", name, obstacle.message, obstacle.fix)
        if obstacle or not successors:
            return
        if all(successor.full_name(instance) == name for successor, instance in successors):
            self._retype(name, successors[0][0].type)
            return
        new_names: list[str] = []
        for successor, instance in successors:
            targets = self._targets(name, successor, instance)
            for target in targets:
                if self._yields(name, target):
                    self._copy_metadata(name, target)
                else:
                    self._copy(name, target, successor.type)
                    self._note_if_ignored(name, target, successor)
            new_names += targets
        if new_names:
            del self._spec().properties[name]
            moved = any(successor.per_axis or successor.schema != successor.former for successor, _ in successors)
            self.moved[self.layer.identifier, self._path, name] = tuple(new_names)
            self.note("moved" if moved else "renamed", name, f"{name} -> {', '.join(new_names)}", became=new_names)

    def _retype(self, name: str, kind: str) -> None:
        """The same property under the type that it has now."""
        spec = self._spec().properties[name]
        if isinstance(spec, Sdf.AttributeSpec) and str(spec.typeName) != kind:
            self.note("renamed", name, f"{spec.typeName} -> {kind}")
            retype(spec, kind)

    def _targets(self, name: str, successor: Successor, instance: str) -> list[str]:
        if successor.per_axis:
            return [successor.full_name(axis) for axis in self._axes(name, name)]
        return [successor.full_name(instance)]

    def _yields(self, name: str, target: str) -> bool:
        """Whether a value under the present name stands against the former one; reported where they differ."""
        old = self._spec().properties[name]
        stronger: list[Any] = []
        weaker: list[Any] = [self.layer.GetPropertyAtPath(self._path.AppendProperty(target))]
        for site in self.composition.sites(self.layer, self._path):
            above, below = site.specs()
            stronger += [spec.properties.get(target) for spec in above]
            weaker += [spec.properties.get(target) for spec in below]
        winners = [prop for prop in weaker if prop and opinions(prop)]
        for prop in [prop for prop in (*winners, *stronger) if prop and opinions(prop)]:
            if opinions(prop) != opinions(old):
                self.note("conflict", name,
                          f"{label(old)}; {target} is {label(prop)} in {layer_name(prop.layer)}, and USD uses "
                          "that value",
                          "check that this value is intended")
                break
        return bool(winners) and bool(opinions(old))

    def _note_if_ignored(self, name: str, target: str, successor: Successor) -> None:
        """PhysX passed a joint's own value over on axes that had their schema already; now it counts there."""
        axis = target.removeprefix(f"{successor.prefix}:").partition(":")[0]
        applied = f"{successor.schema}:{axis}"
        if successor.per_axis and applied in self.composition.schemas(self.layer, self._path):
            self.note("note", name, f"PhysX now uses this value as {target}; PhysX ignored it while {applied} was "
                      "applied too",
                      f"remove {target} to keep the default of {applied}")

    def _copy(self, name: str, target: str, kind: str) -> None:
        """All that a property says, under another name and type; what that name already says stays."""
        path, goal = self._path.AppendProperty(name), self._path.AppendProperty(target)
        existing = self.copy.GetPropertyAtPath(goal)
        if not existing:
            Sdf.CopySpec(self.copy, path, self.copy, goal)
            self._set_type(goal, kind)
            return
        metadata = {key: existing.GetInfo(key) for key in existing.ListInfoKeys()}
        Sdf.CopySpec(self.copy, path, self.copy, goal)
        self._set_type(goal, kind)
        copied = self.copy.GetPropertyAtPath(goal)
        for key, value in metadata.items():
            if key not in (*VALUES, *DECLARATION):
                copied.SetInfo(key, value)

    def _set_type(self, goal: Any, kind: str) -> None:
        spec = self.copy.GetPropertyAtPath(goal)
        if isinstance(spec, Sdf.AttributeSpec):
            retype(spec, kind)

    def _copy_metadata(self, name: str, target: str) -> None:
        """What a property says besides its value, where the value itself yields."""
        old = self._spec().properties[name]
        metadata = {key: old.GetInfo(key) for key in old.ListInfoKeys() if key not in (*VALUES, *DECLARATION)}
        if not metadata:
            return
        goal = self._path.AppendProperty(target)
        if not self.copy.GetPropertyAtPath(goal):
            Sdf.CopySpec(self.copy, old.path, self.copy, goal)
            clear(self.copy.GetPropertyAtPath(goal))
        spec = self.copy.GetPropertyAtPath(goal)
        for key, value in metadata.items():
            if not spec.HasInfo(key):
                spec.SetInfo(key, value)

    # --- what names properties ---

    def _order(self, follower: Follower) -> None:
        """The statement `reorder properties`."""
        spec = self._spec()
        names = list(map(str, spec.propertyOrder))
        prim_path = self._path.StripAllVariantSelections()
        after = [new for name in names for new in self._present(follower, prim_path.AppendProperty(name)) or (name,)]
        if after != names:
            spec.SetInfo("propertyOrder", list(dict.fromkeys(after)))
            self.note("renamed", "", f"order of properties: {', '.join(after)}")

    def _paths(self, prop: Any, follower: Follower) -> None:
        """Connections and targets that point at properties with former names."""
        is_attribute = isinstance(prop, Sdf.AttributeSpec)
        listed = prop.connectionPathList if is_attribute else prop.targetPathList
        for field in LISTS:
            paths = getattr(listed, field)
            for index in reversed(range(len(paths))):
                old = paths[index]
                names = self._present(follower, old)
                if names:
                    new_paths = [old.GetPrimPath().AppendProperty(name) for name in names][:1 if is_attribute else None]
                    paths[index:index + 1] = [path for path in new_paths if path not in paths]
                    self.note("renamed", prop.name, f"the target is {', '.join(map(str, new_paths))} instead of {old}")

    def _present(self, follower: Follower, path: Any) -> tuple[str, ...]:
        """The names that a property which the present prim spec names has now; none where that has not changed."""
        if not path.IsPropertyPath() or self.rules.find(path.name) is None:
            return ()
        names, layers = follower.names(self.layer, self._path, path)
        if names in ((), (path.name,)):
            return ()
        self.depends |= layers
        return names


def opinions(prop: Any) -> dict[str, Any]:
    """What a property spec says about its value."""
    return {key: prop.GetInfo(key) for key in VALUES if prop.HasInfo(key)}


def clear(prop: Any) -> None:
    """Take away all that a property spec says about its value."""
    if isinstance(prop, Sdf.AttributeSpec):
        prop.connectionPathList.ClearEdits()
    else:
        prop.targetPathList.ClearEdits()
    for key in VALUES:
        prop.ClearInfo(key)


def label(prop: Any) -> str:
    """A value for people."""
    values = opinions(prop)
    if "default" in values:
        return str(values["default"])
    return f"authored as {' and '.join(values)}" if values else "not authored"


def files(layers: Iterable[Any]) -> list[Any]:
    """Layers once each, in order of their identifiers."""
    return [layer for _, layer in sorted({layer.identifier: layer for layer in layers}.items())]
