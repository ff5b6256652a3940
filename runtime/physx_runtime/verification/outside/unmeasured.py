"""Why a number of a joint outside articulations that acts has no experiment of its own."""

from __future__ import annotations

import math

from physx_schema.description.model import Description, OutsideJoint

FRAMES = ("localPos0", "localPos1", "localRot0", "localRot1")
PLACES = "it says where the joint holds, and the openings of the whole stage how well"
LOCKED = "low above high locks the axis, whatever the two numbers are"
AIMING = "the axis of the drive is locked; its target still turns where the joint's other drives aim"
UNBOUNDED = "it bounds nothing"


def refused_drives(description: Description) -> dict[tuple[str, str], str]:
    """By prim and prefix of properties the drives that PhysX refuses whole, and why."""
    return {(problem.path, problem.property.rpartition(":")[0]): problem.message
            for problem in description.problems if problem.code == "joint/drive-refused"}


def unmeasured(joint: OutsideJoint, name: str) -> str:
    """Why there is no experiment for a property of a joint; empty where no reason is known."""
    base = name.rpartition(":")[2]
    if base in FRAMES:
        return PLACES
    free, instance = {axis.instance for axis in joint.axes} | {"distance"}, name.split(":")[1]
    if name.startswith("limit:"):
        return UNBOUNDED if instance in free else LOCKED
    if name.startswith("drive:") and base == "targetPosition" and instance not in free:
        return AIMING
    if base in ("lowerLimit", "upperLimit", "minDistance", "maxDistance") or (
            base in ("breakForce", "breakTorque") and math.isinf(getattr(joint, _FIELDS[base]))):
        return UNBOUNDED
    return ""


_FIELDS = {"breakForce": "break_force", "breakTorque": "break_torque"}
