"""How deep two colliders are inside each other, of simple shapes: by how far they reach along a few directions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_schema.description.collision_filter import ColliderSide, CollisionFilter
from physx_schema.description.frames import composed
from physx_schema.description.model import Description, Link
from physx_schema.description.poses import Pose

Array = NDArray[np.float64]
_BOXES, _BALLS, _RODS = ("box", "bounding-box"), ("sphere", "bounding-sphere"), ("capsule", "cylinder", "cone")
KINDS = (*_BOXES, *_BALLS, *_RODS, "plane")
_LEAST = 1e-9       # of the product of two edges that point alike


@dataclass(frozen=True, slots=True)
class Placed:
    """A collider where it starts."""

    side: ColliderSide
    center: Array       # world
    axes: Array         # (3, 3), rows: the shape's own axes; a plane's normal, a rod's axis first

    def reach(self, direction: Array) -> tuple[float, float]:
        """From where to where it reaches along a unit vector; a plane from nowhere up to its surface."""
        shape, middle = self.side.collider, float(self.center @ direction)
        if shape.kind == "plane":
            return -math.inf, middle if direction @ self.axes[0] > 1.0 - _LEAST else math.inf
        if shape.kind in _BALLS:
            return middle - shape.radius, middle + shape.radius
        if shape.kind in _BOXES:
            half = float(np.abs(self.axes @ direction) @ shape.half_extents)
            return middle - half, middle + half
        along = float(self.axes[0] @ direction)
        rim = shape.radius * (1.0 if shape.kind == "capsule" else math.sqrt(max(0.0, 1.0 - along * along)))
        base, tip = -along * shape.half_height, along * shape.half_height
        top = 0.0 if shape.kind == "cone" else rim
        return middle + min(base - rim, tip - top), middle + max(base + rim, tip + top)

    @property
    def thickness(self) -> float:
        """The least that it measures, endless of a plane."""
        shape = self.side.collider
        if shape.kind == "plane":
            return math.inf
        if shape.kind in _BOXES:
            return 2.0 * min(shape.half_extents)
        least = 2.0 * shape.radius
        return min(least, 2.0 * shape.half_height) if shape.kind in ("cylinder", "cone") else least


def placed(description: Description, links: Sequence[Link], found: CollisionFilter) -> dict[int, Placed]:
    """Colliders of simple shapes that may touch, by side."""
    poses = {link.path: link.pose for link in links}
    return {i: _placed(side, composed(poses[side.body], side.collider.pose) if side.body else side.collider.pose)
            for i, side in enumerate(found.sides)
            if side.collider.kind in KINDS and (not side.body or side.body in poses)}


def _placed(side: ColliderSide, pose: Pose) -> Placed:
    x, y, z, w = pose[1]
    turn = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])
    first = side.collider.axis if side.collider.kind in (*_RODS, "plane") else 0
    return Placed(side, np.array(pose[0]), np.roll(turn.T, -first, axis=0))


def depth(one: Placed, other: Placed) -> tuple[float, Array]:
    """How far they overlap where they do so least, below 0 how far they are apart; and that way, towards the first."""
    best, way = math.inf, np.zeros(3)
    for direction in _directions(one, other):
        low, high = one.reach(direction)
        other_low, other_high = other.reach(direction)
        for overlap, towards in ((other_high - low, direction), (high - other_low, -direction)):
            if overlap < best:
                best, way = overlap, towards
    return best, way


def _directions(one: Placed, other: Placed) -> Iterator[Array]:
    planes = [item for item in (one, other) if item.side.collider.kind == "plane"]
    if planes:
        yield planes[0].axes[0]
        return
    yield from one.axes
    yield from other.axes
    for a in one.axes:
        for b in other.axes:
            yield from _unit(np.cross(a, b))
    for a, b in ((one, other), (other, one)):
        yield from _unit(b.center - _nearest(a, b.center))
        for end in (-1.0, 1.0):     # of a rod, whose nearest point need not be its middle
            tip = b.center + end * b.side.collider.half_height * b.axes[0]
            yield from _unit(tip - _nearest(a, tip))


def _nearest(shape: Placed, point: Array) -> Array:
    """The point of a box, or of the middle of another shape, that is nearest to a point."""
    own, collider = shape.axes @ (point - shape.center), shape.side.collider
    most = np.array(collider.half_extents if collider.kind in _BOXES else (collider.half_height, 0.0, 0.0))
    return np.asarray(shape.center + np.clip(own, -most, most) @ shape.axes)


def _unit(vector: Array) -> Iterator[Array]:
    length = float(np.linalg.norm(vector))
    if length > _LEAST:
        yield vector / length


def near_pairs(found: CollisionFilter, items: dict[int, Placed]) -> Iterator[tuple[Placed, Placed]]:
    """Colliders that may meet and whose upright bounds, grown by their contact offsets, overlap: by a sweep along x."""
    numbers = [i for i, item in items.items() if item.side.collider.kind != "plane"]
    bounds = {i: _bounds(items[i]) for i in numbers}
    numbers.sort(key=lambda i: bounds[i][0][0])
    planes = [i for i, item in items.items() if item.side.collider.kind == "plane"]
    for place, i in enumerate(numbers):
        for j in (*planes, *_until(numbers, place, bounds)):
            if found.meet(i, j) and (j in planes or _overlap(bounds[i], bounds[j])):
                yield items[i], items[j]


def _until(numbers: Sequence[int], place: int, bounds: dict[int, Any]) -> Iterator[int]:
    end = bounds[numbers[place]][1][0]
    for j in numbers[place + 1:]:
        if bounds[j][0][0] > end:
            return
        yield j


def _bounds(item: Placed) -> tuple[list[float], list[float]]:
    offset = item.side.collider.contact_offset or 0.0
    reaches = [item.reach(axis) for axis in np.eye(3)]
    return [low - offset for low, _ in reaches], [high + offset for _, high in reaches]


def _overlap(one: Any, other: Any) -> bool:
    return all(one[0][k] <= other[1][k] and other[0][k] <= one[1][k] for k in range(3))


