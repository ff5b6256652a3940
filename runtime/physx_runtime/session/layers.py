"""`ResultLayer` writes results into one layer of a stage and can restore the values and prims that were there before. A
`Slot` is an attribute that results are written to. A `SpecPath` is its spec in a layer, with the value that others
authored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from pxr import Sdf, Usd

from physx_schema.arguments import required_choice
from physx_schema.errors import AuthoringError

Into = Literal["session", "edit_target"]
RESULT_LAYERS = ("session", "edit_target")
# Fields of a property spec that has only its declaration and a value.
BARE_FIELDS = frozenset(("custom", "default", "typeName", "variability"))


@dataclass(slots=True, eq=False)
class SpecPath:
    """A spec that results are written to, its last value, and the value that others authored."""

    spec: Sdf.PropertySpec
    last_value: Any
    authored: Any         # None where they have no opinion
    created: bool = False  # the spec is the session's own
    _layer: Sdf.Layer = field(init=False)
    _path: Sdf.Path = field(init=False)

    def __post_init__(self) -> None:
        self._layer, self._path = self.spec.layer, self.spec.path

    @staticmethod
    def of(spec: Sdf.PropertySpec) -> SpecPath:
        """An existing spec with its current value."""
        return SpecPath(spec, spec.default, spec.default)

    def write(self, value: Any) -> None:
        """Set the value of the spec if it differs."""
        if self.spec and self.spec.default != value:
            self.spec.default = value
        self.last_value = value

    def rename(self, old: str, new: str) -> None:
        """Find the spec again after its prim was moved."""
        self._path = self._path.ReplacePrefix(old, new)
        self.spec = self._layer.GetPropertyAtPath(self._path)

    def restore(self) -> None:
        """Restore the value that others authored; a removed spec stays removed."""
        if not self.spec:
            return
        if self.authored is not None:
            self.spec.default = self.authored
        elif self.created and BARE_FIELDS.issuperset(self.spec.ListInfoKeys()):
            self.spec.owner.RemoveProperty(self.spec)
        else:
            self.spec.ClearDefaultValue()


@dataclass(slots=True, eq=False)
class Slot:
    """An attribute that results are written to."""

    path: str                       # of the property on the stage
    spec_path: SpecPath                    # in the layer that results go into
    type_name: Sdf.ValueTypeName                  # of the attribute's value
    echoes: list[SpecPath] = field(default_factory=list)       # in layers where others set it while results were there
    passing: bool = False           # an operation that only results have, whatever others set it to
    replaced: tuple[str, ...] | None = None         # of an order of operations: the prim's own, which it replaces
    remainder: Slot | None = None   # of an orientation in single precision: what that loses

    @property
    def spec_paths(self) -> tuple[SpecPath, ...]:
        """All specs that results are written to."""
        return self.spec_path, *self.echoes

    def write(self, value: Any) -> None:
        """Write a value to all specs."""
        self.spec_path.write(value)
        for echo in self.echoes:
            echo.write(value)


class ResultLayer:
    """Specs of results in one layer of a stage, created where missing and restored together."""

    def __init__(self, stage: Usd.Stage, into: Into) -> None:
        required_choice("into", into, RESULT_LAYERS)
        self._target = stage.GetEditTarget() if into == "edit_target" else None
        self.layer = self._target.GetLayer() if self._target else stage.GetSessionLayer()
        if self.layer is None:
            raise AuthoringError("the stage has no session layer; open the stage with a session layer, or use "
                                 "into='edit_target'")
        self.require_editable()
        self.slots: dict[str, Slot] = {}
        self._echoed: dict[str, list[Sdf.PropertySpec]] = {}  # by property path: specs in other layers that follow
        self._prims: list[Sdf.Path] = []                     # paths of prim specs that were made, parents first
        self._applied: list[tuple[Sdf.Path, str, bool]] = []     # path of the prim spec, schema, whether it had none

    def require_editable(self) -> None:
        """Raise AuthoringError where the layer cannot be edited."""
        if not self.layer.permissionToEdit:
            raise AuthoringError(f"{self.layer.identifier}: results are written to this layer, and it is not editable; "
                                 "allow editing, or choose another layer with `into`")

    def slot(self, prim: Usd.Prim, name: str, type_name: Sdf.ValueTypeName, uniform: bool = False) -> Slot | None:
        """The slot of an attribute; None where the edit target does not reach the prim."""
        owner = self._prim_spec(prim)
        if owner is None:
            return None
        path = f"{prim.GetPath()}.{name}"
        if path not in self.slots:
            spec = owner.attributes.get(name)
            if spec is None:
                variability = Sdf.VariabilityUniform if uniform else Sdf.VariabilityVarying
                spec_path = SpecPath(Sdf.AttributeSpec(owner, name, type_name, variability), None, None, created=True)
            else:
                spec_path = SpecPath.of(spec)
            echoes = [SpecPath.of(echoed) for echoed in self._echoed.get(path, ()) if echoed]
            self.slots[path] = Slot(path, spec_path, spec_path.spec.typeName, echoes)
        return self.slots[path]

    def echo(self, path: str, spec: Sdf.PropertySpec) -> None:
        """Write what goes into a slot to a spec of another layer as well, until `reset`."""
        self._echoed.setdefault(path, []).append(spec)
        self.slots[path].echoes.append(SpecPath.of(spec))

    def apply(self, prim: Usd.Prim, schema: str) -> None:
        """Add an API schema to the prim's own, without its properties."""
        owner = self._prim_spec(prim)
        if owner is None:
            return
        names = owner.GetInfo("apiSchemas") if owner.HasInfo("apiSchemas") else None
        self._applied.append((owner.path, schema, names is None))
        names = names or Sdf.TokenListOp()
        if names.isExplicit:
            names.explicitItems = [*names.explicitItems, schema]
        else:
            names.prependedItems = [*names.prependedItems, schema]
        owner.SetInfo("apiSchemas", names)

    def rename(self, old: str, new: str) -> None:
        """Update slots and specs after a prim was moved in the layers."""
        slots = list(self.slots.values())
        self.slots.clear()
        for slot in slots:
            if Sdf.Path(slot.path).HasPrefix(old):
                slot.path = str(Sdf.Path(slot.path).ReplacePrefix(old, new))
                for spec_path in slot.spec_paths:
                    spec_path.rename(old, new)
            self.slots[slot.path] = slot
        self._echoed = {slot.path: [echo.spec for echo in slot.echoes] for slot in slots if slot.echoes}
        renamed = [path.ReplacePrefix(old, new) for path in self._prims]
        self._prims = list(dict.fromkeys([*Sdf.Path(new).GetParentPath().GetPrefixes(), *renamed]))
        self._applied = [(path.ReplacePrefix(old, new), *rest) for path, *rest in self._applied]

    def restore(self) -> None:
        """Undo what was created and written; edits and removals by others meanwhile stay."""
        self.require_editable()
        with Sdf.ChangeBlock():
            for slot in self.slots.values():
                for spec_path in slot.spec_paths:
                    spec_path.restore()
            for path, schema, bare in self._applied:
                owner = self.layer.GetPrimAtPath(path)
                if owner and owner.HasInfo("apiSchemas"):
                    _remove_schema(owner, schema, bare)
            self._remove_prims(reversed(self._prims))
        self.slots.clear()
        self._prims.clear()
        self._applied.clear()

    def reset(self) -> None:
        """`restore`, and write to this layer alone from now on."""
        self.restore()
        self._echoed.clear()

    def _remove_prims(self, paths: Iterable[Any]) -> None:
        """Remove prim specs that are empty."""
        for path in paths:
            spec = self.layer.GetPrimAtPath(path)
            if spec and spec.IsInert():
                above = self.layer.GetPrimAtPath(path.GetParentPath()) or self.layer.pseudoRoot
                del above.nameChildren[spec.name]

    def spec_path(self, prim: Usd.Prim) -> Sdf.Path:
        """Path of the prim in the layer; None where the edit target does not reach it."""
        path = prim.GetPath()
        if self._target is not None:
            path = self._target.MapToSpecPath(path)
        return None if path.isEmpty else path

    def _prim_spec(self, prim: Usd.Prim) -> Sdf.PrimSpec:
        """The prim's spec in the layer; created with those above it where missing."""
        path = self.spec_path(prim)
        if path is None:
            return None
        spec = self.layer.GetPrimAtPath(path)
        if spec is None:
            missing = [above for above in path.GetPrefixes() if not self.layer.GetPrimAtPath(above)]
            spec = Sdf.CreatePrimInLayer(self.layer, path)
            self._prims += missing
        return spec


def _remove_schema(owner: Any, schema: str, bare: bool) -> None:
    """Remove a schema from a prim spec's apiSchemas, and the list if it was created for it and is empty."""
    names = owner.GetInfo("apiSchemas")
    if names.isExplicit:
        names.explicitItems = list(_without(schema, names.explicitItems))
    else:
        names.prependedItems = list(_without(schema, names.prependedItems))
        names.appendedItems = list(_without(schema, names.appendedItems))
    if bare and names == Sdf.TokenListOp():
        owner.ClearInfo("apiSchemas")
    else:
        owner.SetInfo("apiSchemas", names)


def _without(name: str, names: Iterable[str]) -> Iterator[str]:
    return (other for other in names if other != name)
