"""Two cores, or a core and a simpler shape or a hull: points of their faces, edges or corners, new in every step."""

from __future__ import annotations

from typing import Any

import numpy as np

from physx_runtime.collision.bounds import scale_of, size_of
from physx_runtime.collision.cores.clipping import contact_points
from physx_runtime.collision.cores.closest import closest_points
from physx_runtime.collision.cores.core import ConvexCore, core_of
from physx_runtime.collision.cores.depth import least_depth
from physx_runtime.collision.geometry import Hulls
from physx_runtime.collision.manifold import put_contact
from physx_runtime.collision.vectors import EPSILON, HALF, ZERO, Number, Pose, Vector, add, scaled, sub, vector_at
from physx_runtime.compiling.numba_functions import scalar_code

SLACK = np.float32(1e-5)


@scalar_code
def core_core(pair: Any, kind0: Any, size0: Vector, pose0: Pose, kind1: Any, size1: Vector, pose1: Pose,
              contacts: Any, at: Any) -> Any:
    corners = np.empty((0, 3), np.float32)
    return _contact_cores(pair, kind0, size0, pose0, kind1, size1, pose1, corners, contacts, at)


@scalar_code
def core_convex(pair: Any, shape0: Any, pose0: Pose, shape1: Any, pose1: Pose, hulls: Hulls, contacts: Any,
                at: Any) -> Any:
    rows = hulls.hulls[shape1.geometry].vertices
    return _contact_cores(pair, shape0.kind, size_of(shape0), pose0, shape1.kind, scale_of(shape1), pose1,
                          hulls.vertices[rows[0]:rows[1]], contacts, at)


@scalar_code
def _contact_cores(pair: Any, kind0: Any, size0: Vector, pose0: Pose, kind1: Any, size1: Vector, pose1: Pose,
                   corners1: Any,
                   contacts: Any, at: Any) -> Any:
    middle = scaled(add(pose0[0], pose1[0]), HALF)
    core0 = core_of(kind0, size0, (sub(pose0[0], middle), pose0[1]), corners1[:0])
    core1 = core_of(kind1, size1, (sub(pose1[0], middle), pose1[1]), corners1)
    points, gaps = np.empty((4, 3), np.float32), np.empty(4, np.float32)
    count, normal = touching_points(core0, core1, pair.reach, (ZERO, ZERO, ZERO), points, gaps)
    for i in range(count):
        at = put_contact(contacts, at, add(vector_at(points, i), middle), normal, gaps[i])
    return at


@scalar_code
def touching_points(core0: ConvexCore, core1: ConvexCore, reach: Number, front: Vector, points: Any,
                    gaps: Any) -> tuple[Any, Vector]:
    """Fill in points and separations; how many, and their normal towards core 0.

    front: none where the normal points against it.
    """
    most = core0[2] + core1[2] + reach
    distance, point0, point1, axis = closest_points(core0, core1, most)
    if distance < EPSILON:
        distance, point0, point1, axis = least_depth(core0, core1)
    if distance > most or front[0] * axis[0] + front[1] * axis[1] + front[2] * axis[2] < -SLACK:
        return 0, axis
    point0, point1 = sub(point0, scaled(axis, core0[2])), add(point1, scaled(axis, core1[2]))
    return contact_points(core0, core1, point0, point1, axis, points, gaps), axis
