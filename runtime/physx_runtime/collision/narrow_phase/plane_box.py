"""A plane and a box: its corners, of more than four the deepest and widest."""

from __future__ import annotations

from typing import Any

import numpy as np

from physx_runtime.collision.manifold import (
    PLANE_MAY_TURN,
    box_margin,
    moved_on,
    put_point,
    put_points_of_1,
    refresh,
    remember,
)
from physx_runtime.collision.reduction import four_of_plane
from physx_runtime.collision.vectors import (
    ONE,
    ZERO,
    Frame,
    Number,
    Pose,
    Vector,
    frame_of,
    negated,
    out_of,
    put_vector,
    relative,
    scaled,
    sub,
    unit,
    vector_at,
    x_axis,
)
from physx_runtime.compiling.numba_functions import scalar_code

SHARE = np.float32(0.2)         # of a box's margin, for breaking and for moving


@scalar_code
def plane_box(pair: Any, size0: Vector, pose0: Pose, size1: Vector, pose1: Pose, contacts: Any, at: Any) -> Any:
    # the manifold is kept from the box's side: local0 and pose are the box's, local1 lies on the plane
    pose, share = relative(pose1, pose0), box_margin(size1, pair.tolerance_length) * SHARE
    frame = frame_of(pose)
    lost = refresh(pair, frame, share)
    if lost or moved_on(pair, pose, share, PLANE_MAY_TURN):
        remember(pair, pose)
        _make(pair, frame, size1)
    return put_points_of_1(pair, pose0, unit(negated(x_axis(pose0[1]))), contacts, at)


@scalar_code
def _make(pair: Any, frame: Frame, half: Vector) -> None:
    """Make the points anew from the corners within reach."""
    corners, feet = np.empty((8, 3), np.float32), np.empty((8, 3), np.float32)
    distances, chosen = np.empty(8, np.float32), np.empty(4, np.int64)
    up, count = (ONE, ZERO, ZERO), 0
    for i in range(8):
        corner = _corner(half, i)
        height = _height(frame, half, i)
        if pair.reach - frame[0][0] > height:
            distances[count] = height + frame[0][0]
            put_vector(corners, count, corner)
            put_vector(feet, count, sub(out_of(frame, corner), scaled(up, distances[count])))
            count += 1
    for i in range(4):
        chosen[i] = i
    if count > 4:
        four_of_plane(feet, distances, count, up, chosen)
    pair.points = min(count, 4)
    for i in range(pair.points):
        k = chosen[i]
        put_point(pair, i, vector_at(corners, k), vector_at(feet, k), up, distances[k])


@scalar_code
def _corner(half: Vector, i: Any) -> Vector:
    """Corners in the order +++ ++- +-+ +-- -++ -+- --+ ---."""
    return (half[0] if i < 4 else -half[0], half[1] if i & 2 == 0 else -half[1], half[2] if i & 1 == 0 else -half[2])


@scalar_code
def _height(frame: Frame, half: Vector, i: Any) -> Number:
    """Of a corner above the plane, less that of the centre, added up as PhysX does."""
    a, b, c = frame[1][0][0] * half[0], frame[1][1][0] * half[1], frame[1][2][0] * half[2]
    if i & 1:
        c = -c
    side = a + b if i < 2 or i > 5 else a - b
    return c + side if i < 4 else c - side
