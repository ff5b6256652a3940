"""The order in which PhysX creates what it solves one after another."""

from __future__ import annotations

from physx_schema.description.articulation.joints import TREE_KINDS
from physx_schema.description.opinions.reading import path_key

JointOrder = tuple[int, tuple[str, ...]]


def joint_order(kind: str | None, path: str) -> JointOrder:
    """Sort key of tendons and mimic joints by their joint: revolute before prismatic joints, then by path."""
    return TREE_KINDS.index(kind) if kind in TREE_KINDS else len(TREE_KINDS), path_key(path)
