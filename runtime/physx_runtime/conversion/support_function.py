"""Convex shapes by their support functions: how far they reach along directions, and how deep two overlap.

The depth of an overlap is the least value of the support function of the Minkowski difference, h(n) = h_A(n) + h_B(-n),
over all unit vectors n. Two shapes are apart where any value is below 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from physx_runtime.arrays import DoubleArray
from physx_schema.description.frames import composed, rotation_matrix
from physx_schema.description.model import Collider, Link
from physx_schema.description.records import Pose

_BOXES, _BALLS, _RODS = ("box", "bounding-box"), ("sphere", "bounding-sphere"), ("capsule", "cylinder", "cone")
# Directions that are tried first, their spacing in rad, and how many of the best are refined.
DIRECTIONS, SPACING, REFINED = 1000, 0.12, 6
# Each refinement tries a disc of directions around the best ones, smaller by this factor.
ROUNDS, SHRINKAGE = 16, 0.5


@dataclass(frozen=True, slots=True)
class ConvexShape:
    """A collider in the world; a mesh is the hull of its points."""

    collider: Collider
    center: DoubleArray         # (3,)
    axes: DoubleArray           # (3, 3), columns: the axes of the shape
    corners: DoubleArray        # (n, 3) of a mesh, along its axes from its centre; none of other shapes

    def support(self, directions: DoubleArray) -> DoubleArray:
        """The greatest coordinates along unit vectors, (n, 3) to (n,)."""
        centers, local, shape = directions @ self.center, directions @ self.axes, self.collider
        if len(self.corners):
            return np.asarray(centers + (local @ self.corners.T).max(axis=1))
        if shape.kind in _BALLS:
            return np.asarray(centers + shape.radius)
        if shape.kind in _BOXES:
            return np.asarray(centers + np.abs(local) @ shape.half_extents)
        axial = local[:, shape.axis]
        rim = shape.radius * (1.0 if shape.kind == "capsule" else np.sqrt(np.maximum(0.0, 1.0 - axial * axial)))
        top = 0.0 if shape.kind == "cone" else rim
        return np.asarray(centers + np.maximum(axial * shape.half_height + top, -axial * shape.half_height + rim))


def shape_of(collider: Collider, pose: Pose) -> ConvexShape:
    """A collider on a body with a pose in the world."""
    position, rotation = composed(pose, collider.pose)
    simple = collider.kind in (*_BOXES, *_BALLS, *_RODS)
    return ConvexShape(collider, np.array(position), np.array(rotation_matrix(rotation)),
                       np.zeros((0, 3)) if simple else _corners(collider))


def support(links: Iterable[Link], poses: Mapping[str, Pose], direction: DoubleArray) -> float:
    """The greatest coordinate along a unit vector, length, of the colliders of links; -inf for no links.

    A link without colliders reaches as far as its frame and its centre of mass. poses: of the links in the world.
    """
    return max((_link_support(link, poses[link.path], direction) for link in links), default=-math.inf)


def penetration_depth(first: ConvexShape, second: ConvexShape) -> float:
    """How deep two shapes overlap, length; below 0 if they are apart, and then not the distance."""
    directions, angle = _SPHERE, SPACING
    for _ in range(ROUNDS):
        values = first.support(directions) + second.support(-directions)
        best = directions[np.argsort(values)[:REFINED]]
        if values.min() < 0.0:
            break
        directions = np.concatenate([best, *(_disc(direction, angle) for direction in best)])
        angle *= SHRINKAGE
    return float(values.min())


def _link_support(link: Link, pose: Pose, direction: DoubleArray) -> float:
    shapes = [item for item in link.colliders if item.enabled and not item.trigger and item.kind != "plane"]
    if shapes:
        return max(float(shape_of(item, pose).support(direction[None])[0]) for item in shapes)
    return max(float(direction @ pose[0]), float(direction @ composed(pose, (link.center_of_mass, pose[1]))[0]))


def _corners(collider: Collider) -> DoubleArray:
    """The points, (n, 3), of a mesh as PhysX cooks it, scaled; the corners of its box where it cooks none."""
    cooked = collider.cooked() if collider.cooked else None
    if cooked is not None:
        return np.asarray(cooked.mesh.vertices, np.float64) * np.abs(collider.scale)
    low, high = collider.mesh_bounds or ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    return np.array([(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])


def _sphere(count: int) -> DoubleArray:
    """Unit vectors that cover the sphere evenly, on a spiral, and the six along the axes, (n, 3)."""
    height = 1.0 - 2.0 * (np.arange(count) + 0.5) / count
    azimuth = np.arange(count) * math.pi * (3.0 - math.sqrt(5.0))
    radius = np.sqrt(1.0 - height * height)
    spiral = np.stack([radius * np.cos(azimuth), radius * np.sin(azimuth), height], axis=1)
    return np.concatenate([np.eye(3), -np.eye(3), spiral])


def _disc(direction: DoubleArray, angle: float) -> DoubleArray:
    """Unit vectors around one, up to an angle away, (n, 3)."""
    across = np.linalg.svd(direction[None])[2][1:]
    return _normalized(direction + angle * _OFFSETS @ across)


def _normalized(vectors: DoubleArray) -> DoubleArray:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


_SPHERE = _sphere(DIRECTIONS)
_OFFSETS = np.array([(x, y) for x in np.linspace(-1.0, 1.0, 7) for y in np.linspace(-1.0, 1.0, 7)])     # (49, 2)
