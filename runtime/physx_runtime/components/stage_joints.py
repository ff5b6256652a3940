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
    AXES,
    TURN_ROUNDING,
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
from physx_runtime.components.stage import WORLD, Written, first_pose, of_first_world, write_body, write_frames
from physx_runtime.components.stage_shapes import along_x, finite, pose_of, write_shapes
from physx_schema import authoring
from physx_schema.description.model import DistanceRange, JointAxis, OutsideJoint
from physx_schema.description.model import FixedTendon as FixedTendonFact

UNWRAPPED = 1e6         # rad: PhysX counts the turns of a hinge that has limits, however far they are

_JOINTS = {"fixed": UsdPhysics.FixedJoint, "revolute": UsdPhysics.RevoluteJoint,
           "revolute_unwrapped": UsdPhysics.RevoluteJoint, "prismatic": UsdPhysics.PrismaticJoint}


def write_articulation(written: Written, articulation: PhysxArticulation, parent: str) -> None:
    """The links under a prim that is the articulation's root, and the joints between them."""
    root = articulation.root
    path = written.path(parent, articulation.name or f"{root.name or 'articulation'}_articulation")
    prim = written.frame(path, Pose())
    for link in articulation.links:
        own = written.path(path, link.name or "link")
        body = written.frame(own, first_pose(link.entity_pose))
        write_body(written, body, link)
        write_shapes(written, body, link)
        written.bodies[link] = own
    coordinates, rates = of_first_world(articulation.qpos), of_first_world(articulation.qvel)
    places = {joint: i for i, joint in enumerate(articulation.active_joints)}
    for joint in articulation.joints:
        if joint.type != "free":
            _write_joint(written, joint, f"{path}/joints")
        if joint in places:
            _write_dof(written, joint, float(coordinates[places[joint]]), float(rates[places[joint]]))
    floating = root.joint.type == "free"
    if floating:        # PhysX takes the link in the middle for the root unless the root link itself is named
        prim = written.stage.GetPrimAtPath(written.bodies[root])
    UsdPhysics.ArticulationRootAPI.Apply(prim)
    PhysxSchema.PhysxArticulationAPI.Apply(
        prim, solverPositionIterationCount=articulation.solver_position_iterations,
        solverVelocityIterationCount=articulation.solver_velocity_iterations,
        sleepThreshold=articulation.sleep_threshold)
    if floating:
        _write_root_velocity(prim, articulation)
    for number, tendon in enumerate(articulation.tendons):
        _write_tendon(written, tendon, f"tendon_{number}")
    written.articulations[articulation] = path


def _write_root_velocity(root: Usd.Prim, articulation: PhysxArticulation) -> None:
    api = UsdPhysics.RigidBodyAPI(root)
    api.CreateVelocityAttr(tuple(map(float, of_first_world(articulation.root_linear_velocity))))
    api.CreateAngularVelocityAttr(
        tuple(map(float, np.degrees(of_first_world(articulation.root_angular_velocity)))))


def _write_joint(written: Written, joint: PhysxArticulationJoint, folder: str) -> None:
    """A joint with both frames; that of a fixed root holds it where it stands."""
    child, parent = joint.child_link, joint.parent_link
    path = written.path(folder, joint.name or f"{child.name or 'link'}_joint")
    made = _JOINTS[joint.type].Define(written.stage, path)
    if parent is None:
        write_frames(made, ("", written.bodies[child]), (first_pose(child.entity_pose), Pose()))
    else:
        write_frames(made, (written.bodies[parent], written.bodies[child]), (joint.pose_in_parent, joint.pose_in_child))
    written.joints[joint] = path


def _write_dof(written: Written, joint: PhysxArticulationJoint, position: float, velocity: float) -> None:
    """Axis, limits, drive and state of a joint with a coordinate."""
    prim = written.stage.GetPrimAtPath(written.joints[joint])
    schema = UsdPhysics.RevoluteJoint(prim) if joint.angular else UsdPhysics.PrismaticJoint(prim)
    one, instance = (180.0 / math.pi, "angular") if joint.angular else (1.0, "linear")      # of USD's unit
    schema.CreateAxisAttr("X")
    low, high = (float(x) for x in joint.limit[0])
    if joint.type == "revolute_unwrapped":
        low, high = max(low, -UNWRAPPED), min(high, UNWRAPPED)
    schema.CreateLowerLimitAttr(low * one)
    schema.CreateUpperLimitAttr(high * one)
    stiffness, damping, _, mode = joint.stiffness, joint.damping, joint.force_limit, joint.drive_mode
    authoring.drive(
        prim, type="acceleration" if mode == "acceleration" else "force", stiffness=stiffness / one,
        damping=damping / one, max_force=float(joint.parameter("max_force")),
        target=float(of_first_world(joint.drive_target)[0]) * one,
        target_velocity=float(of_first_world(joint.drive_velocity_target)[0]) * one)
    PhysxSchema.PhysxJointAxisAPI.Apply(
        prim, instance, armature=float(joint.armature[0]), maxJointVelocity=joint.max_velocity * one)
    PhysxSchema.JointStateAPI.Apply(prim, instance, position=position * one, velocity=velocity * one)


def _write_tendon(written: Written, tendon: FixedTendon, name: str) -> None:
    """Axes on the joints of the links below the first; where these have none above all others, on that of the first."""
    axes, share = [], 1.0
    if tendon.branches:
        top = tendon.links[0].joint
        if not top.dof:
            coupled = ", ".join(repr(link.name) for link in tendon.links[1:])
            raise RuntimeError(f"a tendon couples links {coupled}, which part at link {tendon.links[0].name!r}; a "
                               "tendon on a stage hangs on a joint above all of them, and that link's has no axis; "
                               "couple a chain of links")
        axes.append((written.joints[top], 0.0, 0.0))
        share = len(tendon.links) / (len(tendon.links) - 1)      # PhysX divides efforts by the number of axes
    for link, coefficient, reciprocal in zip(
            tendon.links[1:], tendon.coefficients[1:], tendon.recip_coefficients[1:], strict=True):
        per_unit = math.pi / 180.0 if link.joint.angular else 1.0
        axes.append((written.joints[link.joint], coefficient * per_unit, reciprocal * share))
    authoring.fixed_tendon(
        written.stage, name, axes, stiffness=tendon.stiffness, damping=tendon.damping, rest_length=tendon.rest_length,
        offset=tendon.offset, limit_stiffness=tendon.limit_stiffness or None,
        lower=tendon.low if tendon.low > -LARGEST else None, upper=tendon.high if tendon.high < LARGEST else None)


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
