"""One layer rewritten: schemas in list operations and types, then properties, then the paths that name them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pxr import Sdf

from physx_schema.migration.composition import Composition
from physx_schema.migration.report import ChangeKind, LayerChange, Note, layer_name
from physx_schema.migration.rules import Rules, Successor

LISTS = ("explicitItems", "addedItems", "prependedItems", "appendedItems", "deletedItems", "orderedItems")
ADDING = ("explicitItems", "addedItems", "prependedItems", "appendedItems")
VALUES = ("default", "timeSamples", "spline", "connectionPaths", "targetPaths")
DECLARATION = ("typeName", "custom", "variability")


def prim_specs(layer: Any) -> Iterator[Any]:
    """Every prim spec, those in variants included, parents first."""
    paths: list[Any] = []
    layer.Traverse(Sdf.Path.absoluteRootPath, paths.append)
    for path in sorted(path for path in paths if path.IsPrimPath() or path.IsPrimVariantSelectionPath()):
        spec = layer.GetPrimAtPath(path)
        if spec:
            yield spec


def concerned(layer: Any, rules: Rules) -> list[Any]:
    """Paths of the prim specs with something that the rules speak of."""
    return [spec.path for spec in prim_specs(layer)
            if rules.schema(spec.typeName) or any(rules.schema(str(name).partition(":")[0]) for name in items(spec))
            or any(rules.find(prop.name) for prop in spec.properties)]


def items(spec: Any) -> list[str]:
    """Every API schema that a prim spec's list operations name, in any of them."""
    listed = spec.GetInfo("apiSchemas")
    if not isinstance(listed, Sdf.TokenListOp):
        return []
    return [str(item) for name in LISTS for item in getattr(listed, name)]


class Rewriter:
    """Changes the copy of one layer and notes what it does."""

    def __init__(self, layer: Any, rules: Rules, composition: Composition, paths: Sequence[Any]) -> None:
        self.layer = layer
        self.name = layer_name(layer)
        self.paths = paths                  # of the prim specs that are concerned
        self.rules = rules
        self.composition = composition
        self.copy = Sdf.Layer.CreateAnonymous(".usda")
        self.copy.TransferContent(layer)
        self.notes: list[Note] = []
        self._path = Sdf.Path.absoluteRootPath

    def run(self) -> LayerChange:
        """The layer and its rewritten copy."""
        with Sdf.ChangeBlock():
            for path in self.paths:
                self._path = path
                self._type()
                self._schemas()
                for name in [prop.name for prop in self._spec().properties]:
                    found = self.rules.find(name)
                    if found is not None:
                        self._property(name, *found)
            for spec in prim_specs(self.copy):
                self._path = spec.path
                for prop in spec.properties:
                    self._paths(prop)
        return LayerChange(self.layer, self.copy, tuple(sorted(set(self.notes))))

    def note(self, kind: ChangeKind, name: str, message: str, fix: str = "", became: Iterable[str] = ()) -> None:
        """Record what was done or left at the present prim spec."""
        place = (self.name, str(self._path), name)
        self.notes.append(Note(*place, kind, message, fix, tuple(became)))

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
            self._left("typeName", former, self.rules.retired[former])

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
                fresh = [other for other in others if other == name or other not in {*present, *after}]
                after += [other for other in fresh if other not in after]
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
            self._left("apiSchemas", applied, self.rules.retired[schema])
        move = self.rules.moved.get(schema)
        if move is None:
            return [applied]
        if not move.per_axis:
            self.note("moved", "apiSchemas", f"{applied} -> {move.successor}")
            return [move.successor]
        others = [f"{move.successor}:{axis}" for axis in self._axes("apiSchemas", applied)]
        if deleting and any(self._weaker_lists(other) for other in others):
            self.note("left", "apiSchemas", f"deletes {applied}, and a weaker layer applies {', '.join(others)} itself",
                      "decide there which of the two is meant")
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
            self.note("left", name, f"{what}: nothing here says what kind of joint this is",
                      "migrate a stage in which this layer's prim is a joint")
        elif not axes:
            self.note("left", name, f"{what}: the prim has no free joint axis, so it has no effect", "remove it")
        return axes or ()

    def _left(self, name: str, what: str, instead: str) -> None:
        self.note("left", name, f"{what} is retired and has no successor one to one", instead or "remove it")

    # --- properties ---

    def _property(self, name: str, successor: Successor, instance: str) -> None:
        """One property with a former or retired name."""
        known = self._known(self._path)
        if not successor.certain and successor.former not in known:
            return                          # another schema has a property of this name
        if not successor.schema:
            self._left(name, name, successor.instead)
            return
        if self._stands_in_the_way(name, successor, instance, known):
            return
        spec = self._spec().properties[name]
        kind = str(spec.typeName) if isinstance(spec, Sdf.AttributeSpec) else "rel"
        if kind != successor.type:
            present = successor.full_name(instance)
            self.note("left", name, f"is of type {kind}, and {present} is of type {successor.type}",
                      f"author the value as {present}")
            return
        targets = self._targets(name, successor, instance)
        wins = [target for target in targets if self._yields(name, target)]
        free = [target for target in targets if target not in wins]
        for target in free:
            self._copy(name, target)
            self._say_if_ignored(name, target, successor)
        for target in wins:
            self._copy_metadata(name, target)
        if targets:
            del self._spec().properties[name]
            moved = successor.per_axis or successor.schema != successor.former
            self.note("moved" if moved else "renamed", name, f"{name} -> {', '.join(targets)}", became=targets)

    def _stands_in_the_way(self, name: str, successor: Successor, instance: str, known: set[str]) -> bool:
        """Whether a value has no effect, or is another schema's, so that it is left; that is said."""
        shared = sorted(successor.others & known)
        if shared:
            self.note("left", name, f"may be of {shared[0]} or the former name of a property of {successor.former}",
                      f"author the one of {successor.former} under its present name")
        former = f"{successor.former}:{instance}" if instance else successor.former
        if shared or former in known or self.rules.standing.is_view(successor.former):
            return bool(shared)
        unknown = not self.composition.sites(self.layer, self._path) and not known
        self.note("left", name, f"nothing here says that the prim has {former}" if unknown else
                  f"{former} is not on the prim, so the value had no effect",
                  "migrate a stage in which this layer is used" if unknown else
                  f"apply {former} and migrate again if the value is meant, else remove it")
        return True

    def _known(self, path: Any) -> set[str]:
        """The schemas of the prims that a prim spec takes part in, present names too, and without instance."""
        found = self.composition.schemas(self.layer, path)
        full = self.rules.standing.all_of(found)
        return full | {name.partition(":")[0] for name in full}

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
                self.note("conflict", name, f"{shown(old)}, and {target} is {shown(prop)} in {layer_name(prop.layer)}, "
                          "which wins", "check that it is the value you want")
                break
        return bool(winners) and bool(opinions(old))

    def _say_if_ignored(self, name: str, target: str, successor: Successor) -> None:
        """PhysX passed a joint's own value over on axes that had their schema already; now it counts there."""
        axis = target.removeprefix(f"{successor.prefix}:").partition(":")[0]
        applied = f"{successor.schema}:{axis}"
        if successor.per_axis and applied in self.composition.schemas(self.layer, self._path):
            self.note("note", name, f"counts as {target} from now on; PhysX ignored it while {applied} was applied too",
                      f"remove {target} to keep the default of {applied}")

    def _copy(self, name: str, target: str) -> None:
        """All that a property says, under another name; what that name already says stays."""
        path, goal = self._path.AppendProperty(name), self._path.AppendProperty(target)
        existing = self.copy.GetPropertyAtPath(goal)
        if not existing:
            Sdf.CopySpec(self.copy, path, self.copy, goal)
            return
        said = {key: existing.GetInfo(key) for key in existing.ListInfoKeys()}
        Sdf.CopySpec(self.copy, path, self.copy, goal)
        copied = self.copy.GetPropertyAtPath(goal)
        for key, value in said.items():
            if key not in (*VALUES, *DECLARATION):
                copied.SetInfo(key, value)

    def _copy_metadata(self, name: str, target: str) -> None:
        """What a property says besides its value, where the value itself yields."""
        old = self._spec().properties[name]
        said = {key: old.GetInfo(key) for key in old.ListInfoKeys() if key not in (*VALUES, *DECLARATION)}
        if not said:
            return
        goal = self._path.AppendProperty(target)
        if not self.copy.GetPropertyAtPath(goal):
            Sdf.CopySpec(self.copy, old.path, self.copy, goal)
            clear(self.copy.GetPropertyAtPath(goal))
        spec = self.copy.GetPropertyAtPath(goal)
        for key, value in said.items():
            if not spec.HasInfo(key):
                spec.SetInfo(key, value)

    # --- paths ---

    def _paths(self, prop: Any) -> None:
        """Connections and targets that point at properties with former names."""
        is_attribute = isinstance(prop, Sdf.AttributeSpec)
        listed = prop.connectionPathList if is_attribute else prop.targetPathList
        for field in LISTS:
            paths = getattr(listed, field)
            for index in reversed(range(len(paths))):
                found = self._followed(prop.name, paths[index])
                if found:
                    old, found = paths[index], found[:1] if is_attribute else found
                    paths[index:index + 1] = found
                    self.note("renamed", prop.name, f"points at {', '.join(map(str, found))} instead of {old}")

    def _followed(self, name: str, path: Any) -> list[Any]:
        """Where a path that names a property leads now; nothing where that has not changed."""
        found = self.rules.find(path.name) if path.IsPropertyPath() else None
        if found is None or not found[0].schema:
            return []
        successor, instance = found
        prim = path.GetPrimPath()
        if not successor.certain and successor.former not in self._known(prim):
            return []
        axes = self.composition.axes(self.layer, prim) if successor.per_axis else (instance,)
        if not axes:
            self.note("left", name, f"points at {path}, which is retired, and nothing here says which axes it has",
                      "point it at a property of the successor")
        return [prim.AppendProperty(successor.full_name(axis)) for axis in axes or ()]


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


def shown(prop: Any) -> str:
    """A value for people."""
    said = opinions(prop)
    if "default" in said:
        return str(said["default"])
    return f"given by {' and '.join(said)}" if said else "not given"


def files(layers: Iterable[Any]) -> list[Any]:
    """Layers once each, in order of their identifiers."""
    return [layer for _, layer in sorted({layer.identifier: layer for layer in layers}.items())]
