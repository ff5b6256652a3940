"""Vectors of three float32 and rotations, in the order of operations of PhysX's SSE code.

The last bits of results choose contact points. `scalar_math` has the order of the scalar code, which other parts of
PhysX use. All numbers are NumPy float32: a Python literal would turn results into float64. The reciprocal estimates
(RCPSS, RSQRTSS) are those of the processor; PhysX clips edges of boxes and scales hulls with them.
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

from physx_runtime.arrays import Array, Frame, Integer, Matrix3, Pose, Quat, Scalar, Vec3
from physx_runtime.compiling.numba_functions import scalar_code

ZERO, HALF, ONE, TWO = np.float32(0.0), np.float32(0.5), np.float32(1.0), np.float32(2.0)
LARGEST = np.float32(3.4028235e38)
EPSILON = np.float32(2.0**-23)
IDENTITY = ((ZERO, ZERO, ZERO), ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE)))       # the identity frame


@scalar_code
def add(a: Vec3, b: Vec3) -> Vec3:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@scalar_code
def sub(a: Vec3, b: Vec3) -> Vec3:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@scalar_code
def negated(a: Vec3) -> Vec3:
    return -a[0], -a[1], -a[2]


@scalar_code
def scaled(a: Vec3, s: Scalar) -> Vec3:
    return a[0] * s, a[1] * s, a[2] * s


@scalar_code
def divided(a: Vec3, s: Scalar) -> Vec3:
    return a[0] / s, a[1] / s, a[2] / s


@scalar_code
def dot(a: Vec3, b: Vec3) -> Scalar:
    # (a_x b_x + a_z b_z) + a_y b_y: the sum of PhysX's SSE code  (PxUnixSse2InlineAoS.h, V3Dot)
    return (a[0] * b[0] + a[2] * b[2]) + a[1] * b[1]


@scalar_code
def cross(a: Vec3, b: Vec3) -> Vec3:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@scalar_code
def times(a: Vec3, b: Vec3) -> Vec3:
    """The products of the components."""
    return a[0] * b[0], a[1] * b[1], a[2] * b[2]


@scalar_code
def over(s: Scalar, a: Vec3) -> Vec3:
    """A number divided by the components."""
    return s / a[0], s / a[1], s / a[2]


@scalar_code
def min_component(a: Vec3) -> Scalar:
    """The smallest component."""
    return min(a[0], min(a[1], a[2]))


@scalar_code
def absolute(a: Vec3) -> Vec3:
    return abs(a[0]), abs(a[1]), abs(a[2])


@scalar_code
def unit(a: Vec3) -> Vec3:
    return divided(a, math.sqrt(dot(a, a)))


@scalar_code
def clamped(x: Scalar, low: Scalar, high: Scalar) -> Scalar:
    return max(min(x, high), low)


@scalar_code
def vector_at(rows: Array, i: Integer) -> Vec3:
    """A row of an array."""
    return rows[i, 0], rows[i, 1], rows[i, 2]


@scalar_code
def set_vector(rows: Array, i: Integer, a: Vec3) -> None:
    """Write a row of an array."""
    rows[i, 0], rows[i, 1], rows[i, 2] = a[0], a[1], a[2]


@scalar_code
def by_matrix(m: Matrix3, a: Vec3) -> Vec3:
    # R a = c0 a_x + c1 a_y + c2 a_z  (PxVecMath.h, M33MulV3)
    return add(add(scaled(m[0], a[0]), scaled(m[1], a[1])), scaled(m[2], a[2]))


@scalar_code
def by_transposed(m: Matrix3, a: Vec3) -> Vec3:
    return dot(m[0], a), dot(m[1], a), dot(m[2], a)


@scalar_code
def transposed(m: Matrix3) -> Matrix3:
    a, b, c = m
    return (a[0], b[0], c[0]), (a[1], b[1], c[1]), (a[2], b[2], c[2])


@scalar_code
def conjugate(q: Quat) -> Quat:
    return -q[0], -q[1], -q[2], q[3]


@scalar_code
def product(a: Quat, b: Quat) -> Quat:
    # [w_a v_b + w_b v_a + v_a x v_b; w_a w_b - v_a . v_b]
    x = cross((a[0], a[1], a[2]), (b[0], b[1], b[2]))
    return ((a[0] * b[3] + b[0] * a[3]) + x[0], (a[1] * b[3] + b[1] * a[3]) + x[1], (a[2] * b[3] + b[2] * a[3]) + x[2],
            a[3] * b[3] - ((a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]))


@scalar_code
def quat_dot(a: Quat, b: Quat) -> Scalar:
    """The dot product of two rotations."""
    return (a[0] * b[0] + a[2] * b[2]) + (a[1] * b[1] + a[3] * b[3])


@scalar_code
def half_rotated(q: Quat, a: Vec3) -> Vec3:
    """Half of the vector rotated by q."""
    # a (w^2 - 1/2) + w (v x a) + v (v . a)
    u, w = (q[0], q[1], q[2]), q[3]
    partial = add(scaled(cross(u, a), w), scaled(a, w * w - HALF))
    return add(scaled(u, dot(u, a)), partial)


@scalar_code
def rotated(q: Quat, a: Vec3) -> Vec3:
    return scaled(half_rotated(q, a), TWO)


@scalar_code
def rotated_back(q: Quat, a: Vec3) -> Vec3:
    return rotated(conjugate(q), a)


@scalar_code
def x_axis(q: Quat) -> Vec3:
    """The rotated x axis, in an order of operations of its own."""
    # column 0 of R(q) in its own order of sums  (PxQuat.h, getBasisVector0)
    x2, w2 = q[0] * TWO, q[3] * TWO
    return (q[3] * w2 + q[0] * x2) - ONE, q[2] * w2 + q[1] * x2, -q[1] * w2 + q[2] * x2


@scalar_code
def matrix_of(q: Quat) -> Matrix3:
    """The rotation as a matrix (aos::QuatGetMat33V), whose columns are of length 1 as far as the quaternion is."""
    # R = (w^2 - 1/2) 2 + 2 v v^T + 2 w [v x]
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
    """The composed pose outer * inner (Cm::transformFast)."""
    # p = p_outer + R_outer p_inner, q = q_outer q_inner  (CmTransformUtils.h, transformFast)
    half, (a, b) = half_rotated(outer[1], inner[0]), (outer[1], inner[1])
    u, v = (a[0], a[1], a[2]), (b[0], b[1], b[2])
    x = add(scaled(u, b[3]), add(scaled(v, a[3]), cross(u, v)))
    return add(scaled(half, TWO), outer[0]), (x[0], x[1], x[2], a[3] * b[3] - dot(u, v))


@scalar_code
def transform_inv_fast(frame: Pose, pose: Pose) -> Pose:
    """The pose in a frame, inverse(frame) * pose (Cm::transformInvFast)."""
    # p = R^T (p - p_frame), q = conj(q_frame) q  (CmTransformUtils.h, transformInvFast)
    (a, w), (b, r) = ((frame[1][0], frame[1][1], frame[1][2]), frame[1][3]), (
        (pose[1][0], pose[1][1], pose[1][2]), pose[1][3])
    x = sub(add(scaled(b, w), cross(b, a)), scaled(a, r))
    off = sub(pose[0], frame[0])
    half = add(scaled(a, dot(a, off)), add(scaled(cross(off, a), w), scaled(off, w * w - HALF)))
    return add(half, half), (x[0], x[1], x[2], w * r + dot(a, b))


@scalar_code
def relative(pose: Pose, other: Pose) -> Pose:
    """A pose relative to another."""
    # p = R^T (p - p_other), q = conj(q_other) q
    back = conjugate(other[1])
    return rotated(back, sub(pose[0], other[0])), product(back, pose[1])


@scalar_code
def transform(pose: Pose, point: Vec3) -> Vec3:
    """A point of a body in the world."""
    return add(scaled(half_rotated(pose[1], point), TWO), pose[0])


@scalar_code
def transform_inv(pose: Pose, point: Vec3) -> Vec3:
    """A point of the world in a body."""
    return rotated_back(pose[1], sub(point, pose[0]))


@scalar_code
def from_frame(frame: Frame, point: Vec3) -> Vec3:
    """A point of a frame in its parent frame."""
    return add(frame[0], by_matrix(frame[1], point))


@scalar_code
def to_frame(frame: Frame, point: Vec3) -> Vec3:
    """A point of the parent frame in a frame."""
    return by_transposed(frame[1], sub(point, frame[0]))


@scalar_code
def frame_in(frame: Frame, other: Frame) -> Frame:
    """A frame relative to another."""
    # R = R_other^T R, p = R_other^T (p - p_other)
    back, m = transposed(other[1]), frame[1]
    return to_frame(other, frame[0]), (by_matrix(back, m[0]), by_matrix(back, m[1]), by_matrix(back, m[2]))


X86 = platform.machine() in ("x86_64", "AMD64")
_ONE = np.float32(1.0)


def _estimate(name: str) -> Any:
    """A function that applies a processor instruction to one number."""

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
    # RCPSS and RSQRTSS: exact to 12 bits; the other bits depend on the processor and may differ between vendors.
    _rcpss, _rsqrtss = _estimate("llvm.x86.sse.rcp.ss"), _estimate("llvm.x86.sse.rsqrt.ss")

    @scalar_code
    def reciprocal(x: Scalar) -> Scalar:
        """About 1 / x, as RCPSS has it; infinity for 0."""
        return _rcpss(x)

    @scalar_code
    def reciprocal_root(x: Scalar) -> Scalar:
        """About 1 / sqrt(x), as RSQRTSS has it; infinity for 0."""
        return _rsqrtss(x)
else:
    # Elsewhere PhysX refines an estimate of NEON's, which ends near the exact quotient.
    @scalar_code
    def reciprocal(x: Scalar) -> Scalar:
        """1 / x; infinity for 0."""
        return _ONE / x

    @scalar_code
    def reciprocal_root(x: Scalar) -> Scalar:
        """1 / sqrt(x); infinity for 0."""
        return _ONE / math.sqrt(x)
