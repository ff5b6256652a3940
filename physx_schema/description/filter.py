"""Which colliders PhysX lets meet, by what the stage says of them; how far apart they are does not count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from physx_schema.description.model import Articulation, Collider, Description, Link
from physx_schema.description.named_colliders import filtered_colliders

_ITSELF = ("physxArticulation:enabledSelfCollisions", "newton:selfCollisionEnabled")


@dataclass(frozen=True, slots=True)
class ColliderSide:
    """A collider that can touch, and what it moves with."""

    collider: Collider
    body: str                   # path of the link or body, "" for a static collider
    owner: str                  # path of the root link of its articulation, "" for none
    scene: str | None           # None for a static collider, which meets bodies of every scene
    moves: bool                 # by forces: not static, kinematic or the root of a fixed base


class CollisionFilter:
    """What keeps colliders apart: being neighbours, joints, switched-off self-collision, groups, pairs and scenes.

    `sides` are all colliders that can touch. Sides of one class meet sides of another where `meets` says so, by the
    classes of both; those that nevertheless never meet are in `apart`, by side. Besides, sides of one body do not meet,
    nor those of one articulation without self-collision, nor two of which neither moves.
    """

    def __init__(self, description: Description) -> None:
        self.sides = tuple(_sides(description))
        kinds = list(dict.fromkeys((side.collider.group, side.scene) for side in self.sides))
        numbers = {kind: number for number, kind in enumerate(kinds)}
        self.classes: NDArray[np.int64] = np.array(
            [numbers[side.collider.group, side.scene] for side in self.sides], np.int64)
        self.meets = _meets(kinds, frozenset(_filtered_groups(description)))
        self.apart = self._apart(description)
        self._calm = frozenset(_calm(description))

    def _apart(self, description: Description) -> Mapping[int, frozenset[int]]:
        """The sides that each side never meets for a filtered pair, a joint, or being neighbours."""
        joined = [(joint.body0 or joint.collider, joint.body1 or joint.collider) for joint in description.joints
                  if not joint.collision_enabled]
        for articulation in description.articulations:
            links = articulation.links
            joined += [(links[link.parent].path, link.path) for link in links[1:]]
        by_collider: dict[str, list[int]] = {}
        by_body: dict[str, list[int]] = {}
        for number, side in enumerate(self.sides):
            by_body.setdefault(side.body or side.collider.path, []).append(number)
            by_collider.setdefault(side.collider.path, []).append(number)
        ends = [(by_body.get(first, ()), by_body.get(second, ())) for first, second in joined]
        for named in filtered_colliders(description):
            first, second = ([i for path in paths for i in by_collider.get(path, ())] for paths in named)
            ends.append((first, second))
        found: dict[int, set[int]] = {}
        for own, others in ends:
            for i, j in product(own, others):
                found.setdefault(i, set()).add(j)
                found.setdefault(j, set()).add(i)
        return {number: frozenset(others) for number, others in found.items()}

    def meeting(self, bodies: Iterable[str]) -> tuple[Collider, Collider] | None:
        """The first collider of some links or bodies that can meet another, and that other; None where none can."""
        own = frozenset(bodies)
        for i, side in enumerate(self.sides):
            for j in range(len(self.sides)) if side.body in own else ():
                if self.meet(i, j):
                    return side.collider, self.sides[j].collider
        return None

    def meet(self, i: int, j: int) -> bool:
        """Whether two sides may meet."""
        side, other = self.sides[i], self.sides[j]
        if side.body == other.body or not (side.moves or other.moves):
            return False
        if side.owner and side.owner == other.owner and self.is_calm(side):
            return False
        return bool(self.meets[self.classes[i], self.classes[j]]) and j not in self.apart.get(i, ())

    def is_calm(self, side: ColliderSide) -> bool:
        """Whether it is of an articulation that does not collide with itself."""
        return side.owner in self._calm


class TriggerFilter(CollisionFilter):
    """Which colliders triggers tell of: those of other bodies in their scene that are no triggers, be they at rest.

    Groups, filtered pairs, joints and being neighbours keep nothing from a trigger (OmniFilterShader in PhysXScene.cpp,
    filterRbCollisionPair in ScFiltering.cpp).
    """

    def __init__(self, description: Description) -> None:
        self.sides = tuple(_sides(description, triggers=True))
        kinds = list(dict.fromkeys((side.collider.trigger, side.scene) for side in self.sides))
        numbers = {kind: number for number, kind in enumerate(kinds)}
        self.classes = np.array([numbers[side.collider.trigger, side.scene] for side in self.sides], np.int64)
        self.meets = np.array([[one != other and (scene == another or None in (scene, another))
                                for other, another in kinds] for one, scene in kinds], np.bool_)
        self.apart, self._calm = {}, frozenset()


def _calm(description: Description) -> Iterator[str]:
    """Root links of articulations that do not collide with themselves."""
    unused = {(item.path, item.property) for item in description.unused}
    settings = {(item.path, item.property): item.value for item in description.authored
                if item.property in _ITSELF and (item.path, item.property) not in unused}
    for articulation in description.articulations:
        if any(settings.get((articulation.path, name), True) is False for name in _ITSELF):
            yield articulation.links[0].path


def _meets(kinds: Sequence[tuple[str, str | None]], filtered: frozenset[tuple[str, str]]) -> NDArray[np.bool_]:
    """Whether classes meet, by two of them; a class is of a collision group and a scene."""
    found = np.ones((len(kinds), len(kinds)), np.bool_)
    for (i, (group, scene)), (j, (other, another)) in product(enumerate(kinds), repeat=2):
        found[i, j] = ((scene == another or None in (scene, another))
                       and (group, other) not in filtered and (other, group) not in filtered)
    return found


def _filtered_groups(description: Description) -> Iterator[tuple[str, str]]:
    """Pairs of collision groups that do not meet, either way round."""
    groups = description.collision_groups
    inverted = any(scene.contact.groups_inverted for scene in (description.scene, *description.scenes))
    for group in groups:
        for other in groups if inverted else ():
            if other.path not in group.filtered_groups and group.path not in other.filtered_groups:
                yield group.path, other.path
        for path in group.filtered_groups if not inverted else ():
            yield group.path, path


def _sides(description: Description, triggers: bool = False) -> Iterator[ColliderSide]:
    """What can touch, or with `triggers` what can be in a trigger, these included."""
    for articulation in description.articulations:
        for index, link in enumerate(articulation.links):
            held = index == 0 and articulation.fixed_base
            yield from _of_body(link, articulation, not held, triggers)
    for body in description.bodies:
        yield from _of_body(body, None, not body.kinematic, triggers)
    for collider in _touching(description.static_colliders, triggers):
        yield ColliderSide(collider, "", "", None, False)


def _of_body(link: Link, articulation: Articulation | None, moves: bool, triggers: bool) -> Iterator[ColliderSide]:
    if not (link.contact.solved or triggers):
        return
    owner = articulation.links[0].path if articulation else ""
    for collider in _touching(link.colliders, triggers):
        yield ColliderSide(collider, link.path, owner, link.scene, moves)


def _touching(colliders: Sequence[Collider], triggers: bool) -> Iterator[Collider]:
    return (collider for collider in colliders if collider.enabled and (triggers or not collider.trigger))
