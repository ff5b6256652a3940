"""Rigid bodies: pose, mass properties, damping and velocity limits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from physx_schema.description.collision.colliders import ColliderPart
from physx_schema.description.collision.mass import as_rotation, read_mass
from physx_schema.description.model import BodyContact, BodySettings, IterationBounds, Joint, Link, Push
from physx_schema.description.opinions.deviations import default_sleep_threshold
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import Reading
from physx_schema.description.opinions.view import View, unauthored
from physx_schema.description.poses import Vec3
from physx_schema.description.sampled_motion import read_samples
from physx_schema.description.units import radians


def is_enabled(opinions: PrimOpinions) -> bool:
    """Whether a prim is a rigid body that may move, kinematic ones included."""
    return opinions.has("PhysicsRigidBodyAPI") and opinions.view("PhysicsRigidBodyAPI").flag("rigidBodyEnabled")


def is_kinematic(opinions: PrimOpinions) -> bool:
    """Whether a rigid body follows its authored transform instead of forces."""
    return opinions.view("PhysicsRigidBodyAPI").flag("kinematicEnabled")


def read_link(
    reading: Reading, body: PrimOpinions, colliders: Sequence[ColliderPart], parent: int, joint: Joint | None,
    scene: str = "", pushes: tuple[Push, ...] = (), free: bool = False,
) -> Link:
    """The body as a link of an articulation; parent -1 and no joint for a root or a free body."""
    mass = read_mass(reading, body, colliders, free)
    rigid = body.view("PhysicsRigidBodyAPI")
    physx = body.view("PhysxRigidBodyAPI")
    return Link(
        path=body.path, parent=parent, joint=joint, pose=reading.frames.pose(body.prim, body.path),
        mass=mass.mass, center_of_mass=mass.center, inertia=mass.inertia,
        linear_damping=physx.clamped("linearDamping"), angular_damping=physx.clamped("angularDamping"),
        max_linear_velocity=physx.clamped("maxLinearVelocity"),
        max_angular_velocity=radians(physx.clamped("maxAngularVelocity")),
        cfm_scale=physx.clamped("cfmScale"), gravity_enabled=not physx.flag("disableGravity"),
        linear_velocity=rigid.vector("velocity"), angular_velocity=_radians(rigid.vector("angularVelocity")),
        principal_axes=as_rotation(mass.axes), colliders=tuple(part.fact for part in colliders),
        authored_axes=mass.authored_axes, scene=scene, kinematic=is_kinematic(body), pushes=pushes,
        contact=_unauthored_contact(reading.meters_per_unit) if physx.silent else _contact(
            physx, reading.meters_per_unit),
    )


def as_free_body(reading: Reading, body: PrimOpinions, link: Link, bounds: IterationBounds) -> Link:
    """The link with what PhysX reads of a body outside articulations."""
    physx = body.view("PhysxRigidBodyAPI")
    threshold = (physx.clamped("sleepThreshold") if physx.authored("sleepThreshold") else
                 default_sleep_threshold(reading.meters_per_unit))
    samples = read_samples(reading, body) if link.kinematic else ()
    return replace(link, samples=samples, body=BodySettings(
        position_iterations=bounds.position_count(physx.count("solverPositionIterationCount")),
        velocity_iterations=bounds.velocity_count(physx.count("solverVelocityIterationCount")),
        sleep_threshold=threshold, gyroscopic=physx.flag("enableGyroscopicForces"),
        starts_asleep=body.view("PhysicsRigidBodyAPI").flag("startsAsleep"),
        locked_position=physx.count("lockedPosAxis"), locked_rotation=physx.count("lockedRotAxis"),
    ))


@cache
def _unauthored_contact(meters_per_unit: float) -> BodyContact:
    return _contact(unauthored("PhysxRigidBodyAPI"), meters_per_unit)


def _contact(physx: View, meters_per_unit: float) -> BodyContact:
    """What a body's PhysxRigidBodyAPI says of its contacts; PhysX refuses a depenetration velocity of 0: no bound."""
    fastest = physx.clamped("maxDepenetrationVelocity")
    if not physx.authored("maxDepenetrationVelocity"):
        fastest /= meters_per_unit      # the default is one in metres
    return BodyContact(fastest if fastest > 0.0 else math.inf, physx.clamped("maxContactImpulse"),
                       physx.flag("solveContact"))


def _radians(value: Vec3) -> Vec3:
    return radians(value[0]), radians(value[1]), radians(value[2])
