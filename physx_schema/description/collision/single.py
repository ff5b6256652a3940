"""Vectors and rotations in single floats, rounded step by step as PhysX rounds them.

Where a mesh is symmetric, rounding decides which of two equal candidates PhysX takes, and with it the shape.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Single = np.float32
Singles = npt.NDArray[np.float32]

_SWEEPS = 24
_NEGLIGIBLE = Single(2e6)
_SMALL_ANGLE = 1000.0


def dot(first: Singles, second: Singles) -> Singles:
    """Products of rows, added from left to right."""
    products = first * second
    return np.asarray(products[..., 0] + products[..., 1] + products[..., 2])


def cross(first: Singles, second: Singles) -> Singles:
    """Cross products of rows."""
    ax, ay, az = first[..., 0], first[..., 1], first[..., 2]
    bx, by, bz = second[..., 0], second[..., 1], second[..., 2]
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-1)


def added(rows: Singles) -> Singles:
    """The sum of rows, added one after another."""
    return np.asarray(np.add.accumulate(rows, axis=0)[-1])


def normalized(vector: Singles) -> tuple[Singles, float]:
    """The unit vector and the length; zero stays."""
    length = np.sqrt(dot(vector, vector))
    return (np.asarray(vector * (Single(1.0) / length), dtype=Single) if length > 0.0 else vector), float(length)


def about(axis: Singles, angle: Single) -> Singles:
    """The quaternion (x, y, z, w) of a turn about a unit axis."""
    half = float(angle * Single(0.5))
    return np.append(axis * Single(math.sin(half)), Single(math.cos(half)))


def columns(turn: Singles) -> Singles:
    """The rotation matrix of a quaternion."""
    w, double = turn[3], turn + turn
    p, q, r = double[:3] * w
    diagonal = double[3] * w - Single(1.0)
    first = np.array([diagonal, r, -q], dtype=Single) + turn[:3] * double[0]
    second = np.array([-r, diagonal, p], dtype=Single) + turn[:3] * double[1]
    third = np.array([q, -p, diagonal], dtype=Single) + turn[:3] * double[2]
    return np.stack([first, second, third], axis=1)


def turned_back(turn: Singles, rows: Singles) -> Singles:
    """Vectors in the axes of a rotated frame."""
    axis, w = turn[:3], turn[3]
    straight = rows * (w * w - Single(0.5)) - cross(axis, rows) * w
    return np.asarray((straight + dot(axis, rows)[:, None] * axis) * Single(2.0), dtype=Single)


def principal_turn(matrix: Singles) -> Singles:
    """The quaternion of the principal axes of a symmetric matrix, by Jacobi rotations from the identity."""
    turn = np.array([0.0, 0.0, 0.0, 1.0], dtype=Single)
    for _ in range(_SWEEPS):
        axes = columns(turn)
        inside = _product(_product(axes.T, matrix), axes)
        sizes = np.abs([inside[1, 2], inside[0, 2], inside[0, 1]])
        axis = 0 if sizes[0] > sizes[1] and sizes[0] > sizes[2] else 1 if sizes[1] > sizes[2] else 2
        i, j = (axis + 1) % 3, (axis + 2) % 3
        off, gap = inside[j, i], inside[i, i] - inside[j, j]
        if off == 0.0 or abs(gap) > _NEGLIGIBLE * abs(Single(2.0) * off):
            break
        turn = _times(turn, _jacobi(axis, gap / (Single(2.0) * off)))
        turn = turn * (Single(1.0) / np.sqrt((turn * turn).sum(dtype=Single)))
    return turn


def _jacobi(axis: int, cotangent: Single) -> Singles:
    """The turn about a coordinate axis that clears one element; `cotangent` is that of twice its angle."""
    one, half = Single(1.0), Single(0.5)
    turn = np.zeros(4, dtype=Single)
    size = abs(cotangent)
    if size > _SMALL_ANGLE:
        turn[axis], turn[3] = one / (Single(4.0) * cotangent), one
        return turn
    tangent = one / (size + np.sqrt(cotangent * cotangent + one))
    cosine = one / np.sqrt(tangent * tangent + one)
    turn[axis] = np.sqrt((one - cosine) * half) * Single(math.copysign(1.0, cotangent))
    turn[3] = np.sqrt((one + cosine) * half)
    return turn


def _product(first: Singles, second: Singles) -> Singles:
    """The matrix product, columns of the first added from left to right."""
    parts = first[:, :, None] * second[None, :, :]
    return np.asarray(parts[:, 0] + parts[:, 1] + parts[:, 2])


def _times(first: Singles, second: Singles) -> Singles:
    """The product of two quaternions."""
    ax, ay, az, aw = first
    bx, by, bz, bw = second
    return np.array([
        aw * bx + bw * ax + ay * bz - by * az, aw * by + bw * ay + az * bx - bz * ax,
        aw * bz + bw * az + ax * by - bx * ay, aw * bw - ax * bx - ay * by - az * bz,
    ], dtype=Single)
