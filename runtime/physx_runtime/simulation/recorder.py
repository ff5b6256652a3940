"""`Recorder` takes records of actors, kinematic bodies and joints while they are stepped; `write_recording` writes an
.npz file.
"""

from __future__ import annotations

import dataclasses
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.arrays import Array
from physx_runtime.packing.model import NotSimulated
from physx_runtime.simulation.actor_group import ActorGroup
from physx_runtime.simulation.contacts import NO_CONTACTS, Contacts, merge_contacts
from physx_runtime.simulation.events import ContactEvent, TriggerEvent
from physx_runtime.simulation.island_group import SceneJoint
from physx_runtime.simulation.kinematic import KinematicBodies
from physx_runtime.simulation.recording import Recording, spatial_velocities, velocities_after_step, world_link_poses
from physx_runtime.simulation.scene import IndexMap, groups_of
from physx_runtime.simulation.scene_actor import SceneActor
from physx_runtime.simulation.simulation import Simulation
from physx_schema.files import replacing
from physx_schema.former_names import JSON_KEY
from physx_schema.outputs import MARK

Recorded = Simulation | SceneActor
StepEvents = tuple[Contacts, tuple[ContactEvent, ...], tuple[TriggerEvent, ...]]


class Recorder:
    """Records of actors that are stepped together, of kinematic bodies and joints; the first is taken at once.

    forces: whether joint forces are recorded too. read_contacts: returns contacts and events of the last step.
    """

    def __init__(self, actors: Sequence[Recorded], kinematic: KinematicBodies, joints: Sequence[SceneJoint],
                 forces: bool = False, read_contacts: Callable[[], StepEvents] = lambda: (NO_CONTACTS, (), ())) -> None:
        self._actors, self._groups, self._kinematic = actors, groups_of(actors), kinematic
        self._joints, self._measured_joints = joints, joints if forces else ()
        self._breakable = [joint for joint in joints if joint.topology.breaks]
        self._broken, self._forces = [self._broken_joints()], [self._joint_forces()]
        self._step_contacts: list[StepEvents] = [(NO_CONTACTS, (), ())]
        self._read_contacts = read_contacts
        self._kinematics = [(kinematic.pose.copy(), kinematic.velocity.copy())]
        self._states = [[group.state()] for group in self._groups]
        self._before = [[states[0]] for states in self._states]     # a step earlier; of the first record, unused
        self._iterations = [(actor.settings.position_iterations, actor.settings.velocity_iterations)
                            for actor in actors]
        self._raised = [(actor.model.actor.path, actor.iterations.raised) for actor in actors]

    @property
    def size(self) -> int:
        """The least number of bytes of a record."""
        return sum(rows.nbytes for data in (self._states, self._before) for (first,) in data for rows in first.values())

    def record_before_step(self) -> None:
        """Take the states before the last step to the next record."""
        for group, before in zip(self._groups, self._before, strict=True):
            before.append(group.state())

    def record(self) -> None:
        """Take a record."""
        for group, states in zip(self._groups, self._states, strict=True):
            states.append(group.state())
        self._broken.append(self._broken_joints())
        self._forces.append(self._joint_forces())
        self._step_contacts.append(self._read_contacts())
        self._kinematics.append((self._kinematic.pose.copy(), self._kinematic.velocity.copy()))

    def _broken_joints(self) -> list[Array]:
        return [joint.broken for joint in self._breakable]

    def _joint_forces(self) -> list[Array]:
        return [joint.force for joint in self._measured_joints]

    def recording(self, interval: float, not_simulated: tuple[NotSimulated, ...]) -> Recording:
        """All records as a `Recording`, one each `interval` seconds."""
        parts = zip(*(_motion(*series) for series in zip(self._groups, self._states, self._before, strict=True)),
                    strict=True)
        dofs = IndexMap(self._actors, lambda actor: len(actor.model.dof_names))
        links = IndexMap(self._actors, lambda actor: len(actor.model.link_names))
        position, velocity, pose, moving = (columns.arrange(kind, 1) for columns, kind in zip(
            (dofs, dofs, links, links), parts, strict=True))
        contacts, events, entered = zip(*self._step_contacts, strict=True)
        body_pose, body_velocity = (np.stack(kind).astype(pose.dtype) for kind in zip(*self._kinematics, strict=True))
        names = (name for actor in self._actors for name in actor.model.link_names)
        positions, velocities = zip(*self._iterations, strict=True)
        return Recording(
            time=np.arange(len(pose), dtype=np.float64) * interval,
            joint_names=tuple(name for actor in self._actors for name in actor.model.dof_names),
            joint_position=position, joint_velocity=velocity, body_names=(*names, *self._kinematic.paths),
            body_pose=np.concatenate([pose, body_pose], axis=2),
            body_velocity=np.concatenate([moving, body_velocity], axis=2),
            iterations=(max(positions), max(velocities)), raised=self._raised_text(), not_simulated=not_simulated,
            diverged=tuple(line for actor in self._actors for line in actor.divergence.messages),
            kinematic_names=self._kinematic.paths, breakable_names=tuple(joint.path for joint in self._breakable),
            broken=np.reshape(self._broken, (len(pose), len(self._breakable), pose.shape[1])).swapaxes(1, 2),
            maximal_joint_names=tuple(joint.path for joint in self._joints),
            maximal_joint_force=np.reshape(self._forces, (len(pose), len(self._measured_joints), pose.shape[1], 6)
                                           ).swapaxes(1, 2).astype(pose.dtype), contacts=contacts,
            contact_events=events, trigger_events=entered)

    def _raised_text(self) -> str:
        if len(self._raised) == 1:
            return self._raised[0][1]
        return "; ".join(f"{path}: {raised}" for path, raised in self._raised if raised)


def _motion(group: ActorGroup, states: list[dict[str, Array]], states_before: list[dict[str, Array]],
            ) -> tuple[Array, Array, Array, Array]:
    """Joint positions and velocities, link poses and velocities at every record; states_before: a step earlier."""
    rows, before = ({name: np.stack([state[name] for state in series]) for name in series[0]}
                    for series in (states, states_before))
    model, tree = group.model_of_batch(), group.topology.tree
    velocity = spatial_velocities(model, rows)
    if tree.fixed_base:
        velocity[1:] = velocities_after_step(model, before, rows["v"], group.batch.dt)[1:]
    with np.errstate(over="ignore"):        # links of a world that diverged; the report says it
        poses, velocity = world_link_poses(model, rows).astype(group.batch.dtype), velocity.astype(group.batch.dtype)
    return rows["q"], rows["v"][..., tree.root_size:], poses, velocity


_ROWS = ("contacts", "contact_events", "trigger_events")        # a number of them a record


def write_recording(path: Path, recording: Recording) -> None:
    """Write the arrays of a recording under their own names, with lines of text about what was not simulated.

    The file appears whole or not at all.

    Raises OSError where the file cannot be written.
    """
    fields = [field for field in dataclasses.fields(recording) if field.name not in _ROWS]
    arrays = {field.metadata.get(JSON_KEY, field.name): np.asarray(getattr(recording, field.name)) for field in fields}
    arrays |= {name: np.asarray(getattr(recording, name)) for name in ("link_names", "link_pose", "link_velocity")}
    arrays |= _contacts(recording)
    arrays["not_simulated"] = np.array([str(item) for item in recording.not_simulated], dtype=np.str_)
    with replacing(path) as temporary, temporary.open("w+b") as stream:
        np.savez_compressed(stream, allow_pickle=False, **arrays)
        with zipfile.ZipFile(stream, "a") as archive:
            archive.comment = MARK.encode()


def _contacts(recording: Recording) -> dict[str, NDArray[Any]]:
    """Contacts and friction of all records as rows; contact_record and friction_record hold each row's record."""
    contacts = merge_contacts(recording.contacts)
    arrays = {"contact_normal": contacts.normals, "contact_separation": contacts.separations}
    for kind, rows, counts in (("contact", contacts, [len(item) for item in recording.contacts]),
                               ("friction", contacts.friction, [len(item.friction) for item in recording.contacts])):
        arrays[f"{kind}_record"] = np.repeat(np.arange(len(counts)), counts)
        arrays[f"{kind}_pair"], arrays[f"{kind}_bodies"] = (
            np.array(names, np.str_).reshape(-1, 2) for names in (rows.pairs, rows.bodies))
        arrays |= {f"{kind}_world": rows.worlds, f"{kind}_point": rows.points, f"{kind}_impulse": rows.impulses}
    return arrays | _events("event", recording.contact_events) | _events("trigger", recording.trigger_events)


def _events(prefix: str, events: Sequence[Sequence[ContactEvent | TriggerEvent]]) -> dict[str, NDArray[Any]]:
    """The events of all records as rows; points of contact events are among the contacts of record, world and pair."""
    numbered = [(record, event) for record, step_events in enumerate(events) for event in step_events]
    return {f"{prefix}_record": np.array([record for record, _ in numbered], np.int64),
            f"{prefix}_kind": np.array([event.kind for _, event in numbered], np.str_),
            f"{prefix}_world": np.array([event.world for _, event in numbered], np.int64),
            f"{prefix}_pair": np.array([event.pair for _, event in numbered], np.str_).reshape(-1, 2)}
