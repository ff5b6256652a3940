"""A convex core and a mesh: each triangle in reach as a core of its own, contacts new in every step."""

from __future__ import annotations

from typing import Any

import numpy as np

from physx_runtime.collision.bounds import scale_of, size_of
from physx_runtime.collision.cores.core import ConvexCore, core_of
from physx_runtime.collision.cores.patches import PATCHES, add_to_patches, put_patches
from physx_runtime.collision.cores.plain import outward, relative, rotated, unit
from physx_runtime.collision.meshes.hidden import is_hidden
from physx_runtime.collision.meshes.reach import triangles_in_box
from physx_runtime.collision.meshes.table import Meshes, corner_as_authored
from physx_runtime.collision.narrow_phase.core_core import touching_points
from physx_runtime.collision.shape import CONVEX
from physx_runtime.collision.vectors import (
    ONE,
    ZERO,
    Number,
    Pose,
    Vector,
    cross,
    frame_of,
    least,
    put_vector,
    scaled,
    sub,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code

THICKNESS = np.float32(0.0001)      # of a triangle, of the least half side of the box that is searched
UNTURNED = ((ZERO, ZERO, ZERO), (ZERO, ZERO, ZERO, ONE))


@scalar_code
def core_mesh(pair: Any, shape0: Any, pose0: Pose, shape1: Any, pose1: Pose, meshes: Meshes, contacts: Any,
              at: Any) -> Any:
    return _contact_core_mesh(np.zeros(1, PATCHES), pair, shape0, pose0, shape1, pose1, meshes, contacts, at)


@scalar_code
def _contact_core_mesh(room: Any, pair: Any, shape0: Any, pose0: Pose, shape1: Any, pose1: Pose, meshes: Meshes,
                       contacts: Any,
                       at: Any) -> Any:
    """The same with room for patches, which the caller keeps: a record does not keep its array alive."""
    patches, size, row, pose = room[0], size_of(shape0), shape1.geometry, relative(pose0, pose1)
    half = size[1] + pair.reach, size[0] + pair.reach, size[0] + pair.reach
    corners = np.empty((3, 3), np.float32)
    core0 = core_of(shape0.kind, size, pose, corners[:0])
    thickness = least(half) * THICKNESS
    for triangle in triangles_in_box(meshes, row, frame_of(pose), (ZERO, ZERO, ZERO), half):
        core1, front = _triangle(meshes, row, triangle, thickness, corners)
        _add_contacts(patches, core0, core1, front, pair.reach, pose1, meshes, row, triangle)
    return put_patches(patches, contacts, at)


@scalar_code
def _triangle(meshes: Meshes, row: Any, triangle: Any, thickness: Number, corners: Any) -> tuple[ConvexCore, Vector]:
    """A triangle as a core in its mesh, and its normal, both as authored: PhysX heeds no scale in that normal."""
    mesh = meshes.meshes[row]
    first, scale = mesh.vertices[0], scale_of(mesh)
    for k in range(3):
        vertex = meshes.triangles[triangle, corner_as_authored(meshes, row, k)]
        put_vector(corners, k, vector_at(meshes.points, first + vertex))
    a = vector_at(corners, 0)
    front = unit(cross(sub(vector_at(corners, 1), a), sub(vector_at(corners, 2), a)))
    return (CONVEX, scale, thickness, UNTURNED, corners), front


@scalar_code
def _add_contacts(patches: Any, core0: ConvexCore, core1: ConvexCore, front: Vector, reach: Number, pose1: Pose,
                  meshes: Meshes,
                  row: Any, triangle: Any) -> None:
    points, gaps = np.empty((4, 3), np.float32), np.empty(4, np.float32)
    count, normal = touching_points(core0, core1, reach, front, points, gaps)
    for i in range(count):
        point = vector_at(points, i)
        if not is_hidden(meshes, row, triangle, normal, sub(point, scaled(normal, gaps[i]))):
            add_to_patches(patches, outward(pose1, point), rotated(pose1[1], normal), gaps[i])
