"""Joints between bodies, written to a stage."""

from __future__ import annotations

import math
from typing import Any

from pxr import UsdPhysics

import physx_schema as PhysxSchema
from physx_runtime.components.arguments import LARGEST
from physx_runtime.components.joint_components import (
    AXES,
    PhysxDistanceJointComponent,
    PhysxDriveComponent,
    PhysxJointComponent,
)
from physx_runtime.components.stage import WORLD, Written, write_frames

FARTHEST = 1e6          # m, for the open end of a limit: PhysX makes none of one with an infinite end


def write_joint_component(written: Written, joint: PhysxJointComponent) -> None:
    """A joint that is outside articulations. Raises RuntimeError where what it holds is not in the scene."""
    for body in (joint.parent, joint.body):
        if body is not None and body not in written.bodies:
            raise RuntimeError(f"{joint!r} holds a body that is not in the scene; add its entity too")
    path = written.path(f"{WORLD}/joints", joint.name or f"{joint.body.require_entity().name}_joint")
    kind = UsdPhysics.DistanceJoint if isinstance(joint, PhysxDistanceJointComponent) else UsdPhysics.Joint
    made = kind.Define(written.stage, path)
    write_frames(made, ("" if joint.parent is None else written.bodies[joint.parent], written.bodies[joint.body]),
                 (joint.pose_in_parent, joint.pose_in_child))
    made.CreateExcludeFromArticulationAttr(True)
    if isinstance(joint, PhysxDistanceJointComponent):
        _write_distance(made, joint)
    elif isinstance(joint, PhysxDriveComponent):
        _write_axes(made.GetPrim(), joint)
    written.joints[joint] = path


def _write_distance(made: UsdPhysics.DistanceJoint, joint: PhysxDistanceJointComponent) -> None:
    if joint.limit is None:
        return
    made.CreateMinDistanceAttr(joint.limit.low)
    made.CreateMaxDistanceAttr(joint.limit.high)
    if joint.limit.stiffness or joint.limit.damping:
        PhysxSchema.PhysxPhysicsDistanceJointAPI.Apply(
            made.GetPrim(), springEnabled=True, springStiffness=joint.limit.stiffness,
            springDamping=joint.limit.damping)


def _write_axes(prim: Any, joint: PhysxDriveComponent) -> None:
    positions, velocities = joint.aims("target_position"), joint.aims("target_velocity")
    for axis in AXES:
        one = 180.0 / math.pi if axis.startswith("rot") else 1.0
        limit, drive = joint.limits.get(axis), joint.drives.get(axis)
        if limit is not None and math.isfinite(limit.low) | math.isfinite(limit.high):
            api = UsdPhysics.LimitAPI.Apply(prim, axis)
            locked = limit.low == limit.high        # which USD writes as a lower limit above the upper one
            end = math.inf if axis.startswith("rot") else FARTHEST
            api.CreateLowAttr(1.0 if locked else max(limit.low, -end) * one)
            api.CreateHighAttr(-1.0 if locked else min(limit.high, end) * one)
            if limit.stiffness or limit.damping:
                PhysxSchema.PhysxLimitAPI.Apply(prim, axis, stiffness=limit.stiffness / one,
                                                damping=limit.damping / one)
        if drive is not None:
            api = UsdPhysics.DriveAPI.Apply(prim, axis)
            api.CreateTypeAttr(drive.mode)
            api.CreateStiffnessAttr(drive.stiffness / one)
            api.CreateDampingAttr(drive.damping / one)
            api.CreateMaxForceAttr(math.inf if drive.force_limit >= LARGEST else drive.force_limit)
            api.CreateTargetPositionAttr(positions[axis] * one)
            api.CreateTargetVelocityAttr(velocities[axis] * one)
