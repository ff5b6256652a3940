"""Vectors of three float32 and rotations, in the order of operations of PhysX's scalar code.

`simd_math` has the same functions in the order of the SSE code. Their last bits differ, and PhysX uses both.
"""

from __future__ import annotations

import math

import numpy as np

from physx_runtime.arrays import Pose, Quat, Scalar, Vec3
from physx_runtime.collision.simd_math import (
    HALF,
    ONE,
    TWO,
    ZERO,
    add,
    scaled,
    sub,
)
from physx_runtime.compiling.numba_functions import scalar_code

NEARLY_UPRIGHT = np.float32(0.9999)


@scalar_code
def dot(a: Vec3, b: Vec3) -> Scalar:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@scalar_code
def length(a: Vec3) -> Scalar:
    return math.sqrt(dot(a, a))


@scalar_code
def times_reciprocal(a: Vec3, s: Scalar) -> Vec3:
    """The vector times the reciprocal of a number."""
    return scaled(a, ONE / s)


@scalar_code
def unit(a: Vec3) -> Vec3:
    """The normalised vector; a zero vector stays as it is."""
    square = dot(a, a)
    return scaled(a, ONE / math.sqrt(square)) if square > ZERO else (ZERO, ZERO, ZERO)


@scalar_code
def sign(x: Scalar) -> Scalar:
    return ONE if x >= ZERO else -ONE


@scalar_code
def rotated(q: Quat, a: Vec3) -> Vec3:
    return _rotate_with(q, a, q[3])


@scalar_code
def rotated_back(q: Quat, a: Vec3) -> Vec3:
    return _rotate_with(q, a, -q[3])


@scalar_code
def _rotate_with(q: Quat, a: Vec3, w: Scalar) -> Vec3:
    # 2 (a (w^2 - 1/2) + w (v x a) + v (v . a))  (PxQuat.h, rotate)
    x, y, z = q[0], q[1], q[2]
    vx, vy, vz = TWO * a[0], TWO * a[1], TWO * a[2]
    w2, projection = w * w - HALF, x * vx + y * vy + z * vz
    return (vx * w2 + (y * vz - z * vy) * w + x * projection, vy * w2 + (z * vx - x * vz) * w + y * projection,
            vz * w2 + (x * vy - y * vx) * w + z * projection)


@scalar_code
def transform(pose: Pose, point: Vec3) -> Vec3:
    """A point of a body in the world."""
    return add(rotated(pose[1], point), pose[0])


@scalar_code
def transform_inv(pose: Pose, point: Vec3) -> Vec3:
    """A point of the world in a body."""
    return rotated_back(pose[1], sub(point, pose[0]))


@scalar_code
def relative(pose: Pose, other: Pose) -> Pose:
    """A pose as seen from another."""
    # (R^T (p - p_other), conj(q_other) q)  (PxTransform.h, transformInv)
    p, q = other[1], pose[1]
    x, y, z, w = -p[0], -p[1], -p[2], p[3]
    return transform_inv(other, pose[0]), (
        w * q[0] + q[3] * x + y * q[2] - q[1] * z, w * q[1] + q[3] * y + z * q[0] - q[2] * x,
        w * q[2] + q[3] * z + x * q[1] - q[0] * y, w * q[3] - x * q[0] - y * q[1] - z * q[2])


@scalar_code
def x_axis(q: Quat) -> Vec3:
    """The rotated x axis."""
    # column 0 of R(q)  (PxQuat.h, getBasisVector0)
    x2, w2 = q[0] * TWO, q[3] * TWO
    return q[3] * w2 - ONE + q[0] * x2, q[2] * w2 + q[1] * x2, -q[1] * w2 + q[2] * x2


@scalar_code
def axis_angle(axis: Vec3, angle: Scalar) -> Quat:
    """The rotation by an angle about a unit axis."""
    # [axis sin(angle / 2); cos(angle / 2)]  (PxQuat.h)
    half = angle * HALF
    s = math.sin(half)
    return axis[0] * s, axis[1] * s, axis[2] * s, math.cos(half)


@scalar_code
def tangents(direction: Vec3) -> tuple[Vec3, Vec3]:
    """Two unit vectors perpendicular to a unit vector and to each other."""
    # across the y axis, or the x axis where the direction is along y  (PxMathUtils.h, PxComputeBasisVectors)
    x, y, z = direction
    if abs(y) <= NEARLY_UPRIGHT:
        right = (z, ZERO, -x)
        right = times_reciprocal(right, length(right))
        return right, (y * right[2], z * right[0] - x * right[2], -y * right[0])
    up = (ZERO, z, -y)
    size = length(up)
    return (ONE, ZERO, ZERO), times_reciprocal(up, size) if size > ZERO else up
