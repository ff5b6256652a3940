"""Positions with rotations, of one world or of many."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from physx_runtime.arrays import SingleArray
from physx_runtime.components.accessors import Accessors

Doubles = NDArray[np.float64]

SANE = 1e-2         # how far the length of a quaternion may be from 1 (PxQuat::isSane)


class Pose(Accessors):
    """A position p and a rotation q = (w, x, y, z) in float32: (3,) and (4,), or (n, 3) and (n, 4) for n worlds.

    If b is a pose in frame a, `a * b` is the same pose in the parent frame of a. `Pose(matrix)` takes a transformation
    matrix (4, 4). Raises ValueError for other shapes, numbers that are not finite, and quaternions that are not of unit
    length.
    """

    def __init__(self, p: ArrayLike = (0.0, 0.0, 0.0), q: ArrayLike | None = None, *,
                 matrix: ArrayLike | None = None) -> None:
        values = np.asarray(p if matrix is None else matrix, dtype=np.float64)
        if q is None and values.shape[-2:] == (4, 4):
            self.p, self.q = values[..., :3, 3], quaternion_of(values[..., :3, :3])
        else:
            self.p, self.q = values, (1.0, 0.0, 0.0, 0.0) if q is None else q

    @property
    def p(self) -> SingleArray:
        """The position."""
        return self._p.copy()

    @p.setter
    def p(self, value: ArrayLike) -> None:
        self._p = _finite("p", value, 3)

    @property
    def q(self) -> SingleArray:
        """The rotation as a quaternion w x y z."""
        return self._q.copy()

    @q.setter
    def q(self, value: ArrayLike) -> None:
        quaternion = _finite("q", value, 4)
        if (abs(np.linalg.norm(quaternion, axis=-1) - 1.0) > SANE).any():
            raise ValueError(f"q is {quaternion.tolist()}, and its length is not 1; give a unit quaternion w x y z")
        self._q = quaternion

    @property
    def rpy(self) -> SingleArray:
        """Roll, pitch and yaw in radians: rotations about the fixed axes x, then y, then z."""
        w, x, y, z = np.moveaxis(unit(self._q), -1, 0)
        roll = np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
        pitch = np.arcsin(np.clip(2 * (w * y - z * x), -1.0, 1.0))
        yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        return np.stack([roll, pitch, yaw], axis=-1).astype(np.float32)

    @rpy.setter
    def rpy(self, value: ArrayLike) -> None:
        half = _finite("rpy", value, 3).astype(np.float64) / 2
        (cr, cp, cy), (sr, sp, sy) = np.moveaxis(np.cos(half), -1, 0), np.moveaxis(np.sin(half), -1, 0)
        self.q = np.stack([cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy,
                           cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy], axis=-1)

    def inv(self) -> Pose:
        """Return the inverse pose."""
        inverse = conjugate(unit(self._q))
        return Pose(-rotate(inverse, self._p.astype(np.float64)), inverse)

    def __mul__(self, other: Pose) -> Pose:
        if not isinstance(other, Pose):
            return NotImplemented
        rotation = unit(self._q)
        return Pose(self._p + rotate(rotation, other._p.astype(np.float64)), product(rotation, unit(other._q)))

    def transform(self, points: ArrayLike) -> Doubles:
        """Transform points (..., 3) from this frame to the parent frame, and return them."""
        return self._p + rotate(unit(self._q), np.asarray(points, dtype=np.float64))

    def to_transformation_matrix(self) -> SingleArray:
        """Return the transformation matrix, (4, 4), or (n, 4, 4) for n worlds."""
        matrix = np.zeros((*np.broadcast_shapes(self._p.shape[:-1], self._q.shape[:-1]), 4, 4), np.float32)
        matrix[..., :3, :3], matrix[..., :3, 3], matrix[..., 3, 3] = rotation_matrix(unit(self._q)), self._p, 1.0
        return matrix

    def __repr__(self) -> str:
        return f"Pose({_format(self._p)}, {_format(self._q)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pose) and np.array_equal(self._p, other._p) and np.array_equal(self._q, other._q)

    __hash__ = None     # type: ignore[assignment]


def _finite(name: str, value: ArrayLike, size: int) -> SingleArray:
    values = np.asarray(value, dtype=np.float64)
    if values.ndim not in (1, 2) or values.shape[-1] != size or not np.isfinite(values).all():
        raise ValueError(f"{name} is {np.asarray(value).tolist()}; give {size} finite numbers, or (n, {size}) "
                         "for n worlds")
    return values.astype(np.float32)


def _format(values: SingleArray) -> str:
    if values.ndim > 1:
        return repr(values.tolist())
    return f"[{', '.join(f'{x:g}' for x in values)}]"


def unit(q: NDArray[Any]) -> Doubles:
    """Quaternions of length 1."""
    doubles = q.astype(np.float64)
    return np.asarray(doubles / np.linalg.norm(doubles, axis=-1, keepdims=True))


def conjugate(q: Doubles) -> Doubles:
    """The rotation back."""
    return np.asarray(q * np.array([1.0, -1.0, -1.0, -1.0]))


def product(a: Doubles, b: Doubles) -> Doubles:
    """The rotation b, then a."""
    w, v, x, u = a[..., :1], a[..., 1:], b[..., :1], b[..., 1:]
    return np.concatenate([w * x - (v * u).sum(axis=-1, keepdims=True), w * u + x * v + np.cross(v, u)], axis=-1)


def rotate(q: Doubles, x: Doubles) -> Doubles:
    """Vectors turned by rotations."""
    w, v = q[..., :1], q[..., 1:]
    twice = 2.0 * np.cross(v, x)
    return np.asarray(x + w * twice + np.cross(v, twice))


def rotation_matrix(q: Doubles) -> Doubles:
    """(..., 3, 3), whose columns are the turned axes."""
    return np.stack([rotate(q, np.broadcast_to(axis, (*q.shape[:-1], 3))) for axis in np.eye(3)], axis=-1)


def quaternion_of(matrix: Doubles) -> Doubles:
    """The quaternion w x y z of a rotation matrix (..., 3, 3), w at least 0."""
    m = np.asarray(matrix, dtype=np.float64)
    squares = np.stack([m[..., 0, 0] + m[..., 1, 1] + m[..., 2, 2], m[..., 0, 0] - m[..., 1, 1] - m[..., 2, 2],
                        m[..., 1, 1] - m[..., 0, 0] - m[..., 2, 2], m[..., 2, 2] - m[..., 0, 0] - m[..., 1, 1]], -1)
    largest = np.sqrt(np.maximum(1.0 + squares.max(axis=-1), 1e-30)) / 2.0
    a, b, c = (m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1])
    d, e, f = (m[..., 1, 0] + m[..., 0, 1], m[..., 0, 2] + m[..., 2, 0], m[..., 2, 1] + m[..., 1, 2])
    four = 4.0 * largest * largest
    columns = [np.stack([four, a, b, c], -1), np.stack([a, four, d, e], -1), np.stack([b, d, four, f], -1),
               np.stack([c, e, f, four], -1)]
    choice = squares.argmax(axis=-1)
    quaternion = np.choose(choice[..., None], columns) / (4.0 * largest[..., None])
    return np.asarray(np.where(quaternion[..., :1] < 0.0, -quaternion, quaternion))
