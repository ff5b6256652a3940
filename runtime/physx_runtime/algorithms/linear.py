"""Rows and columns of generalised velocities as lists of scalars."""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.algorithms.crba import Matrix
from physx_runtime.algorithms.kinematics import Row
from physx_runtime.tracing.ops import Scalar


def less(a: Sequence[Scalar], b: Sequence[Scalar]) -> list[Scalar]:
    """a - b."""
    return [x - y for x, y in zip(a, b, strict=True)]


def plus(a: Sequence[Scalar] | Row, b: Sequence[Scalar] | Row) -> list[Scalar]:
    """a + b."""
    return [x + y for x, y in zip(a, b, strict=True)]


def times(minv: Matrix, row: Sequence[Scalar]) -> list[Scalar]:
    """minv row^T."""
    out: list[Scalar] = []
    for line in minv:
        total: Scalar = 0.0
        for a, b in zip(line, row, strict=True):
            total = total + a * b
        out.append(total)
    return out


def dot(a: Row, b: Row) -> Scalar:
    """Sum of products."""
    total: Scalar = 0.0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total
