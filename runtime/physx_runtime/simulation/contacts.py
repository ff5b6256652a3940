"""`Contacts` holds the contact points of a step: pairs, points, normals, separations, impulses and friction anchors.
`normal_force` and `friction_force` sum them by body, as the rigid contact view of Isaac Sim's tensor API does.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from physx_runtime.arrays import Array
from physx_schema.arguments import display, label, required_texts, suggestion
from physx_schema.field_text import fields_repr

MAX_PAIRS = 4       # that a printed object lists


@dataclass(frozen=True, slots=True)
class ColliderPairs:
    """The two colliders of each row."""

    names: tuple[str, ...]                  # prims of colliders
    owners: tuple[str, ...]                 # the bodies that these are of; a static collider itself
    rows: Array                            # (n, 2) rows of both

    __repr__ = fields_repr

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """(n,) prims of the two colliders."""
        return tuple((self.names[i], self.names[j]) for i, j in self.rows.tolist())

    @property
    def bodies(self) -> tuple[tuple[str, str], ...]:
        """(n,) the bodies that these are of; a static collider itself."""
        return tuple((self.owners[i], self.owners[j]) for i, j in self.rows.tolist())

    @property
    def paths(self) -> frozenset[str]:
        """All colliders that may touch, and their bodies."""
        return frozenset(self.names + self.owners)

    def colliders_of(self, paths: Sequence[str]) -> Array:
        """(n, 2) index of a collider and of its path, or of its body's path, in `paths`; in the order of colliders."""
        indices_by_path: dict[str, list[int]] = {}
        for i, path in enumerate(paths):
            indices_by_path.setdefault(path, []).append(i)
        matches = [(collider, i) for collider, prims in enumerate(zip(self.names, self.owners, strict=True))
                   for path in dict.fromkeys(prims) for i in indices_by_path.get(path, ())]
        return np.array(matches, np.int64).reshape(-1, 2)


@dataclass(frozen=True, slots=True)
class Friction:
    """Friction of a step: up to two anchors for the contacts of one pair with one normal."""

    colliders: ColliderPairs
    worlds: Array                           # (n_anchor,)
    points: Array                           # (n_anchor, 3) length, world; on the first collider, at the step's start
    impulses: Array                         # (n_anchor, 3) mass length / s, world; what the first collider got

    __repr__ = fields_repr

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The prims of the two colliders, (n_anchor,)."""
        return self.colliders.pairs

    @property
    def bodies(self) -> tuple[tuple[str, str], ...]:
        """The bodies of the two colliders, (n_anchor,); for a static collider, the collider."""
        return self.colliders.bodies

    def __len__(self) -> int:
        return len(self.worlds)


@dataclass(frozen=True, slots=True)
class Contacts:
    """The contact points of a step in all worlds, generated at its start, in the order of PhysX."""

    colliders: ColliderPairs
    worlds: Array                           # (n_contact,)
    points: Array                           # (n_contact, 3) length, world
    normals: Array                          # (n_contact, 3) from the second collider to the first
    separations: Array                      # (n_contact,) length, below 0 where they overlap
    impulses: Array                         # (n_contact,) mass length / s, what the first got along the normal
    friction: Friction
    dt: float                               # s, of the step

    def __repr__(self) -> str:
        pairs = list(dict.fromkeys(self.pairs))
        more = f" and {len(pairs) - MAX_PAIRS} more" if len(pairs) > MAX_PAIRS else ""
        return f"Contacts(points={len(self)}, pairs={pairs[:MAX_PAIRS]}{more}, dt={self.dt:.6g})"

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The prims of the two colliders, (n_contact,)."""
        return self.colliders.pairs

    @property
    def bodies(self) -> tuple[tuple[str, str], ...]:
        """The bodies of the two colliders, (n_contact,); for a static collider, the collider."""
        return self.colliders.bodies

    def __len__(self) -> int:
        return len(self.worlds)


_NO_PAIRS = ColliderPairs((), (), np.zeros((0, 2), np.int64))
NO_CONTACTS = Contacts(_NO_PAIRS, np.zeros(0, np.int32), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0), np.zeros(0),
                       Friction(_NO_PAIRS, np.zeros(0, np.int32), np.zeros((0, 3)), np.zeros((0, 3))), math.inf)


def merge_contacts(parts: Sequence[Contacts]) -> Contacts:
    """Return the contacts of several scenes or steps together."""
    if len(parts) < 2:
        return parts[0] if parts else NO_CONTACTS
    worlds, points, normals, separations, impulses = (
        _merge_field(parts, name) for name in ("worlds", "points", "normals", "separations", "impulses"))
    return Contacts(_merge_pairs([part.colliders for part in parts]), worlds, points, normals, separations, impulses,
                    _merge_friction([part.friction for part in parts]), min(part.dt for part in parts))


def _merge_friction(parts: Sequence[Friction]) -> Friction:
    return Friction(_merge_pairs([part.colliders for part in parts]),
                    *(_merge_field(parts, name) for name in ("worlds", "points", "impulses")))


def _merge_field(parts: Collection[Contacts] | Collection[Friction], name: str) -> Array:
    return np.concatenate([getattr(part, name) for part in parts])


def _merge_pairs(parts: Sequence[ColliderPairs]) -> ColliderPairs:
    known = list(dict.fromkeys((part.names, part.owners) for part in parts))
    starts = np.cumsum([0, *(len(names) for names, _ in known)])
    return ColliderPairs(tuple(name for names, _ in known for name in names),
                         tuple(name for _, owners in known for name in owners),
                         np.concatenate([part.rows + starts[known.index((part.names, part.owners))] for part in parts]))


Paths = str | Sequence[str]


def normal_force(contacts: Contacts, worlds: int, bodies: Paths, partners: Sequence[str] | None) -> Array:
    """Return the mean normal contact force on bodies or colliders over the step, in world axes.

    The shape is (n_world, 3) for one path and (n_world, n_body, 3) for several. With `partners`, only contacts with
    these bodies or colliders are included; the shape is (n_world, n_body, n_partner, 3), without n_body for one path.
    """
    normal_impulses = contacts.impulses[:, None] * contacts.normals
    return _net(contacts.colliders, contacts.worlds, normal_impulses, worlds, bodies, partners) / contacts.dt


def friction_force(contacts: Contacts, worlds: int, bodies: Paths, partners: Sequence[str] | None) -> Array:
    """Return the mean friction force, as `normal_force`. Torsional friction is excluded, because it gives only a
    torque."""
    friction = contacts.friction
    return _net(friction.colliders, friction.worlds, friction.impulses, worlds, bodies, partners) / contacts.dt


def require_paths(bodies: Paths, partners: Sequence[str] | None, known: Collection[str]) -> None:
    """Raise ValueError for the first path that is neither a body nor a collider whose contacts are stepped."""
    paths = [bodies] if isinstance(bodies, str) else required_sequence("bodies", bodies)
    for path in (*paths, *(() if partners is None else required_sequence("partners", partners))):
        if path not in known:
            raise ValueError(f"{label(path)} is neither a body nor a collider with simulated contacts; "
                             f"{suggestion(path, sorted(known), 'give one of')}")


def required_sequence(argument: str, paths: object) -> Sequence[str]:
    """A list or tuple of paths, which is read more than once. Raises ValueError for anything else."""
    if not isinstance(paths, Sequence):
        raise ValueError(f"{argument} is {display(paths)}; give a list of prim paths")
    return required_texts(argument, paths)


def _net(pairs: ColliderPairs, in_worlds: Array, impulses: Array, worlds: int, bodies: Paths,
         partners: Sequence[str] | None) -> Array:
    """Force on first sides minus force on second sides, by world, body and partner."""
    paths = [bodies] if isinstance(bodies, str) else bodies
    body_rows, partner_rows = pairs.colliders_of(paths), None if partners is None else pairs.colliders_of(partners)
    net = np.zeros((worlds, len(paths), 1 if partners is None else len(partners), 3), impulses.dtype)
    first_rows, second_rows = (_rows_of_side(pairs.rows, k, body_rows, partner_rows) for k in (0, 1))
    signs = np.repeat(np.array([1, -1], impulses.dtype), [first_rows.shape[1], second_rows.shape[1]])
    row, body, partner = rows = np.concatenate([first_rows, second_rows], axis=1)
    # a body that is on both sides gets what it gives
    _, which, times = np.unique(rows, axis=1, return_inverse=True, return_counts=True)
    is_single = times[which.ravel()] == 1
    order = np.flatnonzero(is_single)[np.argsort(row[is_single], kind="stable")]
    row, body, partner, signs = row[order], body[order], partner[order], signs[order]
    np.add.at(net, (in_worlds[row], body, partner), signs[:, None] * impulses[row])
    net = net[:, :, 0] if partners is None else net
    return net[:, 0] if isinstance(bodies, str) else net


def _rows_of_side(rows: Array, k: int, body_rows: Array, partner_rows: Array | None) -> Array:
    """(3, n) rows of contacts, the body that side k of each is of, and the partner that its other side is of.

    body_rows, partner_rows: as of `ColliderPairs.colliders_of`, of bodies and of partners; None for no partner.
    """
    row, body = _match_colliders(rows[:, k], body_rows)
    if partner_rows is None:
        return np.stack([row, body, np.zeros_like(row)])
    matches, partner = _match_colliders(rows[row, 1 - k], partner_rows)
    return np.stack([row[matches], body[matches], partner])


def _match_colliders(colliders: Array, path_of_collider: Array) -> tuple[Array, Array]:
    """Every index of a list of colliders with every known path of the collider there."""
    first, end = (np.searchsorted(path_of_collider[:, 0], colliders, side) for side in ("left", "right"))
    counts = end - first
    index = np.repeat(np.arange(len(colliders)), counts)
    within = np.arange(len(index)) - np.repeat(np.cumsum(counts) - counts, counts)
    return index, path_of_collider[first[index] + within, 1]
