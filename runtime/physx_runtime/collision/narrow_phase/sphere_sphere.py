"""Two spheres: one contact, on the second one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from physx_runtime.collision.manifold import put_contact
from physx_runtime.collision.vectors import ONE, ZERO, Pose, Vector, add, divided, dot, scaled, sub
from physx_runtime.compiling.numba_functions import scalar_code

SAME_PLACE = np.float32(1e-5)       # centres this near have no direction between them


@scalar_code
def sphere_sphere(pair: Any, size0: Vector, pose0: Pose, size1: Vector, pose1: Pose, contacts: Any, at: Any) -> Any:
    way, radii = sub(pose0[0], pose1[0]), size0[0] + size1[0]
    square, within = dot(way, way), radii + pair.reach
    if not within * within > square:
        return at
    distance = math.sqrt(square)
    normal = (ONE, ZERO, ZERO) if distance <= SAME_PLACE else divided(way, distance)
    return put_contact(contacts, at, add(scaled(normal, size1[0]), pose1[0]), normal, distance - radii)
