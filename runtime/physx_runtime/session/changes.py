"""`StateObserver` compares states in every layer and finds which ones others set, apart from the session's own results.
`joint_edits` reads edited joints again without composing the whole stage. `state_edits` turns edited transforms,
velocities and joint states into `StateEdits`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from pxr import Gf, Sdf, Usd

from physx_runtime.session.actors import SessionActor, StateEdits
from physx_runtime.session.layers import ResultLayer, Slot, SpecPath
from physx_runtime.session.listener import VELOCITY_NAMES, Edits, StageChanges
from physx_runtime.session.messages import Message, Messages, problem_message, value_messages
from physx_runtime.session.transforms import IDENTITY_ROTATION
from physx_schema.description.articulation.axes import instance_of, read_dofs
from physx_schema.description.frames import Frames, vector
from physx_schema.description.model import ActorDescription, Articulation, Authored, Dof, FreeBody, Joint, Problem
from physx_schema.description.opinions.accounting import authored_opinions
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import ReadContext
from physx_schema.description.records import Pose
from physx_schema.description.units import coordinate, radians

SpecKey = tuple[str, str]      # layer, path of the spec in it


class StateObserver:
    """The last known values of states in every layer.

    USD notices name changed properties, except below resynced prims, and never the layer.
    """

    def __init__(self, stage: Usd.Stage, layer: ResultLayer, messages: Messages,
                 ignore_changes: Callable[[], Any]) -> None:
        self._stage, self._layer, self._messages, self._ignore_changes = stage, layer, messages, ignore_changes
        self._transform_prims: set[Sdf.Path] = set()                     # paths of prims whose transforms place links
        self._last_values: dict[str, dict[SpecKey, Any]] = {}         # property path to the value of each spec

    def snapshot(self, actors: Sequence[SessionActor], static_paths: Iterable[str]) -> None:
        """Store the layers' values of the states of actors and of static links, on a stage without results."""
        links = {Sdf.Path(path) for actor in actors for path in actor.model.link_names}
        roots = [Sdf.Path(path) for path in (*(actor.model.link_names[0] for actor in actors), *static_paths)]
        self._transform_prims = links.union(*(root.GetPrefixes() for root in roots))
        self._last_values = {}
        for path in (*(path for actor in actors for path in _states(actor)), *self._operations()):
            self._snapshot_path(path, self._stack(path))

    def classify(self, changes: StageChanges) -> tuple[StageChanges, dict[str, Any]]:
        """The changes of others without unchanged states, and the values of the states that they set.

        Where results are written, such a value replaces the result and is the one that `restore` returns to.
        """
        for old, new in changes.moves:
            self._layer.rename(old, new)
        slots = self._layer.slots
        removed = {path for path in changes.values if path in slots and not slots[path].spec_path.spec}
        values: dict[str, Any] = {}
        remaining: set[str] = set()
        for path in changes.values | self._below(changes.prims):
            if path not in slots and path not in self._last_values:
                remaining.add(path)
            elif (value := self._new_value(path, slots.get(path))) is not None:
                values[path] = value
        return StageChanges(remaining | values.keys(), changes.metadata, changes.prims | removed, changes.moves), values

    def _new_value(self, path: str, slot: Slot | None) -> Any:
        """The new value of a state since the last call; None where it is unchanged."""
        spec_paths = slot.spec_paths if slot else ()
        stack = self._stack(path)
        changed = list(self._changed(path, stack, spec_paths))
        self._snapshot_path(path, stack)
        if slot is not None:
            for spec in changed:
                self._set_authored(slot, spec)
        source = next((spec for spec in changed if spec.HasDefaultValue()), None)
        if source is None or isinstance(source.default, Sdf.ValueBlock):
            return None
        value, result_specs = source.default, [spec_path.spec for spec_path in spec_paths]
        stronger = stack[:stack.index(source)]
        hiding = next((spec for spec in stronger if spec.HasDefaultValue() and spec not in result_specs), None)
        if hiding is not None:
            prim, _, name = path.rpartition(".")
            self._messages.ignored([prim], name, f"the edit in {source.layer.identifier} has no effect; a stronger "
                                   f"opinion in {hiding.layer.identifier} hides it")
            return None
        if slot is not None:
            with self._ignore_changes(), Sdf.ChangeBlock():
                if source not in result_specs and self._can_follow(slot, source):
                    self._layer.echo(path, source)
                slot.write(value)
                if slot.remainder is not None:
                    slot.remainder.write(IDENTITY_ROTATION)
        return value

    def _changed(self, path: str, stack: Sequence[Sdf.PropertySpec],
                 spec_paths: Sequence[SpecPath]) -> Iterable[Sdf.PropertySpec]:
        """Specs whose value differs from the last known or the written one; strongest first."""
        before = self._last_values.get(path, {})
        results = {_spec_key(spec_path.spec): spec_path.last_value for spec_path in spec_paths if spec_path.spec}
        for spec in stack:
            key = _spec_key(spec)
            if spec.default != (results[key] if key in results else before.get(key)):
                yield spec

    def _set_authored(self, slot: Slot, spec: Sdf.PropertySpec) -> None:
        """Store a value authored by others as the one to restore."""
        spec_path = next((spec_path for spec_path in slot.spec_paths if spec_path.spec == spec), None)
        if slot.replaced is not None:
            order = _authored_order(spec.default, slot)
            if spec_path is not None:
                spec_path.authored = order
            elif order != spec.default:
                with self._ignore_changes():
                    spec.default = order
        elif spec_path is not None and not slot.passing and _is_finite(spec.default):
            spec_path.authored = spec.default

    def _can_follow(self, slot: Slot, spec: Sdf.PropertySpec) -> bool:
        """Whether results can be written to a spec: an opinion about this prim alone, in a layer of the stage."""
        of_prim_only = str(spec.path.StripAllVariantSelections()) == slot.path
        return of_prim_only and not slot.passing and slot.replaced is None and spec.typeName == slot.type_name \
            and spec.layer in self._stage.GetLayerStack() and bool(spec.layer.permissionToEdit)

    def _below(self, prims: Iterable[str]) -> set[str]:
        """The states on prims and below them, of new transform operations as well."""
        composed = [Sdf.Path(path) for path in prims]
        states = self._last_values.keys() | self._layer.slots.keys() | set(self._operations())
        return {path for path in states if any(Sdf.Path(path).HasPrefix(above) for above in composed)}

    def _operations(self) -> list[str]:
        """The transform properties of links and of the prims above roots."""
        prims = map(self._stage.GetPrimAtPath, self._transform_prims)
        return [f"{prim.GetPath()}.{name}" for prim in prims if prim for name in prim.GetAuthoredPropertyNames()
                if name.startswith("xformOp")]

    def _stack(self, path: str) -> list[Sdf.PropertySpec]:
        attribute = self._stage.GetAttributeAtPath(path)
        return list(attribute.GetPropertyStack()) if attribute else []

    def _snapshot_path(self, path: str, stack: Sequence[Sdf.PropertySpec]) -> None:
        self._last_values[path] = {_spec_key(spec): spec.default for spec in stack}


def _states(actor: SessionActor) -> list[str]:
    """The paths of the joint states and velocities of an articulation."""
    joints = [link.joint for link in actor.actor.links if link.joint]
    return [*(f"{joint.path}.state:{instance_of(joint, dof)}:physics:{base}"
              for joint in joints for dof in joint.dofs for base in ("position", "velocity")),
            *(f"{path}.{name}" for path in actor.model.link_names for name in VELOCITY_NAMES)]


def _authored_order(order: Any, slot: Slot) -> Any:
    """An xformOpOrder in which the prim's own operations replace those of results."""
    replaced = slot.replaced or ()
    result_names = set(slot.spec_path.last_value or ())
    if order is None or (result_names - set(replaced)).isdisjoint(order):
        return order
    names = list(order)
    remaining = [name for name in names if name not in result_names]
    before = next(i for i, name in enumerate(names) if name in result_names)
    restored = [name for name in replaced if name not in remaining]
    return type(order)([*remaining[:before], *restored, *remaining[before:]])


def _is_finite(value: Any) -> bool:
    """False for numbers that are not all finite."""
    if isinstance(value, (Gf.Quatd, Gf.Quatf, Gf.Quath)):
        value = value.GetReal(), *value.GetImaginary()
    if value is None or isinstance(value, Sdf.ValueBlock):
        return True
    return bool(np.isfinite(np.array(value, dtype=float)).all())


def _spec_key(spec: Sdf.PropertySpec) -> SpecKey:
    return spec.layer.identifier, str(spec.path)


Ignored = Callable[[Iterable[str], str, str], None]     # prim paths, property, text


class JointReadContext(ReadContext):
    """Reads single joints with the reader's functions, without traversing the stage."""

    def __init__(self, stage: Usd.Stage) -> None:
        self.stage = stage
        self.problems: list[Problem] = []
        self._authored: list[Authored] = []

    def dofs(self, joint: Joint) -> tuple[Dof, ...]:
        """The degrees of freedom of a joint as authored now, with the initial state of the last reading."""
        opinions = PrimOpinions(self.stage.GetPrimAtPath(joint.path), self.problems)
        self._authored += authored_opinions(opinions)
        dofs = read_dofs(self, opinions, joint.kind, joint.axis)
        before = {dof.name: dof for dof in joint.dofs}
        return tuple(
            replace(dof, position=before[dof.name].position, velocity=before[dof.name].velocity)
            if dof.name in before else dof for dof in dofs)

    def messages(self) -> Iterator[Message]:
        """Problems found in the joints, and values of theirs that PhysX refuses or replaces."""
        yield from map(problem_message, dict.fromkeys(self.problems))
        yield from value_messages(self._authored, self.problems)


def joint_edits(context: JointReadContext, actor: ActorDescription, edited: set[str]) -> Articulation | None:
    """The articulation with the edited joints read again; None where it has none of them."""
    joints = {link.joint.path for link in actor.links if link.joint}
    if isinstance(actor, FreeBody) or edited.isdisjoint(joints):
        return None
    links = tuple(
        replace(link, joint=replace(link.joint, dofs=context.dofs(link.joint)))
        if link.joint and link.joint.path in edited else link for link in actor.links)
    return replace(actor, links=links)


def state_edits(stage: Usd.Stage, edits: Edits, values: Mapping[str, Any], actors: Sequence[SessionActor],
                ignored: Ignored) -> StateEdits:
    """The `StateEdits` of edited states with these values; others are reported through `ignored`."""
    result = StateEdits()
    joints = [link.joint for actor in actors for link in actor.actor.links if link.joint]
    dofs = {(joint.path, instance_of(joint, dof)): dof for joint in joints for dof in joint.dofs}
    floating = {actor.model.link_names[0]: not actor.actor.fixed_base for actor in actors}
    for path in edits.states:
        prim, _, name = path.rpartition(".")
        value = values.get(path)
        if value is None:
            continue
        if not np.isfinite(value).all():
            ignored([prim], name, "the value is not finite; the state is unchanged")
        elif name.startswith("state:"):
            instance, _, base = name.removeprefix("state:").partition(":physics:")
            dof = dofs.get((prim, instance))
            if dof is not None and base in ("position", "velocity"):
                (result.positions if base == "position" else result.rates)[dof.name] = coordinate(value, dof.angular)
        elif not floating.get(prim, False):
            ignored([prim], name,
                    "the velocity of this link is computed from the joints; only the velocity of a floating root link "
                    "can be set")
        elif name == "physics:velocity":
            result.linear[prim] = vector(value)
        else:
            x, y, z = vector(value)
            result.angular[prim] = radians(x), radians(y), radians(z)
    _root_poses(stage, edits.moved_prims, actors, result, ignored)
    return result


def _root_poses(stage: Usd.Stage, prims: set[str], actors: Sequence[SessionActor], out: StateEdits,
                ignored: Ignored) -> None:
    """Poses of roots whose own transform, or one above them, was edited."""
    frames = Frames()
    for actor in actors:
        root, *child_paths = actor.model.link_names
        if below([root], prims):
            pose = frames.pose(stage.GetPrimAtPath(root))
            if np.isfinite(pose[0]).all():
                out.poses[root] = pose
            else:
                ignored([root], "xformOpOrder", "the transform is not finite; the articulation is not moved")
        ignored([path for path in child_paths if path in prims], "xformOpOrder",
                "the pose of this link is computed from the joints; edit the joint state or the root link's transform")


def hidden_placements(stage: Usd.Stage, properties: Iterable[str], links: Collection[str]) -> set[str]:
    """Links with an edited xformOp that has no effect while results are written."""
    edited = (path.rpartition(".")[::2] for path in properties)
    return {prim for prim, name in edited if prim in links and name.startswith("xformOp:")
            and name not in (_value(stage, f"{prim}.xformOpOrder") or ())}


def below(paths: Iterable[str], above: Collection[str]) -> list[str]:
    """Those of the paths that are among `above`, or below one of them."""
    return [path for path in paths if any(path == other or path.startswith(other + "/") for other in above)]


def poses(stage: Usd.Stage, paths: Iterable[str]) -> dict[str, Pose]:
    """Current world poses of prims on the stage, where they are finite."""
    frames = Frames()
    world_poses = {path: frames.pose(stage.GetPrimAtPath(path)) for path in paths}
    return {path: pose for path, pose in world_poses.items() if np.isfinite(pose[0]).all()}


def _value(stage: Usd.Stage, path: str) -> Any:
    attribute = stage.GetAttributeAtPath(path)
    return attribute.Get(Usd.TimeCode.Default()) if attribute else None
