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
    whole = np.ones((len(in_worlds), 2), np.bool_)
    others = [whole] if partners is None else [meeting.held_by(path) for path in partners]
    found = np.zeros((worlds, len(several), len(others), 3), impulses.dtype)
    for i, own in enumerate(map(meeting.held_by, several)):
        for j, other in enumerate(others):
            sign = (own[:, 0] & other[:, 1]).astype(impulses.dtype) - (own[:, 1] & other[:, 0])
            np.add.at(found[:, i, j], in_worlds, sign[:, None] * impulses)
    found = found[:, :, 0] if partners is None else found
    return found[:, 0] if isinstance(bodies, str) else found
