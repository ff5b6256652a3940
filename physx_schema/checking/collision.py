"""Colliders that no scene has."""

from __future__ import annotations

from collections.abc import Iterator

from physx_schema.checking.finding import Finding
from physx_schema.checking.rule import Rule
from physx_schema.description import Authored, Description


def collider_owners(description: Description) -> Iterator[Finding]:
    """Colliders whose simulationOwner names no scene; of bodies the reader says it."""
    scenes = {scene.path for scene in description.scenes}
    for item in description.authored:
        if item.schema == "PhysicsCollisionAPI" and item.base == "simulationOwner" and item.value:
            yield from _unowned(item, scenes)


def _unowned(item: Authored, scenes: set[str]) -> Iterator[Finding]:
    targets = item.value if isinstance(item.value, tuple) else ()
    if targets and not scenes.intersection(targets):
        yield Finding(
            "collider/no-scene", "error", item.path, item.property,
            f"{', '.join(map(str, targets))} is no PhysicsScene that PhysX sees", "PhysX lets nothing collide with it",
            f"point it at {min(scenes)}" if scenes else "remove it, or define a PhysicsScene there",
        )


RULES = (Rule("collider-owners", collider_owners, ("collider/no-scene",)),)
