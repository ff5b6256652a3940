"""The colliders that a filtered pair names, by the prims of its two ends.

PhysX takes what it made of exactly that prim: a collider, a body with its own colliders, an articulation with those of
all its links. What is nested below is not named with it. Only a target that is none of these names what is below it,
and there no more than the first collider or free body on each way down; links are found by their colliders
(collectFilteredPairs in usdLoad/FilteredPairs.cpp, collectFilteredObjects in internal/InternalFilteredPairs.cpp).
"""

from __future__ import annotations

from collections.abc import Iterator

from physx_schema.description.model import Collider, Description

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
