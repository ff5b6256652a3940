"""PhysX's four-lane arithmetic: its order of operations and its reciprocal.

Vectors of three float32 and rotations, in the order of operations of PhysX's SSE code: last bits choose points.
`scalar_math` has the order of its code without SSE, which other parts of PhysX use.

Numbers are numpy's float32 throughout: a literal of Python would make float64 of what it meets.

The processor's estimates of 1 / x and 1 / sqrt(x), with which PhysX clips edges of boxes and scales hulls.
"""

from __future__ import annotations

import math
import platform
from typing import Any

import llvmlite.ir as ir
import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from physx_runtime.compiling.numba_functions import scalar_code

Number = Any                                # float32
Vector = tuple[Any, Any, Any]
Quaternion = tuple[Any, Any, Any, Any]      # x y z w
Matrix = tuple[Vector, Vector, Vector]      # columns
Pose = tuple[Vector, Quaternion]
Frame = tuple[Vector, Matrix]               # a pose with a matrix in place of the quaternion

ZERO, HALF, ONE, TWO = np.float32(0.0), np.float32(0.5), np.float32(1.0), np.float32(2.0)
LARGEST = np.float32(3.4028235e38)
EPSILON = np.float32(2.0**-23)
IDENTITY = ((ZERO, ZERO, ZERO), ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE)))       # a frame not turned


@scalar_code
def add(a: Vector, b: Vector) -> Vector:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@scalar_code
def sub(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@scalar_code
def negated(a: Vector) -> Vector:
    return -a[0], -a[1], -a[2]


@scalar_code
def scaled(a: Vector, s: Number) -> Vector:
    return a[0] * s, a[1] * s, a[2] * s


@scalar_code
def divided(a: Vector, s: Number) -> Vector:
    return a[0] / s, a[1] / s, a[2] / s


@scalar_code
def dot(a: Vector, b: Vector) -> Number:
    return (a[0] * b[0] + a[2] * b[2]) + a[1] * b[1]


@scalar_code
def cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@scalar_code
def times(a: Vector, b: Vector) -> Vector:
    """The products of the components."""
    return a[0] * b[0], a[1] * b[1], a[2] * b[2]


@scalar_code
def over(s: Number, a: Vector) -> Vector:
    """A number divided by the components."""
    return s / a[0], s / a[1], s / a[2]


@scalar_code
def min_component(a: Vector) -> Number:
    """The smallest component."""
    return min(a[0], min(a[1], a[2]))


@scalar_code
def absolute(a: Vector) -> Vector:
    return abs(a[0]), abs(a[1]), abs(a[2])


@scalar_code
def unit(a: Vector) -> Vector:
    return divided(a, math.sqrt(dot(a, a)))


@scalar_code
def clamped(x: Number, low: Number, high: Number) -> Number:
    return max(min(x, high), low)


@scalar_code
def vector_at(rows: Any, i: Any) -> Vector:
    """A row of an array."""
    return rows[i, 0], rows[i, 1], rows[i, 2]


@scalar_code
def set_vector(rows: Any, i: Any, a: Vector) -> None:
    """Write a row of an array."""
    rows[i, 0], rows[i, 1], rows[i, 2] = a[0], a[1], a[2]


@scalar_code
def by_matrix(m: Matrix, a: Vector) -> Vector:
    return add(add(scaled(m[0], a[0]), scaled(m[1], a[1])), scaled(m[2], a[2]))


@scalar_code
def by_transposed(m: Matrix, a: Vector) -> Vector:
    return dot(m[0], a), dot(m[1], a), dot(m[2], a)


@scalar_code
def transposed(m: Matrix) -> Matrix:
    a, b, c = m
    return (a[0], b[0], c[0]), (a[1], b[1], c[1]), (a[2], b[2], c[2])


@scalar_code
def conjugate(q: Quaternion) -> Quaternion:
    return -q[0], -q[1], -q[2], q[3]


@scalar_code
def product(a: Quaternion, b: Quaternion) -> Quaternion:
    x = cross((a[0], a[1], a[2]), (b[0], b[1], b[2]))
    return ((a[0] * b[3] + b[0] * a[3]) + x[0], (a[1] * b[3] + b[1] * a[3]) + x[1], (a[2] * b[3] + b[2] * a[3]) + x[2],
            a[3] * b[3] - ((a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]))


@scalar_code
def quat_dot(a: Quaternion, b: Quaternion) -> Number:
    """The dot product of two rotations."""
    return (a[0] * b[0] + a[2] * b[2]) + (a[1] * b[1] + a[3] * b[3])


@scalar_code
def half_rotated(q: Quaternion, a: Vector) -> Vector:
    """Half the vector turned by q."""
    u, w = (q[0], q[1], q[2]), q[3]
    partial = add(scaled(cross(u, a), w), scaled(a, w * w - HALF))
    return add(scaled(u, dot(u, a)), partial)


@scalar_code
def rotated(q: Quaternion, a: Vector) -> Vector:
    return scaled(half_rotated(q, a), TWO)


@scalar_code
def rotated_back(q: Quaternion, a: Vector) -> Vector:
    return rotated(conjugate(q), a)


@scalar_code
def x_axis(q: Quaternion) -> Vector:
    """The rotated x axis, in an order of operations of its own."""
    x2, w2 = q[0] * TWO, q[3] * TWO
    return (q[3] * w2 + q[0] * x2) - ONE, q[2] * w2 + q[1] * x2, -q[1] * w2 + q[2] * x2


@scalar_code
def matrix_of(q: Quaternion) -> Matrix:
    """The rotation as a matrix (aos::QuatGetMat33V), whose columns are of length 1 as far as the quaternion is."""
    x, y, z, w = q
    x2, y2, z2, w2 = x + x, y + y, z + z, w + w
    wx, wy, wz, ww = x2 * w, y2 * w, z2 * w, w2 * w - ONE
    return ((x * x2 + ww, y * x2 + wz, z * x2 - wy), (x * y2 - wz, y * y2 + ww, z * y2 + wx),
            (x * z2 + wy, y * z2 - wx, z * z2 + ww))


@scalar_code
def frame_of(pose: Pose) -> Frame:
    return pose[0], matrix_of(pose[1])


@scalar_code
def transform_fast(outer: Pose, inner: Pose) -> Pose:
    """The pose of a thing whose pose in the frame of another is `inner` (Cm::transformFast)."""
    half, (a, b) = half_rotated(outer[1], inner[0]), (outer[1], inner[1])
    u, v = (a[0], a[1], a[2]), (b[0], b[1], b[2])
    x = add(scaled(u, b[3]), add(scaled(v, a[3]), cross(u, v)))
    return add(scaled(half, TWO), outer[0]), (x[0], x[1], x[2], a[3] * b[3] - dot(u, v))


@scalar_code
def transform_inv_fast(frame: Pose, pose: Pose) -> Pose:
    """A pose seen from a frame that stands beside it, what `composed` takes (Cm::transformInvFast)."""
    (a, w), (b, r) = ((frame[1][0], frame[1][1], frame[1][2]), frame[1][3]), (
        (pose[1][0], pose[1][1], pose[1][2]), pose[1][3])
    x = sub(add(scaled(b, w), cross(b, a)), scaled(a, r))
    off = sub(pose[0], frame[0])
    half = add(scaled(a, dot(a, off)), add(scaled(cross(off, a), w), scaled(off, w * w - HALF)))
    return add(half, half), (x[0], x[1], x[2], w * r + dot(a, b))


@scalar_code
def relative(pose: Pose, other: Pose) -> Pose:
    """A pose as seen from another."""
    back = conjugate(other[1])
    return rotated(back, sub(pose[0], other[0])), product(back, pose[1])


@scalar_code
def transform(pose: Pose, point: Vector) -> Vector:
    """A point of a body in the world."""
    return add(scaled(half_rotated(pose[1], point), TWO), pose[0])


@scalar_code
def transform_inv(pose: Pose, point: Vector) -> Vector:
    """A point of the world in a body."""
    return rotated_back(pose[1], sub(point, pose[0]))


@scalar_code
def from_frame(frame: Frame, point: Vector) -> Vector:
    """A point of a frame outside it."""
    return add(frame[0], by_matrix(frame[1], point))


@scalar_code
def to_frame(frame: Frame, point: Vector) -> Vector:
    """A point outside a frame as seen from it."""
    return by_transposed(frame[1], sub(point, frame[0]))


@scalar_code
def frame_in(frame: Frame, other: Frame) -> Frame:
    """A frame as seen from another."""
    back, m = transposed(other[1]), frame[1]
    return to_frame(other, frame[0]), (by_matrix(back, m[0]), by_matrix(back, m[1]), by_matrix(back, m[2]))


X86 = platform.machine() in ("x86_64", "AMD64")
_ONE = np.float32(1.0)


def _estimate(name: str) -> Any:
    """What an instruction of the processor gives for one number."""

    @intrinsic  # type: ignore[untyped-decorator]
    def estimate(typingctx: Any, x: Any) -> Any:
        def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
            four, first = ir.VectorType(ir.FloatType(), 4), ir.IntType(32)(0)
            function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(four, [four]), name)
            vector = builder.insert_element(four(ir.Undefined), args[0], first)
            return builder.extract_element(builder.call(function, [vector]), first)

        return types.float32(types.float32), codegen

    return estimate


if X86:
    # RCPSS and RSQRTSS: right to 12 bits, the others are the processor's own. They may differ between makers of them.
    _rcpss, _rsqrtss = _estimate("llvm.x86.sse.rcp.ss"), _estimate("llvm.x86.sse.rsqrt.ss")

    @scalar_code
    def reciprocal(x: Any) -> Any:
        """About 1 / x, as RCPSS has it; infinity for 0."""
        return _rcpss(x)

    @scalar_code
    def reciprocal_root(x: Any) -> Any:
        """About 1 / sqrt(x), as RSQRTSS has it; infinity for 0."""
        return _rsqrtss(x)
else:
    # Elsewhere PhysX refines an estimate of NEON's, which ends near the exact quotient.
    @scalar_code
    def reciprocal(x: Any) -> Any:
        """1 / x; infinity for 0."""
        return _ONE / x

    @scalar_code
    def reciprocal_root(x: Any) -> Any:
        """1 / sqrt(x); infinity for 0."""
        return _ONE / math.sqrt(x)
