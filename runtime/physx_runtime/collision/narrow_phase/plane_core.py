"""A plane and a convex core: points of its face or edge towards the plane, half-way between both, new in every step."""

from __future__ import annotations

from typing import Any

import numpy as np

from physx_runtime.collision.cores.core import MOST_FACE_POINTS, core_of, face_towards, support
from physx_runtime.collision.cores.plain import dot, x_axis
from physx_runtime.collision.manifold import put_contact
from physx_runtime.collision.vectors import HALF, Pose, Vector, add, negated, scaled, vector_at
from physx_runtime.compiling.numba_functions import scalar_code


@scalar_code
def plane_core(pair: Any, kind0: Any, size0: Vector, pose0: Pose, kind1: Any, size1: Vector, pose1: Pose,
               contacts: Any, at: Any) -> Any:
    up = x_axis(pose0[1])
    height = dot(negated(pose0[0]), up)
    core, normal = core_of(kind1, size1, pose1, np.empty((0, 3), np.float32)), negated(up)
    lowest = support(core, normal)
    gap = dot(lowest, up) + height
    if not gap < pair.reach:
        return at
    points = np.empty((MOST_FACE_POINTS, 3), np.float32)
    count, _ = face_towards(core, normal, lowest, points)
    if count == 0:
        return put_contact(contacts, at, add(lowest, scaled(scaled(normal, gap), HALF)), normal, gap)
    for i in range(count):
        point = vector_at(points, i)
        gap = dot(point, up) + height
        at = put_contact(contacts, at, add(point, scaled(scaled(normal, gap), HALF)), normal, gap)
    return at
