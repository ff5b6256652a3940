"""Contacts of a step: pairs, points, normals, separations and forces.

What touched in a step, and with which forces.

The force on bodies of all their contacts in a step, as the tensor API's rigid contact view has it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class ColliderPairs:
    """Which two colliders each row is of."""

    names: tuple[str, ...]                  # prims of colliders
    owners: tuple[str, ...]                 # the bodies that these are of; a static collider itself
    sides: Array                            # (n, 2) rows of both

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """(n,) prims of the two colliders."""
        return tuple((self.names[i], self.names[j]) for i, j in self.sides.tolist())

    @property
    def bodies(self) -> tuple[tuple[str, str], ...]:
        """(n,) the bodies that these are of; a static collider itself."""
        return tuple((self.owners[i], self.owners[j]) for i, j in self.sides.tolist())

    @property
    def paths(self) -> frozenset[str]:
        """All colliders that may touch, and their bodies."""
        return frozenset(self.names + self.owners)

    def colliders_of(self, paths: Sequence[str]) -> Array:
        """(n, 2) rows of colliders, and which of the paths is theirs or their body's; in the order of colliders."""
        known: dict[str, list[int]] = {}
        for i, path in enumerate(paths):
            known.setdefault(path, []).append(i)
        found = [(collider, i) for collider, own in enumerate(zip(self.names, self.owners, strict=True))
                 for path in dict.fromkeys(own) for i in known.get(path, ())]
        return np.array(found, np.int64).reshape(-1, 2)


@dataclass(frozen=True, slots=True)
class Friction:
    """Where friction acted in a step: up to two anchors for the contacts of one pair and one normal."""

    meeting: ColliderPairs
    worlds: Array                           # (n_anchor,)
    points: Array                           # (n_anchor, 3) length, world; on the first collider, at the step's start
    impulses: Array                         # (n_anchor, 3) mass length / s, world; what the first collider got

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """(n_anchor,) prims of the two colliders."""
        return self.meeting.pairs

    @property
    def bodies(self) -> tuple[tuple[str, str], ...]:
        """(n_anchor,) the bodies that these are of; a static collider itself."""
        return self.meeting.bodies

    def __len__(self) -> int:
        return len(self.worlds)


@dataclass(frozen=True, slots=True)
class Contacts:
    """The contact points of a step in all worlds, made at its start, in the order in which PhysX makes them."""

    meeting: ColliderPairs
    worlds: Array                           # (n_contact,)
    points: Array                           # (n_contact, 3) length, world
    normals: Array                          # (n_contact, 3) from the second collider to the first
    separations: Array                      # (n_contact,) length, below 0 where they overlap
    impulses: Array                         # (n_contact,) mass length / s, what the first got along the normal
    friction: Friction
    dt: float                               # s, of the step

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """(n_contact,) prims of the two colliders."""
        return self.meeting.pairs

    @property
    def bodies(self) -> tuple[tuple[str, str], ...]:
        """(n_contact,) the bodies that these are of; a static collider itself."""
        return self.meeting.bodies

    def __len__(self) -> int:
        return len(self.worlds)


_NOBODY = ColliderPairs((), (), np.zeros((0, 2), np.int64))
NO_CONTACTS = Contacts(_NOBODY, np.zeros(0, np.int32), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0), np.zeros(0),
                       Friction(_NOBODY, np.zeros(0, np.int32), np.zeros((0, 3)), np.zeros((0, 3))), math.inf)


def joined(several: Sequence[Contacts]) -> Contacts:
    """Contacts of several scenes or steps together."""
    if len(several) < 2:
        return several[0] if several else NO_CONTACTS
    worlds, points, normals, separations, impulses = (
        _chained(several, name) for name in ("worlds", "points", "normals", "separations", "impulses"))
    return Contacts(_met([one.meeting for one in several]), worlds, points, normals, separations, impulses,
                    _joined_friction([one.friction for one in several]), min(one.dt for one in several))


def _joined_friction(several: Sequence[Friction]) -> Friction:
    return Friction(_met([one.meeting for one in several]),
                    *(_chained(several, name) for name in ("worlds", "points", "impulses")))


def _chained(several: Collection[Contacts] | Collection[Friction], name: str) -> Array:
    return np.concatenate([getattr(one, name) for one in several])


def _met(several: Sequence[ColliderPairs]) -> ColliderPairs:
    known = list(dict.fromkeys((one.names, one.owners) for one in several))
    starts = np.cumsum([0, *(len(names) for names, _ in known)])
    return ColliderPairs(tuple(name for names, _ in known for name in names),
                         tuple(name for _, own in known for name in own),
                         np.concatenate([one.sides + starts[known.index((one.names, one.owners))] for one in several]))


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


def _net(meeting: ColliderPairs, in_worlds: Array, impulses: Array, worlds: int, bodies: Paths,
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

    own, others: colliders of bodies and of partners, as of `ColliderPairs.colliders_of`; None asks of no partner.
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
