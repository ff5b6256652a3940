"""Limits of joints outside articulations that PhysX refuses whole: none of their numbers comes to anything."""

from __future__ import annotations

import math
from collections.abc import Mapping

from physx_runtime.verification.authored import Authored
from physx_runtime.verification.outside.limits import SWINGS
from physx_schema.definitions import ends
from physx_schema.description.articulation.outside_limits import losing
from physx_schema.description.model import Description, OutsideJoint, unlimited

QUARTERS = "the joint turns by 90 degrees to either side"
# Properties of bounds that have no instance in their name.
_BOUNDS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("angular", "linear"), ("physics:lowerLimit", "physics:upperLimit")),
    "cone": ("physics:coneAngle0Limit", "physics:coneAngle1Limit"),
}


def lost_limits(description: Description, authored: Authored) -> dict[tuple[str, str], str]:
    """By prim and property the numbers of limits that PhysX refuses whole, and why."""
    joints = {joint.path: joint for joint in description.separate_joints}
    refused: dict[str, list[tuple[set[str], str]]] = {}
    for (path, name), value in authored.items():
        if path in joints and f"{path}.{name}" in description.consumed and (why := _refusal(name, value)):
            lost = _lost_with(joints[path], name.split(":")[1])
            reason = f"PhysX refuses the whole limit: {why}{_instead(joints[path], lost)}"
            refused.setdefault(path, []).append((lost, reason))
    return {(path, name): reason for path, name in authored for lost, reason in refused.get(path, ())
            if _belongs(name, lost)}


def _refusal(name: str, value: object) -> str:
    """Why a number that is read loses a limit; empty where it does not."""
    namespace, _, base = name.rpartition(":")
    kind, _, instance = namespace.partition(":")
    if kind != "physxLimit" or base not in losing(instance) or not isinstance(value, float):
        return ""
    most = ends("PhysxLimitAPI", base)[1]
    return f"{base} is NaN" if math.isnan(value) else f"{base} {value:g} is above {most:g}" if value > most else ""


def _lost_with(joint: OutsideJoint, instance: str) -> set[str]:
    """The limits that are lost with one: both swings together."""
    return {axis.instance for axis in joint.axes} & set(SWINGS) if instance in SWINGS else {instance}


def _instead(joint: OutsideJoint, lost: set[str]) -> str:
    bounded = any(axis.instance in lost and not unlimited(axis.upper) for axis in joint.axes)
    return f"; {QUARTERS}" if bounded else ""


def _belongs(name: str, lost: set[str]) -> bool:
    """Whether a property is one of these limits."""
    kind, instance, *_ = f"{name}:".split(":")
    return (kind in ("limit", "physxLimit") and instance in lost) or any(
        name in _BOUNDS.get(instance, ()) for instance in lost)
