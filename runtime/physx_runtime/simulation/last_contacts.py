"""The contacts of the last step of worlds that touch, read from their tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.patches import ANCHORS, LINK, STATIC
from physx_runtime.dynamics.spatial import add, rotate
from physx_runtime.packing.contact import PackedContacts
from physx_runtime.simulation.contact_events import ContactEvent, ContactReports, Touch, events_of
from physx_runtime.simulation.contacts import Contacts, Friction, Meeting
from physx_runtime.simulation.lanes import Lanes
from physx_runtime.simulation.watcher import StepWatcher
from physx_runtime.worlds.touching_worlds import TouchingWorlds

Array = NDArray[Any]


class LastContacts(StepWatcher):
    """Reads the contacts of worlds of islands of one structure; packed: their colliders, in so many worlds."""

    def __init__(self, lanes: Lanes, packed: PackedContacts) -> None:
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
        return Contacts(Meeting(self._names, self._owners, sides), _worlds_of(worlds, sides),
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
    def _worlds(self) -> TouchingWorlds:
        return cast(TouchingWorlds, self._lanes.store)


def _friction(worlds: TouchingWorlds, names: tuple[str, ...], owners: tuple[str, ...]) -> Friction:
    """The anchors of all patches, those of one behind each other."""
    patches = worlds.patches
    used = (np.arange(ANCHORS) < patches["anchors"][:, None]) & worlds.shown(patches["pair"])[:, None]
    own, which = np.nonzero(used)
    sides = worlds.sides(patches["pair"])[own]
    points = _anchor_points(worlds, own, which).astype(worlds.dtype)
    return Friction(Meeting(names, owners, sides), _worlds_of(worlds, sides), points,
                    worlds.frictions[own, which].astype(worlds.dtype))


def _anchor_points(worlds: TouchingWorlds, patches: Array, which: Array) -> Array:
    """Where anchors of patches are in the world, at the step's start."""
    chosen = worlds.patches[patches]
    x, y, z, *rotation = worlds.centers[chosen["side0"]].T
    arms = chosen["anchor0"][np.arange(len(which)), which].T
    return np.stack(add((x, y, z), rotate((*rotation,), (*arms,))), axis=1)


def _worlds_of(worlds: TouchingWorlds, sides: Array) -> Array:
    return np.asarray(worlds.table.pairs.shapes["world"][sides].max(axis=1, initial=-1))
