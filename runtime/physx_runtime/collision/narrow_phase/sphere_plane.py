"""A sphere and a plane: one contact, at the point of the sphere that is deepest."""

from __future__ import annotations

from typing import Any

from physx_runtime.collision.manifold import put_contact
from physx_runtime.collision.vectors import Pose, Vector, inward, scaled, sub, x_axis
from physx_runtime.compiling.numba_functions import scalar_code


@scalar_code
def sphere_plane(pair: Any, size0: Vector, pose0: Pose, size1: Vector, pose1: Pose, contacts: Any, at: Any) -> Any:
    separation = inward(pose1, pose0[0])[0] - size0[0]
    if not pair.reach >= separation:
        return at
    normal = x_axis(pose1[1])
    return put_contact(contacts, at, sub(pose0[0], scaled(normal, size0[0])), normal, separation)
