"""Islands of one structure in a scene: what joints outside articulations and kinematic bodies have among their rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from physx_runtime.model.island import IslandTopology
from physx_runtime.model.island_rows import ACTOR_GROUP, JOINT_GROUP, KINEMATIC_GROUP
from physx_runtime.model.rows import ACTING, KEPT, STATE
from physx_runtime.packing.contact import PackedContacts
from physx_runtime.packing.frames import Frame, compose
from physx_runtime.packing.island import PackedIsland
from physx_runtime.packing.model import PackedModel
from physx_runtime.simulation.contact_events import ContactEvent, ContactReports
from physx_runtime.simulation.contacts import NO_CONTACTS, Contacts
from physx_runtime.simulation.lanes import Lanes, rows_by
from physx_runtime.simulation.last_contacts import LastContacts
from physx_runtime.simulation.parameter_values import rounded
from physx_runtime.worlds.share import Share
from physx_runtime.worlds.sleep import Waking
from physx_runtime.worlds.store import Worlds, copy_rows
from physx_runtime.worlds.touching_worlds import TouchingWorlds, go_on

Array = NDArray[Any]
Indices = NDArray[np.int64]


class AlikeIslands:
    """Islands of one structure in the places of `lanes`, without their actors, which are `Alike`s of their own."""

    def __init__(self, islands: Sequence[PackedIsland], lanes: Lanes) -> None:
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
        if isinstance(self.lanes.store, TouchingWorlds):
            self.lanes.store.forget(worlds)
        if self._last is not None:
            self._last.forget(worlds)

    def go_on(self, before: AlikeIslands) -> bool:
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

    def share_of_joint(self, place: int, number: int) -> Worlds | Share:
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
        if not isinstance(store, TouchingWorlds):
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
