"""How deep two colliders are inside each other, of simple shapes: by how far they reach along a few directions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

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

    def reach(self, directions: Array) -> tuple[Array, Array]:
        """From where to where it reaches along unit vectors, (n, 3); a plane from nowhere up to its surface."""
        shape, middle = self.side.collider, directions @ self.center
        if shape.kind == "plane":
            upward = directions @ self.axes[0] > 1.0 - _LEAST
            return np.full_like(middle, -math.inf), np.where(upward, middle, math.inf)
        if shape.kind in _BALLS:
            return middle - shape.radius, middle + shape.radius
        if shape.kind in _BOXES:
            half = np.abs(directions @ self.axes.T) @ shape.half_extents
            return middle - half, middle + half
        along = directions @ self.axes[0]
        rim = shape.radius * (1.0 if shape.kind == "capsule" else np.sqrt(np.maximum(0.0, 1.0 - along * along)))
        base, tip = -along * shape.half_height, along * shape.half_height
        top = 0.0 if shape.kind == "cone" else rim
        return middle + np.minimum(base - rim, tip - top), middle + np.maximum(base + rim, tip + top)

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
    directions = _directions(one, other)
    (low, high), (other_low, other_high) = one.reach(directions), other.reach(directions)
    overlaps = np.concatenate([other_high - low, high - other_low])
    least = int(overlaps.argmin())
    way = directions[least] if least < len(directions) else -directions[least - len(directions)]
    return float(overlaps[least]), way


def _directions(one: Placed, other: Placed) -> Array:
    """Unit vectors along one of which two shapes overlap least, (n, 3)."""
    planes = [item for item in (one, other) if item.side.collider.kind == "plane"]
    if planes:
        return planes[0].axes[:1]
    edges = np.array([(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
                      for a in one.axes.tolist() for b in other.axes.tolist()])
    found = np.concatenate([one.axes, other.axes, edges, _ways(one, other), _ways(other, one)])
    lengths = np.sqrt((found * found).sum(axis=1))
    some = lengths > _LEAST
    return np.asarray(found[some] / lengths[some, None])


def _ways(one: Placed, other: Placed) -> Array:
    """From one shape to the middle and the ends of another, which need not be nearest in its middle: (3, 3)."""
    collider = one.side.collider
    ends = np.array([[0.0], [-1.0], [1.0]]) * (other.side.collider.half_height * other.axes[0])
    points = other.center + ends
    # the point of a box, or of the middle of another shape, that is nearest
    most = np.array(collider.half_extents if collider.kind in _BOXES else (collider.half_height, 0.0, 0.0))
    own = (points - one.center) @ one.axes.T
    nearest = np.minimum(np.maximum(own, -most), most)
    return np.asarray(points - one.center - nearest @ one.axes)


def near_pairs(items: Mapping[int, Placed]) -> Iterator[tuple[int, int]]:
    """Sides whose balls around them, grown by their contact offsets, overlap, or touch a plane: by a sweep along x."""
    numbers = np.array([i for i, item in items.items() if item.side.collider.kind != "plane"], np.int64)
    if not len(numbers):
        return
    middles, radii = np.array([items[i].center for i in numbers]), np.array([_radius(items[i]) for i in numbers])
    yield from _at_planes(items, numbers, middles, radii)
    order = np.argsort(middles[:, 0] - radii, kind="stable")
    numbers, middles, radii = numbers[order], middles[order], radii[order]
    ends = np.searchsorted(middles[:, 0] - radii, middles[:, 0] + radii, side="right")
    for place, end in enumerate(ends.tolist()):
        if end > place + 1:
            later = slice(place + 1, end)
            apart = middles[later] - middles[place]
            near = np.flatnonzero((apart * apart).sum(axis=1) <= (radii[later] + radii[place]) ** 2)
            for k in near.tolist():
                yield int(numbers[place]), int(numbers[place + 1 + k])


def _at_planes(items: Mapping[int, Placed], numbers: NDArray[np.int64], middles: Array,
               radii: Array) -> Iterator[tuple[int, int]]:
    for i, plane in items.items():
        if plane.side.collider.kind == "plane":
            height = (middles - plane.center) @ plane.axes[0] - (plane.side.collider.contact_offset or 0.0)
            yield from ((i, j) for j in numbers[height <= radii].tolist())


def _radius(item: Placed) -> float:
    """Of a ball around a collider and its contact offset."""
    shape = item.side.collider
    if shape.kind in _BOXES:
        size = math.hypot(*shape.half_extents)
    elif shape.kind == "capsule":
        size = shape.radius + shape.half_height
    else:
        size = math.hypot(shape.radius, shape.half_height) if shape.kind in _RODS else shape.radius
    return float(size + (shape.contact_offset or 0.0))
