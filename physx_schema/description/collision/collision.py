"""Everything about collision on a stage: colliders by body, materials, groups and filtered pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from physx_schema.description.collision.colliders import ColliderPart, ColliderReader
from physx_schema.description.collision.filtering import group_of_collider, read_filtered_pairs, read_groups
from physx_schema.description.collision.materials import Materials
from physx_schema.description.collision.reports import read_contact_reports
from physx_schema.description.model import Collider, CollisionGroup, ContactReport, FilteredPair, PhysicsMaterial
from physx_schema.description.opinions.reading import Reading
from physx_schema.description.scenes import Scenes


@dataclass(frozen=True, slots=True)
class Collision:
    """What a stage says about collision."""

    by_body: Mapping[str, Sequence[ColliderPart]]
    static: tuple[Collider, ...]
    materials: tuple[PhysicsMaterial, ...]
    groups: tuple[CollisionGroup, ...]
    pairs: tuple[FilteredPair, ...]
    reports: tuple[ContactReport, ...]


def read_collision(reading: Reading, scenes: Scenes) -> Collision:
    """Read the colliders of a stage in traversal order, and what decides about their contacts."""
    materials = Materials(reading, scenes.default.path)
    groups = read_groups(reading)
    reader = ColliderReader(reading, scenes, materials, group_of_collider(reading, groups))
    by_body: dict[str, list[ColliderPart]] = {}
    for opinions in reading.having("PhysicsCollisionAPI"):
        for part in reader.read(opinions):
            by_body.setdefault(part.fact.body, []).append(part)
    static = tuple(part.fact for part in by_body.pop("", ()))
    return Collision(by_body, static, tuple(materials.by_path.values()), groups, read_filtered_pairs(reading),
                     read_contact_reports(reading))
