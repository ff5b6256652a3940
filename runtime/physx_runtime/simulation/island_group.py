"""`IslandGroup` steps islands of equal structure; `SceneJoint` is a joint outside articulations in all worlds of a
scene. The group handles kinematic bodies, contacts and joint forces of the islands. The actors of islands are in
`ActorGroup`s of their own. PhysX: IslandSim, PxJoint.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from physx_runtime.arrays import Array, Indices
from physx_runtime.model.island import AXES, LIMITED, IslandTopology, JointTopology
from physx_runtime.model.island_rows import ISLAND_TABLE, JOINT_GROUP, KINEMATIC_GROUP, joint_rows
from physx_runtime.model.row_specs import (
    ACTOR_GROUP,
    CONTROL,
    MAXIMAL_JOINT,
    PARAMETER,
    PERSISTENT,
    STATE,
    RowKey,
    RowSpec,
    owner_prefix,
)
from physx_runtime.packing.contacts import PackedContacts
from physx_runtime.packing.frames import Frame, compose
from physx_runtime.packing.island import PackedIsland
from physx_runtime.packing.model import PackedModel
from physx_runtime.simulation.arguments import required_numbers
from physx_runtime.simulation.contacts import NO_CONTACTS, Contacts
from physx_runtime.simulation.events import ContactEvent, ContactReports, LastContacts
from physx_runtime.simulation.parameters import Parameter, allowed, refusal, rounded, world_indices
from physx_runtime.simulation.world_batch import WorldBatch, rows_by
from physx_runtime.worlds.buffer import BufferView
from physx_runtime.worlds.contact.worlds import ContactStore, continue_from
from physx_runtime.worlds.store import Worlds, copy_rows
from physx_runtime.worlds.wake import TARGET_ROWS, WakeControl
from physx_schema.arguments import display, required_mapping, required_text, suggestion


class IslandGroup:
    """Islands of one structure in `batch`, without their actors, which are in `ActorGroup`s of their own."""

    def __init__(self, islands: Sequence[PackedIsland], batch: WorldBatch) -> None:
        self.islands, self.batch = list(islands), batch
        packed = islands[0].contacts
        self._last = LastContacts(batch, packed) if packed is not None else None
        self._state = [name for name in islands[0].state if not name.startswith(ACTOR_GROUP)]
        for name in (*self._state, *(name for name in islands[0].parameters if not name.startswith(ACTOR_GROUP))):
            batch.store.write(name, self._authored(name, batch.worlds))

    def _authored(self, name: str, worlds: int) -> Array:
        """A row as authored, in `worlds` worlds of every island."""
        none = np.zeros(rows_by(self.batch.topology)[name])
        values = np.stack([{**island.parameters, **island.state}.get(name, none) for island in self.islands])
        return np.repeat(rounded(values, self.batch.dtype), worlds, axis=0)

    def enable_joint_forces(self) -> None:
        """Keep the force of each joint in every step from now on; all other rows stay as they are."""
        topology = cast(IslandTopology, self.batch.topology)
        if self.has_joint_forces:
            return
        joints = tuple(replace(joint, stores_force=True) for joint in topology.joints)
        self.batch.replace_topology(replace(topology, joints=joints))
        self._state += [str(RowKey(JOINT_GROUP, j, "force")) for j in range(len(joints))]

    @property
    def has_joint_forces(self) -> bool:
        """Whether steps keep the forces of joints."""
        return all(joint.stores_force for joint in cast(IslandTopology, self.batch.topology).joints)

    def reset(self, worlds: Indices) -> None:
        """Reset the persistent rows of joints in these worlds, unbroken."""
        indices = self.batch.indices_of(worlds)
        for name in self._state:
            rows = self.batch.store.rows(name)
            rows[indices] = self._authored(name, len(worlds))
            self.batch.store.write(name, rows)
        if isinstance(self.batch.store, ContactStore):
            self.batch.store.forget(worlds)
        if self._last is not None:
            self._last.forget(worlds)

    def continue_from(self, before: IslandGroup) -> bool:
        """Take over state and contact memory from islands of the same actors and colliders; return whether these are.

        Features of joints may differ, as where an edit adds friction: only rows that both have are taken over.
        """
        new, old = self.islands[0].contacts, before.islands[0].contacts
        if (new is None or old is None or len(self.islands) > 1 or not new.has_same_colliders(old)
                or not _same_coordinates(self.islands[0], before.islands[0])
                or not continue_from(self.batch.store, before.batch.store)):
            return False
        sizes, sizes_before = (rows_by(batch.topology, STATE, PERSISTENT, CONTROL)
                               for batch in (self.batch, before.batch))
        names = [name for name, size in sizes.items() if sizes_before.get(name) == size]
        copy_rows(before.batch.store, names, self.batch.store)
        return True

    def contacts(self) -> Contacts:
        """The contacts of the last step."""
        return NO_CONTACTS if self._last is None else self._last.read()

    def enable_contact_reports(self) -> None:
        """Keep what `contact_events` needs in every step from now on."""
        if self._last is not None:
            self._last.enable_contact_reports()

    def contact_events(self, reports: ContactReports) -> Iterable[ContactEvent]:
        """The contact events of the last step."""
        return () if self._last is None else self._last.events(reports)

    def contact_impulses(self, actor: int, links: int) -> Array | None:
        """Contact impulses on an actor's links in the last step, (n_world, n_link, 6); None without contacts."""
        return None if self._last is None else self._last.impulses_on(actor, links)

    def joints(self) -> Iterable[tuple[str, int, int]]:
        """Path of every joint, the index of its island, and its index there."""
        return ((path, index, j) for index, island in enumerate(self.islands) for j, path in enumerate(island.joints))

    def acting_on(self, index: int, actor: int) -> Iterable[str]:
        """What acts on an actor of an island outside its own dynamics: joints by their paths, and contacts."""
        island = self.islands[index]
        for path, joint in zip(island.joints, island.topology.joints, strict=True):
            if any(side.moves and side.owner == actor for side in joint.solver_bodies):
                yield f"{path}: a joint outside articulations"
        if island.contacts is not None:
            yield "contacts"

    def joint_view(self, index: int, joint: int) -> Worlds | BufferView:
        """The rows of one joint."""
        return self.batch.view(index, owner_prefix(JOINT_GROUP, joint))

    def move_root_frame(self, index: int, actor: int, shift: Frame) -> None:
        """Keep joints and colliders where they are in the root link of an actor whose F has moved.

        shift: the authored F seen from where F is now, numbers (n_world,).
        """
        island = self.islands[index]
        if island.contacts is not None and actor in island.contacts.mass_frames:
            center = rounded(np.stack(shift[0], axis=-1), self.batch.dtype)
            self.batch.view(index, owner_prefix(ACTOR_GROUP, actor)).write("root_center", center)
        elif island.contacts is not None:
            self._move_colliders(island.contacts, actor, shift)
        for j, joint in enumerate(island.topology.joints):
            for k, side in enumerate(joint.solver_bodies):
                if side.moves and (side.owner, side.link) == (actor, 0):
                    names = [f"frame{k}_{part}" for part in ("position", "rotation")]
                    position, rotation = (island.parameters[str(RowKey(JOINT_GROUP, j, name))] for name in names)
                    pose = (position[0], position[1], position[2]), (rotation[0], rotation[1], rotation[2], rotation[3])
                    view = self.joint_view(index, j)
                    for name, values in zip(names, compose(shift, pose), strict=True):
                        view.write(name, rounded(np.stack(values, axis=-1), self.batch.dtype))

    def _move_colliders(self, packed: PackedContacts, actor: int, shift: Frame) -> None:
        store = self.batch.store
        if not isinstance(store, ContactStore):
            return
        shapes, copies = store.table.pairs.shapes, packed.shape_copies(self.batch.worlds)
        for shape in packed.of_root(actor):
            position, rotation = (tuple(packed.shapes[shape][name].tolist()) for name in ("position", "rotation"))
            moved_frame = compose(shift, (position, rotation))
            for name, values in zip(("position", "rotation"), moved_frame, strict=True):
                shapes[name][copies == shape] = np.stack(values, axis=-1)

    def wake(self, index: int, actor: int, worlds: Indices) -> None:
        """Wake the island of an actor in these worlds."""
        t = cast(IslandTopology, self.batch.topology)
        WakeControl(self.batch.view(index, owner_prefix(ACTOR_GROUP, actor)), t.actors[actor]).wake(worlds)

    def write_kinematic(self, rows: Mapping[str, Mapping[str, Array]]) -> None:
        """Write rows of kinematic bodies, by path and name, (n_world, n) each, where these islands have the bodies."""
        for k in range(len(self.islands[0].kinematic)):
            bodies = [rows[island.kinematic[k]] for island in self.islands]
            for name in bodies[0]:
                values = np.concatenate([body[name] for body in bodies]).astype(self.batch.dtype)
                self.batch.store.write(str(RowKey(KINEMATIC_GROUP, k, name)), values)


def _same_coordinates(first: PackedIsland, other: PackedIsland) -> bool:
    """Whether states mean the same: actors have the same links, frames and degrees of freedom, and the same joints
    outside articulations hold them."""
    def of(model: PackedModel) -> tuple[object, ...]:
        return model.link_names, model.dof_names, model.link_frames

    return (first.actors.keys() == other.actors.keys() and first.topology.joints == other.topology.joints
            and all(of(model) == of(other.actors[name]) for name, model in first.actors.items()))


# Of which the first may not exceed the second.
ORDERED_PAIRS = (("lower_limit", "upper_limit"), ("minimum_distance", "maximum_distance"))
# Parameters that wake what a joint holds, by any value: of drives. No limit, spring or threshold wakes anything.
WAKING_PARAMETERS = TARGET_ROWS | {"stiffness", "damping", "max_force"}


class SceneJoint:
    """One joint outside articulations in all worlds of a scene; `Scene.joint` returns it."""

    def __init__(self, path: str, islands: IslandGroup, index: int, joint: int) -> None:
        self.path, self.worlds = path, islands.batch.worlds
        self.topology: JointTopology = islands.islands[index].topology.joints[joint]
        self._islands, self._index, self._joint = islands, index, joint
        self.parameters: Mapping[str, Parameter] = {item.name: item for item in _parameters(path, self.topology)}

    def __repr__(self) -> str:
        return f"SceneJoint({self.path!r}, parameters={len(self.parameters)}, worlds={self.worlds})"

    @property
    def broken(self) -> NDArray[np.bool_]:
        """Mask (n_world,) of worlds with a broken joint. A reset restores it."""
        if not self.topology.breaks:
            return np.zeros(self.worlds, dtype=np.bool_)
        return np.asarray(self._rows("broken")[:, 0] > 0.5)

    @property
    def force(self) -> Array:
        """The mean force on body0 over the last step, and torque about the anchor on body1, (n_world, 6), in world
        axes.

        Without body0 it acts on the world; body1 gets the opposite. As in PhysX, drives are not included; PhysX
        compares this force with break force and torque. A sleeping joint keeps the force of its last awake step.
        Raises RuntimeError unless `Scene.enable_joint_forces` was called.
        """
        if not self._islands.has_joint_forces:
            raise RuntimeError(f"the force of {self.path} was not recorded; call enable_joint_forces() of the scene "
                               "before step")
        return self._rows("force")

    def parameter(self, name: str) -> Array:
        """Return a parameter in every world, (n_world, *shape), in radians. Raises ValueError for an unknown name."""
        columns = self._columns(name)
        return self._rows(name)[:, columns]

    def set_parameter(self, name: str, values: ArrayLike, worlds: ArrayLike | None = None) -> None:
        """Set one parameter, as `set_parameters` does."""
        self.set_parameters({required_text("name", name): values}, worlds)

    def set_parameters(self, values: Mapping[str, ArrayLike], worlds: ArrayLike | None = None) -> None:
        """Set parameters by name. Each value is one number, `shape`, or (n_selected, *shape).

        `worlds` is a mask (n_world,) or indices; None selects all. Raises ValueError for values out of range, naming
        world and axis; nothing is set then.
        """
        indices = world_indices(worlds, self.worlds)
        new = {name: self._shaped(name, value, len(indices))
               for name, value in required_mapping("values", values).items()}
        for name in new:
            self._check(name, new, indices)
        for name, array in new.items():
            rows = self._rows(name)
            columns = np.ix_(indices, np.asarray(self._columns(name)))
            rows[columns] = array
            self._islands.joint_view(self._index, self._joint).write(name, rows)
        if WAKING_PARAMETERS & values.keys():
            self._wake(indices)

    def continue_from(self, before: SceneJoint) -> None:
        """Copy the persistent rows of another joint: whether it broke, and the positions of its hinges."""
        names = joint_rows(self.topology, STATE, PERSISTENT)
        for name in names.keys() & joint_rows(before.topology, STATE, PERSISTENT).keys():
            self._islands.joint_view(self._index, self._joint).write(name, before._rows(name))

    def _wake(self, worlds: Indices) -> None:
        """Wake what the joint holds in worlds with these indices."""
        for side in self.topology.solver_bodies:
            if side.moves:
                self._islands.wake(self._index, side.owner, worlds)

    def _rows(self, name: str) -> Array:
        return self._islands.joint_view(self._index, self._joint).rows(name)

    def _columns(self, name: str) -> list[int]:
        """Which numbers of a row are a parameter's."""
        if required_text("name", name) not in self.parameters:
            raise ValueError(f"{display(name)} is not a parameter of {self.path}; "
                             f"{suggestion(name, sorted(self.parameters))}")
        return [scalars[0][1] for scalars in self.parameters[name].scalars]

    def _shaped(self, name: str, values: ArrayLike, count: int) -> Array:
        """Values of a parameter as (count, *shape), in the step's precision."""
        size, array = len(self._columns(name)), required_numbers(name, values)
        if array.shape not in ((), (size,), (count, size)):
            raise ValueError(f"{name} of {self.path} has shape {array.shape}; give one number, {(size,)} or "
                             f"{(count, size)}")
        return rounded(np.broadcast_to(array, (count, size)), self._islands.batch.dtype)

    def _check(self, name: str, new: Mapping[str, Array], worlds: Indices) -> None:
        """Raises ValueError for the first value that PhysX would not take."""
        parameter = self.parameters[name]
        self._refuse(parameter, new[name], ~allowed(parameter.range, new[name]), worlds,
                     f"give values in {parameter.range}")
        for below, above in ORDERED_PAIRS:
            if name not in (below, above) or not {below, above} <= self.parameters.keys():
                continue
            low, high = (new[end] if end in new else self.parameter(end)[worlds] for end in (below, above))
            if self.topology.range == "equal":
                self._refuse(parameter, new[name], low != high, worlds, f"{below} and {above} are authored equal and "
                             "must stay equal; set both")
            self._refuse(parameter, new[name], low > high, worlds, f"{below} may not exceed {above}")

    @staticmethod
    def _refuse(parameter: Parameter, values: Array, invalid: Array, worlds: Indices, advice: str) -> None:
        if invalid.any():
            raise ValueError(refusal(parameter.name, values, invalid, worlds, parameter.label, advice))


def _parameters(path: str, t: JointTopology) -> Iterator[Parameter]:
    """The parameters of a joint, each for the axes on which it acts."""
    row_sizes = joint_rows(t, PARAMETER)
    for row in ISLAND_TABLE:
        if row.owner == MAXIMAL_JOINT and row.name in row_sizes:
            columns = _active_columns(row, t)
            elements = tuple(f"{path}:{row.components[i]}" if row.components else path for i in columns)
            if columns:
                yield Parameter(row.name, elements, "", row.range, row.unit, row.text,
                                tuple(((row.name, i),) for i in columns))


def _active_columns(row: RowSpec, t: JointTopology) -> list[int]:
    """The columns of a row that the step reads."""
    if row.components != AXES:
        soft = not row.name.startswith("cone_") or row.name == "cone_angle" or t.cone == "soft"
        return list(range(row.width)) if soft else []
    if row.name in ("lower_limit", "upper_limit"):
        return [i for i, axis in enumerate(t.axes) if axis.motion == LIMITED]
    if row.name.startswith("limit_"):
        return [i for i, axis in enumerate(t.axes) if axis.soft]
    return [i for i, axis in enumerate(t.axes) if axis.drive]
