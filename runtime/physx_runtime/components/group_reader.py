"""Collision groups and filtered pairs of what a USD stage describes, as the collision groups of shapes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from physx_schema.description.filter import filtered_colliders
from physx_schema.description.model import Collider, Description

MAX_CLASSES = 32       # a bit each
# A collision group, and which ends of which filtered pairs name the collider.
Kind = tuple[str, frozenset[tuple[int, int]]]


def collision_groups(description: Description) -> dict[str, list[int]]:
    """The four numbers of each collider's shapes by its path; empty where all meet.

    Colliders that meet the same ones are of one class: a bit of its own as type, and those of the classes that it meets
    as affinity. Raises ValueError for more classes than there are bits, and for inverted filters.
    """
    if description.scene.contact.groups_inverted:
        raise ValueError("components do not support inverted filters of collision groups; "
                         "author filters that are not inverted")
    kinds = dict(_kinds(description))
    distinct_kinds = list(dict.fromkeys(kinds.values()))
    collision_matrix = _can_collide(distinct_kinds, description)
    if collision_matrix.all():
        return {}
    classes: dict[bytes, int] = {}
    numbers = [classes.setdefault(row.tobytes(), len(classes)) for row in collision_matrix]
    if len(classes) > MAX_CLASSES:
        raise ValueError(f"groups and filtered pairs need {len(classes)} collision classes; components support at "
                         f"most {MAX_CLASSES}")
    affinities = [sum({1 << number for number, collides in zip(numbers, row, strict=True) if collides})
                  for row in collision_matrix]
    bits = {kind: [1 << number, affinity, 0, 0]
            for kind, number, affinity in zip(distinct_kinds, numbers, affinities, strict=True)}
    return {path: bits[kind] for path, kind in kinds.items()}


def _kinds(description: Description) -> Iterator[tuple[str, Kind]]:
    """Every collider's path with what keeps it from meeting others."""
    ends: dict[str, set[tuple[int, int]]] = {}
    for number, pair in enumerate(filtered_colliders(description)):
        for end, paths in enumerate(pair):
            for path in paths:
                ends.setdefault(path, set()).add((number, end))
    for collider in _colliders(description):
        yield collider.path, (collider.group, frozenset(ends.get(collider.path, ())))


def _colliders(description: Description) -> Iterator[Collider]:
    yield from description.static_colliders
    yield from (collider for body in description.bodies for collider in body.colliders)
    yield from (collider for articulation in description.articulations for link in articulation.links
                for collider in link.colliders)


def _can_collide(kinds: Sequence[Kind], description: Description) -> NDArray[np.bool_]:
    """Whether colliders of two kinds meet."""
    excluded = {frozenset((group.path, other)) for group in description.collision_groups
                for other in group.filtered_groups}
    matrix = np.ones((len(kinds), len(kinds)), np.bool_)
    for i, (group, ends) in enumerate(kinds):
        opposite = {(number, 1 - end) for number, end in ends}
        for j, (other, other_ends) in enumerate(kinds):
            matrix[i, j] = frozenset((group, other)) not in excluded and opposite.isdisjoint(other_ends)
    return matrix
