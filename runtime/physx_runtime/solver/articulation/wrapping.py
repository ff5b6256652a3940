"""Positions of revolute joints, wrapped at the end of a step."""

from __future__ import annotations

import math

from physx_runtime.language.ops import Rows, Scalar, clamp, where
from physx_runtime.model.topology import REVOLUTE, Topology

FULL_TURN = 2.0 * math.pi
UNLIMITED_RANGE = 1e30      # rad, more than any pair of limits leaves


def wrapped_position(t: Topology, rows: Rows, dof: int, q: Scalar) -> Scalar:
    """The position of any joint's dof as a step leaves it."""
    if t.kind_of(dof) != REVOLUTE:
        return q
    if not t.dofs[dof].limit:
        return wrapped(q, -math.inf, math.inf)
    return wrapped(q, rows["lower_limit"][dof], rows["upper_limit"][dof])


def wrapped(q: Scalar, lower: Scalar, upper: Scalar) -> Scalar:
    """A revolute joint's position moved back by two turns once it passes one turn; not where it has limits."""
    two = 2.0 * FULL_TURN
    back = clamp(where(q > FULL_TURN, q - two, where(q < -FULL_TURN, q + two, q)), -two, two)
    return where(upper - lower < UNLIMITED_RANGE, q, back)
