"""Fragments of plain rows: copies, zeros, sums and products."""

from __future__ import annotations

from physx_runtime.language.ops import Rows
from physx_runtime.solver.by_joint.fragments.operands import Operands


def copy(rows: Operands) -> Rows:
    """The same rows elsewhere."""
    return {"copied": rows["given"]}


def zero(rows: Operands) -> Rows:
    """Operands of nothing."""
    return {"cleared": [0.0] * len(rows["cleared"])}


def one(rows: Operands) -> Rows:
    """1 in a row."""
    return {"ones": [1.0] * len(rows["ones"])}


def add_scaled(rows: Operands, sign: float) -> Rows:
    """total + sign factor x."""
    factor = sign * rows["factor"][0] if "factor" in rows else sign
    return {"total": [a + factor * x for a, x in zip(rows["total"], rows["x"], strict=True)]}


def scaled(rows: Operands) -> Rows:
    """factor x."""
    return {"product": [rows["factor"][0] * x for x in rows["x"]]}


def add_size(rows: Operands) -> Rows:
    """Sum of absolute values."""
    return {"size": [rows["size"][0] + abs(rows["x"][0])]}
