"""The layer that results are written into: what was made there, and how everything was before."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from pxr import Sdf

from physx_schema.errors import AuthoringError

Into = Literal["session", "edit_target"]
INTO = ("session", "edit_target")


@dataclass(slots=True, eq=False)
class Slot:
    """An attribute that results are written to, and the value it holds since the last writing."""

    path: str               # of the property on the stage
    spec: Any
    place: Any              # path of the spec in its layer
    last: Any = None


class WrittenLayer:
    """Specs in one layer of a stage, made where they are missing and taken back as a whole."""

    def __init__(self, stage: Any, into: Into) -> None:
        if into not in INTO:
            raise ValueError(f"into is {into!r}; allowed are {', '.join(map(repr, INTO))}")
        self._target = stage.GetEditTarget() if into == "edit_target" else None
        self.layer = self._target.GetLayer() if self._target else stage.GetSessionLayer()
        if self.layer is None:
            raise AuthoringError("the stage has no session layer; open it with one, or give into='edit_target'")
        if not self.layer.permissionToEdit:
            raise AuthoringError(f"{self.layer.identifier}: the layer cannot be edited, and results go into it; "
                                 "allow editing, or choose another one by `into`")
        self.slots: dict[str, Slot] = {}
        self._prims: list[Any] = []                     # paths of prim specs that were made, parents first
        self._made: list[Any] = []                      # property specs
        self._values: list[tuple[Any, Any]] = []        # property spec that was there, its value before
        self._schemas: list[tuple[Any, Any]] = []       # prim spec, its list of applied schemas before

    def slot(self, prim: Any, name: str, type_name: Any, uniform: bool = False) -> Slot | None:
        """The slot of an attribute; None where the edit target does not reach the prim."""
        owner = self._prim_spec(prim)
        if owner is None:
            return None
        path = f"{prim.GetPath()}.{name}"
        if path not in self.slots:
            spec = owner.attributes.get(name)
            if spec is None:
                variability = Sdf.VariabilityUniform if uniform else Sdf.VariabilityVarying
                spec = Sdf.AttributeSpec(owner, name, type_name, variability)
                self._made.append(spec)
            else:
                self._values.append((spec, spec.default))
            self.slots[path] = Slot(path, spec, spec.path, spec.default)
        return self.slots[path]

    def apply(self, prim: Any, schema: str) -> None:
        """Add an API schema to the prim's own, without its properties."""
        owner = self._prim_spec(prim)
        if owner is None:
            return
        before = owner.GetInfo("apiSchemas") if owner.HasInfo("apiSchemas") else None
        names = Sdf.TokenListOp()
        if before is not None and before.isExplicit:
            names.explicitItems = [*before.explicitItems, schema]
        elif before is not None:
            names.prependedItems = [*before.prependedItems, schema]
            names.appendedItems, names.deletedItems = before.appendedItems, before.deletedItems
        else:
            names.prependedItems = [schema]
        self._schemas.append((owner, before))
        owner.SetInfo("apiSchemas", names)

    def restore(self) -> None:
        """Bring everything back to what it was before; what others removed meanwhile stays removed."""
        with Sdf.ChangeBlock():
            for spec, value in self._values:
                if spec:
                    _set_default(spec, value)
            for spec in self._made:
                if spec:
                    spec.owner.RemoveProperty(spec)
            for owner, before in reversed(self._schemas):
                if owner and before is None:
                    owner.ClearInfo("apiSchemas")
                elif owner:
                    owner.SetInfo("apiSchemas", before)
            self._remove_prims(reversed(self._prims))
        self.slots.clear()
        for records in (self._prims, self._made, self._values, self._schemas):
            records.clear()

    def _remove_prims(self, paths: Iterable[Any]) -> None:
        """Remove prim specs that nobody else has put anything into."""
        for path in paths:
            spec = self.layer.GetPrimAtPath(path)
            if spec and spec.IsInert():
                above = self.layer.GetPrimAtPath(path.GetParentPath()) or self.layer.pseudoRoot
                del above.nameChildren[spec.name]

    def spec_path(self, prim: Any) -> Any:
        """Where the layer holds the prim; None where the edit target does not reach it."""
        path = prim.GetPath()
        if self._target is not None:
            path = self._target.MapToSpecPath(path)
        return None if path.isEmpty else path

    def _prim_spec(self, prim: Any) -> Any:
        """The prim's spec in the layer; made, along with those above it, where missing."""
        path = self.spec_path(prim)
        if path is None:
            return None
        spec = self.layer.GetPrimAtPath(path)
        if spec is None:
            missing = [above for above in path.GetPrefixes() if not self.layer.GetPrimAtPath(above)]
            spec = Sdf.CreatePrimInLayer(self.layer, path)
            self._prims += missing
        return spec


def _set_default(spec: Any, value: Any) -> None:
    if value is None:
        spec.ClearDefaultValue()
    else:
        spec.default = value
