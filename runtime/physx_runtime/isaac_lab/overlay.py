"""`Overlay` holds the values that Isaac Lab writes, in a session layer over a stage that stays as it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pxr import Sdf, Usd

from physx_runtime.isaac_lab.fields import Field
from physx_runtime.isaac_lab.report import FAULT, IGNORED, NOT_EVALUATED, Note, Setting, SettingValue
from physx_runtime.isaac_lab.values import Location, is_number, shortened, unknown_parts
from physx_schema.definitions import definitions
from physx_schema.description.units import as_number

ROTATIONS = ("angular", "rot")      # how the instance names of rotations begin


@dataclass(slots=True)
class Overlay:
    """A stage with what Isaac Lab writes over it, and the list of that."""

    source: Usd.Stage
    stage: Usd.Stage = field(init=False)
    notes: list[Note] = field(default_factory=list)
    _settings: dict[tuple[str, str], Setting] = field(default_factory=dict)

    def __post_init__(self) -> None:
        layer = Sdf.Layer.CreateAnonymous("isaac_lab.usda")
        session = self.source.GetSessionLayer()
        if session is not None:
            layer.subLayerPaths.append(session.identifier)
        self.stage = Usd.Stage.Open(self.source.GetRootLayer(), layer, self.source.GetPathResolverContext(),
                                    Usd.Stage.LoadNone)
        self.stage.SetLoadRules(self.source.GetLoadRules())
        self.stage.MuteAndUnmuteLayers(self.source.GetMutedLayers(), [])
        self.stage.SetEditTarget(layer)

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Everything that Isaac Lab writes, by the order of the prims' first settings."""
        return tuple(self._settings.values())

    def note(self, outcome: str, name: str, place: Location | str, reason: str, value: object = "") -> None:
        """Add a note on a field."""
        text = value if isinstance(value, str) else shortened(repr(value))
        self.notes.append(Note(name, str(place), outcome, reason, text))

    def not_evaluated(self, name: str, value: object) -> bool:
        """Whether a part of a field's value is not evaluated; then notes say so."""
        parts = list(unknown_parts(value))
        for part in parts:
            self.note(NOT_EVALUATED, name, part.place, part.reason, part.expression)
        return bool(parts)

    def write(self, path: str, item: Field, value: object, name: str, place: Location | str, when: str,
              axis: str = "", instance: str = "") -> None:
        """Write the value of a field, in the units of the field, to a prim. name: the field in the configuration."""
        prim = self.stage.GetPrimAtPath(path)
        prop = item.property.format(axis=axis, instance=instance)
        if prim.IsInstanceProxy() or prim.IsInPrototype():
            self.note(IGNORED, name, place, f"{path} is inside an instance, where Isaac Lab writes nothing", value)
            return
        self._apply(prim, item.schema, axis or instance)
        kind = _value_type(prim, item, prop)
        try:
            number = _converted(value, kind, item.factor(axis.startswith(ROTATIONS)))
        except (TypeError, ValueError, OverflowError):
            self.note(FAULT, name, place, f"{prop} is {kind}, and does not take this value", value)
            return
        authored = self.authored(path, prop)
        prim.CreateAttribute(prop, kind, custom=False).Set(number)
        self.add(Setting(path, prop, authored, number if isinstance(number, str | bool) else float(f"{number:.7g}"),
                         name, str(place), when))

    def add(self, setting: Setting) -> None:
        """Add a setting; an earlier one of the same property then has no effect."""
        before = self._settings.get((setting.path, setting.property))
        if before is not None and before.field != setting.field:
            note = Note(before.field, before.place, IGNORED, f"{setting.field} of {setting.place} overwrites it",
                        str(before.configured))
            if note not in self.notes:
                self.notes.append(note)
        self._settings[setting.path, setting.property] = setting

    def block(self, path: str, prop: str) -> None:
        """Hide a value of the stage that has no meaning under Isaac Lab."""
        attribute = self.stage.GetPrimAtPath(path).GetAttribute(prop)
        if attribute and attribute.HasAuthoredValue():
            attribute.Block()

    def authored(self, path: str, prop: str) -> SettingValue:
        """What the stage authors for a property; None for nothing."""
        prim = self.source.GetPrimAtPath(path)
        attribute = prim.GetAttribute(prop) if prim else None
        if not attribute or not attribute.HasAuthoredValue():
            return None
        value = attribute.Get()
        if isinstance(value, bool | str) or value is None:
            return value
        number = as_number(value)
        return None if number is None else float(f"{number:.7g}")

    def has_drive(self, path: str, axis: str) -> bool:
        """Whether a joint has a drive for PhysX to make."""
        return f"PhysicsDriveAPI:{axis}" in map(str, self.stage.GetPrimAtPath(path).GetAppliedSchemas())

    def _apply(self, prim: Usd.Prim, schema: str, instance: str) -> None:
        if not schema:
            return
        name = f"{schema}:{instance}" if instance and schema not in ("PhysxJointAPI",) else schema
        if name not in map(str, prim.GetAppliedSchemas()):
            prim.AddAppliedSchema(name)


def _value_type(prim: Usd.Prim, item: Field, prop: str) -> Any:
    """The type of a property: that on the prim, or that of its schema."""
    attribute = prim.GetAttribute(prop)
    if attribute:
        return attribute.GetTypeName()
    definition = definitions().get(item.schema)
    base = prop.rpartition(":")[2]
    types = {name.rpartition(":")[2]: attribute.type
             for name, attribute in (definition.attributes if definition else {}).items()}
    return Sdf.ValueTypeNames.Find(types.get(base, "float"))


def _converted(value: object, kind: Any, factor: float) -> Any:
    """A value in the type of its property. Raises TypeError or ValueError for a value of another type."""
    if kind == Sdf.ValueTypeNames.Bool:
        if not isinstance(value, bool | int):
            raise TypeError(value)
        return bool(value)
    if kind in (Sdf.ValueTypeNames.Token, Sdf.ValueTypeNames.String):
        if not isinstance(value, str):
            raise TypeError(value)
        return value
    if not isinstance(value, int | float) or not (is_number(value) or isinstance(value, bool)):
        raise TypeError(value)
    return int(value) if kind in (Sdf.ValueTypeNames.Int, Sdf.ValueTypeNames.UInt) else float(value) * factor
