"""Colliders that PhysX cooks -> the table of what they are made of, and what their shapes take from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.geometry import Geometry
from physx_runtime.collision.meshes.table import meshes_of
from physx_runtime.packing.hulls import pack_hulls
from physx_schema.description.model import Collider, ConvexHull, TriangleMesh
from physx_schema.description.poses import Vec3

Array = NDArray[Any]


def has_shape(collider: Collider) -> bool:
    """Whether PhysX makes a shape of a collider: it makes none of a mesh whose points span nothing."""
    return collider.cooked is None or collider.cooked() is not None


def put_geometry(shapes: Array, colliders: Sequence[Collider]) -> Geometry:
    """The geometry of colliders; fills in which rows of it their shapes have, how scaled, and offsets that follow.

    Colliders of one mesh share a row, those of triangles where they are scaled and mirrored alike.
    """
    hulls: dict[int, tuple[int, ConvexHull]] = {}                   # and their rows
    meshes: dict[tuple[int, Vec3], tuple[int, TriangleMesh]] = {}
    for shape, collider in zip(shapes, colliders, strict=True):
        cooked = collider.cooked() if collider.cooked else None
        if cooked is None:
            continue
        scale, made = _absolute(collider.scale), cooked.mesh
        if isinstance(made, ConvexHull):
            shape["geometry"], _ = hulls.setdefault(id(made), (len(hulls), made))
            shape["scale"] = scale
        else:
            shape["geometry"], _ = meshes.setdefault((id(made), collider.scale), (len(meshes), made))
        shape["contact_offset"] = cooked.contact_offset
    return Geometry(pack_hulls([hull for _, hull in hulls.values()]),
                    meshes_of([(mesh.vertices, mesh.triangles, np.array(scale))
                               for (_, scale), (_, mesh) in meshes.items()]))


def _absolute(scale: Vec3) -> Vec3:
    x, y, z = (abs(factor) for factor in scale)
    return x, y, z
