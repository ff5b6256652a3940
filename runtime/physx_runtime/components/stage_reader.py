"""Entities and components of what a USD stage describes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np

from physx_runtime.components.articulation import PhysxArticulation, PhysxRigidDynamicComponent
from physx_runtime.components.config import PhysxSceneConfig
from physx_runtime.components.entity import Entity
from physx_runtime.components.link import PhysxArticulationLinkComponent
from physx_runtime.components.pose import Pose
from physx_runtime.components.rigid import (
    PhysxRigidBaseComponent,
    PhysxRigidBodyComponent,
    PhysxRigidStaticComponent,
)
from physx_runtime.components.stage_joints import load_tendon, maximal_joint_component, maximal_joint_problems
from physx_runtime.components.stage_shapes import ShapeReader, finite, pose_of, rotation_from_x
from physx_schema.description.model import Articulation, Collider, Description, Dof, Joint, Link, MaximalJoint
from physx_schema.errors import UnsupportedError

SHAPE_NAME = re.compile(r"shape_\d+")         # as `to_stage` names the shapes of an entity
ROTATED_180_Z = Pose(q=(0.0, 0.0, 0.0, 1.0))      # half a turn about z, after which x points back


class StageReader:
    """Makes entities of a description. Raises UnsupportedError, a line for each thing that no component can be."""

    def __init__(self, description: Description) -> None:
        self.description = description
        self.entities: list[Entity] = []
        self._problems = list(_unsupported(description))
        self._bodies: dict[str, PhysxRigidBaseComponent] = {}
        if self._problems:
            raise UnsupportedError("\n".join(self._problems))
        self._shapes = ShapeReader(description, self._problems)
        for path, colliders in _static_colliders(description).items():
            self._add(path, PhysxRigidStaticComponent(), Pose(), colliders)
        for body in description.bodies:
            self._body(body)
        for articulation in description.articulations:
            self._articulation(articulation)
        for joint in description.joints:
            self._maximal_joint(joint)
        if self._problems:
            raise UnsupportedError("\n".join(self._problems))

    def config(self) -> PhysxSceneConfig:
        """The settings of the stage's scene."""
        scene = self.description.scene
        threshold = scene.contact.bounce_threshold
        return PhysxSceneConfig(gravity=np.array(scene.gravity, np.float32), bounce_threshold=threshold,
                                enable_tgs=scene.solver_type == "TGS")

    def _add(self, path: str, component: Any, pose: Pose, colliders: Sequence[Any]) -> Entity:
        entity = Entity()
        entity.name = component.name = path.rpartition("/")[2]
        for collider in colliders:
            if collider.enabled:
                for shape in self._shapes.read_shapes(collider):
                    component.attach(shape)
        entity.add_component(component)
        if not isinstance(component, PhysxArticulationLinkComponent) or component.is_root:
            entity.pose = pose
        self.entities.append(entity)
        self._bodies[path] = component
        return entity

    def _body(self, fact: Link) -> None:
        body = PhysxRigidDynamicComponent()
        body.kinematic = fact.kinematic
        self._add(fact.path, body, pose_of(fact.pose), fact.colliders)
        _load_body(body, fact)
        settings = fact.body
        if settings is not None:
            body.solver_position_iterations = settings.position_iterations
            body.solver_velocity_iterations = settings.velocity_iterations
            body.sleep_threshold = settings.sleep_threshold
            body.set_locked_motion_axes([bool(flags >> i & 1) for flags in (
                settings.locked_position, settings.locked_rotation) for i in range(3)])
        if not fact.kinematic:
            body.linear_velocity, body.angular_velocity = fact.linear_velocity, fact.angular_velocity
            body.detached_sleep = settings is not None and settings.starts_asleep

    def _articulation(self, fact: Articulation) -> None:
        links: list[PhysxArticulationLinkComponent] = []
        for link_fact in fact.links:
            link = PhysxArticulationLinkComponent(None if link_fact.parent < 0 else links[link_fact.parent])
            links.append(link)
            if link_fact.joint is not None:
                _load_joint(link, link_fact.joint)
            elif fact.fixed_base:
                link.joint.type = "fixed"
            self._add(link_fact.path, link, pose_of(link_fact.pose), link_fact.colliders)
            _load_body(link, link_fact)
        articulation = links[0].articulation
        # where the root itself is marked, as on floating bases, the prim above it is what holds the links
        container = fact.path.rpartition("/")[0] if fact.path == fact.links[0].path else fact.path
        articulation.name = container.rpartition("/")[2]
        articulation.solver_position_iterations, articulation.solver_velocity_iterations = (
            fact.position_iterations, fact.velocity_iterations)
        articulation.sleep_threshold = fact.sleep_threshold
        _load_state(articulation, fact)
        links_by_joint = {link_fact.joint.path: link for link_fact,
                          link in zip(fact.links, links, strict=True) if link_fact.joint is not None}
        # as they are numbered
        for tendon in sorted(fact.fixed_tendons, key=lambda tendon_fact: (len(tendon_fact.name), tendon_fact.name)):
            self._problems += load_tendon(articulation, tendon, links_by_joint)

    def _maximal_joint(self, fact: MaximalJoint) -> None:
        problems = list(maximal_joint_problems(fact, self._bodies))
        self._problems += problems
        if not problems:
            body = cast(PhysxRigidBodyComponent, self._bodies[fact.body1])
            body.require_entity().add_component(maximal_joint_component(fact, self._bodies.get(fact.body0), body))


def _static_colliders(description: Description) -> dict[str, list[Collider]]:
    """Static colliders by the prim that their entity is named as: what `to_stage` wrote of one entity is one again."""
    colliders: dict[str, list[Collider]] = {}
    for collider in description.static_colliders:
        above, _, name = collider.path.rpartition("/")
        colliders.setdefault(above if SHAPE_NAME.fullmatch(name) else collider.path, []).append(collider)
    return colliders


def _load_body(body: PhysxRigidBodyComponent, fact: Link) -> None:
    x, y, z, w = fact.principal_axes
    frame = Pose(fact.center_of_mass, (w, x, y, z))
    axes = frame.to_transformation_matrix()[:3, :3].astype(np.float64)
    body.mass, body.cmass_local_pose = fact.mass, frame
    body.inertia = np.diag(axes.T @ np.array(fact.inertia) @ axes)
    body.disable_gravity = not fact.gravity_enabled
    body.linear_damping, body.angular_damping = fact.linear_damping, fact.angular_damping
    body.max_linear_velocity = finite(fact.max_linear_velocity)
    body.max_angular_velocity = finite(fact.max_angular_velocity)
    body.max_depenetration_velocity = finite(fact.contact.max_depenetration_velocity)
    body.max_contact_impulse = finite(fact.contact.max_impulse)


def _load_joint(link: PhysxArticulationLinkComponent, fact: Joint) -> None:
    joint, rotation = link.joint, rotation_from_x(fact.axis)
    joint.name = fact.path.rpartition("/")[2]
    if fact.reversed:
        rotation = rotation * ROTATED_180_Z
    joint.pose_in_parent = pose_of(fact.parent_frame) * rotation
    joint.pose_in_child = pose_of(fact.child_frame) * rotation
    dof = fact.dofs[0] if fact.dofs else None
    if dof is None:
        joint.type = "fixed"
        return
    unlimited = math.isinf(dof.lower) and math.isinf(dof.upper)
    joint.type = "prismatic" if not dof.angular else "revolute" if unlimited else "revolute_unwrapped"
    joint.limit = [[dof.lower, dof.upper]]
    joint.friction, joint.armature, joint.max_velocity = 0.0, [dof.armature], dof.max_velocity
    _load_drive(link, dof)


def _load_drive(link: PhysxArticulationLinkComponent, dof: Dof) -> None:
    drive = dof.drive
    if drive is None:
        return
    link.joint.set_drive_properties(drive.stiffness, drive.damping, finite(drive.max_force),
                                    "acceleration" if drive.acceleration else "force")
    link.joint.drive_target, link.joint.drive_velocity_target = [drive.target_position], [drive.target_velocity]


def _load_state(articulation: PhysxArticulation, fact: Articulation) -> None:
    """Take coordinates as they are on the stage, also beyond limits, and the velocity of a floating root."""
    by_name = {dof.path.rpartition("/")[2]: dof for dof in fact.dofs}
    for row, values in (("q", "position"), ("v", "velocity")):
        articulation.detached_rows[row] = np.array([getattr(by_name[joint.name], values)
                                                    for joint in articulation.active_joints], np.float32)
    if not fact.fixed_base:
        root = fact.links[0]
        articulation.root_linear_velocity = root.linear_velocity
        articulation.root_angular_velocity = root.angular_velocity


def _unsupported(d: Description) -> Iterator[str]:
    """A line for each thing on a stage that no component can be."""
    if d.scene.meters_per_unit != 1.0 or d.scene.kilograms_per_unit != 1.0:
        yield (f"{d.source}: the stage's units are {d.scene.meters_per_unit:g} m and {d.scene.kilograms_per_unit:g} "
               "kg; components use metres and kilograms; convert the stage")
    if len(d.scenes) > 1:
        yield f"{d.source}: the stage has {len(d.scenes)} physics scenes; components support one; remove the others"
    for articulation in d.articulations:
        yield from _articulation_problems(articulation)
    for body in (*d.bodies, *(link for articulation in d.articulations for link in articulation.links)):
        if body.external_forces:
            yield f"{body.path}: components do not support PhysxForceAPI; use add_force_torque"
        if body.samples:
            yield f"{body.path}: components do not support time samples; set kinematic_target in each step"


def _articulation_problems(articulation: Articulation) -> Iterator[str]:
    for what, items in (("spatial tendons", articulation.spatial_tendons), ("mimic joints", articulation.mimics)):
        if items:
            yield f"{articulation.path}: components do not support {what}; remove them"
    if not articulation.enabled:
        yield f"{articulation.path}: physxArticulation:articulationEnabled is false; set it to true"
    for link in articulation.links:
        joint = link.joint
        if joint is not None and len(joint.dofs) > 1:
            yield (f"{joint.path}: a {joint.kind} joint with {len(joint.dofs)} axes; joint components support at most "
                   "one axis")
        for dof in joint.dofs if joint is not None else ():
            if dof.static_friction or dof.viscous_friction:
                yield (f"{dof.path}: components do not support joint friction as an effort, only as a load "
                       "coefficient; remove the friction")
            if dof.drive is not None and dof.drive.envelope is not None:
                yield f"{dof.path}: components do not support performance envelopes; remove the envelope"


