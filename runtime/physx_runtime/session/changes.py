"""Which edits of others change what, found from USD's notices.

States that anyone may set on the stage: what each layer says of them, so that an edit is told from a result.

Edits as new values of joints and as states: what the prims concerned say now.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from pxr import Gf, Sdf, Usd

from physx_runtime.session.actors import SessionActor, StateEdits
from physx_runtime.session.layers import Slot, SpecPath, WrittenLayer
from physx_runtime.session.listener import VELOCITY_NAMES, Edits, StageChanges
from physx_runtime.session.messages import Message, Messages, problem_message
from physx_runtime.session.transforms import NO_TURN
from physx_schema.description.articulation.axes import instance_of, read_dofs
from physx_schema.description.frames import Frames, vector
from physx_schema.description.model import ActorDescription, Articulation, Dof, FreeBody, Joint, Problem
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import ReadContext
from physx_schema.description.records import Pose
from physx_schema.description.units import coordinate, radians

Spot = tuple[str, str]      # layer, path of the spec in it


class StateObserver:
    """The values of states in every layer, as last seen.

    USD says which properties have changed, but of a prim composed anew not even that, and never in which layer.
    """

    def __init__(self, stage: Any, layer: WrittenLayer, messages: Messages, own: Callable[[], Any]) -> None:
        self._stage, self._layer, self._messages, self._own = stage, layer, messages, own
        self._placing: set[Any] = set()                     # paths of prims whose transforms place links
        self._seen: dict[str, dict[Spot, Any]] = {}         # property path to the value of each spec

    def look(self, runs: Sequence[SessionActor], standing: Iterable[str]) -> None:
        """Remember what the layers say of the states of runs and of links that stand, on a stage without results."""
        links = {Sdf.Path(path) for run in runs for path in run.model.link_names}
        roots = [Sdf.Path(path) for path in (*(run.model.link_names[0] for run in runs), *standing)]
        self._placing = links.union(*(root.GetPrefixes() for root in roots))
        self._seen = {}
        for path in (*(path for run in runs for path in _states(run)), *self._operations()):
            self._remember(path, self._stack(path))

    def sift(self, heard: StageChanges) -> tuple[StageChanges, dict[str, Any]]:
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
        return StageChanges(kept | values.keys(), heard.others, heard.prims | removed, heard.moves), values

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

    def _changed(self, path: str, stack: Sequence[Any], places: Sequence[SpecPath]) -> Iterable[Any]:
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


def _states(run: SessionActor) -> list[str]:
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


Ignored = Callable[[Iterable[str], str, str], None]     # prim paths, property, text


class ReadingOfJoints(ReadContext):
    """The reader's own reading of single joints, without going through the stage."""

    def __init__(self, stage: Any) -> None:
        self.stage = stage
        self.problems: list[Problem] = []

    def dofs(self, joint: Joint) -> tuple[Dof, ...]:
        """The degrees of freedom of a joint as authored now, with the initial state as read before."""
        opinions = PrimOpinions(self.stage.GetPrimAtPath(joint.path), self.problems)
        found = read_dofs(self, opinions, joint.kind, joint.axis)
        before = {dof.name: dof for dof in joint.dofs}
        return tuple(
            replace(dof, position=before[dof.name].position, velocity=before[dof.name].velocity)
            if dof.name in before else dof for dof in found)

    def messages(self) -> Iterator[Message]:
        """What was wrong with the joints."""
        return map(problem_message, dict.fromkeys(self.problems))


def joint_edits(reading: ReadingOfJoints, actor: ActorDescription, edited: set[str]) -> Articulation | None:
    """The articulation with the edited joints read again; None where it has none of them, as a body."""
    joints = {link.joint.path for link in actor.links if link.joint}
    if isinstance(actor, FreeBody) or edited.isdisjoint(joints):
        return None
    links = tuple(
        replace(link, joint=replace(link.joint, dofs=reading.dofs(link.joint)))
        if link.joint and link.joint.path in edited else link for link in actor.links)
    return replace(actor, links=links)


def state_edits(stage: Any, edits: Edits, values: Mapping[str, Any], runs: Sequence[SessionActor],
                ignored: Ignored) -> StateEdits:
    """The states that edits set to `values`; those that set none are reported through `ignored`."""
    found = StateEdits()
    joints = [link.joint for run in runs for link in run.actor.links if link.joint]
    dofs = {(joint.path, instance_of(joint, dof)): dof for joint in joints for dof in joint.dofs}
    floating = {run.model.link_names[0]: not run.actor.fixed_base for run in runs}
    for path in edits.states:
        prim, _, name = path.rpartition(".")
        value = values.get(path)
        if value is None:
            continue
        if not np.isfinite(value).all():
            ignored([prim], name, "not a finite value; the state stays as it is")
        elif name.startswith("state:"):
            instance, _, base = name.removeprefix("state:").partition(":physics:")
            dof = dofs.get((prim, instance))
            if dof is not None and base in ("position", "velocity"):
                (found.positions if base == "position" else found.rates)[dof.name] = coordinate(value, dof.angular)
        elif not floating.get(prim, False):
            ignored([prim], name, "only the velocity of a floating root can be set; joints decide about other links")
        elif name == "physics:velocity":
            found.linear[prim] = vector(value)
        else:
            x, y, z = vector(value)
            found.angular[prim] = radians(x), radians(y), radians(z)
    _placed(stage, edits.placed, runs, found, ignored)
    return found


def _placed(stage: Any, placed: set[str], runs: Sequence[SessionActor], found: StateEdits, ignored: Ignored) -> None:
    """Poses of roots whose own transform, or one above them, was edited."""
    frames = Frames()
    for run in runs:
        root, *others = run.model.link_names
        if below([root], placed):
            pose = frames.pose(stage.GetPrimAtPath(root))
            if np.isfinite(pose[0]).all():
                found.poses[root] = pose
            else:
                ignored([root], "xformOpOrder", "not a finite transform; the articulation stays where it is")
        ignored([path for path in others if path in placed], "xformOpOrder",
                "joints decide where this link is; edit the state of its joint, or the transform of the root link")


def hidden_placements(stage: Any, properties: Iterable[str], links: Collection[str]) -> set[str]:
    """Those of the links of which a transform operation was edited that does not count while results are written."""
    edited = (path.rpartition(".")[::2] for path in properties)
    return {prim for prim, name in edited if prim in links and name.startswith("xformOp:")
            and name not in (_value(stage, f"{prim}.xformOpOrder") or ())}


def below(paths: Iterable[str], above: Collection[str]) -> list[str]:
    """Those of the paths that are among `above`, or below one of them."""
    return [path for path in paths if any(path == other or path.startswith(other + "/") for other in above)]


def poses(stage: Any, paths: Iterable[str]) -> dict[str, Pose]:
    """The world poses that prims have on the stage now, where they are finite."""
    frames = Frames()
    found = {path: frames.pose(stage.GetPrimAtPath(path)) for path in paths}
    return {path: pose for path, pose in found.items() if np.isfinite(pose[0]).all()}


def _value(stage: Any, path: str) -> Any:
    attribute = stage.GetAttributeAtPath(path)
    return attribute.Get(Usd.TimeCode.Default()) if attribute else None
