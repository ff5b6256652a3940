"""Edits of layers by repairs.

The editor checks all edits of a repair before it changes the layer.

`fix` makes repairs on a copy of a stage's root layer, or in a layer over it, until no repair helps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pxr import Sdf, Usd, UsdUtils

from physx_schema.checking.engine.finding import (
    ApplySchema,
    Edit,
    Finding,
    RemoveProperty,
    RemoveSchema,
    RenameProperty,
    RenameSchema,
    SetTargets,
    SetValue,
)
from physx_schema.checking.engine.outcome import Report
from physx_schema.description.robot_files import original
from physx_schema.description.units import custom_data
from physx_schema.migration.layer_files import in_package, why_not
from physx_schema.migration.report import layer_name, unified

_ADDING = ("explicitItems", "prependedItems", "appendedItems", "addedItems")
Step = Callable[[Any], None]        # changes the given layer


class CannotError(Exception):
    """An edit is not possible; the text gives the reason."""


@dataclass(frozen=True, slots=True)
class LayerEditor:
    """An editor of a stage's root layer.

    With `override` the root layer may override weaker layers. Without it only opinions of the root layer change;
    opinions of another layer are repaired in the file of that layer.
    """

    stage: Any
    override: bool = False

    @property
    def layer(self) -> Any:
        """The root layer, which the editor changes."""
        return self.stage.GetRootLayer()

    def steps(self, edits: Iterable[Edit]) -> list[Step]:
        """The changes of the layer, or of a copy of it. Raises CannotError if an edit is not possible."""
        return [step for edit in edits for step in self._steps(edit)]

    def _steps(self, edit: Edit) -> Iterator[Step]:
        prim = self.stage.GetPrimAtPath(edit.path)
        if not prim:
            raise CannotError("the prim no longer exists")
        match edit:
            case SetValue():
                yield self._set_value(prim, edit)
            case SetTargets():
                yield self._set_targets(prim, edit)
            case RenameProperty():
                yield from self._rename_property(prim, edit.name, edit.to)
            case RemoveProperty():
                yield from self._remove_property(prim, edit.name)
            case ApplySchema():
                yield from self._schemas(prim, remove="", add=edit.schema)
            case RemoveSchema():
                yield from self._schemas(prim, remove=edit.schema, add="")
            case RenameSchema():
                yield from self._schemas(prim, remove=edit.schema, add=edit.to)

    # --- properties ---

    def _set_value(self, prim: Any, edit: SetValue) -> Step:
        attribute = prim.GetAttribute(edit.name)
        specs = attribute.GetPropertyStack() if attribute else []
        kind = edit.type_name or (str(attribute.GetTypeName()) if attribute else "")
        if not kind:
            raise CannotError(f"the type of {edit.name} is unknown")
        value = to_usd_value(edit.value, kind)
        path = self._property_path(prim, edit.name, specs)
        uniform = bool(attribute) and attribute.GetVariability() == Sdf.VariabilityUniform
        metadata = _custom_data(edit)

        def step(layer: Any) -> None:
            spec = layer.GetAttributeAtPath(path)
            if spec and str(spec.typeName) != kind:
                del layer.GetPrimAtPath(path.GetPrimPath()).properties[edit.name]
                spec = None
            if not spec:
                spec = _attribute(layer, path, kind, uniform)
            spec.default = value
            if metadata:
                spec.SetInfo("customData", {**dict(spec.customData), **metadata})
        return step

    def _set_targets(self, prim: Any, edit: SetTargets) -> Step:
        relationship = prim.GetRelationship(edit.name)
        path = self._property_path(prim, edit.name, relationship.GetPropertyStack() if relationship else [])

        def step(layer: Any) -> None:
            spec = layer.GetRelationshipAtPath(path)
            if not spec:
                owner = Sdf.CreatePrimInLayer(layer, path.GetPrimPath())
                spec = Sdf.RelationshipSpec(owner, path.name, custom=False)
            spec.targetPathList.ClearEditsAndMakeExplicit()
            spec.targetPathList.explicitItems = [Sdf.Path(target) for target in edit.targets]
        return step

    def _property_path(self, prim: Any, name: str, specs: list[Any]) -> Any:
        """The path of the strongest opinion in the layer, or of a new one."""
        if specs and specs[0].layer == self.layer:
            return specs[0].path
        if specs and not self.override:
            raise CannotError(f"the opinion is in {display_name(specs[0].layer)}")
        return self._prim_path(prim).AppendProperty(name)

    def _prim_path(self, prim: Any) -> Any:
        """The path of the layer's prim spec for a new opinion."""
        path = next((spec.path for spec in prim.GetPrimStack() if spec.layer == self.layer), None)
        if path is not None:
            return path
        if prim.IsInstanceProxy():
            raise CannotError("the prim is inside an instance, and no stronger layer can change it")
        if not self.override:
            raise CannotError(f"the prim is in {display_name(prim.GetPrimStack()[0].layer)}")
        return prim.GetPath()

    def _rename_property(self, prim: Any, name: str, to: str) -> Iterator[Step]:
        if not Sdf.Path.IsValidNamespacedIdentifier(to):
            raise CannotError(f"{to!r} is not a property name")
        target = prim.GetProperty(to)
        if target and target.IsAuthored():
            raise CannotError(f"{to} is already authored")
        specs = self._specs(prim, name)
        if all(spec.layer == self.layer for spec in specs):
            for spec in specs:
                yield _rename_step(spec.path, to)
            return
        attribute = self._blockable(prim, name)
        yield self._set_value(prim, SetValue(str(prim.GetPath()), to, attribute.Get(), str(attribute.GetTypeName())))
        yield from self._remove_property(prim, name)

    def _remove_property(self, prim: Any, name: str) -> Iterator[Step]:
        specs = self._specs(prim, name)
        for spec in specs:
            if spec.layer == self.layer:
                yield _remove_step(spec.path)
        if any(spec.layer != self.layer for spec in specs):
            attribute = self._blockable(prim, name)
            path, kind = self._prim_path(prim).AppendProperty(name), str(attribute.GetTypeName())
            yield lambda layer: _attribute(layer, path, kind, False).SetInfo("default", Sdf.ValueBlock())

    def _specs(self, prim: Any, name: str) -> list[Any]:
        """The specs of a property in all layers. Raises CannotError if the editor may not change it."""
        item = prim.GetProperty(name)
        specs = list(item.GetPropertyStack()) if item else []
        other = next((spec.layer for spec in specs if spec.layer != self.layer), None)
        if not specs:
            raise CannotError("the property no longer exists")
        if other is not None and not self.override:
            raise CannotError(f"the opinion is in {display_name(other)}")
        return specs

    @staticmethod
    def _blockable(prim: Any, name: str) -> Any:
        """An attribute of a weaker layer that a value block can remove."""
        item = prim.GetProperty(name)
        if not isinstance(item, Usd.Attribute) or item.GetNumTimeSamples() or item.HasAuthoredConnections():
            raise CannotError("a stronger layer cannot remove a relationship, time samples or connections")
        return item

    # --- applied schemas ---

    def _schemas(self, prim: Any, remove: str, add: str) -> Iterator[Step]:
        applied = list(map(str, prim.GetPrimTypeInfo().GetAppliedAPISchemas()))
        if remove and remove not in applied:
            raise CannotError(f"{remove} is no longer applied")
        specs = [spec for spec in prim.GetPrimStack() if remove in _applied_schemas(spec)] if remove else []
        other = next((spec.layer for spec in specs if spec.layer != self.layer), None)
        if other is not None and not self.override:
            raise CannotError(f"the schema is applied in {display_name(other)}")
        new = add if add not in applied else ""
        for spec in specs:
            if spec.layer == self.layer:
                yield _replace_schema_step(spec.path, remove, new)
                new = ""
        if new or other is not None:
            path = self._prim_path(prim)
            yield _apply_schema_step(path, remove if other is not None else "", new)


def with_obstacle(editor: LayerEditor, finding: Finding) -> Finding:
    """The finding; its repair tells why the editor cannot make it, where it cannot."""
    repair = finding.repair
    obstacle = _obstacle(editor, repair.edits) if repair else ""
    return replace(finding, repair=replace(repair, obstacle=obstacle)) if repair and obstacle else finding


def _obstacle(editor: LayerEditor, edits: Iterable[Edit]) -> str:
    if robot := original(editor.layer.realPath):
        return f"{robot} cannot store USD data"
    if in_package(editor.layer):
        return why_not(editor.layer)
    try:
        editor.steps(edits)
    except CannotError as error:
        return str(error)
    return ""


def _custom_data(edit: SetValue) -> dict[str, dict[str, float]]:
    """The custom data of a value."""
    number = edit.value[0] if isinstance(edit.value, tuple) and len(edit.value) == 1 else edit.value
    return {} if edit.intended is None or not isinstance(number, float) else custom_data(edit.intended, number)


def _rename_step(path: Any, to: str) -> Step:
    def step(layer: Any) -> None:
        Sdf.CopySpec(layer, path, layer, path.GetPrimPath().AppendProperty(to))
        del layer.GetPrimAtPath(path.GetPrimPath()).properties[path.name]
    return step


def _remove_step(path: Any) -> Step:
    def step(layer: Any) -> None:
        del layer.GetPrimAtPath(path.GetPrimPath()).properties[path.name]
    return step


def _replace_schema_step(path: Any, remove: str, add: str) -> Step:
    """Remove a schema from one prim's list, or replace it if `add` is given."""
    def step(layer: Any) -> None:
        spec = layer.GetPrimAtPath(path)
        list_op = spec.GetInfo("apiSchemas")
        for kind in _ADDING:
            names = [str(name) for name in getattr(list_op, kind)]
            if remove in names:
                index = names.index(remove)
                names[index:index + 1] = [add] if add and add not in names else []
                setattr(list_op, kind, names)
        spec.SetInfo("apiSchemas", list_op)
    return step


def _apply_schema_step(path: Any, remove: str, add: str) -> Step:
    """Add a schema to one prim's list, and delete one that weaker layers apply."""
    def step(layer: Any) -> None:
        spec = Sdf.CreatePrimInLayer(layer, path)
        list_op = spec.GetInfo("apiSchemas") if spec.HasInfo("apiSchemas") else Sdf.TokenListOp()
        if add and list_op.isExplicit:
            list_op.explicitItems = [*list_op.explicitItems, add]
        elif add:
            list_op.prependedItems = [*list_op.prependedItems, add]
        if remove:
            list_op.deletedItems = [*list_op.deletedItems, remove]
        spec.SetInfo("apiSchemas", list_op)
    return step


def _applied_schemas(spec: Any) -> list[str]:
    """The schemas that a prim spec applies."""
    list_op = spec.GetInfo("apiSchemas") if spec.HasInfo("apiSchemas") else None
    return [str(name) for kind in _ADDING for name in getattr(list_op, kind)] if list_op is not None else []


def _attribute(layer: Any, path: Any, kind: str, uniform: bool) -> Any:
    """The attribute spec at a path, created if it is missing."""
    spec = layer.GetAttributeAtPath(path)
    if spec:
        return spec
    owner = Sdf.CreatePrimInLayer(layer, path.GetPrimPath())
    variability = Sdf.VariabilityUniform if uniform else Sdf.VariabilityVarying
    return Sdf.AttributeSpec(owner, path.name, Sdf.ValueTypeNames.Find(kind), variability)


def to_usd_value(value: Any, kind: str) -> Any:
    """A plain value as the USD type of a type name; quaternions with w first. Raises CannotError."""
    type_name = Sdf.ValueTypeNames.Find(kind)
    value_type = type(type_name.defaultValue)
    try:
        if isinstance(value, value_type):
            return value
        if isinstance(value, tuple) and not type_name.isArray:
            return value_type(*value)
        return value_type(value)
    except (TypeError, ValueError) as error:
        raise CannotError(f"{value!r} is not a {kind}: {error}") from None


def display_name(layer: Any) -> str:
    """The path or name of a layer, for messages."""
    return str(layer.realPath or layer.GetDisplayName())


MAX_PASSES = 8         # a repair may reveal another finding; ends rules that undo each other
Check = Callable[[Any], Report]
Key = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class Unrepaired:
    """A finding that is not repaired, with the reason."""

    finding: Finding
    reason: str


@dataclass(slots=True)
class Fixes:
    """A stage with repairs, not yet written."""

    stage: Any                          # the unchanged stage
    repaired_layer: Any                          # a separate layer: the root layer with repairs, or a layer over it
    override: bool                          # whether `after` is a layer over the root layer
    before: Report
    report: Report                      # of the repaired stage
    repaired: list[Finding] = field(default_factory=list)
    unrepaired: list[Unrepaired] = field(default_factory=list)

    @property
    def changed(self) -> bool:
        """Whether anything was repaired."""
        return bool(self.repaired)

    def diff(self) -> str:
        """The change as a unified diff of usda text; the whole of a layer over the root layer."""
        root, text = self.stage.GetRootLayer(), self.repaired_layer.ExportToString().splitlines()
        if self.override:
            return unified([], text, "/dev/null", f"over {layer_name(root)}") if self.changed else ""
        return unified(root.ExportToString().splitlines(), text, layer_name(root), f"{layer_name(root)} (fixed)")


def fix(stage: Any, check: Check, unsafe: bool = False, override: bool = False) -> Fixes:
    """Repair the findings of `check` on a stage. unsafe: also make unsafe repairs.

    A repair that does not remove its finding is left out, and the others are made again without it.
    """
    ineffective: dict[Key, str] = {}
    while True:
        result, fixes, reasons = _attempt(stage, check, unsafe, override, dict(ineffective))
        unresolved = {_key(item) for item in result.report.findings} & fixes.keys()
        if not unresolved:
            return _record_outcome(result, fixes, reasons)
        ineffective |= dict.fromkeys(unresolved, "the repair does not remove the finding")


def _attempt(
    stage: Any, check: Check, unsafe: bool, override: bool, reasons: dict[Key, str],
) -> tuple[Fixes, dict[Key, Finding], dict[Key, str]]:
    """Make repairs pass by pass; return the result, the repaired findings and the reasons of the others."""
    after, working_layer = _layers(stage.GetRootLayer(), override)
    editor = LayerEditor(Usd.Stage.Open(working_layer), override)
    before = report = check(editor.stage)
    fixes: dict[Key, Finding] = {}
    for _ in range(MAX_PASSES):
        ready = [item for item in report.findings
                 if item.repair and (item.repair.safe or unsafe) and _key(item) not in {*fixes, *reasons}]
        applied = _repair_pass(editor, after, ready, reasons)
        if not applied:
            break
        fixes |= {_key(item): item for item in applied}
        report = check(editor.stage)
    source = str(stage.GetRootLayer().realPath or before.source)
    return Fixes(stage, after, override, replace(before, source=source), replace(report, source=source)), fixes, reasons


def _repair_pass(editor: LayerEditor, after: Any, ready: Iterable[Finding], reasons: dict[Key, str]) -> list[Finding]:
    """Make repairs of different properties; the others wait for the next pass."""
    touched: set[tuple[str, str]] = set()
    applied: list[Finding] = []
    for finding in ready:
        edits = finding.repair.edits if finding.repair else ()
        properties = {item for edit in edits for item in _edited_properties(edit)}
        if touched & properties:
            continue
        try:
            steps = editor.steps(edits)
        except CannotError as error:
            reasons[_key(finding)] = str(error)
            continue
        _apply_steps(steps, editor.layer, after)
        touched |= properties
        applied.append(finding)
    return applied


def _apply_steps(steps: Iterable[Step], *layers: Any) -> None:
    steps = list(steps)
    for layer in layers:
        with Sdf.ChangeBlock():
            for step in steps:
                step(layer)


def _edited_properties(edit: Edit) -> tuple[tuple[str, str], ...]:
    """The properties that an edit changes; "apiSchemas" for schemas."""
    names = [getattr(edit, word) for word in ("name", "to") if hasattr(edit, word)]
    schemas = hasattr(edit, "schema")
    return ((edit.path, "apiSchemas"),) if schemas else tuple((edit.path, name) for name in names)


def _record_outcome(result: Fixes, fixes: dict[Key, Finding], reasons: dict[Key, str]) -> Fixes:
    result.repaired = list(fixes.values())
    for item in result.report.findings:
        unknown = "no repair is known" if item.repair is None else (
            "the repair was not tried" if item.repair.safe else "the repair is unsafe")
        result.unrepaired.append(Unrepaired(item, reasons.get(_key(item), unknown)))
    return result


def _layers(root: Any, override: bool) -> tuple[Any, Any]:
    """The layer to write, and a copy to work on with absolute asset paths."""
    after, working_layer = (Sdf.Layer.CreateAnonymous(".usda") for _ in range(2))
    if override:
        for layer in (after, working_layer):
            for key in root.pseudoRoot.ListInfoKeys():
                if key not in ("subLayers", "subLayerOffsets", "documentation", "comment"):
                    layer.pseudoRoot.SetInfo(key, root.pseudoRoot.GetInfo(key))
            layer.subLayerPaths.append(root.identifier)
        return after, working_layer
    for layer in (after, working_layer):
        layer.TransferContent(root)
    if root.realPath:
        folder = Path(root.realPath).parent
        UsdUtils.ModifyAssetPaths(working_layer, lambda path: _absolute(path, folder))
    return after, working_layer


def _absolute(path: str, folder: Path) -> str:
    """An asset path of a layer as an absolute path."""
    target = folder / path
    return str(target) if path.startswith(("./", "../")) or (path and target.exists()) else path


def _key(finding: Finding) -> Key:
    return finding.code, finding.path, finding.property, finding.message
