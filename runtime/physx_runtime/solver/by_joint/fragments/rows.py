"""Fragments of plain rows: copies, zeros, sums and products."""

from __future__ import annotations

from physx_runtime.solver.by_joint.fragments.operands import Made, Operands


def copy(rows: Operands) -> Made:
    """The same rows elsewhere."""
    return {"copied": rows["given"]}


def zero(rows: Operands) -> Made:
    """Operands of nothing."""
    return {"cleared": [0.0] * len(rows["cleared"])}


def one(rows: Operands) -> Made:
    """1 in a row."""
    return {"ones": [1.0] * len(rows["ones"])}


def add_scaled(rows: Operands, sign: float) -> Made:
    """total + sign factor x."""
    factor = sign * rows["factor"][0] if "factor" in rows else sign
    return {"total": [a + factor * x for a, x in zip(rows["total"], rows["x"], strict=True)]}


def scaled(rows: Operands) -> Made:
    """factor x."""
    return {"product": [rows["factor"][0] * x for x in rows["x"]]}


def add_size(rows: Operands) -> Made:
    """Sum of absolute values."""
    return {"size": [rows["size"][0] + abs(rows["x"][0])]}
