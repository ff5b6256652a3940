"""Contacts and ray hits, by components and shapes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]


@dataclass(frozen=True)
class PhysxContactPoint:
    """Where two shapes touched."""

    position: Array             # (3,) m, world
    normal: Array               # (3,) from the second shape to the first
    impulse: Array              # (3,) N s, what the first body got along the normal
    separation: float           # m, below 0 where they overlap


@dataclass(frozen=True)
class PhysxContact:
    """Two shapes that touched in the last step."""

    bodies: list[Any]           # both components
    shapes: list[Any]           # both shapes
    points: list[PhysxContactPoint]

    def __repr__(self) -> str:
        names = " and ".join(repr(body.entity.name) for body in self.bodies)
        return f"PhysxContact({names}, {len(self.points)} points)"


@dataclass(frozen=True)
class PhysxRayHit:
    """What a ray met."""

    component: Any
    shape: Any
    position: Array             # (3,) m, world
    normal: Array               # (3,) outward
    distance: float             # m


def contacts_of(engine: Any, world: int) -> list[PhysxContact]:
    """The contacts of a world in the last step of an engine, none before there is one."""
    if engine is None:
        return []
    found, shapes = engine.scene.contacts, engine.written.shapes
    pairs: dict[tuple[str, str], list[PhysxContactPoint]] = {}
    for i, pair in enumerate(found.pairs):
        if found.worlds[i] == world:
            normal = found.normals[i].astype(np.float32)
            pairs.setdefault(pair, []).append(PhysxContactPoint(
                found.points[i].astype(np.float32), normal, np.float32(found.impulses[i]) * normal,
                float(found.separations[i])))
    return [PhysxContact([shapes[path].body for path in pair], [shapes[path] for path in pair], points)
            for pair, points in pairs.items()]


def hit_of(engine: Any, hit: Any) -> PhysxRayHit | None:
    """What the engine's ray met, by component and shape."""
    if hit is None:
        return None
    shape = engine.written.shapes[hit.collider]
    return PhysxRayHit(shape.body, shape, np.asarray(hit.position, np.float32), np.asarray(hit.normal, np.float32),
                       float(hit.distance))
