"""The order in which PhysX makes joints outside articulations."""

from __future__ import annotations

from collections.abc import Iterable

from physx_schema.description.articulation.joints import KINDS
from physx_schema.description.model import OutsideJoint


def creation_order(joints: Iterable[OutsideJoint]) -> list[OutsideJoint]:
    """Joints in the order in which PhysX makes them: by kind, then by path as a plain string."""
    return sorted(joints, key=lambda joint: (KINDS.index(joint.kind), joint.path))
