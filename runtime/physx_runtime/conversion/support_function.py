"""The support function of links: how far their colliders reach along a direction where they start."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from physx_runtime.arrays import DoubleArray
from physx_schema.description.frames import composed, rotation_matrix
from physx_schema.description.model import Collider, Link
from physx_schema.description.model.collision import ConvexHull, TriangleMesh
from physx_schema.description.records import Pose

_BOXES, _BALLS, _RODS = ("box", "bounding-box"), ("sphere", "bounding-sphere"), ("capsule", "cylinder", "cone")


def support(links: Iterable[Link], poses: Mapping[str, Pose], direction: DoubleArray) -> float:
    """The greatest coordinate along a unit vector, length, of the colliders of links; -inf for no links.

    A link without colliders reaches as far as its frame and its centre of mass. poses: of the links in the world.
    """
    return max((_link_support(link, poses[link.path], direction) for link in links), default=-np.inf)


def _link_support(link: Link, pose: Pose, direction: DoubleArray) -> float:
    shapes = [item for item in link.colliders if item.enabled and not item.trigger and item.kind != "plane"]
    if shapes:
        return max(_collider_support(item, composed(pose, item.pose), direction) for item in shapes)
    return max(float(direction @ pose[0]), float(direction @ composed(pose, (link.center_of_mass, pose[1]))[0]))


def _collider_support(collider: Collider, pose: Pose, direction: DoubleArray) -> float:
    """The support function of a shape."""
    center = float(direction @ pose[0])
    local = direction @ np.array(rotation_matrix(pose[1]))      # in the axes of the shape
    if collider.kind in _BALLS:
        return center + collider.radius
    if collider.kind in _BOXES:
        return center + float(np.abs(local) @ collider.half_extents)
    if collider.kind in _RODS:
        axial = float(local[collider.axis])
        rim = collider.radius * (1.0 if collider.kind == "capsule" else max(0.0, 1.0 - axial * axial) ** 0.5)
        top = 0.0 if collider.kind == "cone" else rim
        return center + max(axial * collider.half_height + top, -axial * collider.half_height + rim)
    return center + float((_corners(collider) @ local).max())


def _corners(collider: Collider) -> DoubleArray:
    """The points, (n, 3), of a mesh as PhysX cooks it, scaled; the corners of its box where it cooks none."""
    cooked = collider.cooked() if collider.cooked else None
    if cooked is not None and isinstance(cooked.mesh, ConvexHull | TriangleMesh):
        return np.asarray(cooked.mesh.vertices, np.float64) * np.abs(collider.scale)
    low, high = collider.mesh_bounds or ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    return np.array([(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
