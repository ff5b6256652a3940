"""What moves and brakes one joint axis: its drive, and its armature, friction and speed limit."""

from __future__ import annotations

import math
from typing import Literal

from physx_generated import PhysxJointAxisAPI
from pxr import Usd, UsdPhysics

from physx_schema.authoring.arguments import given, is_finite, not_finite
from physx_schema.authoring.prims import refuse, require_axis, stage_of, why_not_editable

NOT_NEGATIVE = ("stiffness", "damping", "maxForce")


def drive(
    joint: Usd.Prim | Usd.SchemaBase, *, stiffness: float | None = None, damping: float | None = None,
    target: float | None = None, target_velocity: float | None = None, max_force: float | None = None,
    type: Literal["force", "acceleration"] | None = None,
) -> UsdPhysics.DriveAPI:
    """Author the drive of a revolute or prismatic joint, or change one that is there.

    ``effort = stiffness * (target - q) + damping * (target_velocity - qd)``, at most max_force

    stiffness: torque / degree (revolute) or force / length. damping: torque time / degree or force time / length.
    target: degree or length. target_velocity: degree / time or length / time. max_force: torque or force, math.inf for
    no bound; it bounds drive and joint effort together. type "acceleration" multiplies by the joint's inertia.

    Writes PhysicsDriveAPI:angular or :linear with the values given. Raises AuthoringError, nothing written, for a prim
    that is no such joint, for values that are not finite (max_force may be inf) and for negative gains or max_force.
    """
    stage_of(joint)
    prim = joint.GetPrim()
    instance = require_axis(prim)
    values = given(
        type=type, stiffness=stiffness, damping=damping, targetPosition=target, targetVelocity=target_velocity,
        maxForce=max_force,
    )
    refuse([*why_not_editable(prim), *_drive_problems(f"{prim.GetPath()}.drive:{instance}:physics", values)])
    api = UsdPhysics.DriveAPI.Apply(prim, instance)
    for name, value in values.items():
        getattr(api, f"Create{name[0].upper()}{name[1:]}Attr")(value if name == "type" else float(value))   # type: ignore[arg-type]
    return api


def _drive_problems(prefix: str, values: dict[str, object]) -> list[str]:
    lines = []
    for name, value in values.items():
        where = f"{prefix}:{name}"
        if name == "type":
            if value not in ("force", "acceleration"):
                lines.append(f"{where}: token {value!r} is not one of force, acceleration; give one of them")
        elif not (name == "maxForce" and value == math.inf):
            lines += not_finite(where, value)
        if name in NOT_NEGATIVE and is_finite(value) and value < 0:
            lines.append(f"{where}: {value:g} is negative; give a value of at least 0")
    return lines


def joint_axis(
    joint: Usd.Prim | Usd.SchemaBase, *, armature: float | None = None, static_friction: float | None = None,
    dynamic_friction: float | None = None, viscous_friction: float | None = None, max_velocity: float | None = None,
) -> PhysxJointAxisAPI:
    """Author armature, friction and speed limit of a revolute or prismatic joint, or change those that are there.

    armature: mass length^2 (revolute) or mass. static_friction, dynamic_friction: torque or force. viscous_friction:
    torque time / degree or force time / length. max_velocity: degree / time or length / time.

    Writes PhysxJointAxisAPI:angular or :linear with the values given. Raises AuthoringError, nothing written, for a
    prim that is no such joint or is excluded from the articulation, for values out of range, and for a dynamic friction
    above the static one, which would leave the joint without any.
    """
    stage_of(joint)
    prim = joint.GetPrim()
    instance = require_axis(prim)
    refuse([*why_not_editable(prim), *_excluded(prim)])
    values = given(
        armature=armature, staticFrictionEffort=static_friction, dynamicFrictionEffort=dynamic_friction,
        viscousFrictionCoefficient=viscous_friction, maxJointVelocity=max_velocity,
    )
    return PhysxJointAxisAPI.Apply(prim, instance, **values)        # type: ignore[arg-type]


def _excluded(prim: Usd.Prim) -> list[str]:
    if not UsdPhysics.Joint(prim).GetExcludeFromArticulationAttr().Get():
        return []
    return [f"{prim.GetPath()}: physics:excludeFromArticulation is true, and PhysX reads PhysxJointAxisAPI in "
            f"articulations only; clear it"]
