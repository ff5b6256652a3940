"""Joints of components, written to a stage and read from one.

Articulations written to a stage: links, joints, drives and fixed tendons.

Joints between bodies, written to a stage.

Joints outside articulations and fixed tendons of what a USD stage describes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from pxr import Usd, UsdPhysics

import physx_schema as PhysxSchema
from physx_runtime.components.articulation import PhysxArticulation
from physx_runtime.components.entity import LARGEST
from physx_runtime.components.joint import PhysxArticulationJoint
from physx_runtime.components.joint_components import (
    ROTATION_TOLERANCE,
    Drive,
    FixedTendon,
    Limit,
    PhysxDistanceJointComponent,
    PhysxDriveComponent,
    PhysxJointComponent,
)
from physx_runtime.components.link import PhysxArticulationLinkComponent
from physx_runtime.components.pose import Pose
from physx_runtime.components.rigid import PhysxRigidBaseComponent, PhysxRigidBodyComponent
from physx_runtime.components.stage import WORLD, PrimMap, first_pose, first_world, write_body, write_frames
from physx_runtime.components.stage_shapes import finite, pose_of, rotation_from_x, write_shapes
from physx_schema import authoring
from physx_schema.description.model import DistanceRange, JointAxis, MaximalJoint
from physx_schema.description.model import FixedTendon as FixedTendonFact
from physx_schema.description.model.joint import AXES, ROTATIONS, TREE_KINDS

UNWRAPPED = 1e6         # rad: PhysX counts the turns of a hinge that has limits, however far they are

_JOINTS = {"fixed": UsdPhysics.FixedJoint, "revolute": UsdPhysics.RevoluteJoint,
           "revolute_unwrapped": UsdPhysics.RevoluteJoint, "prismatic": UsdPhysics.PrismaticJoint}


def write_articulation(prims: PrimMap, articulation: PhysxArticulation, parent: str) -> None:
    """The links under a prim that is the articulation's root, and the joints between them."""
    root = articulation.root
    path = prims.path(parent, articulation.name or f"{root.name or 'articulation'}_articulation")
    prim = prims.frame(path, Pose())
    for link in articulation.links:
        link_path = prims.path(path, link.name or "link")
        body = prims.frame(link_path, first_pose(link.entity_pose))
        write_body(prims, body, link)
        write_shapes(prims, body, link)
        prims.bodies[link] = link_path
    coordinates, rates = first_world(articulation.qpos), first_world(articulation.qvel)
    dof_indices = {joint: i for i, joint in enumerate(articulation.active_joints)}
    for joint in articulation.joints:
        if joint.type != "free":
            _write_joint(prims, joint, f"{path}/joints")
        if joint in dof_indices:
            _write_dof(prims, joint, float(coordinates[dof_indices[joint]]), float(rates[dof_indices[joint]]))
    floating = root.joint.type == "free"
    if floating:        # PhysX takes the link in the middle for the root unless the root link itself is named
        prim = prims.stage.GetPrimAtPath(prims.bodies[root])
    UsdPhysics.ArticulationRootAPI.Apply(prim)
    PhysxSchema.PhysxArticulationAPI.Apply(
        prim, solverPositionIterationCount=articulation.solver_position_iterations,
        solverVelocityIterationCount=articulation.solver_velocity_iterations,
        sleepThreshold=articulation.sleep_threshold)
    if floating:
        _write_root_velocity(prim, articulation)
    for number, tendon in enumerate(articulation.tendons):
        _write_tendon(prims, tendon, f"tendon_{number}")
    prims.articulations[articulation] = path


def _write_root_velocity(root: Usd.Prim, articulation: PhysxArticulation) -> None:
    api = UsdPhysics.RigidBodyAPI(root)
    api.CreateVelocityAttr(tuple(map(float, first_world(articulation.root_linear_velocity))))
    api.CreateAngularVelocityAttr(
        tuple(map(float, np.degrees(first_world(articulation.root_angular_velocity)))))


def _write_joint(prims: PrimMap, joint: PhysxArticulationJoint, folder: str) -> None:
    """A joint with both frames; that of a fixed root holds it where it stands."""
    child, parent = joint.child_link, joint.parent_link
    path = prims.path(folder, joint.name or f"{child.name or 'link'}_joint")
    usd_joint = _JOINTS[joint.type].Define(prims.stage, path)
    if parent is None:
        write_frames(usd_joint, ("", prims.bodies[child]), (first_pose(child.entity_pose), Pose()))
    else:
        write_frames(usd_joint, (prims.bodies[parent], prims.bodies[child]),
                     (joint.pose_in_parent, joint.pose_in_child))
    prims.joints[joint] = path


def _write_dof(prims: PrimMap, joint: PhysxArticulationJoint, position: float, velocity: float) -> None:
    """Axis, limits, drive and state of a joint with a coordinate."""
    prim = prims.stage.GetPrimAtPath(prims.joints[joint])
    schema = UsdPhysics.RevoluteJoint(prim) if joint.angular else UsdPhysics.PrismaticJoint(prim)
    unit, instance = (180.0 / math.pi, "angular") if joint.angular else (1.0, "linear")      # of USD's unit
    schema.CreateAxisAttr("X")
    low, high = (float(x) for x in joint.limit[0])
    if joint.type == "revolute_unwrapped":
        low, high = max(low, -UNWRAPPED), min(high, UNWRAPPED)
    schema.CreateLowerLimitAttr(low * unit)
    schema.CreateUpperLimitAttr(high * unit)
    stiffness, damping, _, mode = joint.stiffness, joint.damping, joint.force_limit, joint.drive_mode
    authoring.drive(
        prim, type="acceleration" if mode == "acceleration" else "force", stiffness=stiffness / unit,
        damping=damping / unit, max_force=float(joint.parameter("max_force")),
        target=float(first_world(joint.drive_target)[0]) * unit,
        target_velocity=float(first_world(joint.drive_velocity_target)[0]) * unit)
    PhysxSchema.PhysxJointAxisAPI.Apply(
        prim, instance, armature=float(joint.armature[0]), maxJointVelocity=joint.max_velocity * unit)
    PhysxSchema.JointStateAPI.Apply(prim, instance, position=position * unit, velocity=velocity * unit)


def _write_tendon(prims: PrimMap, tendon: FixedTendon, name: str) -> None:
    """Axes on the joints of the links below the first; where these have none above all others, on that of the first."""
    axes, axis_ratio = [], 1.0
    if tendon.branches:
        top = tendon.links[0].joint
        if not top.dof:
            coupled = ", ".join(repr(link.name) for link in tendon.links[1:])
            raise RuntimeError(f"a tendon couples links {coupled}, which branch at link {tendon.links[0].name!r}; on a "
                               "stage the tendon's root is the joint of this link, but this joint has no axis; "
                               "couple a chain of links")
        axes.append((prims.joints[top], 0.0, 0.0))
        axis_ratio = len(tendon.links) / (len(tendon.links) - 1)      # PhysX divides efforts by the number of axes
    for link, coefficient, reciprocal in zip(
            tendon.links[1:], tendon.coefficients[1:], tendon.recip_coefficients[1:], strict=True):
        per_unit = math.pi / 180.0 if link.joint.angular else 1.0
        axes.append((prims.joints[link.joint], coefficient * per_unit, reciprocal * axis_ratio))
    authoring.fixed_tendon(
        prims.stage, name, axes, stiffness=tendon.stiffness, damping=tendon.damping, rest_length=tendon.rest_length,
        offset=tendon.offset, limit_stiffness=tendon.limit_stiffness or None,
        lower=tendon.low if tendon.low > -LARGEST else None, upper=tendon.high if tendon.high < LARGEST else None)


MAX_DISTANCE = 1e6          # m, for the open end of a limit: PhysX makes none of one with an infinite end


def write_joint_component(prims: PrimMap, joint: PhysxJointComponent) -> None:
    """A joint that is outside articulations. Raises RuntimeError where what it holds is not in the scene."""
    for body in (joint.parent, joint.body):
        if body is not None and body not in prims.bodies:
            raise RuntimeError(f"{joint!r} holds a body that is not in the scene; also add its entity")
    path = prims.path(f"{WORLD}/joints", joint.name or f"{joint.body.require_entity().name}_joint")
    kind = UsdPhysics.DistanceJoint if isinstance(joint, PhysxDistanceJointComponent) else UsdPhysics.Joint
    usd_joint = kind.Define(prims.stage, path)
    write_frames(usd_joint, ("" if joint.parent is None else prims.bodies[joint.parent], prims.bodies[joint.body]),
                 (joint.pose_in_parent, joint.pose_in_child))
    usd_joint.CreateExcludeFromArticulationAttr(True)
    if isinstance(joint, PhysxDistanceJointComponent):
        _write_distance(usd_joint, joint)
    elif isinstance(joint, PhysxDriveComponent):
        _write_axes(usd_joint.GetPrim(), joint)
    prims.joints[joint] = path


def _write_distance(usd_joint: UsdPhysics.DistanceJoint, joint: PhysxDistanceJointComponent) -> None:
    if joint.limit is None:
        return
    usd_joint.CreateMinDistanceAttr(joint.limit.low)
    usd_joint.CreateMaxDistanceAttr(joint.limit.high)
    if joint.limit.stiffness or joint.limit.damping:
        PhysxSchema.PhysxPhysicsDistanceJointAPI.Apply(
            usd_joint.GetPrim(), springEnabled=True, springStiffness=joint.limit.stiffness,
            springDamping=joint.limit.damping)


def _write_axes(prim: Usd.Prim, joint: PhysxDriveComponent) -> None:
    positions, velocities = joint.drive_targets("target_position"), joint.drive_targets("target_velocity")
    for axis in AXES:
        unit = 180.0 / math.pi if axis in ROTATIONS else 1.0
        limit, drive = joint.limits.get(axis), joint.drives.get(axis)
        if limit is not None and math.isfinite(limit.low) | math.isfinite(limit.high):
            api = UsdPhysics.LimitAPI.Apply(prim, axis)
            locked = limit.low == limit.high        # which USD writes as a lower limit above the upper one
            end = math.inf if axis in ROTATIONS else MAX_DISTANCE
            api.CreateLowAttr(1.0 if locked else max(limit.low, -end) * unit)
            api.CreateHighAttr(-1.0 if locked else min(limit.high, end) * unit)
            if limit.stiffness or limit.damping:
                PhysxSchema.PhysxLimitAPI.Apply(prim, axis, stiffness=limit.stiffness / unit,
                                                damping=limit.damping / unit)
        if drive is not None:
            api = UsdPhysics.DriveAPI.Apply(prim, axis)
            api.CreateTypeAttr(drive.mode)
            api.CreateStiffnessAttr(drive.stiffness / unit)
            api.CreateDampingAttr(drive.damping / unit)
            api.CreateMaxForceAttr(math.inf if drive.force_limit >= LARGEST else drive.force_limit)
            api.CreateTargetPositionAttr(positions[axis] * unit)
            api.CreateTargetVelocityAttr(velocities[axis] * unit)


KINDS = (*TREE_KINDS, "distance")
LOCKED = Limit(0.0, 0.0)


def maximal_joint_problems(fact: MaximalJoint, bodies: Mapping[str, Any]) -> Iterator[str]:
    """A line for each thing about a joint that no component can be."""
    if fact.kind not in KINDS or fact.cone is not None or (fact.kind != "distance" and fact.distance is not None):
        yield (f"{fact.path}: no component supports a {fact.kind} joint{' with a cone limit' if fact.cone else ''}; "
               f"use one of {', '.join(KINDS)} without cone limit and distance limit")
    if not isinstance(bodies.get(fact.body1), PhysxRigidBodyComponent):
        yield (f"{fact.path}: physics:body1 is not a rigid body; joint components need a rigid body there; exchange "
               "body0 and body1")
    if math.isfinite(fact.break_force) or math.isfinite(fact.break_torque):
        yield f"{fact.path}: components do not support physics:breakForce and breakTorque; remove them"
    if fact.collision_enabled:
        yield f"{fact.path}: components do not support physics:collisionEnabled; set it to false"
    if any(axis.restitution for axis in fact.axes):
        yield f"{fact.path}: components do not support restitution of limits; remove the restitution"
    if sum(abs(angle) > ROTATION_TOLERANCE for angle in fact.drive_rotation) > 1:
        yield f"{fact.path}: components do not support drive targets about several axes; author targets about one axis"


def maximal_joint_component(fact: MaximalJoint, parent: PhysxRigidBaseComponent | None,
                            body: PhysxRigidBodyComponent) -> PhysxJointComponent:
    """The component of a joint without problems."""
    distance = fact.kind == "distance"
    component = PhysxDistanceJointComponent(body) if distance else PhysxDriveComponent(body)
    component.name, component.parent = fact.path.rpartition("/")[2], parent
    rotation = rotation_from_x(fact.axis)
    component.pose_in_parent, component.pose_in_child = pose_of(fact.frame0) * rotation, pose_of(fact.frame1) * rotation
    if isinstance(component, PhysxDistanceJointComponent):
        component.limit = None if fact.distance is None else _range(fact.distance)
    else:
        _load_axes(component, fact)
    return component


def _range(fact: DistanceRange) -> Limit | None:
    if math.isinf(fact.minimum) and math.isinf(fact.maximum):
        return None
    stiffness, damping = (fact.stiffness, fact.damping) if fact.spring else (0.0, 0.0)
    return Limit(max(fact.minimum, 0.0), finite(fact.maximum), stiffness, damping)


def _load_axes(component: PhysxDriveComponent, fact: MaximalJoint) -> None:
    """Limits, drives and targets; what is not among the joint's axes is held."""
    free = {axis.axis: axis for axis in fact.axes}
    position, velocity = np.zeros(3), np.zeros(6)
    for i, name in enumerate(AXES):
        axis = free.get(name)
        limit = LOCKED if axis is None else _limit(axis)
        if limit is not None:
            component.limits[name] = limit
        drive = None if axis is None else axis.drive
        if drive is not None:
            component.drives[name] = Drive(drive.stiffness, drive.damping, finite(drive.max_force),
                                           "acceleration" if drive.acceleration else "force")
            velocity[i] = drive.target_velocity
            if i < 3:
                position[i] = drive.target_position
    imaginary = [math.sin(angle / 2.0) for angle in fact.drive_rotation]
    component.drive_target = Pose(position, [math.cos(sum(fact.drive_rotation) / 2.0), *imaginary])
    component.set_drive_velocity_target(velocity[:3], velocity[3:])


def _limit(axis: JointAxis) -> Limit | None:
    if math.isinf(axis.lower) and math.isinf(axis.upper):
        return None
    return Limit(axis.lower, axis.upper, axis.limit_stiffness, axis.limit_damping)


def load_tendon(articulation: PhysxArticulation, fact: FixedTendonFact,
                links_by_joint: Mapping[str, PhysxArticulationLinkComponent]) -> list[str]:
    """Give an articulation a fixed tendon; a line where it can have none like it."""
    if not fact.enabled:
        return [f"{fact.path}: tendon {fact.name!r} is disabled, which components do not support; enable or remove it"]
    links = [links_by_joint[axis.path] for axis in fact.axes]
    try:
        articulation.create_fixed_tendon(
            [links[0].parent, *links], [0.0, *(axis.gearing for axis in fact.axes)],
            [0.0, *(axis.force_coefficient for axis in fact.axes)], fact.rest_length, fact.offset, fact.stiffness,
            fact.damping, max(fact.lower_limit, -LARGEST), finite(fact.upper_limit), fact.limit_stiffness)
    except ValueError as error:
        return [f"{fact.path}: tendon {fact.name!r} has no component: {error}"]
    return []
