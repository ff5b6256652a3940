"""A scene written to a USD stage, and which prim is what."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from pxr import Gf, Sdf, Tf, Usd, UsdGeom, UsdPhysics

import physx_schema as PhysxSchema
from physx_runtime.components.articulation import PhysxArticulation, PhysxRigidDynamicComponent
from physx_runtime.components.config import PhysxSceneConfig
from physx_runtime.components.link import PhysxArticulationLinkComponent
from physx_runtime.components.pose import Pose, unit
from physx_runtime.components.profile import Profile
from physx_runtime.components.rigid import PhysxRigidBaseComponent, PhysxRigidBodyComponent
from physx_runtime.components.shapes import PhysxCollisionShape

WORLD = "/World"
UNLIMITED = 1e16         # of maximum velocities, depenetration and impulses: none


@dataclass
class PrimMap:
    """A stage with the prims of components, joints and shapes."""

    stage: Usd.Stage
    bodies: dict[PhysxRigidBaseComponent, str] = field(default_factory=dict)
    joints: dict[Any, str] = field(default_factory=dict)        # of articulations, and joint components
    articulations: dict[PhysxArticulation, str] = field(default_factory=dict)
    shapes: dict[str, PhysxCollisionShape] = field(default_factory=dict)

    def path(self, parent: str, name: str) -> str:
        """A path below a prim that nothing has yet, by a name that may be none of USD's."""
        identifier = Tf.MakeValidIdentifier(name) if name else "unnamed"
        count, path = 1, f"{parent}/{identifier}"
        while self.stage.GetPrimAtPath(path):
            count, path = count + 1, f"{parent}/{identifier}_{count}"
        return path

    def frame(self, path: str, pose: Pose) -> Usd.Prim:
        """A prim of a frame at a pose in the frame above it."""
        frame = UsdGeom.Xform.Define(self.stage, path)
        set_pose_ops(frame, pose)
        return frame.GetPrim()


def new_stage(config: PhysxSceneConfig, profile: Profile, timestep: float) -> PrimMap:
    """A stage in memory, in metres and kilograms, with the physics scene of a config."""
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdPhysics.SetStageKilogramsPerUnit(stage, 1.0)
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    stage.SetDefaultPrim(UsdGeom.Xform.Define(stage, WORLD).GetPrim())
    scene = UsdPhysics.Scene.Define(stage, f"{WORLD}/PhysicsScene")
    size = float(np.linalg.norm(config.gravity.astype(np.float64)))
    direction = config.gravity / size if size else np.array([0.0, 0.0, -1.0])
    scene.CreateGravityDirectionAttr(Gf.Vec3f(*map(float, direction)))
    scene.CreateGravityMagnitudeAttr(size)
    PhysxSchema.PhysxSceneAPI.Apply(
        scene.GetPrim(), bounceThreshold=config.bounce_threshold, solverType="TGS" if config.enable_tgs else "PGS",
        enableEnhancedDeterminism=config.enable_enhanced_determinism, enableGPUDynamics=False, broadphaseType="MBP",
        timeStepsPerSecond=max(1, round(1.0 / timestep)),
        enableExternalForcesEveryIteration=profile.forces_every_iteration,
        frictionOffsetThreshold=profile.friction_offset, frictionCorrelationDistance=profile.friction_correlation)
    return PrimMap(stage)


def set_pose_ops(frame: UsdGeom.Xformable, pose: Pose) -> None:
    """Give a prim the operations of a pose of one world."""
    frame.AddTranslateOp().Set(Gf.Vec3d(*map(float, pose.p)))
    frame.AddOrientOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Quatd(*map(float, unit(pose.q))))


def first_world(values: Any) -> Any:
    """Numbers (n,) of one world, or those of the first of several."""
    array = np.asarray(values)
    return array[0] if array.ndim > 1 else array


def first_pose(pose: Pose) -> Pose:
    """A pose of one world, or that of the first of several."""
    return Pose(first_world(pose.p), first_world(pose.q))


def write_body(prims: PrimMap, prim: Usd.Prim, body: PhysxRigidBodyComponent) -> None:
    """What links and free bodies have in common."""
    UsdPhysics.RigidBodyAPI.Apply(prim)
    mass = UsdPhysics.MassAPI.Apply(prim)
    mass.CreateMassAttr(body.mass)
    mass.CreateCenterOfMassAttr(vec3(body.cmass_local_pose.p))
    mass.CreateDiagonalInertiaAttr(vec3(body.inertia))
    mass.CreatePrincipalAxesAttr(quat(body.cmass_local_pose))
    PhysxSchema.PhysxRigidBodyAPI.Apply(
        prim, linearDamping=body.linear_damping, angularDamping=body.angular_damping,
        maxLinearVelocity=bounded(body.max_linear_velocity),
        maxAngularVelocity=bounded(math.degrees(body.max_angular_velocity)),
        maxDepenetrationVelocity=bounded(body.max_depenetration_velocity),
        maxContactImpulse=bounded(body.max_contact_impulse), disableGravity=body.disable_gravity)


def write_free_body(prims: PrimMap, prim: Usd.Prim, body: PhysxRigidDynamicComponent) -> None:
    """What is a free body's own: kinematic or not, velocity, sleep, iterations, locked axes."""
    write_body(prims, prim, body)
    api = UsdPhysics.RigidBodyAPI(prim)
    if body.kinematic:
        api.CreateKinematicEnabledAttr(True)
    else:
        velocity = [first_world(body.linear_velocity), first_world(body.angular_velocity)]
        api.CreateVelocityAttr(vec3(velocity[0]))
        api.CreateAngularVelocityAttr(vec3(np.degrees(velocity[1])))
        if bool(np.ravel(body.is_sleeping)[0]):
            api.CreateStartsAsleepAttr(True)
    axes = body.locked_motion_axes
    PhysxSchema.PhysxRigidBodyAPI(prim).set(
        sleepThreshold=body.sleep_threshold, solverPositionIterationCount=body.solver_position_iterations,
        solverVelocityIterationCount=body.solver_velocity_iterations, lockedPosAxis=bits(axes[:3]),
        lockedRotAxis=bits(axes[3:]))


def write_frames(joint: UsdPhysics.Joint, paths: Iterable[str], poses: Iterable[Pose]) -> None:
    """The two bodies of a joint, "" for the world, with its frame on each."""
    for index, path, pose in zip("01", paths, poses, strict=True):
        if path:
            getattr(joint, f"CreateBody{index}Rel")().SetTargets([Sdf.Path(path)])
        getattr(joint, f"CreateLocalPos{index}Attr")(vec3(pose.p))
        getattr(joint, f"CreateLocalRot{index}Attr")(quat(pose))


def is_link(body: Any) -> bool:
    """Whether a component is a link of an articulation."""
    return isinstance(body, PhysxArticulationLinkComponent)


def bounded(value: float) -> float:
    """A bound as USD has it: inf for none."""
    return math.inf if value >= UNLIMITED else value


def bits(flags: Iterable[bool]) -> int:
    """1 for the first, 2 for the second, 4 for the third."""
    return sum(1 << i for i, flag in enumerate(flags) if flag)


def vec3(values: Any) -> Gf.Vec3f:
    """Three numbers of single precision."""
    return Gf.Vec3f(*(float(x) for x in values))


def quat(pose: Pose) -> Gf.Quatf:
    """The rotation of a pose, of single precision."""
    return Gf.Quatf(*(float(x) for x in unit(pose.q)))
