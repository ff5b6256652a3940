"""Contact forces as arrows, one for two bodies at a record.

An arrow begins at the middle of the pair's contact points, weighted by their impulses. It shows the normal force and
the friction that the body got; a static partner gets none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from physx_runtime.arrays import DoubleArray
from physx_runtime.simulation.contacts import Contacts

MAX_ARROWS = 16             # of one record, the strongest
COLUMNS = 7                 # body, point, force


@dataclass(frozen=True, slots=True)
class ContactArrows:
    """The arrows of all records in one table."""

    rows: DoubleArray                       # (n_arrow, 7) body's number, point [length] and force, both in the world
    starts: tuple[int, ...]                 # (n_record + 1,) first row of each record, and the number of rows


def contact_arrows(records: Sequence[Contacts], index: Mapping[str, int], world: int) -> ContactArrows:
    """The arrows of recorded contacts; index: body's prim path -> its number."""
    tables = [_of_record(contacts, index, world) for contacts in records]
    starts = np.cumsum([0, *map(len, tables)])
    return ContactArrows(np.concatenate([np.zeros((0, COLUMNS)), *tables]), tuple(starts.tolist()))


def _of_record(contacts: Contacts, index: Mapping[str, int], world: int) -> DoubleArray:
    """(n_arrow, 7) the strongest arrows of a record."""
    sums: dict[tuple[str, str], DoubleArray] = {}       # weight, weighted point, impulse
    bodies, friction = contacts.bodies, contacts.friction
    for i in np.flatnonzero((contacts.worlds == world) & (contacts.impulses > 0.0)).tolist():
        weight = float(contacts.impulses[i])
        row = np.concatenate([[weight], weight * contacts.points[i], weight * contacts.normals[i]])
        sums[bodies[i]] = sums.get(bodies[i], np.zeros(COLUMNS)) + row
    friction_bodies = friction.bodies
    for i in np.flatnonzero(friction.worlds == world).tolist():
        if friction_bodies[i] in sums:
            sums[friction_bodies[i]][4:] += friction.impulses[i]
    arrows = [arrow for pair, row in sums.items() if (arrow := _arrow(pair, row, index, contacts.dt)) is not None]
    arrows.sort(key=lambda arrow: -float(np.linalg.norm(arrow[4:])))
    return np.array(arrows[:MAX_ARROWS], np.float64).reshape(-1, COLUMNS)


def _arrow(pair: tuple[str, str], row: DoubleArray, index: Mapping[str, int], dt: float) -> DoubleArray | None:
    """The arrow of a pair at its first body that moves; None where none does or the force is not finite."""
    first, second = pair
    body, sign = (first, 1.0) if first in index else (second, -1.0)
    arrow = np.concatenate([[index.get(body, -1)], row[1:4] / row[0], sign * row[4:] / dt])
    return arrow if body in index and np.isfinite(arrow).all() else None
