"""Which contacts of a step PhysX reports, by the prims with PhysxContactReportAPI: those that begin, last and end."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from physx_runtime.simulation.contacts import Contacts, Meeting
from physx_schema.description.model import ContactReport, Description

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


def _by_pair(worlds: Array, meeting: Meeting) -> dict[Touch, slice]:
    """Rows of each pair of colliders in a world, which are neighbours, in their order."""
    keys = np.column_stack([worlds, meeting.sides])
    first = np.flatnonzero(np.r_[True, (keys[1:] != keys[:-1]).any(axis=1)][:len(keys)])
    last = np.r_[first[1:], len(keys)]
    return {(int(keys[i, 0]), int(keys[i, 1]), int(keys[i, 2])): slice(int(i), int(j))
            for i, j in zip(first, last, strict=False)}
