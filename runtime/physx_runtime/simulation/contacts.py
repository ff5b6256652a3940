"""What touched in a step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.patches import STATIC
from physx_runtime.worlds.contact import ContactWorlds

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Contacts:
    """The contact points of a step in all worlds, made at its start, in the order in which PhysX makes them."""

    pairs: tuple[tuple[str, str], ...]      # (n_contact,) prims of the two colliders
    bodies: tuple[tuple[str, str], ...]     # (n_contact,) the bodies that these are of; a static collider itself
    worlds: Array                           # (n_contact,)
    points: Array                           # (n_contact, 3) length, world
    normals: Array                          # (n_contact, 3) from the second collider to the first
    separations: Array                      # (n_contact,) length, below 0 where they overlap
    impulses: Array                         # (n_contact,) mass length / s, what the first got along the normal

    def __len__(self) -> int:
        return len(self.pairs)


NO_CONTACTS = Contacts((), (), np.zeros(0, np.int32), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0), np.zeros(0))


def contacts_of(worlds: ContactWorlds, colliders: Sequence[str], bodies: Sequence[str]) -> Contacts:
    """The last step's; colliders: prim of each shape of the table, bodies: of each of its places."""
    table, found = worlds.table.pairs, worlds.contacts
    pair = table.rows[found["pair"]]
    swapped = pair["swapped"] == 1
    first = np.where(swapped, pair["shape1"], pair["shape0"])
    second = np.where(swapped, pair["shape0"], pair["shape1"])
    owner = table.shapes["body"]

    def body(shape: int) -> str:
        place = owner[shape]
        return colliders[shape] if worlds.table.places["kind"][place] == STATIC else bodies[place]

    return Contacts(
        tuple((colliders[i], colliders[j]) for i, j in zip(first, second, strict=True)),
        tuple((body(i), body(j)) for i, j in zip(first, second, strict=True)),
        np.maximum(table.shapes["world"][first], table.shapes["world"][second]), found["point"].astype(worlds.dtype),
        found["normal"].astype(worlds.dtype), found["separation"].astype(worlds.dtype),
        worlds.impulses.astype(worlds.dtype))


def joined(several: Sequence[Contacts]) -> Contacts:
    """Contacts of several scenes together."""
    if len(several) < 2:
        return several[0] if several else NO_CONTACTS
    return Contacts(
        tuple(pair for one in several for pair in one.pairs), tuple(pair for one in several for pair in one.bodies),
        *(np.concatenate([getattr(one, name) for one in several])
          for name in ("worlds", "points", "normals", "separations", "impulses")))
