"""Islands of equal structure, and the joints between their bodies.

Islands of one structure in a scene: what joints outside articulations and kinematic bodies have among their rows.

A joint outside articulations, as a scene hands it out: its parameters and whether it broke, world by world.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from physx_runtime.model.island import AXES, LIMITED, IslandTopology, JointTopology
from physx_runtime.model.island_rows import ACTOR_GROUP, ISLAND_TABLE, JOINT_GROUP, KINEMATIC_GROUP, joint_rows
from physx_runtime.model.row_specs import ACTING, KEPT, OUTSIDE, PARAMETER, STATE, Row
from physx_runtime.packing.contacts import PackedContacts
from physx_runtime.packing.frames import Frame, compose
from physx_runtime.packing.island import PackedIsland
from physx_runtime.packing.model import PackedModel
from physx_runtime.simulation.contacts import NO_CONTACTS, Contacts
from physx_runtime.simulation.events import ContactEvent, ContactReports, LastContacts
from physx_runtime.simulation.parameters import Parameter, allowed, chosen_worlds, refusal, rounded
from physx_runtime.simulation.world_batch import WorldBatch, rows_by
from physx_runtime.worlds.buffer import BufferView
from physx_runtime.worlds.contact.worlds import ContactStore, go_on
from physx_runtime.worlds.store import Worlds, copy_rows
from physx_runtime.worlds.wake import TARGET_ROWS, Waking

Array = NDArray[Any]
Indices = NDArray[np.int64]


class IslandGroup:
    """Islands of one structure in the places of `lanes`, without their actors, which are `ActorGroup`s of their own."""

    def __init__(self, islands: Sequence[PackedIsland], lanes: WorldBatch) -> None:
        self.islands, self.lanes = list(islands), lanes
        packed = islands[0].contacts
        self._last = LastContacts(lanes, packed) if packed is not None else None
        self._state = [name for name in islands[0].state if not name.startswith(ACTOR_GROUP)]
        for name in (*self._state, *(name for name in islands[0].parameters if not name.startswith(ACTOR_GROUP))):
            lanes.store.write(name, self._authored(name, lanes.worlds))

    def _authored(self, name: str, worlds: int) -> Array:
        """A row as it is authored, in so many worlds of every island."""
        none = np.zeros(rows_by(self.lanes.topology)[name])
        values = np.stack([{**island.parameters, **island.state}.get(name, none) for island in self.islands])
        return np.repeat(rounded(values, self.lanes.dtype), worlds, axis=0)

    def keep_forces(self) -> None:
        """Leave in every step what each joint gave in it, from now on, all other rows staying as they are."""
        whole = cast(IslandTopology, self.lanes.topology)
        if self.keeps_forces:
            return
        joints = tuple(replace(joint, keeps_force=True) for joint in whole.joints)
        self.lanes.exchange(replace(whole, joints=joints))
        self._state += [f"{JOINT_GROUP}{j}_force" for j in range(len(joints))]

    @property
    def keeps_forces(self) -> bool:
        """Whether steps leave what joints gave in them."""
        return all(joint.keeps_force for joint in cast(IslandTopology, self.lanes.topology).joints)

    def reset(self, worlds: Indices) -> None:
        """Put joints back to what they keep at the start, unbroken, in these worlds."""
        lanes = self.lanes.of_worlds(worlds)
        for name in self._state:
            held = self.lanes.store.rows(name)
            held[lanes] = self._authored(name, len(worlds))
            self.lanes.store.write(name, held)
        if isinstance(self.lanes.store, ContactStore):
            self.lanes.store.forget(worlds)
        if self._last is not None:
            self._last.forget(worlds)

    def go_on(self, before: IslandGroup) -> bool:
        """Take over state and contact memory from islands of the same actors and colliders; return whether these are.

        Features of joints may differ, as where an edit adds friction: only rows that both have are taken over.
        """
        own, other = self.islands[0].contacts, before.islands[0].contacts
        if (own is None or other is None or len(self.islands) > 1 or not own.stands_as(other)
                or not _same_coordinates(self.islands[0], before.islands[0])
                or not go_on(self.lanes.store, before.lanes.store)):
            return False
        sizes, sizes_before = (rows_by(lanes.topology, STATE, KEPT, ACTING) for lanes in (self.lanes, before.lanes))
        kept = [name for name, size in sizes.items() if sizes_before.get(name) == size]
        copy_rows(before.lanes.store, kept, self.lanes.store)
        return True

    def contacts(self) -> Contacts:
        """What touched in the last step."""
        return NO_CONTACTS if self._last is None else self._last.read()

    def heed_reports(self) -> None:
        """Keep what `contact_events` asks for in every step from now on."""
        if self._last is not None:
            self._last.heed_reports()

    def contact_events(self, reports: ContactReports) -> Iterable[ContactEvent]:
        """What is reported of the last step."""
        return () if self._last is None else self._last.events(reports)

    def contact_impulses(self, actor: int, links: int) -> Array | None:
        """(n_world, n_link, 6) what contacts gave an actor's links in the last step; None where nothing touches."""
        return None if self._last is None else self._last.impulses_on(actor, links)

    def joints(self) -> Iterable[tuple[str, int, int]]:
        """Path of every joint, its island's place and its own number there."""
        return ((path, place, j) for place, island in enumerate(self.islands) for j, path in enumerate(island.joints))

    def acting_on(self, place: int, actor: int) -> Iterable[str]:
        """What acts on an actor of an island beside its own dynamics: joints by their paths, and contacts."""
        island = self.islands[place]
        for path, joint in zip(island.joints, island.topology.joints, strict=True):
            if any(side.moves and side.owner == actor for side in joint.sides):
                yield f"{path}: a joint outside articulations"
        if island.contacts is not None:
            yield "contacts"

    def share_of_joint(self, place: int, number: int) -> Worlds | BufferView:
        """The rows of one joint."""
        return self.lanes.share(place, f"{JOINT_GROUP}{number}_")

    def place_frames(self, place: int, actor: int, shift: Frame) -> None:
        """Keep joints and colliders where they are in the root link of an actor whose F has moved.

        shift: the authored F seen from where F is now, numbers (n_world,).
        """
        island = self.islands[place]
        if island.contacts is not None and actor in island.contacts.mass_frames:
            center = rounded(np.stack(shift[0], axis=-1), self.lanes.dtype)
            self.lanes.share(place, f"{ACTOR_GROUP}{actor}_").write("root_center", center)
        elif island.contacts is not None:
            self._place_colliders(island.contacts, actor, shift)
        for j, joint in enumerate(island.topology.joints):
            for k, side in enumerate(joint.sides):
                if side.moves and (side.owner, side.link) == (actor, 0):
                    names = [f"frame{k}_{part}" for part in ("position", "rotation")]
                    position, rotation = (island.parameters[f"{JOINT_GROUP}{j}_{name}"] for name in names)
                    own = (position[0], position[1], position[2]), (rotation[0], rotation[1], rotation[2], rotation[3])
                    share = self.share_of_joint(place, j)
                    for name, values in zip(names, compose(shift, own), strict=True):
                        share.write(name, rounded(np.stack(values, axis=-1), self.lanes.dtype))

    def _place_colliders(self, packed: PackedContacts, actor: int, shift: Frame) -> None:
        store = self.lanes.store
        if not isinstance(store, ContactStore):
            return
        shapes, copies = store.table.pairs.shapes, packed.copies_of_shapes(self.lanes.worlds)
        for shape in packed.of_root(actor):
            position, rotation = (tuple(packed.shapes[shape][name].tolist()) for name in ("position", "rotation"))
            placed = compose(shift, (position, rotation))
            for name, values in zip(("position", "rotation"), placed, strict=True):
                shapes[name][copies == shape] = np.stack(values, axis=-1)

    def wake(self, place: int, actor: int, worlds: Indices) -> None:
        """Wake an actor of an island, and so all of it, in these worlds."""
        t = cast(IslandTopology, self.lanes.topology)
        Waking(self.lanes.share(place, f"{ACTOR_GROUP}{actor}_"), t.actors[actor]).wake(worlds)

    def place_kinematic(self, rows: Mapping[str, Mapping[str, Array]]) -> None:
        """Write rows of kinematic bodies, by path and name, (n_world, n) each, where these islands have the bodies."""
        for k in range(len(self.islands[0].kinematic)):
            own = [rows[island.kinematic[k]] for island in self.islands]
            for name in own[0]:
                values = np.concatenate([body[name] for body in own]).astype(self.lanes.dtype)
                self.lanes.store.write(f"{KINEMATIC_GROUP}{k}_{name}", values)


def _same_coordinates(own: PackedIsland, other: PackedIsland) -> bool:
    """Whether states mean the same: actors have the same links, frames and degrees of freedom, and the same joints
    outside articulations hold them."""
    def of(model: PackedModel) -> tuple[object, ...]:
        return model.link_names, model.dof_names, model.link_frames

    return (own.actors.keys() == other.actors.keys() and own.topology.joints == other.topology.joints
            and all(of(model) == of(other.actors[name]) for name, model in own.actors.items()))


# Of which the first may not exceed the second.
PAIRS = (("lower_limit", "upper_limit"), ("minimum_distance", "maximum_distance"))
# Parameters that wake what a joint holds, by any value: of drives. No limit, spring or threshold wakes anything.
WAKING = TARGET_ROWS | {"stiffness", "damping", "max_force"}


class SceneJoint:
    """One joint outside articulations in all worlds of a scene.

    path: its prim; islands, place, number: where its rows are.
    """

    def __init__(self, path: str, islands: IslandGroup, place: int, number: int) -> None:
        self.path, self.worlds = path, islands.lanes.worlds
        self.topology: JointTopology = islands.islands[place].topology.joints[number]
        self._islands, self._place, self._number = islands, place, number
        self.parameters: Mapping[str, Parameter] = {own.name: own for own in _parameters(path, self.topology)}

    @property
    def broken(self) -> NDArray[np.bool_]:
        """(n_world,) where a force or a torque took it away; a reset restores it."""
        if not self.topology.breaks:
            return np.zeros(self.worlds, dtype=np.bool_)
        return np.asarray(self._rows("broken")[:, 0] > 0.5)

    @property
    def force(self) -> Array:
        """(n_world, 6) what it gave body0 on average over the last step: force, and torque about its anchor on body1.

        World axes; the world takes it where there is no body0, and body1 gets the opposite. As in PhysX, whose break
        force and torque bound it, drives do not count. While it sleeps it is that of the last step awake. Raises
        RuntimeError unless `Scene.keep_joint_forces` was called.
        """
        if not self._islands.keeps_forces:
            raise RuntimeError(f"no step left the force of {self.path}; call keep_joint_forces() of the scene before "
                               "stepping it")
        return self._rows("force")

    def parameter(self, name: str) -> Array:
        """Values of a parameter in every world, (n_world, *shape), in radians; raises ValueError for another name."""
        return self._rows(name)[:, self._columns(name)]

    def set_parameter(self, name: str, values: ArrayLike, worlds: ArrayLike | None = None) -> None:
        """Set one parameter as `set_parameters` does several."""
        self.set_parameters({name: values}, worlds)

    def set_parameters(self, values: Mapping[str, ArrayLike], worlds: ArrayLike | None = None) -> None:
        """Set parameters, each by one number, `shape` for all chosen worlds alike, or (n_chosen, *shape).

        worlds: a mask (n_world,) or indices, all where None. Raises ValueError, naming world and axis, for values out
        of range; then nothing is set.
        """
        chosen = chosen_worlds(worlds, self.worlds)
        new = {name: self._shaped(name, given, len(chosen)) for name, given in values.items()}
        for name in new:
            self._check(name, new, chosen)
        for name, array in new.items():
            held = self._rows(name)
            columns = np.ix_(chosen, np.asarray(self._columns(name)))
            held[columns] = array
            self._islands.share_of_joint(self._place, self._number).write(name, held)
        if WAKING & values.keys():
            self._wake(chosen)

    def go_on(self, before: SceneJoint) -> None:
        """Keep what another joint keeps of the same rows: whether it broke, and how far its hinges turned."""
        kept = joint_rows(self.topology, STATE, KEPT)
        for name in kept.keys() & joint_rows(before.topology, STATE, KEPT).keys():
            self._islands.share_of_joint(self._place, self._number).write(name, before._rows(name))

    def _wake(self, worlds: Indices) -> None:
        """Wake what the joint holds in worlds with these indices."""
        for side in self.topology.sides:
            if side.moves:
                self._islands.wake(self._place, side.owner, worlds)

    def _rows(self, name: str) -> Array:
        return self._islands.share_of_joint(self._place, self._number).rows(name)

    def _columns(self, name: str) -> list[int]:
        """Which numbers of a row are a parameter's."""
        if name not in self.parameters:
            raise ValueError(f"{name!r} is no parameter of {self.path}; allowed are "
                             f"{', '.join(sorted(self.parameters)) or 'none'}")
        return [scalars[0][1] for scalars in self.parameters[name].scalars]

    def _shaped(self, name: str, values: ArrayLike, count: int) -> Array:
        """Values of a parameter as (count, *shape), in the step's precision."""
        size, given = len(self._columns(name)), np.asarray(values, dtype=np.float64)
        if given.shape not in ((), (size,), (count, size)):
            raise ValueError(f"{name} of {self.path} has shape {given.shape}; give one number, {(size,)} or "
                             f"{(count, size)}")
        return rounded(np.broadcast_to(given, (count, size)), self._islands.lanes.dtype)

    def _check(self, name: str, new: Mapping[str, Array], worlds: Indices) -> None:
        """Raises ValueError for the first value that PhysX would not take."""
        parameter = self.parameters[name]
        self._refuse(parameter, new[name], ~allowed(parameter.range, new[name]), worlds,
                     f"give values in {parameter.range}")
        for below, above in PAIRS:
            if name not in (below, above) or not {below, above} <= self.parameters.keys():
                continue
            low, high = (new[end] if end in new else self.parameter(end)[worlds] for end in (below, above))
            if self.topology.range == "equal":
                self._refuse(parameter, new[name], low != high, worlds, f"{below} and {above} are authored alike, and "
                             "stay so: set both")
            self._refuse(parameter, new[name], low > high, worlds, f"{below} may not exceed {above}")

    @staticmethod
    def _refuse(parameter: Parameter, held: Array, wrong: Array, worlds: Indices, advice: str) -> None:
        if wrong.any():
            raise ValueError(refusal(parameter.name, held, wrong, worlds, parameter.label, advice))


def _parameters(path: str, t: JointTopology) -> Iterator[Parameter]:
    """What may differ between worlds of a joint: of its six axes those for which it counts."""
    known = joint_rows(t, PARAMETER)
    for row in ISLAND_TABLE:
        if row.owner == OUTSIDE and row.name in known:
            columns = _acting_columns(row, t)
            elements = tuple(f"{path}:{row.components[i]}" if row.components else path for i in columns)
            if columns:
                yield Parameter(row.name, elements, "", row.range, row.unit, row.text,
                                tuple(((row.name, i),) for i in columns))


def _acting_columns(row: Row, t: JointTopology) -> list[int]:
    """The numbers of a row that something heeds."""
    if row.components != AXES:
        soft = not row.name.startswith("cone_") or row.name == "cone_angle" or t.cone == "soft"
        return list(range(row.width)) if soft else []
    if row.name in ("lower_limit", "upper_limit"):
        return [i for i, axis in enumerate(t.axes) if axis.motion == LIMITED]
    if row.name.startswith("limit_"):
        return [i for i, axis in enumerate(t.axes) if axis.soft]
    return [i for i, axis in enumerate(t.axes) if axis.drive]
