"""What touched in a step, and with which forces."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Meeting:
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

    meeting: Meeting
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

    meeting: Meeting
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


_NOBODY = Meeting((), (), np.zeros((0, 2), np.int64))
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


def _met(several: Sequence[Meeting]) -> Meeting:
    known = list(dict.fromkeys((one.names, one.owners) for one in several))
    starts = np.cumsum([0, *(len(names) for names, _ in known)])
    return Meeting(tuple(name for names, _ in known for name in names), tuple(name for _, own in known for name in own),
                   np.concatenate([one.sides + starts[known.index((one.names, one.owners))] for one in several]))
