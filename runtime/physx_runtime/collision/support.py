"""The corner of a box furthest along a direction, and of the difference of two boxes."""

from __future__ import annotations

from typing import Any

import numpy as np

from physx_runtime.collision.vectors import (
    ZERO,
    Frame,
    Number,
    Vector,
    by_matrix,
    out_of,
    put_vector,
    sub,
    transposed,
)
from physx_runtime.compiling.scalar_code import scalar_code

SMALL_MARGIN = np.float32(0.05)     # of the smallest half side
PRECISION = np.float32(0.1)         # of the smaller small margin


@scalar_code
def precision(half0: Vector, half1: Vector) -> Number:
    """The distance up to which two boxes overlap as far as a search can tell, in metres."""
    small0 = min(half0[0], min(half0[1], half0[2])) * SMALL_MARGIN
    small1 = min(half1[0], min(half1[1], half1[2])) * SMALL_MARGIN
    return min(small0, small1) * PRECISION


@scalar_code
def _corner(half: Vector, direction: Vector) -> Vector:
    return (half[0] if direction[0] > ZERO else -half[0], half[1] if direction[1] > ZERO else -half[1],
            half[2] if direction[2] > ZERO else -half[2])


@scalar_code
def put_support(half0: Vector, frame: Frame, half1: Vector, along0: Vector, along1: Vector, corners0: Any,
                corners1: Any, corners: Any, i: Any) -> Vector:
    """Write the furthest corners of box 0, at `frame` in box 1, and of box 1, and their difference, which is given."""
    corner0 = out_of(frame, _corner(half0, by_matrix(transposed(frame[1]), along0)))
    corner1 = _corner(half1, along1)
    put_vector(corners0, i, corner0)
    put_vector(corners1, i, corner1)
    difference = sub(corner0, corner1)
    put_vector(corners, i, difference)
    return difference
