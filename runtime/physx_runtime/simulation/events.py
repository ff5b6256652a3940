"""Contact events, trigger events and contact readers, as PhysX reports them. `ContactReports` and `events_of` follow
PhysxContactReportAPI: eNOTIFY_TOUCH_FOUND, PERSISTS and LOST. `Triggers` finds overlaps with trigger shapes and what
entered or left. `LastContacts` reads the contacts of the last step from the contact tables. `touching_pairs` lists
bodies in contact by force.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from physx_runtime.arrays import Array
from physx_runtime.collision.friction_patch import ANCHORS
from physx_runtime.collision.pair_table import generate
from physx_runtime.dynamics.spatial import add, rotate
from physx_runtime.model.body_kind import LINK, STATIC
from physx_runtime.model.scene import SceneModel
from physx_runtime.packing.contacts import PackedContacts
from physx_runtime.packing.triggers import pack_triggers
from physx_runtime.simulation.contacts import ColliderPairs, Contacts, Friction
from physx_runtime.simulation.reset import StepWatcher
from physx_runtime.simulation.world_batch import WorldBatch
from physx_runtime.worlds.contact.worlds import ContactStore
from physx_schema.description.model import ContactReport, Description
from physx_schema.field_text import fields_repr
from physx_schema.text import plural

Kind = Literal["found", "persists", "lost"]
Touch = tuple[int, int, int]            # a world, and rows of two colliders


@dataclass(frozen=True, slots=True)
class ContactEvent:
    """A contact of two colliders that was found, persists or was lost. Sides, normals and impulses are as in
    `Contacts`.
    """

    kind: Kind
    world: int
    pair: tuple[str, str]               # prims of the two colliders
    bodies: tuple[str, str]
    points: Array                       # (n_point, 3); none where contact was lost
    normals: Array                      # (n_point, 3)
    separations: Array                  # (n_point,)
    impulses: Array                     # (n_point,) along the normals
    anchors: Array                      # (n_anchor, 3) where friction acted
    anchor_impulses: Array              # (n_anchor, 3) of friction

    __repr__ = fields_repr


class ContactReports:
    """The contact reports that a stage asks for: prims, partners and force thresholds."""

    def __init__(self, description: Description) -> None:
        links: dict[str, list[str]] = {}        # of all articulations of a root prim
        for item in description.articulations:
            links.setdefault(item.path, []).extend(link.path for link in item.links)
        self._reports: dict[str, list[ContactReport]] = {}
        for report in description.contact_reports:
            for body in dict.fromkeys((report.path, *links.get(report.path, ()))):
                self._reports.setdefault(body, []).append(report)

    def __bool__(self) -> bool:
        return bool(self._reports)

    def includes(self, bodies: tuple[str, str]) -> bool:
        """Whether one of two bodies has a report that includes the other."""
        return any(report.partners is None or other in report.partners
                   for body, other in (bodies, bodies[::-1]) for report in self._reports.get(body, ()))

    def exceeds_threshold(self, bodies: tuple[str, str], force: float) -> bool:
        """Whether a contact force reaches the threshold of either body."""
        return any(force >= self._reports[body][0].threshold for body in bodies if body in self._reports)


def events_of(reports: ContactReports, contacts: Contacts, touching_before: Set[Touch],
              touching: Set[Touch]) -> Iterator[ContactEvent]:
    """The events of a step: pairs in contact in the order of `contacts`, then lost ones.

    touching_before, touching: pairs of colliders in contact before and after the step, sleeping pairs included.
    """
    rows, anchors = (_by_pair(source.worlds, source.colliders) for source in (contacts, contacts.friction))
    names, owners = contacts.colliders.names, contacts.colliders.owners
    forces: dict[tuple[int, tuple[str, str]], float] = {}
    for (world, i, j), window in rows.items():
        between = world, (owners[i], owners[j])
        forces[between] = forces.get(between, 0.0) + float(contacts.impulses[window].sum()) / contacts.dt
    for key in [*rows, *sorted(touching_before - touching)]:
        world, i, j = key
        bodies = owners[i], owners[j]
        force = forces.get((world, bodies))
        if not reports.includes(bodies) or (force is not None and not reports.exceeds_threshold(bodies, force)):
            continue
        kind: Kind = "lost" if key not in rows else "persists" if key in touching_before else "found"
        window, anchor_window = rows.get(key, slice(0)), anchors.get(key, slice(0))
        yield ContactEvent(
            kind, world, (names[i], names[j]), bodies, contacts.points[window], contacts.normals[window],
            contacts.separations[window], contacts.impulses[window], contacts.friction.points[anchor_window],
            contacts.friction.impulses[anchor_window])


def _by_pair(worlds: Array, pairs: ColliderPairs) -> dict[Touch, slice]:
    """Rows of each pair of colliders in a world, which are neighbours, in their order."""
    keys = np.column_stack([worlds, pairs.rows])
    first = np.flatnonzero(np.r_[True, (keys[1:] != keys[:-1]).any(axis=1)][:len(keys)])
    last = np.r_[first[1:], len(keys)]
    return {(int(keys[i, 0]), int(keys[i, 1]), int(keys[i, 2])): slice(int(i), int(j))
            for i, j in zip(first, last, strict=False)}


@dataclass(frozen=True, slots=True, order=True)
class Overlap:
    """A collider inside a trigger."""

    world: int
    pair: tuple[str, str]               # prims of the trigger and of the collider
    bodies: tuple[str, str]             # the bodies that these are of; a static collider itself


@dataclass(frozen=True, slots=True)
class TriggerEvent:
    """A collider that entered or left a trigger in a step. Pair and bodies are as in `Overlap`."""

    kind: Literal["enter", "leave"]
    world: int
    pair: tuple[str, str]
    bodies: tuple[str, str]


class Triggers:
    """The triggers of worlds with these bodies, and the overlaps at the last update."""

    def __init__(self, description: Description, model: SceneModel, bodies: Sequence[str], worlds: int,
                 solver: str) -> None:
        self.overlaps: tuple[Overlap, ...] = ()
        self.events: tuple[TriggerEvent, ...] = ()
        packed = pack_triggers(description, model, bodies, solver)
        self._table = _TriggerTable(*packed, len(bodies), worlds) if packed else None

    def __bool__(self) -> bool:
        return self._table is not None

    def update(self, pose: Array) -> None:
        """Find the overlaps at the poses of bodies, (n_world, n_body, 7), and what entered or left since."""
        now = tuple(sorted(self._table.overlaps(pose))) if self._table else ()
        entered, exited = set(now).difference(self.overlaps), set(self.overlaps).difference(now)
        self.events = (*(TriggerEvent("enter", item.world, item.pair, item.bodies) for item in sorted(entered)),
                       *(TriggerEvent("leave", item.world, item.pair, item.bodies) for item in sorted(exited)))
        self.overlaps = now

    def forget(self, worlds: Array) -> None:
        """Clear the overlaps of worlds that were reset."""
        reset_worlds = set(worlds.tolist())
        self.overlaps = tuple(item for item in self.overlaps if item.world not in reset_worlds)
        self.events = tuple(item for item in self.events if item.world not in reset_worlds)

    def continue_from(self, before: Triggers) -> None:
        """Copy the overlaps of another scene's triggers, so that the next update reports what left."""
        self.overlaps, self.events = before.overlaps, before.events


class _TriggerTable:
    """Triggers and what can be in them, as pairs of shapes."""

    def __init__(self, packed: PackedContacts, triggers: frozenset[str], bodies: int, worlds: int) -> None:
        self._pairs, self._all_worlds = packed.of_worlds(worlds).pairs, np.arange(worlds)
        shapes = packed.shape_copies(worlds)
        self._names = [packed.colliders[i] for i in shapes]
        self._owners = [packed.bodies[body] or name
                        for body, name in zip(packed.shapes["body"][shapes].tolist(), self._names, strict=True)]
        self._triggers = np.array([name in triggers for name in self._names])
        self._static = np.c_[packed.rigid_bodies["position"], packed.rigid_bodies["rotation"]][bodies:]

    def overlaps(self, pose: Array) -> set[Overlap]:
        """Overlaps at the poses of bodies, (n_world, n_body, 7)."""
        pairs, moving_poses = self._pairs, pose.swapaxes(0, 1).reshape(-1, 7)
        pairs.forget(self._all_worlds)           # manifolds keep points that a fresh look would not make
        contacts = generate(pairs, np.concatenate([moving_poses, self._static]).astype(np.float32))
        indices = pairs.solver_shapes(np.unique(contacts["pair"][contacts["separation"] <= 0.0]))
        indices = np.where(self._triggers[indices[:, 1]][:, None], indices[:, ::-1], indices)
        worlds = pairs.shapes["world"][indices].max(axis=1, initial=-1)
        return {Overlap(world, (self._names[i], self._names[j]), (self._owners[i], self._owners[j]))
                for world, (i, j) in zip(worlds.tolist(), indices.tolist(), strict=True)}


class LastContacts(StepWatcher):
    """Reads the contacts of islands of one structure. packed: their colliders."""

    def __init__(self, batch: WorldBatch, packed: PackedContacts) -> None:
        self._batch, self._dt = batch, batch.dt
        self._before: Array | None = None       # pairs of shapes in contact a step earlier, if events are reported
        self._link_impulses: tuple[Array, Array, Array] | None = None       # what links got, once it was asked for
        self._names = tuple(packed.colliders[i] for i in packed.shape_copies(batch.worlds))
        bodies = [packed.bodies[i] for i in packed.body_copies(batch.worlds)]
        table = self._worlds.table
        owners = table.pairs.shapes["body"]
        static = table.bodies["kind"][owners] == STATIC
        self._owners = tuple(name if is_static else bodies[body] for name, is_static, body in zip(
            self._names, static.tolist(), owners.tolist(), strict=True))
        batch.watch(self)

    def enable_contact_reports(self) -> None:
        """Keep the pairs in contact before each step from now on, which `events` needs."""
        self._before = np.zeros((0, 2), np.int64)

    def about_to_step(self) -> None:
        """Keep the time of the step, and the pairs in contact before it."""
        self._dt = self._batch.dt
        if self._before is not None:
            self._before = self._worlds.solver_shapes(self._worlds.touching)

    def stepped(self) -> None:
        """Discard the contacts read before; `read` reads the new ones."""
        self._link_impulses = None

    def read(self) -> Contacts:
        """The contacts of the last step."""
        worlds = self._worlds
        reported, dtype = worlds.reported_pairs(worlds.contacts["pair"]), worlds.dtype
        rows = worlds.contacts[reported]
        indices = worlds.solver_shapes(rows["pair"])
        return Contacts(ColliderPairs(self._names, self._owners, indices), _worlds_of(worlds, indices),
                        rows["point"].astype(dtype), rows["normal"].astype(dtype), rows["separation"].astype(dtype),
                        worlds.impulses[reported].astype(dtype), _friction(worlds, self._names, self._owners), self._dt)

    def events(self, reports: ContactReports) -> Iterator[ContactEvent]:
        """The contact events of the last step; raises RuntimeError before `enable_contact_reports`."""
        if self._before is None:
            raise RuntimeError("contacts of the previous step were not recorded; "
                               "call enable_contact_reports before step")
        now = self._worlds.solver_shapes(self._worlds.touching)
        return events_of(reports, self.read(), self._touches(self._before), self._touches(now))

    def _touches(self, indices: Array) -> set[Touch]:
        return {(world, i, j) for world, (i, j) in zip(
            _worlds_of(self._worlds, indices).tolist(), indices.tolist(), strict=True)}

    def impulses_on(self, actor: int, links: int) -> Array:
        """Contact impulses on links, (n_world, n_link, 6): linear, and angular about the centres of mass.

        Torsional friction is not included.
        """
        if self._link_impulses is None:
            self._link_impulses = self._impulses_on_links()
        owners, bodies, impulses = self._link_impulses
        window = slice(*np.searchsorted(owners, (actor, actor + 1)))
        body_rows, out = self._worlds.table.bodies[bodies[window]], np.zeros((self._worlds.count, links, 6))
        np.add.at(out, (body_rows["world"], body_rows["link"]), impulses[window])
        return out

    def _impulses_on_links(self) -> tuple[Array, Array, Array]:
        """The articulation of every impulse on a link, in their order; the link's place; what it gave, (n, 6)."""
        worlds = self._worlds
        bodies = worlds.table.pairs.shapes["body"][worlds.solver_shapes(worlds.contacts["pair"])]
        normal_impulses = worlds.impulses[:, None] * worlds.contacts["normal"]
        patches, which = np.nonzero(np.arange(ANCHORS) < worlds.patches["anchors"][:, None])
        friction_impulses, anchors = worlds.frictions[patches, which], _anchor_points(worlds, patches, which)
        parts = [part for k, sign in enumerate((1.0, -1.0))
                 for part in ((bodies[:, k], worlds.contacts["point"], sign * normal_impulses),
                              (worlds.patches[f"body{k}"][patches], anchors, sign * friction_impulses))]
        linked_bodies, points, impulses = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        linked = np.flatnonzero(worlds.table.bodies["kind"][linked_bodies] == LINK)
        owners = worlds.table.bodies["owner"][linked_bodies[linked]]
        order = linked[np.argsort(owners, kind="stable")]
        linked_bodies, forces = linked_bodies[order], impulses[order]
        torques = np.cross(points[order] - worlds.centers[linked_bodies, :3], forces)
        return np.sort(owners), linked_bodies, np.concatenate([forces, torques], axis=1)

    def forget(self, worlds: Array) -> None:
        """Clear the contacts of worlds that were reset."""
        self._link_impulses = None
        if self._before is not None:
            self._before = self._before[~np.isin(_worlds_of(self._worlds, self._before), worlds)]

    @property
    def _worlds(self) -> ContactStore:
        return cast(ContactStore, self._batch.store)


def _friction(worlds: ContactStore, names: tuple[str, ...], owners: tuple[str, ...]) -> Friction:
    """The friction anchors of all patches, patch by patch."""
    patches = worlds.patches
    used = (np.arange(ANCHORS) < patches["anchors"][:, None]) & worlds.reported_pairs(patches["pair"])[:, None]
    rows, which = np.nonzero(used)
    indices = worlds.solver_shapes(patches["pair"])[rows]
    points = _anchor_points(worlds, rows, which).astype(worlds.dtype)
    return Friction(ColliderPairs(names, owners, indices), _worlds_of(worlds, indices), points,
                    worlds.frictions[rows, which].astype(worlds.dtype))


def _anchor_points(worlds: ContactStore, patches: Array, which: Array) -> Array:
    """Where anchors of patches are in the world, at the step's start."""
    rows = worlds.patches[patches]
    x, y, z, *rotation = worlds.centers[rows["body0"]].T
    arms = rows["anchor0"][np.arange(len(which)), which].T
    return np.stack(add((x, y, z), rotate((*rotation,), (*arms,))), axis=1)


def _worlds_of(worlds: ContactStore, indices: Array) -> Array:
    return np.asarray(worlds.table.pairs.shapes["world"][indices].max(axis=1, initial=-1))


_Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class TouchingPair:
    """Two bodies, or a body and a static collider, in contact in one world."""

    first: str
    second: str
    points: int         # contact points, those that only come near among them
    pressure: float     # force, size of the sum along the normals, a mean over the step
    friction: float     # force, size of the sum of friction

    def __str__(self) -> str:
        where = f"{self.first} touches {self.second} at {plural(self.points, 'point')}"
        return f"{where}: normal force {self.pressure:.4g}, friction force {self.friction:.4g}"


def touching_pairs(contacts: Contacts, world: int = 0) -> list[TouchingPair]:
    """Return the pairs in contact with a force in one world, the largest force first."""
    normal_forces, friction_forces, points = dict[_Pair, Array](), dict[_Pair, Array](), dict[_Pair, int]()
    normal = contacts.impulses[:, None] * contacts.normals / contacts.dt
    for pair, sign, force in _of_world(contacts, normal, world):
        normal_forces[pair] = normal_forces.get(pair, np.zeros(3)) + sign * force
        points[pair] = points.get(pair, 0) + 1
    for pair, sign, force in _of_world(contacts.friction, contacts.friction.impulses / contacts.dt, world):
        friction_forces[pair] = friction_forces.get(pair, np.zeros(3)) + sign * force
    sizes = {pair: float(np.linalg.norm(force)) for pair, force in normal_forces.items()}
    pairs = [TouchingPair(*pair, points[pair], size, float(np.linalg.norm(friction_forces.get(pair, np.zeros(3)))))
             for pair, size in sizes.items() if size > 0.0]
    return sorted(pairs, key=lambda pair: (-pair.pressure, pair.first, pair.second))


def _of_world(contacts: Contacts | Friction, forces: Array, world: int
              ) -> Iterator[tuple[_Pair, float, Array]]:
    """Both bodies by path, whether the force on the first of them is turned round, and the force, for each row."""
    for (first, second), row_world, force in zip(contacts.bodies, contacts.worlds, forces, strict=True):
        if row_world == world:
            yield ((first, second), 1.0, force) if first <= second else ((second, first), -1.0, force)
