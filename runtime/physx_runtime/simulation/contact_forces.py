"""The force on bodies of all their contacts in a step, as the tensor API's rigid contact view has it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.simulation.contacts import Contacts, Meeting

Array = NDArray[Any]
Paths = str | Sequence[str]


def normal_force(contacts: Contacts, worlds: int, bodies: Paths, partners: Sequence[str] | None) -> Array:
    """What bodies or colliders got along normals in so many worlds, a mean over the step, world axes.

    (n_world, 3) for one path, (n_world, n_body, 3) for several; with partners, bodies or colliders of which alone is
    asked what they gave, (n_world, n_body, n_partner, 3) for several and without n_body for one.
    """
    along = contacts.impulses[:, None] * contacts.normals
    return _net(contacts.meeting, contacts.worlds, along, worlds, bodies, partners) / contacts.dt


def friction_force(contacts: Contacts, worlds: int, bodies: Paths, partners: Sequence[str] | None) -> Array:
    """What they got by friction, as `normal_force`; what turns a body without pushing it is 0 in it."""
    own = contacts.friction
    return _net(own.meeting, own.worlds, own.impulses, worlds, bodies, partners) / contacts.dt


def require_paths(bodies: Paths, partners: Sequence[str] | None, known: Collection[str]) -> None:
    """Raises ValueError for the first path that is neither a body nor a collider whose contacts are stepped."""
    for path in ([bodies] if isinstance(bodies, str) else bodies, partners or ()):
        unknown = next((one for one in path if one not in known), None)
        if unknown is not None:
            raise ValueError(f"{unknown} is no body, and no collider whose contacts are stepped; give one of "
                             f"{', '.join(sorted(known)) or 'none'}")


def _net(meeting: Meeting, in_worlds: Array, impulses: Array, worlds: int, bodies: Paths,
         partners: Sequence[str] | None) -> Array:
    """What first sides got, less what second sides gave, by world, body and partner."""
    several = [bodies] if isinstance(bodies, str) else bodies
    own, others = meeting.colliders_of(several), None if partners is None else meeting.colliders_of(partners)
    found = np.zeros((worlds, len(several), 1 if partners is None else len(partners), 3), impulses.dtype)
    gets, gives = (_held(meeting.sides, k, own, others) for k in (0, 1))
    signs = np.repeat(np.array([1, -1], impulses.dtype), [gets.shape[1], gives.shape[1]])
    row, body, partner = held = np.concatenate([gets, gives], axis=1)
    # a body that is on both sides gets what it gives
    _, which, times = np.unique(held, axis=1, return_inverse=True, return_counts=True)
    once = times[which.ravel()] == 1
    order = np.flatnonzero(once)[np.argsort(row[once], kind="stable")]
    row, body, partner, signs = row[order], body[order], partner[order], signs[order]
    np.add.at(found, (in_worlds[row], body, partner), signs[:, None] * impulses[row])
    found = found[:, :, 0] if partners is None else found
    return found[:, 0] if isinstance(bodies, str) else found


def _held(sides: Array, k: int, own: Array, others: Array | None) -> Array:
    """(3, n) rows of contacts, the body that side k of each is of, and the partner that its other side is of.

    own, others: colliders of bodies and of partners, as of `Meeting.colliders_of`; of no partner is asked where None.
    """
    row, body = _joined(sides[:, k], own)
    if others is None:
        return np.stack([row, body, np.zeros_like(row)])
    again, partner = _joined(sides[row, 1 - k], others)
    return np.stack([row[again], body[again], partner])


def _joined(colliders: Array, known: Array) -> tuple[Array, Array]:
    """Every place of a list of colliders with every path that is known to hold the collider there."""
    first, end = (np.searchsorted(known[:, 0], colliders, side) for side in ("left", "right"))
    counts = end - first
    place = np.repeat(np.arange(len(colliders)), counts)
    within = np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts, counts)
    return place, known[first[place] + within, 1]
