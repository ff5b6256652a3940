"""Colliders that PhysX cooks -> the table of what they are made of, and what their shapes take from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from physx_runtime.collision.geometry import EMPTY, Geometry
from physx_runtime.collision.shape import CONVEX
from physx_runtime.packing.hulls import pack_hulls
from physx_schema.description.model import Collider, ConvexHull

Array = NDArray[Any]


def has_shape(collider: Collider) -> bool:
    """Whether PhysX makes a shape of a collider: it makes none of a mesh whose points span nothing."""
    return collider.cooked is None or collider.cooked() is not None


def put_geometry(shapes: Array, colliders: Sequence[Collider]) -> Geometry:
    """The geometry of colliders; fills in which rows of it their shapes have, how scaled, and offsets that follow.

    Colliders of one mesh share a row.
    """
    hulls: dict[int, tuple[int, ConvexHull]] = {}       # and their rows
    for shape, collider in zip(shapes, colliders, strict=True):
        cooked = collider.cooked() if shape["kind"] == CONVEX and collider.cooked else None
        if cooked is not None:
            shape["geometry"], _ = hulls.setdefault(id(cooked.hull), (len(hulls), cooked.hull))
            shape["scale"] = [abs(factor) for factor in collider.scale]
            shape["contact_offset"] = cooked.contact_offset
    return EMPTY._replace(hulls=pack_hulls([hull for _, hull in hulls.values()]))
