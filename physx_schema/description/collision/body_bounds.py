"""Boxes around the colliders of a body, along its axes."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from physx_schema.description.collision.hull import Doubles
from physx_schema.description.frames import rotation_matrix
from physx_schema.description.model import Collider
from physx_schema.description.records import Vec3

Box = tuple[Vec3, Vec3]     # opposite corners
_BOXES, _SPHERES, _ROUND = ("box", "bounding-box"), ("sphere", "bounding-sphere"), ("capsule", "cylinder", "cone")


def box_corners(colliders: Sequence[Collider]) -> Doubles | None:
    """The corners, (n, 3), of the boxes around the colliders that weigh something, in the frame of their body.

    None where there are no such colliders, or one of them has no end.
    """
    corners: list[Doubles] = []
    for collider in colliders:
        if collider.trigger:
            continue
        box = _geometry_box(collider)
        if box is None:
            return None
        position, rotation = collider.pose
        own = np.array(list(itertools.product(*zip(*box, strict=True))), dtype=np.float64)
        corners.append(own @ np.asarray(rotation_matrix(rotation)).T + np.asarray(position))
    return np.concatenate(corners) if corners else None


def _geometry_box(collider: Collider) -> Box | None:
    """The box around a shape along its own axes."""
    if collider.mesh_bounds is not None:
        return collider.mesh_bounds
    radius, extent = collider.radius, collider.half_height
    if collider.kind in _BOXES:
        x, y, z = collider.half_extents
    elif collider.kind in _SPHERES:
        x = y = z = radius
    elif collider.kind in _ROUND:
        lengths = [radius, radius, radius]
        lengths[collider.axis] = extent + (radius if collider.kind == "capsule" else 0.0)
        x, y, z = lengths
    else:
        return None
    return (-x, -y, -z), (x, y, z)
