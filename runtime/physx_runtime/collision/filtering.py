"""Which colliders PhysX lets meet, by what the stage says of them; how far apart they are does not count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from physx_schema.description.model import Articulation, Collider, Description, Link

_ITSELF = ("physxArticulation:enabledSelfCollisions", "newton:selfCollisionEnabled")


@dataclass(frozen=True, slots=True)
class _Side:
    """A collider that can touch, and what it moves with."""

    collider: Collider
    body: str                   # path of the link or body, "" for a static collider
    owner: str                  # path of the root link of its articulation, "" for none
    scene: str | None           # None for a static collider, which meets bodies of every scene
    moves: bool                 # by forces: not static, kinematic or the root of a fixed base
    names: frozenset[str]       # prims that a filtered pair may name it by


class CollisionFilter:
    """What keeps colliders apart: being neighbours, joints, switched-off self-collision, groups, pairs and scenes."""

    def __init__(self, description: Description) -> None:
        unused = {(item.path, item.property) for item in description.unused}
        settings = {(item.path, item.property): item.value for item in description.authored
                    if item.property in _ITSELF and (item.path, item.property) not in unused}
        inverted = any(scene.contact.groups_inverted for scene in (description.scene, *description.scenes))
        self._apart: dict[str, set[str]] = {}       # by group or prim: the groups or prims it does not meet
        for first, second in (*_filtered_groups(description, inverted),
                              *((pair.first, pair.second) for pair in description.filtered_pairs)):
            self._apart.setdefault(first, set()).add(second)
            self._apart.setdefault(second, set()).add(first)
        self._joined = {frozenset((joint.body0, joint.body1)) for joint in description.joints
                        if not joint.collision_enabled}
        self._calm = set()      # root links of articulations that do not collide with themselves
        for articulation in description.articulations:
            links = articulation.links
            self._joined |= {frozenset((links[link.parent].path, link.path)) for link in links[1:]}
            if any(settings.get((articulation.path, name), True) is False for name in _ITSELF):
                self._calm.add(links[0].path)
        self._sides = list(_sides(description))

    def meeting(self, bodies: Iterable[str]) -> tuple[Collider, Collider] | None:
        """The first collider of some links or bodies that can meet another, and that other; None where none can."""
        own = frozenset(bodies)
        for side in self._sides:
            if side.body not in own:
                continue
            apart = set().union(*(self._apart.get(name, ()) for name in side.names))
            for other in self._sides:
                if self._meet(side, other) and not apart & other.names:
                    return side.collider, other.collider
        return None

    def _meet(self, side: _Side, other: _Side) -> bool:
        if side.body == other.body or not (side.moves or other.moves):
            return False
        if side.scene != other.scene and None not in (side.scene, other.scene):
            return False
        if side.owner and side.owner == other.owner and side.owner in self._calm:
            return False
        return frozenset((side.body, other.body)) not in self._joined


def _filtered_groups(description: Description, inverted: bool) -> Iterator[tuple[str, str]]:
    groups = description.collision_groups
    for group in groups:
        for other in groups if inverted else ():
            if other.path not in group.filtered_groups and group.path not in other.filtered_groups:
                yield group.path, other.path
        for path in group.filtered_groups if not inverted else ():
            yield group.path, path


def _sides(description: Description) -> Iterator[_Side]:
    for articulation in description.articulations:
        for index, link in enumerate(articulation.links):
            held = index == 0 and articulation.fixed_base
            yield from _of_body(link, articulation, not held)
    for body in description.bodies:
        yield from _of_body(body, None, not body.kinematic)
    for collider in _touching(description.static_colliders):
        yield _Side(collider, "", "", None, False, _names(collider))


def _of_body(link: Link, articulation: Articulation | None, moves: bool) -> Iterator[_Side]:
    owner = articulation.links[0].path if articulation else ""
    root = (articulation.path,) if articulation else ()
    for collider in _touching(link.colliders):
        yield _Side(collider, link.path, owner, link.scene, moves, _names(collider, link.path, *root))


def _touching(colliders: Sequence[Collider]) -> Iterator[Collider]:
    return (collider for collider in colliders if collider.enabled and not collider.trigger)


def _names(collider: Collider, *more: str) -> frozenset[str]:
    """The collider, its group, what it moves with, and the prims above it."""
    parts = collider.path.split("/")
    above = ("/".join(parts[:count]) for count in range(2, len(parts) + 1))
    return frozenset((*above, *more, *((collider.group,) if collider.group else ())))
