"""`Results` writes the state after a step to the stage: transforms, velocities and joint states, in one change block.
It also takes the results off the stage, and reports results that a stronger opinion hides. Velocities are
physics:velocity and physics:angularVelocity; joint states are PhysicsJointStateAPI.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pxr import Gf, Sdf, Usd

from physx_runtime.arrays import DoubleArray
from physx_runtime.session.actors import SessionActor
from physx_runtime.session.changes import StateObserver
from physx_runtime.session.layers import Into, ResultLayer, Slot
from physx_runtime.session.listener import VELOCITY_NAMES
from physx_runtime.session.messages import Messages
from physx_runtime.session.transforms import Note, Transforms
from physx_schema.description.articulation.axes import instance_of
from physx_schema.description.bodies import gc_disabled
from physx_schema.description.model import Dof, Joint
from physx_schema.description.units import DEGREES_PER_RADIAN


@dataclass(frozen=True, slots=True)
class Switches:
    """Which results are written."""

    transforms: bool
    velocities: bool
    joint_states: bool


class Results:
    """The slots of all results, made before the first writing."""

    def __init__(self, stage: Usd.Stage, into: Into, switches: Switches, messages: Messages,
                 ignore_changes: Callable[[], Any]) -> None:
        self._stage, self._switches, self._messages = stage, switches, messages
        self._ignore_changes = ignore_changes             # context in which changes of the stage are this session's
        self._layer = ResultLayer(stage, into)
        self._observer = StateObserver(stage, self._layer, messages, ignore_changes)
        self._prepared: _Prepared | None = None

    @property
    def observer(self) -> StateObserver:
        """The observer of states that others set."""
        return self._observer

    def write(self, actors: Sequence[SessionActor], static_poses: Mapping[str, DoubleArray]) -> None:
        """Write the states of actors and the poses of static links in one change block."""
        links = np.concatenate([actor.links for actor in actors]) if actors else np.zeros((0, 13))
        self._layer.require_editable()
        first = self._prepared is None
        with self._ignore_changes(), Sdf.ChangeBlock():
            if self._prepared is None:
                self._prepared = _Prepared(self._stage, self._layer, self._switches, actors, list(static_poses),
                                           self._messages.note)
            for slot, value in self._prepared.values(links, actors, list(static_poses.values())):
                slot.write(value)
        if first:
            self._report_hidden()

    def restore(self) -> None:
        """Take the results off the stage."""
        self._prepared = None
        with self._ignore_changes():
            self._layer.restore()

    def reset(self) -> None:
        """Take the results off the stage, also those echoed into other layers."""
        self._prepared = None
        with self._ignore_changes():
            self._layer.reset()

    def _report_hidden(self) -> None:
        """Report results that are hidden: in an unused layer, or below a stronger opinion."""
        layer = self._layer.layer
        hiding: dict[str, Any] = {}
        for path in self._layer.slots:
            attribute = self._stage.GetPropertyAtPath(path)
            stack = [spec.layer for spec in attribute.GetPropertyStack()] if attribute else []
            if layer not in stack:
                self._messages.note("/", "", f"results are written to {layer.identifier}, but the stage does not use "
                                    "this layer: it is muted, removed, or in a variant that is not selected")
                return
            if stack[0] != layer:
                hiding[path] = stack[0]
        for path, above in hiding.items():
            prim, _, name = path.rpartition(".")
            self._messages.note(prim, name, f"the result in {layer.identifier} is hidden by a stronger opinion in "
                                f"{above.identifier}")


class _Prepared:
    """Slots by kind of result."""

    @gc_disabled()
    def __init__(self, stage: Usd.Stage, layer: ResultLayer, switches: Switches, actors: Sequence[SessionActor],
                 static_paths: Sequence[str], note: Note) -> None:
        paths = [path for actor in actors for path in actor.model.link_names]
        transformed = [*paths, *static_paths]
        unreached = [path for path in transformed if layer.spec_path(stage.GetPrimAtPath(path)) is None]
        for path in unreached:
            note(path, "", "the edit target does not map to this prim; its results are not written")
        self._transforms = Transforms(stage, layer, transformed, note) if switches.transforms and transformed else None
        self._velocities: list[tuple[int, Slot, Slot]] = []
        self._joints: list[tuple[int, int, Slot, Slot]] = []        # run, dof, position, velocity
        self._units = [np.array([DEGREES_PER_RADIAN if dof.angular else 1.0 for dof in actor.actor.dofs])
                       for actor in actors]
        if switches.velocities:
            for i, path in enumerate(paths):
                slots = [layer.slot(stage.GetPrimAtPath(path), name, Sdf.ValueTypeNames.Vector3f)
                         for name in VELOCITY_NAMES]
                if slots[0] is not None and slots[1] is not None:
                    self._velocities.append((i, slots[0], slots[1]))
        if switches.joint_states:
            for i, actor in enumerate(actors):
                self._plan_joints(stage, layer, i, actor, note)

    def values(self, links: DoubleArray, actors: Sequence[SessionActor],
               static_poses: Sequence[DoubleArray]) -> Iterator[tuple[Slot, Any]]:
        """Slots and values of links, joints and static links."""
        if self._transforms is not None:
            yield from self._transforms.values(np.concatenate([links[:, :7], np.reshape(static_poses, (-1, 7))]))
        linear, angular = links[:, 7:10].tolist(), (links[:, 10:] * DEGREES_PER_RADIAN).tolist()
        for i, first, second in self._velocities:
            yield first, Gf.Vec3f(*linear[i])
            yield second, Gf.Vec3f(*angular[i])
        # rounded to what a float attribute holds, so that it can be compared with what is read back
        states = [(np.stack(actor.joints()) * unit).astype(np.float32).tolist()
                  for actor, unit in zip(actors, self._units, strict=True)]
        for i, dof, at, rate in self._joints:
            yield at, states[i][0][dof]
            yield rate, states[i][1][dof]

    def _plan_joints(self, stage: Usd.Stage, layer: ResultLayer, index: int, actor: SessionActor, note: Note) -> None:
        joint_dofs = ((link.joint, dof) for link in actor.actor.links if link.joint for dof in link.joint.dofs)
        for i, (joint, dof) in enumerate(joint_dofs):
            self._plan_joint(stage, layer, (index, i), joint, dof, note)

    def _plan_joint(self, stage: Usd.Stage, layer: ResultLayer, indices: tuple[int, int], joint: Joint, dof: Dof,
                    note: Note) -> None:
        if joint.kind == "spherical":
            note(joint.path, "", "PhysX has no joint state on spherical joints; no joint state is written")
            return
        prim, instance = stage.GetPrimAtPath(joint.path), instance_of(joint, dof)
        if f"PhysicsJointStateAPI:{instance}" not in map(str, prim.GetPrimTypeInfo().GetAppliedAPISchemas()):
            layer.apply(prim, f"PhysicsJointStateAPI:{instance}")
            note(joint.path, "apiSchemas", f"PhysicsJointStateAPI:{instance} is applied to store the joint's state")
        slots = [layer.slot(prim, f"state:{instance}:physics:{base}", Sdf.ValueTypeNames.Float)
                 for base in ("position", "velocity")]
        if slots[0] is not None and slots[1] is not None:
            self._joints.append((*indices, slots[0], slots[1]))
