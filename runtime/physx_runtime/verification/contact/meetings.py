"""Which physics materials meet on a stage, and on what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, product

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
    movers: dict[str, list[int]] = {}
    for number, side in enumerate(filtered.sides):
        groups.setdefault(side.collider.material, []).append(number)
        if side.moves:
            movers.setdefault(side.collider.material, []).append(number)
    for path, other in product(sorted(groups.keys() & materials.keys()), sorted(groups)):
        # one of two that meet moves; the ground may be thousands of colliders
        candidates = chain(product(movers.get(path, ()), groups[other]), product(groups[path], movers.get(other, ())))
        pair = next((pair for pair in candidates if filtered.meet(*pair)), None)
        if pair is not None:
            side, partner = (filtered.sides[number] for number in pair)
            yield Meeting(materials[path], materials.get(other, DEFAULT_MATERIAL), side.collider.path,
                          partner.collider.path, _mover(side, partner))


def _mover(side: ColliderSide, partner: ColliderSide) -> str:
    return side.body if side.moves else partner.body
