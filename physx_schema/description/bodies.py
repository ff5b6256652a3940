"""Rigid bodies, and what is said of those in no articulation.

Rigid bodies: pose, mass properties, damping and velocity limits.

Joints outside articulations that close loops: what they hold is held together without them as well.

Work without the garbage collector.

Constant forces on bodies (PhysxForceAPI).
"""

from __future__ import annotations

import gc
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache

from pxr import Gf

from physx_schema.description.collision.colliders import ColliderPart
from physx_schema.description.collision.mass import as_rotation, read_mass
from physx_schema.description.collision.visibility import has_collider, shows_geometry
from physx_schema.description.frames import pose_matrix, pose_of, vector
from physx_schema.description.model import (
    BodyContact,
    BodySettings,
    Description,
    ExternalForce,
    IterationBounds,
    Joint,
    Link,
    MaximalJoint,
)
from physx_schema.description.opinions.accounting import default_sleep_threshold
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import ReadContext
from physx_schema.description.opinions.view import SchemaView, unauthored
from physx_schema.description.records import IDENTITY_POSE, Pose, Vec3
from physx_schema.description.stages import read_samples
from physx_schema.description.units import radians


def is_enabled(opinions: PrimOpinions) -> bool:
    """Whether a prim is a rigid body that may move, kinematic ones included."""
    return opinions.has("PhysicsRigidBodyAPI") and opinions.view("PhysicsRigidBodyAPI").flag("rigidBodyEnabled")


def is_kinematic(opinions: PrimOpinions) -> bool:
    """Whether a rigid body follows its authored transform instead of forces."""
    return opinions.view("PhysicsRigidBodyAPI").flag("kinematicEnabled")


def read_link(
    context: ReadContext, body: PrimOpinions, colliders: Sequence[ColliderPart], parent: int, joint: Joint | None,
    scene: str = "", forces: tuple[ExternalForce, ...] = (), free: bool = False,
) -> Link:
    """The body as a link of an articulation; parent -1 and no joint for a root or a free body."""
    mass = read_mass(context, body, colliders, free)
    collides = bool(colliders) or has_collider(context, body)
    rigid = body.view("PhysicsRigidBodyAPI")
    physx = body.view("PhysxRigidBodyAPI")
    return Link(
        path=body.path, parent=parent, joint=joint, pose=context.frames.pose(body.prim, body.path),
        mass=mass.mass, center_of_mass=mass.center, inertia=mass.inertia,
        linear_damping=physx.clamped("linearDamping"), angular_damping=physx.clamped("angularDamping"),
        max_linear_velocity=physx.clamped("maxLinearVelocity"),
        max_angular_velocity=radians(physx.clamped("maxAngularVelocity")),
        cfm_scale=physx.clamped("cfmScale"), gravity_enabled=not physx.flag("disableGravity"),
        linear_velocity=rigid.vector("velocity"), angular_velocity=_radians(rigid.vector("angularVelocity")),
        principal_axes=as_rotation(mass.axes), colliders=tuple(part.fact for part in colliders),
        authored_axes=mass.authored_axes, scene=scene, kinematic=is_kinematic(body), external_forces=forces,
        has_collider=collides, shows_geometry=not collides and shows_geometry(context, body),
        contact=_unauthored_contact(context.meters_per_unit) if physx.silent else _contact(
            physx, context.meters_per_unit),
    )


def as_free_body(context: ReadContext, body: PrimOpinions, link: Link, bounds: IterationBounds) -> Link:
    """The link with what PhysX reads of a body outside articulations."""
    physx = body.view("PhysxRigidBodyAPI")
    threshold = (physx.clamped("sleepThreshold") if physx.authored("sleepThreshold") else
                 default_sleep_threshold(context.meters_per_unit))
    samples = read_samples(context, body) if link.kinematic else ()
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


def _contact(physx: SchemaView, meters_per_unit: float) -> BodyContact:
    """What a body's PhysxRigidBodyAPI says of its contacts; PhysX refuses a depenetration velocity of 0: no bound."""
    fastest = physx.clamped("maxDepenetrationVelocity")
    if not physx.authored("maxDepenetrationVelocity"):
        fastest /= meters_per_unit      # the default is one in metres
    return BodyContact(fastest if fastest > 0.0 else math.inf, physx.clamped("maxContactImpulse"),
                       physx.flag("solveContact"))


def _radians(value: Vec3) -> Vec3:
    return radians(value[0]), radians(value[1]), radians(value[2])


WITHOUT_ANCHORS = frozenset({"distance", "gear", "rack"})   # kinds that hold no two frames together
_WORLD = ""
_Edges = Mapping[str, list[tuple[str, str]]]                # thing -> (joint, thing at its other end)


def looped_joints(description: Description) -> frozenset[str]:
    """Paths of the joints in a loop through articulations, bodies or the world; kinematic bodies count as the world."""
    edges: dict[str, list[tuple[str, str]]] = {}
    looped, nodes = set(), _loop_nodes(description)
    for joint in description.separate_joints:
        if joint.kind not in WITHOUT_ANCHORS:
            first, second = (nodes.get(body, _WORLD) for body in (joint.body0, joint.body1))
            edges.setdefault(first, []).append((joint.path, second))
            edges.setdefault(second, []).append((joint.path, first))
            if first == second:
                looped.add(joint.path)
    paths = {path for ends in edges.values() for path, _ in ends}
    return frozenset(looped | (paths - _bridges(edges)))


def why_not_in_articulation(description: Description, joint: MaximalJoint) -> str:
    """Why PhysX solves a joint outside articulations."""
    owners = {link.path: item for item in description.articulations if item.enabled for link in item.links}
    first, second = (owners.get(body) for body in (joint.body0, joint.body1))
    if joint.kind in WITHOUT_ANCHORS:
        return f"articulations cannot contain {joint.kind} joints"
    if any(joint in item.loose_joints for item in description.articulations):
        return "the articulation of this joint is not enabled"
    if first is None and second is None:
        return "neither end of the joint is a link of an articulation"
    if any(item.path == joint.path and item.base == "excludeFromArticulation" and item.value
           for item in description.authored):
        return "physics:excludeFromArticulation is set"
    if first is not None and second is not None:
        return ("another joint already connects the same links" if first is second else
                "the joint connects two articulations")
    articulation = first or second
    if {joint.body0, joint.body1} & set(description.body_paths) - owners.keys():
        return "one end of the joint is not a link of an articulation"
    if articulation is not None and articulation.fixed_base:
        return "another joint already fixes the base"
    return "the base floats, because PhysicsArticulationRootAPI is on a body, not on this joint or above the bodies"


def joints_to_world(description: Description) -> Mapping[str, list[str]]:
    """By articulation's root link, the joints outside that hold its links to the world or to what does not move."""
    if not description.joints:
        return {}
    nodes = _loop_nodes(description)
    roots = {link.path: item.links[0].path for item in description.articulations if item.enabled for link in item.links}
    joints: dict[str, list[str]] = {}
    for joint in description.joints:
        for first, second in ((joint.body0, joint.body1), (joint.body1, joint.body0)):
            still = second not in roots and nodes.get(second, _WORLD) == _WORLD
            if first in roots and still and joint.kind not in WITHOUT_ANCHORS:
                joints.setdefault(roots[first], []).append(joint.path)
    return joints


def _loop_nodes(description: Description) -> dict[str, str]:
    """What moves as one with respect to loops: by body, its articulation, itself, or the world."""
    nodes = {body.path: _WORLD if body.kinematic else body.path for body in description.separate_bodies}
    for item in description.articulations:
        if item.enabled:
            nodes |= dict.fromkeys((link.path for link in item.links),
                                   _WORLD if item.fixed_base else item.links[0].path)
    return nodes


def _bridges(edges: _Edges) -> set[str]:
    """The joints without which what they hold falls apart (Tarjan), of a graph of things."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    bridges: set[str] = set()
    for root in edges:
        if root in order:
            continue
        order[root] = lowest[root] = len(order)
        stack = [(root, "", iter(edges[root]))]
        while stack:
            node, via, remaining = stack[-1]
            for path, other in remaining:
                if path == via:
                    continue
                if other in order:
                    lowest[node] = min(lowest[node], order[other])
                    continue
                order[other] = lowest[other] = len(order)
                stack.append((other, path, iter(edges[other])))
                break
            else:
                stack.pop()
                if stack:
                    parent = stack[-1][0]
                    lowest[parent] = min(lowest[parent], lowest[node])
                    if lowest[node] > order[parent]:
                        bridges.add(via)
    return bridges


INTERPRETER_FROZEN = 1000     # objects at most that Python itself froze at its start: 375 in 3.12, none in others
GROWTH = 1.25       # of what is allocated, behind which everything is gone through, as the collector has it by itself


class _Collection:
    """The last time that all of memory was gone through, by what was allocated then."""

    blocks = 0


@contextmanager
def gc_disabled() -> Iterator[None]:
    """No garbage collection meanwhile: it would go through everything read so far again and again, and find nothing.

    The collector is as before afterwards, whatever is raised; one use may hold another. What was made meanwhile then
    counts as old, so that the next collection of young objects does not go through all of it. The collector does not
    count it towards the next of old ones, which therefore comes from here.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            if gc.get_freeze_count() < INTERPRETER_FROZEN:       # what a program froze stays so
                gc.freeze()
                gc.unfreeze()       # into the oldest generation
            _collect_where_grown()
            gc.enable()


def _collect_where_grown() -> None:
    """Go through all of memory where a quarter has been added since; the first use only takes note."""
    before, now = _Collection.blocks, sys.getallocatedblocks()
    if now > GROWTH * before:
        if before:
            gc.collect()
        _Collection.blocks = sys.getallocatedblocks()


# PhysX leaves a force or torque out whose squared size is below this, whatever its unit (measured: 0.0031 does
# nothing, 0.0032 acts).
MIN_FORCE_SQUARED = 1e-5


def read_forces(context: ReadContext) -> Mapping[str, tuple[ExternalForce, ...]]:
    """The forces on every body, by its path: those of the body prim and of prims below it, in traversal order."""
    forces: dict[str, tuple[ExternalForce, ...]] = {}
    for opinions in context.prims_with("PhysxForceAPI"):
        body = context.body_of(opinions.path)
        if body:
            forces[body] = (*forces.get(body, ()), _external_force(context, opinions, body))
    return forces


def _external_force(context: ReadContext, opinions: PrimOpinions, body: str) -> ExternalForce:
    view = opinions.view("PhysxForceAPI")
    force, torque, world = view.vector("force"), view.vector("torque"), view.flag("worldFrameEnabled")
    central = opinions.path == body
    frame = IDENTITY_POSE if central else _relative_pose(
        context.frames.pose(context.prims[body].prim, body), context.frames.pose(opinions.prim, opinions.path))
    if not world:
        force, torque = _rotated(frame, force), _rotated(frame, torque)
    return ExternalForce(
        path=opinions.path, enabled=view.flag("forceEnabled"), world=world,
        acceleration=view.token("mode") == "acceleration", force=_thresholded(force), torque=_thresholded(torque),
        point=None if central else frame[0],
    )


def _thresholded(value: Vec3) -> Vec3:
    x, y, z = value
    return value if x * x + y * y + z * z >= MIN_FORCE_SQUARED else (0.0, 0.0, 0.0)


def _relative_pose(outer: Pose, inner: Pose) -> Pose:
    """The pose `inner` in the frame `outer`, both in the world."""
    return pose_of(Gf.Transform(pose_matrix(*inner) * pose_matrix(*outer).GetInverse()))


def _rotated(frame: Pose, value: Vec3) -> Vec3:
    return vector(pose_matrix(*frame).TransformDir(Gf.Vec3d(*value)))
