"""Joints outside articulations and fixed tendons of what a USD stage describes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from physx_runtime.components.arguments import LARGEST
from physx_runtime.components.articulation import PhysxArticulation
from physx_runtime.components.joint_components import (
    AXES,
    TURN_ROUNDING,
    Drive,
    Limit,
    PhysxDistanceJointComponent,
    PhysxDriveComponent,
    PhysxJointComponent,
)
from physx_runtime.components.link import PhysxArticulationLinkComponent
from physx_runtime.components.pose import Pose
from physx_runtime.components.rigid import PhysxRigidBaseComponent, PhysxRigidBodyComponent
from physx_runtime.components.shape_reader import along_x, finite, pose_of
from physx_schema.description.model import DistanceRange, JointAxis, OutsideJoint
from physx_schema.description.model import FixedTendon as FixedTendonFact

KINDS = ("fixed", "revolute", "prismatic", "spherical", "d6", "distance")
HELD = Limit(0.0, 0.0)


def outside_problems(fact: OutsideJoint, bodies: Mapping[str, Any]) -> Iterator[str]:
    """A line for each thing about a joint that no component can be."""
    if fact.kind not in KINDS or fact.cone is not None or (fact.kind != "distance" and fact.distance is not None):
        yield (f"{fact.path}: a {fact.kind} joint{' with a cone' if fact.cone else ''} is no component's; give one of "
               f"{', '.join(KINDS)} without cone and distance limit")
    if not isinstance(bodies.get(fact.body1), PhysxRigidBodyComponent):
        yield f"{fact.path}: physics:body1 names no rigid body, and a component is of one; exchange body0 and body1"
    if math.isfinite(fact.break_force) or math.isfinite(fact.break_torque):
        yield f"{fact.path}: physics:breakForce and breakTorque are no component's; remove them"
    if fact.collision_enabled:
        yield f"{fact.path}: physics:collisionEnabled is no component's; set it to false"
    if any(axis.restitution for axis in fact.axes):
        yield f"{fact.path}: limits that bounce are no component's; remove the restitution"
    if sum(abs(angle) > TURN_ROUNDING for angle in fact.aim) > 1:
        yield f"{fact.path}: drives to a turn about several axes are no component's; aim about one"


def outside_joint(fact: OutsideJoint, parent: PhysxRigidBaseComponent | None,
                  body: PhysxRigidBodyComponent) -> PhysxJointComponent:
    """The component of a joint without problems."""
    distance = fact.kind == "distance"
    made = PhysxDistanceJointComponent(body) if distance else PhysxDriveComponent(body)
    made.name, made.parent = fact.path.rpartition("/")[2], parent
    turn = along_x(fact.axis)
    made.pose_in_parent, made.pose_in_child = pose_of(fact.frame0) * turn, pose_of(fact.frame1) * turn
    if isinstance(made, PhysxDistanceJointComponent):
        made.limit = None if fact.distance is None else _range(fact.distance)
    else:
        _take_axes(made, fact)
    return made


def _range(fact: DistanceRange) -> Limit | None:
    if math.isinf(fact.minimum) and math.isinf(fact.maximum):
        return None
    stiffness, damping = (fact.stiffness, fact.damping) if fact.spring else (0.0, 0.0)
    return Limit(max(fact.minimum, 0.0), finite(fact.maximum), stiffness, damping)


def _take_axes(made: PhysxDriveComponent, fact: OutsideJoint) -> None:
    """Limits, drives and targets; what is not among the joint's axes is held."""
    free = {axis.axis: axis for axis in fact.axes}
    way, speed = np.zeros(3), np.zeros(6)
    for i, name in enumerate(AXES):
        axis = free.get(name)
        limit = HELD if axis is None else _limit(axis)
        if limit is not None:
            made.limits[name] = limit
        drive = None if axis is None else axis.drive
        if drive is not None:
            made.drives[name] = Drive(drive.stiffness, drive.damping, finite(drive.max_force),
                                      "acceleration" if drive.acceleration else "force")
            speed[i] = drive.target_velocity
            if i < 3:
                way[i] = drive.target_position
    turn = [math.sin(angle / 2.0) for angle in fact.aim]
    made.drive_target = Pose(way, [math.cos(sum(fact.aim) / 2.0), *turn])
    made.set_drive_velocity_target(speed[:3], speed[3:])


def _limit(axis: JointAxis) -> Limit | None:
    if math.isinf(axis.lower) and math.isinf(axis.upper):
        return None
    return Limit(axis.lower, axis.upper, axis.limit_stiffness, axis.limit_damping)


def take_tendon(made: PhysxArticulation, fact: FixedTendonFact,
                by_joint: Mapping[str, PhysxArticulationLinkComponent]) -> list[str]:
    """Give an articulation a fixed tendon; a line where it can have none like it."""
    if not fact.enabled:
        return [f"{fact.path}: tendon {fact.name!r} is disabled, and components are not; enable or remove it"]
    links = [by_joint[axis.path] for axis in fact.axes]
    try:
        made.create_fixed_tendon(
            [links[0].parent, *links], [0.0, *(axis.gearing for axis in fact.axes)],
            [0.0, *(axis.force_coefficient for axis in fact.axes)], fact.rest_length, fact.offset, fact.stiffness,
            fact.damping, max(fact.lower_limit, -LARGEST), finite(fact.upper_limit), fact.limit_stiffness)
    except ValueError as error:
        return [f"{fact.path}: tendon {fact.name!r} is no component's: {error}"]
    return []
