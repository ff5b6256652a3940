"""A distance joint: bounds of the distance between its anchors (ExtDistanceJoint.cpp)."""

from __future__ import annotations

import math
from dataclasses import replace

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.spatial import Vec3
from physx_runtime.language.ops import Rows, Scalar, clamp, where
from physx_runtime.model.island import JointTopology
from physx_runtime.solver.joint.frames import JointFrames
from physx_runtime.solver.joint.row import JointRow, Spring, linear_row

# Beyond the bounds by this much of a metre the joint does not pull yet: what its loader gives every one.
TOLERANCE = 0.025
# A shorter distance has no direction (PX_EPS_F32).
LEAST_DISTANCE = 1.1920929e-07


def distance_rows(t: JointTopology, rows: Rows, frames: JointFrames) -> list[JointRow]:
    """The row of the least distance, then that of the greatest; one row where they are the same."""
    direction, distance = _direction(frames.between)
    tolerance = TOLERANCE * rows["length_scale"][0]

    def row(error: Scalar, lower: float = -math.inf, upper: float = math.inf, keeps_bias: Scalar = False) -> JointRow:
        spring = Spring(rows["spring_stiffness"][0], rows["spring_damping"][0]) if t.spring else None
        return replace(linear_row(direction, frames.arm0, frames.arm1, error), lower=lower, upper=upper,
                       keeps_bias=keeps_bias, spring=spring, holds=True)

    if t.range == "equal":
        error = distance - rows["maximum_distance"][0]
        return [row(error - clamp(error, -tolerance, tolerance))]
    found = []
    if t.range in ("both", "least"):
        least = rows["minimum_distance"][0]
        found.append(row(distance - least + tolerance, lower=0.0, keeps_bias=least <= distance))
    if t.range in ("both", "most"):
        most = rows["maximum_distance"][0]
        found.append(row(distance - most - tolerance, upper=0.0, keeps_bias=distance <= most))
    return found


def _direction(between: Vec3) -> tuple[Vec3, Scalar]:
    """From B's anchor to A's, and how far that is; x where there is no direction."""
    distance = sp.norm(between)
    apart = distance > LEAST_DISTANCE
    x, y, z = sp.scale(-1.0 / where(apart, distance, 1.0), between)
    return (where(apart, x, 1.0), where(apart, y, 0.0), where(apart, z, 0.0)), distance
