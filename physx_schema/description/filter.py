"""Which colliders PhysX lets meet, by what the stage says of them; how far apart they are does not count.

A filtered pair names colliders by the prims of its two ends. PhysX takes what it made of exactly that prim: a
collider, a body with its own colliders, an articulation with those of all its links. What is nested below is not named
with it. Only a target that is none of these names what is below it, and there no more than the first collider or free
body on each way down; links are found by their colliders (collectFilteredPairs in usdLoad/FilteredPairs.cpp,
collectFilteredObjects in internal/InternalFilteredPairs.cpp).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from physx_schema.description.model import Articulation, Collider, Description, Link

_ENABLED = "physics:rigidBodyEnabled"
Colliders = frozenset[str]


def filtered_colliders(description: Description) -> Iterator[tuple[Colliders, Colliders]]:
    """The paths of the colliders of both ends of every filtered pair, in the description's order."""
    if description.filtered_pairs:
        named = _NamedColliders(description)
        for pair in description.filtered_pairs:
            yield named.exactly(pair.first), named.at_or_below(pair.second)


class _NamedColliders:
    """What prims of a stage name."""

    def __init__(self, description: Description) -> None:
        disabled = {item.path for item in description.authored if item.property == _ENABLED and item.value is False}
        self._colliders: list[str] = []
        self._by_prim: dict[str, set[str]] = {path: set() for path in (*description.body_paths, *disabled)}
        self._ends: set[str] = set(self._by_prim)        # where the way down to a collider ends
        for articulation in description.articulations:
            self._by_prim.setdefault(articulation.path, set())
            self._ends.difference_update(link.path for link in articulation.links)
            for link in articulation.links:
                self._add(link.colliders, link.path, articulation.path)
        for body in description.bodies:
            self._add(body.colliders, body.path)
        for collider in description.static_colliders:
            self._add((collider,), next((path for path in reversed(_ancestors(collider.path)) if path in disabled), ""))
        self._below: dict[str, Colliders] = {}

    def exactly(self, path: str) -> Colliders:
        """Of what PhysX made of this prim."""
        return frozenset(self._by_prim.get(path, ()))

    def at_or_below(self, path: str) -> Colliders:
        """The same, or where PhysX made nothing of it of what is below."""
        if path in self._by_prim:
            return self.exactly(path)
        if path not in self._below:
            self._below[path] = frozenset(self._colliders_below(path))
        return self._below[path]

    def _add(self, colliders: tuple[Collider, ...], *names: str) -> None:
        for collider in colliders:
            self._colliders.append(collider.path)
            self._ends.add(collider.path)
            for name in {collider.path, *names} - {""}:
                self._by_prim.setdefault(name, set()).add(collider.path)

    def _colliders_below(self, path: str) -> Iterator[str]:
        for collider in self._colliders:
            ancestors = _ancestors(collider)
            if path in ancestors:
                end = next(name for name in ancestors[ancestors.index(path) + 1:] if name in self._ends)
                if collider in self._by_prim[end]:
                    yield collider


def _ancestors(path: str) -> list[str]:
    """The prims above one, from the first below the root on, and that one."""
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(2, len(parts) + 1)]


_SELF_COLLISION = ("physxArticulation:enabledSelfCollisions", "newton:selfCollisionEnabled")


@dataclass(frozen=True, slots=True)
class FilterShape:
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
        self.shapes = tuple(_filter_shapes(description))
        kinds = list(dict.fromkeys((shape.collider.group, shape.scene) for shape in self.shapes))
        numbers = {kind: number for number, kind in enumerate(kinds)}
        self.classes: NDArray[np.int64] = np.array(
            [numbers[shape.collider.group, shape.scene] for shape in self.shapes], np.int64)
        self.collides = _can_collide(kinds, frozenset(_filtered_groups(description)))
        self.excluded_pairs = self._find_excluded_pairs(description)
        self._no_self_collision = frozenset(_without_self_collision(description))

    def _find_excluded_pairs(self, description: Description) -> Mapping[int, frozenset[int]]:
        """The sides that each side never meets for a filtered pair, a joint, or being neighbours."""
        joined = [(joint.body0 or joint.collider, joint.body1 or joint.collider) for joint in description.joints
                  if not joint.collision_enabled]
        for articulation in description.articulations:
            links = articulation.links
            joined += [(links[link.parent].path, link.path) for link in links[1:]]
        by_collider: dict[str, list[int]] = {}
        by_body: dict[str, list[int]] = {}
        for number, shape in enumerate(self.shapes):
            by_body.setdefault(shape.body or shape.collider.path, []).append(number)
            by_collider.setdefault(shape.collider.path, []).append(number)
        ends = [(by_body.get(first, ()), by_body.get(second, ())) for first, second in joined]
        for named in filtered_colliders(description):
            first, second = ([i for path in paths for i in by_collider.get(path, ())] for paths in named)
            ends.append((first, second))
        excluded: dict[int, set[int]] = {}
        for indices, others in ends:
            for i, j in product(indices, others):
                excluded.setdefault(i, set()).add(j)
                excluded.setdefault(j, set()).add(i)
        return {number: frozenset(others) for number, others in excluded.items()}

    def colliding_pair(self, bodies: Iterable[str]) -> tuple[Collider, Collider] | None:
        """The first collider of some links or bodies that can meet another, and that other; None where none can."""
        body_paths = frozenset(bodies)
        for i, shape in enumerate(self.shapes):
            for j in range(len(self.shapes)) if shape.body in body_paths else ():
                if self.can_collide(i, j):
                    return shape.collider, self.shapes[j].collider
        return None

    def can_collide(self, i: int, j: int) -> bool:
        """Whether two sides may meet."""
        shape, other = self.shapes[i], self.shapes[j]
        if shape.body == other.body or not (shape.moves or other.moves):
            return False
        if shape.owner and shape.owner == other.owner and self.excludes_self_collision(shape):
            return False
        return bool(self.collides[self.classes[i], self.classes[j]]) and j not in self.excluded_pairs.get(i, ())

    def excludes_self_collision(self, shape: FilterShape) -> bool:
        """Whether it is of an articulation that does not collide with itself."""
        return shape.owner in self._no_self_collision


class TriggerFilter(CollisionFilter):
    """Which colliders triggers tell of: those of other bodies in their scene that are no triggers, be they at rest.

    Groups, filtered pairs, joints and being neighbours keep nothing from a trigger (OmniFilterShader in PhysXScene.cpp,
    filterRbCollisionPair in ScFiltering.cpp).
    """

    def __init__(self, description: Description) -> None:
        self.shapes = tuple(_filter_shapes(description, triggers=True))
        kinds = list(dict.fromkeys((shape.collider.trigger, shape.scene) for shape in self.shapes))
        numbers = {kind: number for number, kind in enumerate(kinds)}
        self.classes = np.array([numbers[shape.collider.trigger, shape.scene] for shape in self.shapes], np.int64)
        self.collides = np.array([[is_trigger != other and (scene == another or None in (scene, another))
                                   for other, another in kinds] for is_trigger, scene in kinds], np.bool_)
        self.excluded_pairs, self._no_self_collision = {}, frozenset()


def _without_self_collision(description: Description) -> Iterator[str]:
    """Root links of articulations that do not collide with themselves."""
    unused = {(item.path, item.property) for item in description.unused}
    settings = {(item.path, item.property): item.value for item in description.authored
                if item.property in _SELF_COLLISION and (item.path, item.property) not in unused}
    for articulation in description.articulations:
        if any(settings.get((articulation.path, name), True) is False for name in _SELF_COLLISION):
            yield articulation.links[0].path


def _can_collide(kinds: Sequence[tuple[str, str | None]], filtered: frozenset[tuple[str, str]]) -> NDArray[np.bool_]:
    """Whether classes meet, by two of them; a class is of a collision group and a scene."""
    collides = np.ones((len(kinds), len(kinds)), np.bool_)
    for (i, (group, scene)), (j, (other, another)) in product(enumerate(kinds), repeat=2):
        collides[i, j] = ((scene == another or None in (scene, another))
                          and (group, other) not in filtered and (other, group) not in filtered)
    return collides


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


def _filter_shapes(description: Description, triggers: bool = False) -> Iterator[FilterShape]:
    """What can touch, or with `triggers` what can be in a trigger, these included."""
    for articulation in description.articulations:
        for index, link in enumerate(articulation.links):
            is_fixed = index == 0 and articulation.fixed_base
            yield from _body_shapes(link, articulation, not is_fixed, triggers)
    for body in description.bodies:
        yield from _body_shapes(body, None, not body.kinematic, triggers)
    for collider in _active_colliders(description.static_colliders, triggers):
        yield FilterShape(collider, "", "", None, False)


def _body_shapes(link: Link, articulation: Articulation | None, moves: bool, triggers: bool) -> Iterator[FilterShape]:
    if not (link.contact.solved or triggers):
        return
    owner = articulation.links[0].path if articulation else ""
    for collider in _active_colliders(link.colliders, triggers):
        yield FilterShape(collider, link.path, owner, link.scene, moves)


def _active_colliders(colliders: Sequence[Collider], triggers: bool) -> Iterator[Collider]:
    return (collider for collider in colliders if collider.enabled and (triggers or not collider.trigger))
