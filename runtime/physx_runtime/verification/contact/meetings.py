"""Which physics materials meet on a stage, and on what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from physx_schema.description.collision.materials import DEFAULT_MATERIAL
from physx_schema.description.collision_filter import ColliderSide, CollisionFilter
from physx_schema.description.model import Description, PhysicsMaterial


@dataclass(frozen=True, slots=True)
class Meeting:
    """A material and one that it meets, on the first two colliders of them that may touch."""

    own: PhysicsMaterial
    other: PhysicsMaterial
    collider: str               # prims of the colliders
    partner: str
    body: str                   # prim of the one of both that moves

    @property
    def other_name(self) -> str:
        """What to call the other material: its prim, or PhysX's own on the collider that has none."""
        return self.other.path or f"PhysX's default material on {self.partner}"


def meetings(description: Description) -> Iterator[Meeting]:
    """Every material with each that it may meet, itself included, materials by path; none that meets nothing."""
    filtered = CollisionFilter(description)
    materials = {material.path: material for material in description.materials}
    groups: dict[str, list[int]] = {}
    for number, side in enumerate(filtered.sides):
        groups.setdefault(side.collider.material, []).append(number)
    for path, other in product(sorted(groups), repeat=2):
        pair = next(((i, j) for i in groups[path] for j in groups[other] if filtered.meet(i, j)), None)
        if pair is not None and path in materials:
            side, partner = (filtered.sides[number] for number in pair)
            yield Meeting(materials[path], materials.get(other, DEFAULT_MATERIAL), side.collider.path,
                          partner.collider.path, _mover(side, partner))


def _mover(side: ColliderSide, partner: ColliderSide) -> str:
    return side.body if side.moves else partner.body
