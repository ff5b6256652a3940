"""Articulations written to a stage: links, joints, drives and fixed tendons."""

from __future__ import annotations

import math

import numpy as np
from pxr import Usd, UsdPhysics

import physx_schema as PhysxSchema
from physx_runtime.components.arguments import LARGEST
from physx_runtime.components.articulation import PhysxArticulation
from physx_runtime.components.joint import PhysxArticulationJoint
from physx_runtime.components.pose import Pose
from physx_runtime.components.stage import Written, first_pose, of_first_world, write_body, write_frames
from physx_runtime.components.stage_shapes import write_shapes
from physx_runtime.components.tendon import FixedTendon
from physx_schema import authoring

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
