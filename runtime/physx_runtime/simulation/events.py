"""Contact and trigger events as PhysX reports them.

Which contacts of a step PhysX reports, by the prims with PhysxContactReportAPI: those that begin, last and end.

What is in the triggers of a scene, and what enters and leaves them.

The contacts of the last step of worlds that touch, read from their tables.

Which bodies press on which in a step, and how much: contacts as a person asks for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.friction_patch import ANCHORS, LINK, STATIC
from physx_runtime.collision.pair_table import generate
from physx_runtime.dynamics.spatial import add, rotate
from physx_runtime.model.scene import SceneModel
from physx_runtime.packing.contacts import PackedContacts
from physx_runtime.packing.triggers import pack_triggers
from physx_runtime.simulation.contacts import ColliderPairs, Contacts, Friction
from physx_runtime.simulation.reset import StepWatcher
from physx_runtime.simulation.world_batch import WorldBatch
from physx_runtime.worlds.contact.worlds import ContactStore
from physx_schema.description.model import ContactReport, Description
from physx_schema.text import plural

Array = NDArray[Any]
Kind = Literal["found", "persists", "lost"]
Touch = tuple[int, int, int]            # a world, and rows of two colliders


@dataclass(frozen=True, slots=True)
class ContactEvent:
    """Two colliders that began to touch in a step, went on, or ceased; sides, normals and impulses as of `Contacts`."""

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


class ContactReports:
    """Whose contacts are reported on a stage, with whom, and from which force on."""

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

    def concern(self, bodies: tuple[str, str]) -> bool:
        """Whether a prim that reports names the other, or everything."""
        return any(report.partners is None or other in report.partners
                   for body, other in (bodies, bodies[::-1]) for report in self._reports.get(body, ()))

    def heed(self, bodies: tuple[str, str], force: float) -> bool:
        """Whether contacts of two bodies that give so much force are reported: either's threshold is enough."""
        return any(force >= self._reports[body][0].threshold for body in bodies if body in self._reports)


def events_of(reports: ContactReports, contacts: Contacts, touched: Set[Touch],
              touching: Set[Touch]) -> Iterator[ContactEvent]:
    """The events of a step, those that touch in the order of `contacts`, then those that ceased.

    touched, touching: the pairs of colliders that touch before and after the step, also at rest, where none is told.
    """
    rows, anchors = (_by_pair(one.worlds, one.meeting) for one in (contacts, contacts.friction))
    names, owners = contacts.meeting.names, contacts.meeting.owners
    forces: dict[tuple[int, tuple[str, str]], float] = {}
    for (world, i, j), own in rows.items():
        between = world, (owners[i], owners[j])
        forces[between] = forces.get(between, 0.0) + float(contacts.impulses[own].sum()) / contacts.dt
    for key in [*rows, *sorted(touched - touching)]:
        world, i, j = key
        bodies = owners[i], owners[j]
        force = forces.get((world, bodies))
        if not reports.concern(bodies) or (force is not None and not reports.heed(bodies, force)):
            continue
        kind: Kind = "lost" if key not in rows else "persists" if key in touched else "found"
        own, held = rows.get(key, slice(0)), anchors.get(key, slice(0))
        yield ContactEvent(
            kind, world, (names[i], names[j]), bodies, contacts.points[own], contacts.normals[own],
            contacts.separations[own], contacts.impulses[own], contacts.friction.points[held],
            contacts.friction.impulses[held])


def _by_pair(worlds: Array, meeting: ColliderPairs) -> dict[Touch, slice]:
    """Rows of each pair of colliders in a world, which are neighbours, in their order."""
    keys = np.column_stack([worlds, meeting.sides])
    first = np.flatnonzero(np.r_[True, (keys[1:] != keys[:-1]).any(axis=1)][:len(keys)])
    last = np.r_[first[1:], len(keys)]
    return {(int(keys[i, 0]), int(keys[i, 1]), int(keys[i, 2])): slice(int(i), int(j))
            for i, j in zip(first, last, strict=False)}


@dataclass(frozen=True, slots=True, order=True)
class Overlap:
    """A collider in a trigger."""

    world: int
    pair: tuple[str, str]               # prims of the trigger and of the collider
    bodies: tuple[str, str]             # the bodies that these are of; a static collider itself


@dataclass(frozen=True, slots=True)
class TriggerEvent:
    """A collider that entered or left a trigger in a step; pair and bodies as of `Overlap`."""

    kind: Literal["enter", "leave"]
    world: int
    pair: tuple[str, str]
    bodies: tuple[str, str]


class Triggers:
    """The triggers of worlds with these bodies, and what was in them when it was looked last."""

    def __init__(self, description: Description, model: SceneModel, bodies: Sequence[str], worlds: int,
                 solver: str) -> None:
        self.overlaps: tuple[Overlap, ...] = ()
        self.events: tuple[TriggerEvent, ...] = ()
        packed = pack_triggers(description, model, bodies, solver)
        self._table = _TriggerTable(*packed, len(bodies), worlds) if packed else None

    def __bool__(self) -> bool:
        return self._table is not None

    def look(self, pose: Array) -> None:
        """Find what is in them where bodies are, (n_world, n_body, 7), and what has entered and left since."""
        now = tuple(sorted(self._table.found(pose))) if self._table else ()
        entered, left = set(now).difference(self.overlaps), set(self.overlaps).difference(now)
        self.events = (*(TriggerEvent("enter", item.world, item.pair, item.bodies) for item in sorted(entered)),
                       *(TriggerEvent("leave", item.world, item.pair, item.bodies) for item in sorted(left)))
        self.overlaps = now

    def forget(self, worlds: Array) -> None:
        """Heed that worlds were set anew: nothing was in their triggers."""
        gone = set(worlds.tolist())
        self.overlaps = tuple(item for item in self.overlaps if item.world not in gone)
        self.events = tuple(item for item in self.events if item.world not in gone)

    def go_on(self, before: Triggers) -> None:
        """Take over what was in triggers, of which the next look tells who left."""
        self.overlaps, self.events = before.overlaps, before.events


class _TriggerTable:
    """Triggers and what can be in them, as pairs of shapes."""

    def __init__(self, packed: PackedContacts, triggers: frozenset[str], bodies: int, worlds: int) -> None:
        self._pairs, self._every = packed.of_worlds(worlds).pairs, np.arange(worlds)
        shapes = packed.copies_of_shapes(worlds)
        self._names = [packed.colliders[i] for i in shapes]
        self._owners = [packed.bodies[place] or name
                        for place, name in zip(packed.shapes["body"][shapes].tolist(), self._names, strict=True)]
        self._triggers = np.array([name in triggers for name in self._names])
        self._static = np.c_[packed.places["position"], packed.places["rotation"]][bodies:]

    def found(self, pose: Array) -> set[Overlap]:
        """What is in triggers where bodies are, (n_world, n_body, 7)."""
        pairs, moved = self._pairs, pose.swapaxes(0, 1).reshape(-1, 7)
        pairs.forget(self._every)           # manifolds keep points that a fresh look would not make
        contacts = generate(pairs, np.concatenate([moved, self._static]).astype(np.float32))
        sides = pairs.sides(np.unique(contacts["pair"][contacts["separation"] <= 0.0]))
        sides = np.where(self._triggers[sides[:, 1]][:, None], sides[:, ::-1], sides)
        worlds = pairs.shapes["world"][sides].max(axis=1, initial=-1)
        return {Overlap(world, (self._names[i], self._names[j]), (self._owners[i], self._owners[j]))
                for world, (i, j) in zip(worlds.tolist(), sides.tolist(), strict=True)}


class LastContacts(StepWatcher):
    """Reads the contacts of worlds of islands of one structure; packed: their colliders, in so many worlds."""

    def __init__(self, lanes: WorldBatch, packed: PackedContacts) -> None:
        self._lanes, self._dt = lanes, lanes.dt
        self._before: Array | None = None       # shapes that touched a step earlier, where events are told
        self._given: tuple[Array, Array, Array] | None = None       # what links got, once it was asked for
        self._names = tuple(packed.colliders[i] for i in packed.copies_of_shapes(lanes.worlds))
        bodies = [packed.bodies[i] for i in packed.copies_of_places(lanes.worlds)]
        table = self._worlds.table
        owners = table.pairs.shapes["body"]
        static = table.places["kind"][owners] == STATIC
        self._owners = tuple(name if alone else bodies[place] for name, alone, place in zip(
            self._names, static.tolist(), owners.tolist(), strict=True))
        lanes.watch(self)

    def heed_reports(self) -> None:
        """Keep what touches before each step from now on, which `events` asks for."""
        self._before = np.zeros((0, 2), np.int64)

    def about_to_step(self) -> None:
        """Keep the time of the step, and what touches before it."""
        self._dt = self._lanes.dt
        if self._before is not None:
            self._before = self._worlds.sides(self._worlds.touching)

    def stepped(self) -> None:
        """What touched is read when it is asked for."""
        self._given = None

    def read(self) -> Contacts:
        """Those of the last step."""
        worlds = self._worlds
        shown, dtype = worlds.shown(worlds.contacts["pair"]), worlds.dtype
        found = worlds.contacts[shown]
        sides = worlds.sides(found["pair"])
        return Contacts(ColliderPairs(self._names, self._owners, sides), _worlds_of(worlds, sides),
                        found["point"].astype(dtype), found["normal"].astype(dtype), found["separation"].astype(dtype),
                        worlds.impulses[shown].astype(dtype), _friction(worlds, self._names, self._owners), self._dt)

    def events(self, reports: ContactReports) -> Iterator[ContactEvent]:
        """What is reported of the last step; raises RuntimeError before `heed_reports`."""
        if self._before is None:
            raise RuntimeError("what touched before the step was not kept; call heed_reports before stepping")
        now = self._worlds.sides(self._worlds.touching)
        return events_of(reports, self.read(), self._touches(self._before), self._touches(now))

    def _touches(self, sides: Array) -> set[Touch]:
        return {(world, i, j) for world, (i, j) in zip(
            _worlds_of(self._worlds, sides).tolist(), sides.tolist(), strict=True)}

    def impulses_on(self, actor: int, links: int) -> Array:
        """(n_world, n_link, 6) what contacts gave an articulation's links, linear and about their centres of mass.

        What friction gave about normals alone, by torsional patch radii, is not among it.
        """
        if self._given is None:
            self._given = self._impulses_on_links()
        owners, places, given = self._given
        own = slice(*np.searchsorted(owners, (actor, actor + 1)))
        held, out = self._worlds.table.places[places[own]], np.zeros((self._worlds.count, links, 6))
        np.add.at(out, (held["world"], held["link"]), given[own])
        return out

    def _impulses_on_links(self) -> tuple[Array, Array, Array]:
        """The articulation of every impulse on a link, in their order; the link's place; what it gave, (n, 6)."""
        worlds = self._worlds
        bodies = worlds.table.pairs.shapes["body"][worlds.sides(worlds.contacts["pair"])]
        pressed = worlds.impulses[:, None] * worlds.contacts["normal"]
        own, which = np.nonzero(np.arange(ANCHORS) < worlds.patches["anchors"][:, None])
        rubbed, anchors = worlds.frictions[own, which], _anchor_points(worlds, own, which)
        parts = [part for k, sign in enumerate((1.0, -1.0))
                 for part in ((bodies[:, k], worlds.contacts["point"], sign * pressed),
                              (worlds.patches[f"side{k}"][own], anchors, sign * rubbed))]
        places, points, impulses = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        linked = np.flatnonzero(worlds.table.places["kind"][places] == LINK)
        owners = worlds.table.places["owner"][places[linked]]
        order = linked[np.argsort(owners, kind="stable")]
        places, given = places[order], impulses[order]
        turns = np.cross(points[order] - worlds.centers[places, :3], given)
        return np.sort(owners), places, np.concatenate([given, turns], axis=1)

    def forget(self, worlds: Array) -> None:
        """Heed that worlds were set anew: nothing touched in them."""
        self._given = None
        if self._before is not None:
            self._before = self._before[~np.isin(_worlds_of(self._worlds, self._before), worlds)]

    @property
    def _worlds(self) -> ContactStore:
        return cast(ContactStore, self._lanes.store)


def _friction(worlds: ContactStore, names: tuple[str, ...], owners: tuple[str, ...]) -> Friction:
    """The anchors of all patches, those of one behind each other."""
    patches = worlds.patches
    used = (np.arange(ANCHORS) < patches["anchors"][:, None]) & worlds.shown(patches["pair"])[:, None]
    own, which = np.nonzero(used)
    sides = worlds.sides(patches["pair"])[own]
    points = _anchor_points(worlds, own, which).astype(worlds.dtype)
    return Friction(ColliderPairs(names, owners, sides), _worlds_of(worlds, sides), points,
                    worlds.frictions[own, which].astype(worlds.dtype))


def _anchor_points(worlds: ContactStore, patches: Array, which: Array) -> Array:
    """Where anchors of patches are in the world, at the step's start."""
    chosen = worlds.patches[patches]
    x, y, z, *rotation = worlds.centers[chosen["side0"]].T
    arms = chosen["anchor0"][np.arange(len(which)), which].T
    return np.stack(add((x, y, z), rotate((*rotation,), (*arms,))), axis=1)


def _worlds_of(worlds: ContactStore, sides: Array) -> Array:
    return np.asarray(worlds.table.pairs.shapes["world"][sides].max(axis=1, initial=-1))


_Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class TouchingPair:
    """Two bodies, or a body and a static collider, that touch in one world."""

    first: str
    second: str
    points: int         # contact points, those that only come near among them
    pressure: float     # force, size of the sum along the normals, a mean over the step
    friction: float     # force, size of the sum of friction

    def __str__(self) -> str:
        where = f"{self.first} touches {self.second} at {plural(self.points, 'point')}"
        return f"{where}: pressed with {self.pressure:.4g}, held by friction of {self.friction:.4g}"


def touching_pairs(contacts: Contacts, world: int = 0) -> list[TouchingPair]:
    """Who presses on whom in a world, the hardest first; who only comes near is not among them."""
    pressed, held, points = dict[_Pair, Array](), dict[_Pair, Array](), dict[_Pair, int]()
    normal = contacts.impulses[:, None] * contacts.normals / contacts.dt
    for pair, turned, force in _of_world(contacts, normal, world):
        pressed[pair] = pressed.get(pair, np.zeros(3)) + turned * force
        points[pair] = points.get(pair, 0) + 1
    for pair, turned, force in _of_world(contacts.friction, contacts.friction.impulses / contacts.dt, world):
        held[pair] = held.get(pair, np.zeros(3)) + turned * force
    sizes = {pair: float(np.linalg.norm(force)) for pair, force in pressed.items()}
    found = [TouchingPair(*pair, points[pair], size, float(np.linalg.norm(held.get(pair, np.zeros(3)))))
             for pair, size in sizes.items() if size > 0.0]
    return sorted(found, key=lambda one: (-one.pressure, one.first, one.second))


def _of_world(found: Contacts | Friction, forces: Array, world: int
              ) -> Iterator[tuple[_Pair, float, Array]]:
    """Both bodies by path, whether the force on the first of them is turned round, and the force, for each row."""
    for (first, second), own, force in zip(found.bodies, found.worlds, forces, strict=True):
        if own == world:
            yield ((first, second), 1.0, force) if first <= second else ((second, first), -1.0, force)
