"""The principal axes of colliders together, as PhysX's single precision leaves them.

Where moments are equal or nearly so, rounding decides which axes diagonalise the inertia, and attachments of spatial
tendons and authored moments lie along them. So the order of operations here is that of PxMassProperties and
PxDiagonalize, and numbers are NumPy's of single precision; matrices are tuples of columns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from physx_schema.description.collision.shape_kinds import Bulk
from physx_schema.description.collision.solids import solid
from physx_schema.description.model import Collider
from physx_schema.description.records import IDENTITY_POSE, Quat, Vec3

_Single = Any        # np.float32, whose operators its type stubs widen
Column = tuple[_Single, _Single, _Single]
Matrix = tuple[Column, Column, Column]
Rotation = tuple[_Single, _Single, _Single, _Single]    # x, y, z, w

_MAX_JACOBI_ROTATIONS = 24
_ZERO, _ONE = np.float32(0), np.float32(1)
_SQRT_HALF = np.float32(0.5) * np.sqrt(np.float32(2))
_SINE, _COSINE = np.sin(np.float32(np.pi / 4)), np.cos(np.float32(np.pi / 4))
_IDENTITY: Rotation = (_ZERO, _ZERO, _ZERO, _ONE)
# Of the shapes that PhysX makes of solids along y and z, whose own axis is x.
_SHAPE_ROTATIONS: Mapping[tuple[str, int], Rotation] = {
    ("capsule", 1): (_SQRT_HALF, -_SQRT_HALF, _ZERO, _ZERO), ("capsule", 2): (_SQRT_HALF, _ZERO, -_SQRT_HALF, _ZERO),
    **{(kind, 1): (_ZERO, _ZERO, _SINE, _COSINE) for kind in ("cylinder", "cone")},
    **{(kind, 2): (_ZERO, -_SINE, _ZERO, _COSINE) for kind in ("cylinder", "cone")},
}


class Weight(NamedTuple):
    """A collider's mass, its inertia about its centre in the axes of PhysX's shape, and where that shape is."""

    mass: _Single
    inertia: Matrix
    center: Column
    position: Column
    rotation: Rotation


def weight(fact: Collider, bulk: Bulk, density: float, mass: float, center: Vec3 | None, moments: Vec3 | None,
           ) -> Weight:
    """A collider as PhysX weighs it: by its own mass, centre and moments where it authors them (0, None, None)."""
    with np.errstate(all="ignore"):
        volume, inertia, middle = _analytic(fact) or _rounded(bulk)
        collider_mass = np.float32(mass) if mass else volume * np.float32(density)
        inertia = _scaled(inertia, collider_mass / volume if mass else np.float32(density))
        if center is not None:
            new_center = _column(center)
            inertia, middle = _parallel_axis(inertia, collider_mass, _minus(new_center, middle)), new_center
    if moments is not None:
        inertia = _diagonal(_column(moments))
    position, (x, y, z, w) = fact.pose
    rotation = (np.float32(x), np.float32(y), np.float32(z), np.float32(w))
    local = _SHAPE_ROTATIONS.get((fact.kind, fact.axis))
    return Weight(collider_mass, inertia, middle, _column(position), _times(rotation, local) if local else rotation)


def is_aligned(fact: Collider) -> bool:
    """Whether a collider is analytic, and neither turned nor moved against the axes of its body."""
    return fact.kind in _SIZES and fact.pose == IDENTITY_POSE and (fact.kind, fact.axis) not in _SHAPE_ROTATIONS


def principal_axes(weights: Sequence[Weight], mass: float, center: Vec3 | None) -> Quat:
    """The rotation that PhysX takes for several colliders; the body's mass and centre where authored (0, None)."""
    with np.errstate(all="ignore"):
        x, y, z, w = map(float, _diagonalize(_total_inertia(weights, mass, center)))
    length = math.hypot(x, y, z, w)
    return (x / length, y / length, z / length, w / length) if length > 0.0 else (0.0, 0.0, 0.0, 1.0)


_SIZES: Mapping[str, Callable[[Collider], tuple[float, ...]]] = {
    "box": lambda fact: fact.half_extents, "sphere": lambda fact: (fact.radius,),
    **dict.fromkeys(("capsule", "cylinder", "cone"), lambda fact: (fact.radius, fact.half_height)),
}


def _analytic(fact: Collider) -> tuple[_Single, Matrix, Column] | None:
    if fact.kind not in _SIZES:
        return None
    volume, moments, center = solid(fact.kind, tuple(map(np.float32, _SIZES[fact.kind](fact))))
    return volume, _diagonal(moments), (center, _ZERO, _ZERO)


def _rounded(bulk: Bulk) -> tuple[_Single, Matrix, Column]:
    a, b, c = bulk.inertia
    return np.float32(bulk.volume), (_column(a), _column(b), _column(c)), _column(bulk.center)


def _total_inertia(weights: Sequence[Weight], mass: float, center: Vec3 | None) -> Matrix:
    """The inertia of all about their centre, moved and scaled to what the body authors."""
    total, sums = _ZERO, (_ZERO, _ZERO, _ZERO)
    centroids = [_plus(_rotated(item.rotation, item.center), item.position) for item in weights]
    for item, centroid in zip(weights, centroids, strict=True):
        total, sums = total + item.mass, _plus(sums, _times_number(centroid, item.mass))
    middle = _times_number(sums, _ONE / total) if total > 0 else sums
    inertia = _diagonal((_ZERO, _ZERO, _ZERO))
    for item, centroid in zip(weights, centroids, strict=True):
        rotation = _matrix(item.rotation)
        rotated = _product(_product(rotation, item.inertia), _transposed(rotation))
        inertia = _added(inertia, _parallel_axis(rotated, item.mass, _minus(middle, centroid)))
    if mass:
        inertia, total = _scaled(inertia, np.float32(mass) / total), np.float32(mass)
    return inertia if center is None else _parallel_axis(inertia, total, _minus(_column(center), middle))


def _diagonalize(inertia: Matrix) -> Rotation:
    """Jacobi rotations from the body's axes, as a quaternion."""
    axes = _IDENTITY
    for _ in range(_MAX_JACOBI_ROTATIONS):
        rotation = _matrix(axes)
        d = _product(_product(_transposed(rotation), inertia), rotation)
        off = abs(d[1][2]), abs(d[0][2]), abs(d[0][1])
        axis = 0 if off[0] > off[1] and off[0] > off[2] else 1 if off[1] > off[2] else 2
        i, j = (axis + 1) % 3, (axis + 2) % 3
        gap, twice = d[i][i] - d[j][j], 2 * d[i][j]
        if not d[i][j] or abs(gap) > np.float32(2e6) * abs(twice):
            break
        sine, cosine = _half_angle(gap / twice)
        step = [_ZERO, _ZERO, _ZERO]
        step[axis] = sine
        axes = _normalised(_times(axes, (step[0], step[1], step[2], cosine)))
    return axes


def _half_angle(cotangent: _Single) -> tuple[_Single, _Single]:
    """Sine and cosine of half an angle from the cotangent of twice that angle."""
    size = abs(cotangent)
    if size > 1000:
        return 1 / (4 * cotangent), _ONE
    tangent = 1 / (size + np.sqrt(cotangent * cotangent + 1))
    cosine = 1 / np.sqrt(tangent * tangent + 1)
    return np.sqrt((1 - cosine) / 2) * np.float32(1 if cotangent >= 0 else -1), np.sqrt((1 + cosine) / 2)


def _parallel_axis(inertia: Matrix, mass: _Single, by: Column) -> Matrix:
    """The parallel-axis rule."""
    x, y, z = by
    cross = ((_ZERO, z, -y), (-z, _ZERO, x), (y, -x, _ZERO))
    return _added(_scaled(_product(_transposed(cross), cross), mass), inertia)


def _matrix(rotation: Rotation) -> Matrix:
    x, y, z, w = rotation
    x2, y2, z2 = x + x, y + y, z + z
    xx, yy, zz, xy, xz, xw, yz, yw, zw = x2 * x, y2 * y, z2 * z, x2 * y, x2 * z, x2 * w, y2 * z, y2 * w, z2 * w
    return (1 - yy - zz, xy + zw, xz - yw), (xy - zw, 1 - xx - zz, yz + xw), (xz + yw, yz - xw, 1 - xx - yy)


def _times(a: Rotation, b: Rotation) -> Rotation:
    (x, y, z, w), (i, j, k, r) = a, b
    return (w * i + r * x + y * k - j * z, w * j + r * y + z * i - k * x, w * k + r * z + x * j - i * y,
            w * r - x * i - y * j - z * k)


def _normalised(rotation: Rotation) -> Rotation:
    x, y, z, w = rotation
    scale = 1 / np.sqrt(x * x + y * y + z * z + w * w)
    return x * scale, y * scale, z * scale, w * scale


def _rotated(rotation: Rotation, value: Column) -> Column:
    x, y, z, w = rotation
    vx, vy, vz = 2 * value[0], 2 * value[1], 2 * value[2]
    square, dot = w * w - np.float32(0.5), x * vx + y * vy + z * vz
    return (vx * square + (y * vz - z * vy) * w + x * dot, vy * square + (z * vx - x * vz) * w + y * dot,
            vz * square + (x * vy - y * vx) * w + z * dot)


def _product(a: Matrix, b: Matrix) -> Matrix:
    return _applied(a, b[0]), _applied(a, b[1]), _applied(a, b[2])


def _applied(matrix: Matrix, value: Column) -> Column:
    (a, b, c), (d, e, f), (g, h, i) = matrix
    x, y, z = value
    return a * x + d * y + g * z, b * x + e * y + h * z, c * x + f * y + i * z


def _transposed(matrix: Matrix) -> Matrix:
    (a, b, c), (d, e, f), (g, h, i) = matrix
    return (a, d, g), (b, e, h), (c, f, i)


def _added(a: Matrix, b: Matrix) -> Matrix:
    return _plus(a[0], b[0]), _plus(a[1], b[1]), _plus(a[2], b[2])


def _scaled(matrix: Matrix, factor: _Single) -> Matrix:
    return _times_number(matrix[0], factor), _times_number(matrix[1], factor), _times_number(matrix[2], factor)


def _diagonal(moments: Column) -> Matrix:
    return (moments[0], _ZERO, _ZERO), (_ZERO, moments[1], _ZERO), (_ZERO, _ZERO, moments[2])


def _column(value: Vec3) -> Column:
    return np.float32(value[0]), np.float32(value[1]), np.float32(value[2])


def _plus(a: Column, b: Column) -> Column:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def _minus(a: Column, b: Column) -> Column:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def _times_number(value: Column, factor: _Single) -> Column:
    return value[0] * factor, value[1] * factor, value[2] * factor
