"""How near two boxes are: closest points by GJK, or the least way out of each other by EPA, as PhysX finds them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from physx_runtime.collision.epa import least_way_out
from physx_runtime.collision.simplex import ORIGIN, among, nearest_of_simplex, shares
from physx_runtime.collision.support import precision, put_support
from physx_runtime.collision.vectors import (
    LARGEST,
    ONE,
    ZERO,
    Frame,
    Number,
    Vector,
    divided,
    dot,
    negated,
    unit,
)
from physx_runtime.compiling.scalar_code import scalar_code

NEAR_ENOUGH = ONE - np.float32(0.000225)    # of the distance: no support point beyond that share of it ends the search


@scalar_code
def closest_points(half0: Vector, frame: Frame, half1: Vector, reach: Number) -> Any:
    """Whether there are points within reach, those of box 0 and 1, the normal towards box 0, and the distance.

    frame: of box 0 in box 1, in which all is given. The distance is below 0 where boxes overlap.
    """
    corners, corners0, corners1 = (np.zeros((4, 3), np.float32), np.zeros((4, 3), np.float32),
                                   np.zeros((4, 3), np.float32))
    least, size = precision(half0, half1), 0
    distance: Number = LARGEST
    closest = frame[0]
    if not dot(closest, closest) > ZERO:
        closest = (ONE, ZERO, ZERO)
    direction = unit(closest)
    while distance > least:
        support = put_support(half0, frame, half1, negated(closest), closest, corners0, corners1, corners, size)
        ahead = dot(direction, support)
        if ahead > reach:
            return False, ORIGIN, ORIGIN, ORIGIN, ZERO
        if ahead > distance * NEAR_ENOUGH:
            share = shares(corners, size, closest)
            return True, among(corners0, share), among(corners1, share), direction, distance
        before = distance
        closest, size = nearest_of_simplex(corners, corners0, corners1, size + 1)
        distance = math.sqrt(dot(closest, closest))
        direction = divided(closest, distance)
        if not before > distance:       # the search stalls: PhysX has no point in this step
            return False, ORIGIN, ORIGIN, ORIGIN, ZERO
    return least_way_out(half0, frame, half1, corners0, corners1, size)
