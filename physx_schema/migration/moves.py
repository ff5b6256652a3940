"""Where retired things went that a new name alone does not tell: the one list of moves between classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Move:
    """Retired properties of a class and the class that has them now; a retired class moves along."""

    schema: str
    successor: str
    properties: Mapping[str, str]       # name as on the prim to name of the successor's property
    reason: str                         # why the value means the same there
    per_axis: bool = False              # the successor is applied once for each free axis of the joint


MOVES: tuple[Move, ...] = (
    Move(
        "PhysxJointAPI", "PhysxJointAxisAPI",
        {"physxJoint:maxJointVelocity": "maxJointVelocity", "physxJoint:armature": "armature"},
        "PhysX gave the value to every axis of the joint that has no PhysxJointAxisAPI, in the same units: degrees per "
        "time on angular axes, distance per time on linear ones",
        per_axis=True,
    ),
    Move(
        "PhysxSceneAPI", "PhysxSceneAPI",
        {"physxScene:gpuMaxSoftBodyContacts": "physxScene:gpuMaxDeformableVolumeContacts"},
        "the same buffer, counted in contacts, with the same default",
    ),
)
