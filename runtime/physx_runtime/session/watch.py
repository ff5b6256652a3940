"""States that anyone may set on the stage: what each layer says of them, so that an edit is told from a result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from pxr import Gf, Sdf

from physx_runtime.session.edits import VELOCITY_NAMES, Heard
from physx_runtime.session.layers import Place, Slot, WrittenLayer
from physx_runtime.session.messages import Messages
from physx_runtime.session.run import Run
from physx_runtime.session.transforms import NO_TURN
from physx_schema.description.articulation.dofs import instance_of

Spot = tuple[str, str]      # layer, path of the spec in it


class Watch:
    """The values of states in every layer, as last seen.

    USD says which properties have changed, but of a prim composed anew not even that, and never in which layer.
    """

    def __init__(self, stage: Any, layer: WrittenLayer, messages: Messages, own: Callable[[], Any]) -> None:
        self._stage, self._layer, self._messages, self._own = stage, layer, messages, own
        self._placing: set[Any] = set()                     # paths of prims whose transforms place links
        self._seen: dict[str, dict[Spot, Any]] = {}         # property path to the value of each spec

    def look(self, runs: Sequence[Run], standing: Iterable[str]) -> None:
        """Remember what the layers say of the states of runs and of links that stand, on a stage without results."""
        links = {Sdf.Path(path) for run in runs for path in run.model.link_names}
        roots = [Sdf.Path(path) for path in (*(run.model.link_names[0] for run in runs), *standing)]
        self._placing = links.union(*(root.GetPrefixes() for root in roots))
        self._seen = {}
        for path in (*(path for run in runs for path in _states(run)), *self._operations()):
            self._remember(path, self._stack(path))

    def sift(self, heard: Heard) -> tuple[Heard, dict[str, Any]]:
        """What others changed, less the states that are as they were, and the values of the states that they set.

        Where results are written, such a value is shown from now on, and it is what the stage goes back to.
        """
        for old, new in heard.moves:
            self._layer.rename(old, new)
        slots = self._layer.slots
        removed = {path for path in heard.values if path in slots and not slots[path].place.spec}
        values: dict[str, Any] = {}
        kept: set[str] = set()
        for path in heard.values | self._below(heard.prims):
            if path not in slots and path not in self._seen:
                kept.add(path)
            elif (value := self._taken(path, slots.get(path))) is not None:
                values[path] = value
        return Heard(kept | values.keys(), heard.others, heard.prims | removed, heard.moves), values

    def _taken(self, path: str, slot: Slot | None) -> Any:
        """The value that somebody gave a state since the last look; None where nobody did."""
        places = slot.places if slot else ()
        stack = self._stack(path)
        changed = list(self._changed(path, stack, places))
        self._remember(path, stack)
        if slot is not None:
            for spec in changed:
                self._keep(slot, spec)
        given = next((spec for spec in changed if spec.HasDefaultValue()), None)
        if given is None or isinstance(given.default, Sdf.ValueBlock):
            return None
        value, written = given.default, [place.spec for place in places]
        stronger = stack[:stack.index(given)]
        hiding = next((spec for spec in stronger if spec.HasDefaultValue() and spec not in written), None)
        if hiding is not None:
            prim, _, name = path.rpartition(".")
            self._messages.ignored([prim], name, f"set in {given.layer.identifier}, but the opinion in "
                                   f"{hiding.layer.identifier} is stronger and hides it")
            return None
        if slot is not None:
            with self._own(), Sdf.ChangeBlock():
                if given not in written and self._can_follow(slot, given):
                    self._layer.echo(path, given)
                slot.write(value)
                if slot.remainder is not None:
                    slot.remainder.write(NO_TURN)
        return value

    def _changed(self, path: str, stack: Sequence[Any], places: Sequence[Place]) -> Iterable[Any]:
        """The specs with another value than when last seen, or than results wrote there; strongest first."""
        before = self._seen.get(path, {})
        written = {_spot(place.spec): place.last for place in places if place.spec}
        for spec in stack:
            spot = _spot(spec)
            if spec.default != (written[spot] if spot in written else before.get(spot)):
                yield spec

    def _keep(self, slot: Slot, spec: Any) -> None:
        """Let a value that others gave a spec be the one that it goes back to."""
        place = next((place for place in slot.places if place.spec == spec), None)
        if slot.replaced is not None:
            order = _authored_order(spec.default, slot)
            if place is not None:
                place.theirs = order
            elif order != spec.default:
                with self._own():
                    spec.default = order
        elif place is not None and not slot.passing and _is_finite(spec.default):
            place.theirs = spec.default

    def _can_follow(self, slot: Slot, spec: Any) -> bool:
        """Whether results can be written to a spec: an opinion about this prim alone, in a layer of the stage."""
        alone = str(spec.path.StripAllVariantSelections()) == slot.path
        return alone and not slot.passing and slot.replaced is None and spec.typeName == slot.type_name \
            and spec.layer in self._stage.GetLayerStack() and bool(spec.layer.permissionToEdit)

    def _below(self, prims: Iterable[str]) -> set[str]:
        """The states on prims and below them, of new transform operations as well."""
        composed = [Sdf.Path(path) for path in prims]
        states = self._seen.keys() | self._layer.slots.keys() | set(self._operations())
        return {path for path in states if any(Sdf.Path(path).HasPrefix(above) for above in composed)}

    def _operations(self) -> list[str]:
        """The transform properties of links and of the prims above roots."""
        prims = map(self._stage.GetPrimAtPath, self._placing)
        return [f"{prim.GetPath()}.{name}" for prim in prims if prim for name in prim.GetAuthoredPropertyNames()
                if name.startswith("xformOp")]

    def _stack(self, path: str) -> list[Any]:
        found = self._stage.GetAttributeAtPath(path)
        return list(found.GetPropertyStack()) if found else []

    def _remember(self, path: str, stack: Sequence[Any]) -> None:
        self._seen[path] = {_spot(spec): spec.default for spec in stack}


def _states(run: Run) -> list[str]:
    """The paths of the joint states and velocities of an articulation."""
    joints = [link.joint for link in run.actor.links if link.joint]
    return [*(f"{joint.path}.state:{instance_of(joint, dof)}:physics:{base}"
              for joint in joints for dof in joint.dofs for base in ("position", "velocity")),
            *(f"{path}.{name}" for path in run.model.link_names for name in VELOCITY_NAMES)]


def _authored_order(order: Any, slot: Slot) -> Any:
    """An order of operations without those that only results have: the prim's own stand in their place."""
    replaced = slot.replaced or ()
    written = set(slot.place.last or ())
    if order is None or (written - set(replaced)).isdisjoint(order):
        return order
    names = list(order)
    kept = [name for name in names if name not in written]
    before = next(i for i, name in enumerate(names) if name in written)
    own = [name for name in replaced if name not in kept]
    return type(order)([*kept[:before], *own, *kept[before:]])


def _is_finite(value: Any) -> bool:
    """False for numbers that are not all finite."""
    if isinstance(value, (Gf.Quatd, Gf.Quatf, Gf.Quath)):
        value = value.GetReal(), *value.GetImaginary()
    if value is None or isinstance(value, Sdf.ValueBlock):
        return True
    return bool(np.isfinite(np.array(value, dtype=float)).all())


def _spot(spec: Any) -> Spot:
    return spec.layer.identifier, str(spec.path)
