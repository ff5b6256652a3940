"""A plane and a capsule: the ends of its axis, +x first."""

from __future__ import annotations

from typing import Any

import numpy as np

from physx_runtime.collision.manifold import (
    PLANE_MAY_TURN,
    add_of_two,
    moved_on,
    put_points_of_segment,
    refresh,
    remember,
)
from physx_runtime.collision.vectors import (
    ONE,
    ZERO,
    Number,
    Pose,
    Vector,
    add,
    frame_of,
    inward,
    negated,
    relative,
    scaled,
    sub,
    unit,
    x_axis,
)
from physx_runtime.compiling.numba_functions import scalar_code, scalar_entry

# Shares of the radius
CAPSULE_BREAKING, CAPSULE_INVALIDATE, CAPSULE_REPLACE = np.float32(0.05), np.float32(0.02), np.float32(0.001)


@scalar_code
def plane_capsule(pair: Any, size0: Vector, pose0: Pose, size1: Vector, pose1: Pose, contacts: Any, at: Any) -> Any:
    # the manifold is kept from the capsule's side: local0 and pose are the capsule's
    radius, pose = size1[0], relative(pose1, pose0)
    outside = unit(x_axis(pose0[1]))
    lost = refresh(pair, frame_of(pose), radius * CAPSULE_BREAKING)
    if lost or moved_on(pair, pose, radius * CAPSULE_INVALIDATE, PLANE_MAY_TURN):
        pair.points = 0
        remember(pair, pose)
        half = scaled(x_axis(pose[1]), size1[1])
        _add_end(pair, pose, add(pose[0], half), radius)
        _add_end(pair, pose, sub(pose[0], half), radius)
    return put_points_of_segment(pair, pose1, outside, negated(outside), radius, contacts, at)


@scalar_code
def _add_end(pair: Any, pose: Pose, end: Vector, radius: Number) -> None:
    """Add an end of the axis, given as the plane sees it, if it is near."""
    if radius + pair.reach > end[0]:
        up = (ONE, ZERO, ZERO)
        add_of_two(pair, inward(pose, end), sub(end, scaled(up, end[0])), up, end[0], radius * CAPSULE_REPLACE)


@scalar_entry
def find_outsides(capsules: Any, planes: Any, outsides: Any) -> None:
    """Fill in the direction out of planes that contacts have, by whether they are of capsules or of spheres."""
    for i in range(len(planes)):
        q = planes[i, 3:]
        axis = x_axis((q[0], q[1], q[2], q[3]))
        out = unit(axis) if capsules[i] else axis
        outsides[i, 0], outsides[i, 1], outsides[i, 2] = out[0], out[1], out[2]
